/**
 * What is left of a record that is erased. Its texts become a mark, a list or an object as a whole; numbers, times and truths become
 * null, also where they came as texts: a column for one of these would hold no mark. What the books and the reading need stays.
 *
 * So a body still says what happened to which record, and a row that was made of it can be changed to what it would be made
 * of what is left. Done once more, it changes nothing. Pure.
 */
import { hash } from "node:crypto"
import * as Json from "./Json.ts"
import type { ColumnType } from "./Resource.ts"
import { readValue } from "./Value.ts"

/** In place of what was erased. Not null: whether a field is there says what kind of event it is. */
export const mark = "[erased]"

/** What names a record. */
export interface Named {
  readonly table: string
  /** Canonical text, as in the key of its row. */
  readonly id: string
}

/** One that is erased, as it is kept: who knows it can tell that it is the one. */
export interface ErasedRecord {
  readonly salt: string
  /** SHA-256 of the salt, the table and the record's id, as hex. */
  readonly sha256: string
  readonly table: string
}

/** Of more parts than a value's, so that it is never the same. */
const digest = (salt: string, { id, table }: Named): string =>
  hash("sha256", JSON.stringify([salt, "record", table, id]))

export const erasedRecord = (record: Named, salt: string): ErasedRecord => ({
  salt,
  sha256: digest(salt, record),
  table: record.table
})

export const isAmong = (all: ReadonlyArray<ErasedRecord>): ((record: Named) => boolean) => {
  const byTable = Map.groupBy(all, ({ table }) => table)
  return (record) => byTable.get(record.table)?.some(({ salt, sha256 }) => digest(salt, record) === sha256) === true
}

/** What stays of a record. Paths are from its top, with dots. */
export interface Keeps {
  readonly stays: (path: string, value: unknown) => boolean
  /** Something below it may stay. */
  readonly leads: (path: string) => boolean
  /** That it is there says something: it gets the mark, whatever it was. */
  readonly shows: (path: string) => boolean
}

export interface Paths {
  readonly kept: ReadonlyArray<string>
  readonly shown?: ReadonlyArray<string>
  /** Of others, by their value. */
  readonly isKept?: (path: string, value: unknown) => boolean
}

const waysTo = (path: string): ReadonlyArray<string> =>
  path.split(".").map((_, place, parts) => parts.slice(0, place + 1).join("."))

export const keepsAt = ({ isKept = () => false, kept, shown = [] }: Paths): Keeps => {
  // To what is shown, not into it: whatever it is, it gets the mark as a whole.
  const ways = new Set([...kept.flatMap(waysTo), ...shown.flatMap((path) => waysTo(path).slice(0, -1))])
  const [all, seen] = [new Set(kept), new Set(shown)]
  return {
    stays: (path, value) => all.has(path) || isKept(path, value),
    leads: (path) => path === "" || ways.has(path),
    shows: (path) => seen.has(path)
  }
}

/** What stays by any of these. */
export const anyOf = (all: ReadonlyArray<Keeps>): Keeps => ({
  stays: (path, value) => all.some((keeps) => keeps.stays(path, value)),
  leads: (path) => all.some((keeps) => keeps.leads(path)),
  shows: (path) => all.some((keeps) => keeps.shows(path))
})

const others: ReadonlyArray<ColumnType> = ["BIGINT", "DECIMAL(28,4)", "DECIMAL(10,2)", "DATE", "TIMESTAMPTZ"]
const number = /^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/

/** False of one that says a number, a time or a truth. */
const isWords = (text: string): boolean =>
  text !== "true" &&
  text !== "false" &&
  !number.test(text) &&
  others.every((type) => readValue(type, text) === undefined)

/** The same object if nothing goes. */
export const emptied = (value: unknown, keeps: Keeps, path = ""): unknown => {
  if (value === null || value === undefined || value === mark) return value
  if (Array.isArray(value)) {
    if (!keeps.leads(path)) return mark
    const items = value.map((item: unknown, place) => emptied(item, keeps, below(path, String(place))))
    return items.every((item, place) => item === value[place]) ? value : items
  }
  if (Json.isObject(value)) return keeps.leads(path) ? emptiedObject(value, keeps, path) : mark
  if (keeps.stays(path, value)) return value
  return keeps.shows(path) || (typeof value === "string" && isWords(value)) ? mark : null
}

const below = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`)

const emptiedObject = (value: Readonly<Record<string, unknown>>, keeps: Keeps, path: string): unknown => {
  let isSame = true
  // Without a prototype: the service chooses the names.
  const made = Object.create(null) as Record<string, unknown>
  for (const [name, inner] of Object.entries(value)) {
    made[name] = emptied(inner, keeps, below(path, name))
    isSame &&= made[name] === inner
  }
  return isSame ? value : made
}
