/**
 * What has been erased, as rules: a value that may not be kept, known by its salted hash alone. A text that is such a value,
 * or holds it as whole words where the rule says so, becomes a mark; everything around it stays as it is, so a body that has
 * lost a person's name still says what happened to which record, when and for how much. Pure, and the same for a body that
 * was stored long ago and for one that comes in tomorrow.
 */
import { hash } from "node:crypto"
import { unpack } from "./Body.ts"
import * as Json from "./Json.ts"

/** A value that is erased, as it is kept: nobody can read it here, but whoever has it can tell that it is the one. */
export interface Erased {
  readonly salt: string
  /** SHA-256 of the salt, the field and the value, as hex. */
  readonly sha256: string
  /** Only in fields with this name; null: everywhere. */
  readonly field: string | null
  /** How many UTF-16 units it has. */
  readonly length: number
  /** Also within longer texts, as whole words. */
  readonly isWithin: boolean
}

/** Where a field stands: its name, and its path from the top, with dots. Places in lists don't count. */
export type IsKept = (name: string, path: string) => boolean

/** Only at these paths. */
export const keptAt = (paths: ReadonlyArray<string>): IsKept => {
  const all = new Set(paths)
  return (_name, path) => all.has(path)
}

/** In place of what was erased. Not null: whether a field is there says what kind of event it is. */
export const mark = "[erased]"

/** Unicode writes some letters in more than one way. */
const canonical = (value: string): string => value.normalize("NFC")

const digest = (salt: string, field: string | null, value: string): string =>
  // In one call: a long text has many parts, and an object for each took as long as the hash.
  hash("sha256", JSON.stringify([salt, field, canonical(value)]))

/** What is asked to be erased. */
export interface Asked {
  readonly value: string
  readonly field: string | null
  readonly isWithin: boolean
}

export const erased = ({ field, isWithin, value }: Asked, salt: string): Erased => ({
  salt,
  sha256: digest(salt, field, value),
  field,
  length: canonical(value).length,
  isWithin
})

/**
 * A text without what was erased; the same text if it has nothing of it. `isLoose`: nobody knows what in it is a value, so
 * each is looked for within it.
 */
export type Redact = (text: string, name: string | null, isLoose?: boolean) => string

/** Undefined if nothing is erased: then nothing need be looked at. */
export const redactor = (all: ReadonlyArray<Erased>): Redact | undefined => {
  if (all.length === 0) return undefined
  const salts = [...Map.groupBy(all, ({ salt }) => salt)].map(([salt, rules]) => new Salted(salt, rules))
  return (text, name, isLoose) => salts.reduce((left, salted) => salted.redact(left, name, isLoose), text)
}

/** Those with the same salt: a text is hashed once for all of them. */
class Salted {
  readonly #salt: string
  readonly #all: ReadonlySet<string>
  readonly #fields: ReadonlySet<string>
  readonly #isEverywhere: boolean
  readonly #within: ByLength
  readonly #loose: ByLength

  constructor(salt: string, rules: ReadonlyArray<Erased>) {
    this.#salt = salt
    this.#all = new Set(rules.map(({ sha256 }) => sha256))
    this.#fields = new Set(rules.flatMap(({ field }) => field ?? []))
    this.#isEverywhere = rules.some(({ field }) => field === null)
    this.#within = byLength(rules.filter(({ isWithin }) => isWithin))
    this.#loose = byLength(rules.filter(({ field }) => field === null))
  }

