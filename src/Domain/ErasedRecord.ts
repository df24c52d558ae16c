/**
 * What is left of a record that is erased. A text becomes the mark, and so does a list or an object as a whole.
 * Numbers, times and booleans become null, even if they came as text, because their columns couldn't hold the mark.
 * Fields that the books or the readers need stay.
 *
 * So a body still says what happened to which record, and a row made from it can be changed to what the remaining
 * fields would make. Erasing twice changes nothing. Pure.
 */
import { hash } from "node:crypto"
import * as Json from "./Json.ts"
import type { ColumnType } from "./Resource.ts"
import { readValue } from "./Value.ts"

/** Replaces what was erased. Not null, because the presence of a field says what kind of event it is. */
export const mark = "[erased]"

/** What names a record. */
export interface Named {
  readonly table: string
  /** Canonical text, as in the key of the record's row. */
  readonly id: string
}

/** An erased record, as it is stored: only someone who knows the id can recognise it. */
export interface ErasedRecord {
  readonly salt: string
  /** SHA-256 of the salt, the table and the record's id, as hex. */
  readonly sha256: string
  readonly table: string
}

/** Hashes more parts than a value's hash does, so the two can never be equal. */
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

/** Which fields of a record stay. Paths start at its top and use dots. */
export interface Keeps {
  readonly stays: (path: string, value: unknown) => boolean
  /** Whether something below this path may stay. */
  readonly leads: (path: string) => boolean
  /** Its presence carries meaning: it gets the mark, regardless of its value. */
  readonly shows: (path: string) => boolean
}

export interface Paths {
  readonly kept: ReadonlyArray<string>
  readonly shown?: ReadonlyArray<string>
  /** Decides by the value of other fields. */
  readonly isKept?: (path: string, value: unknown) => boolean
}

const waysTo = (path: string): ReadonlyArray<string> =>
  path.split(".").map((_, place, parts) => parts.slice(0, place + 1).join("."))

export const keepsAt = ({ isKept = () => false, kept, shown = [] }: Paths): Keeps => {
  // Paths that lead to what is shown, but not into it: that always gets the mark as a whole.
  const ways = new Set([...kept.flatMap(waysTo), ...shown.flatMap((path) => waysTo(path).slice(0, -1))])
  const [all, seen] = [new Set(kept), new Set(shown)]
  return {
    stays: (path, value) => all.has(path) || isKept(path, value),
    leads: (path) => path === "" || ways.has(path),
    shows: (path) => seen.has(path)
  }
}

/** A field stays if any of these keeps it. */
export const anyOf = (all: ReadonlyArray<Keeps>): Keeps => ({
  stays: (path, value) => all.some((keeps) => keeps.stays(path, value)),
  leads: (path) => all.some((keeps) => keeps.leads(path)),
  shows: (path) => all.some((keeps) => keeps.shows(path))
})

const others: ReadonlyArray<ColumnType> = ["BIGINT", "DECIMAL(28,4)", "DECIMAL(10,2)", "DATE", "TIMESTAMPTZ"]
const number = /^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/

/** False for text that is a number, a time or a boolean. */
const isWords = (text: string): boolean =>
  text !== "true" &&
  text !== "false" &&
  !number.test(text) &&
  others.every((type) => readValue(type, text) === undefined)

/** Returns the same object if nothing is erased. */
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
