/**
 * Names of tables and columns, made from names that come from outside: the segments of a path or the fields of a
 * schema, with arbitrary contents (SQL, paths, `__proto__`, 300 characters).
 *
 * The result is a letter, then letters, digits and underscores, in lower case, 63 characters at most. It needs no
 * quoting in any engine, is a valid file name, has no leading underscore (those are siteledger's own columns), and is
 * no property that every object has. Pure.
 */
import { hash } from "node:crypto"

/** PostgreSQL cuts names after this many bytes, and two names that were cut could be equal. */
const longest = 63

const pattern = /^[a-z][a-z0-9_]{0,62}$/

/** Properties of a plain object that consist of these letters. A row is a plain object. */
const inherited: ReadonlySet<string> = new Set(["constructor"])

export const isName = (text: string): boolean => pattern.test(text) && !inherited.has(text)

const separated = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .replace(/\p{M}/gu, "")
    .toLowerCase()

/** `projectId`, `project-id` and `ProjectID` are all "project" and "id". */
export const words = (text: string): ReadonlyArray<string> =>
  // Most names are written with underscores, and there may be millions.
  (/^[a-z0-9_]*$/.test(text) ? text : separated(text)).split(/[^a-z0-9]+/).filter((word) => word !== "")

/** The form in which names of parameters and of fields are compared. */
export const plain = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, "")

export const nameOf = (text: string, otherwise: string): string => {
  const joined = words(text.slice(0, 1000)).join("_")
  const started = /^[a-z]/.test(joined) ? joined : `${otherwise}${joined === "" ? "" : `_${joined}`}`
  const name = inherited.has(started) ? `${started}_` : started
  if (name.length <= longest) return name
  return `${name.slice(0, longest - 9)}_${hash("sha256", text).slice(0, 8)}`
}

/** The name, with a number if it is taken. */
export const free = (name: string, taken: ReadonlySet<string>): string => {
  let found = name
  for (let count = 2; taken.has(found); count++) {
    const end = `_${count}`
    found = `${name.slice(0, longest - end.length)}${end}`
  }
  return found
}

const irregular: ReadonlyMap<string, string> = new Map([
  ["people", "person"],
  ["children", "child"],
  ["statuses", "status"],
  ["addresses", "address"],
  ["analyses", "analysis"],
  ["indices", "index"],
  ["series", "series"],
  ["news", "news"],
  ["axis", "axis"]
])

/** The singular of an English plural; any other word is returned unchanged. */
export const singular = (word: string): string => {
  const known = irregular.get(word)
  if (known !== undefined) return known
  if (/[^aeiou]ies$/.test(word)) return `${word.slice(0, -3)}y`
  if (/(ss|sh|ch|x|z)es$/.test(word)) return word.slice(0, -2)
  // "analysis" is singular, but "RFIs" is plural.
  return /[^su]s$/.test(word) && (word.length <= 4 || !word.endsWith("is")) ? word.slice(0, -1) : word
}

/** The name with its last word in the singular: `hse_incidents` becomes `hse_incident`. */
export const singularName = (name: string): string => {
  const parts = name.split("_")
  return [...parts.slice(0, -1), singular(parts.at(-1) ?? "")].join("_")
}

export const isPlural = (word: string): boolean => singular(word) !== word