  redact(text: string, name: string | null, isLoose = false): string {
    const fields = [...(this.#isEverywhere ? [null] : []), ...(name !== null && this.#fields.has(name) ? [name] : [])]
    if (text === "" || fields.length === 0) return text
    if (fields.some((field) => this.#all.has(digest(this.#salt, field, text)))) return mark
    const isOne = (sums: ReadonlySet<string>) => (part: string) =>
      fields.some((field) => sums.has(digest(this.#salt, field, part)))
    const parts = isLoose ? this.#loose : this.#within
    return parts.reduce((left, [length, sums]) => shortened(left, length, isOne(sums)), text)
  }
}

/** The longest first, as one may hold another. */
type ByLength = ReadonlyArray<readonly [length: number, sums: ReadonlySet<string>]>

const byLength = (rules: ReadonlyArray<Erased>): ByLength =>
  [...Map.groupBy(rules, ({ length }) => length)]
    .map(([length, some]) => [length, new Set(some.map(({ sha256 }) => sha256))] as const)
    .toSorted(([a], [b]) => b - a)

/** Stays as it was written if nothing in it is erased. */
const shortened = (text: string, length: number, isErased: (part: string) => boolean): string => {
  const whole = canonical(text)
  let made = ""
  let copied = 0
  for (let at = 0; at + length <= whole.length; at++) {
    if (!isEdge(whole, at) || !isEdge(whole, at + length) || !isErased(whole.slice(at, at + length))) continue
    made += whole.slice(copied, at) + mark
    copied = at + length
    at = copied - 1
  }
  return copied === 0 ? text : made + whole.slice(copied)
}

const isWord = /[\p{L}\p{M}\p{N}]/u

/** Where a word may begin or end: looking at each other place would cost a hash for each letter. */
const isEdge = (text: string, at: number): boolean => {
  const [before, after] = [text[at - 1], text[at]]
  return before === undefined || after === undefined || !isWord.test(before) || !isWord.test(after)
}

/** The value without what was erased; the same object if it has nothing of it. Names of fields count as texts. */
export const redactValue = (
  value: unknown,
  redact: Redact,
  isKept: IsKept,
  name: string | null = null,
  path = ""
): unknown => {
  if (typeof value === "string") return redact(value, name)
  const number = name === null ? undefined : Json.numberText(value)
  // A number is no person, unless one names its field.
  if (number !== undefined) return redact(number, name) === number ? value : null
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => redactValue(item, redact, isKept, name, path))
    return items.every((item, place) => item === value[place]) ? value : items
  }
  if (!Json.isObject(value)) return value
  let isSame = true
  // Without a prototype: the service chooses the names.
  const made = Object.create(null) as Record<string, unknown>
  for (const [key, inner] of Object.entries(value)) {
    const at = path === "" ? key : `${path}.${key}`
    const named = redact(key, null)
    const left =
      isKept(key, at) && (typeof inner !== "object" || inner === null)
        ? inner
        : redactValue(inner, redact, isKept, key, at)
    isSame &&= left === inner && named === key
    made[free(made, named)] = left
  }
  return isSame ? value : made
}

/** Two names may become the same. */
const free = (made: Readonly<Record<string, unknown>>, name: string): string => {
  if (!(name in made)) return name
  for (let count = 2; ; count++) if (!(`${name} ${count}` in made)) return `${name} ${count}`
}

/** JSON text without what was erased, or undefined if it has nothing of it. */
export const redactText = (text: string, redact: Redact, isKept: IsKept): string | undefined => {
  const value = Json.parse(text.startsWith("\ufeff") ? text.slice(1) : text)
  if (value === undefined) {
    const left = redact(text, null, true)
    return left === text ? undefined : left
  }
  const left = redactValue(value, redact, isKept)
  return left === value ? undefined : Json.stringify(left)
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** The bytes of a body, unpacked, without what was erased; undefined if it has nothing of it. */
export const redactBody = (
  body: Uint8Array,
  mostBytes: number,
  redact: Redact,
  isKept: IsKept
): Uint8Array | undefined => {
  const plain = unpack(body, mostBytes)
  if (plain === "too-large") return undefined
  let text: string
  try {
    text = decoder.decode(plain)
  } catch {
    return undefined
  }
  const left = redactText(text, redact, isKept)
  return left === undefined ? undefined : Buffer.from(left)
}

/** Names and values, as headers are kept. */
export const redactPairs = (pairs: ReadonlyArray<string>, redact: Redact): ReadonlyArray<string> =>
  pairs.map((text, place) => (place % 2 === 0 ? text : redact(text, pairs[place - 1] ?? null)))
