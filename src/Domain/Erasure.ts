/**
 * What has been erased, as rules: a value or a record that may not be kept, known only by its salted hash. A text that
 * equals such a value, or contains it as whole words where the rule allows that, becomes a mark. Everything around it
 * stays, so a body that has lost a person's name still says what happened to which record, when and for how much. Data
 * about an erased record loses everything else (`ErasedRecord`). Pure, and the same for a body stored long ago and for
 * one that arrives tomorrow.
 */
import { unpack } from "./Body.ts"
import {
  anyOf,
  emptied,
  type ErasedRecord,
  erasedRecord,
  isAmong,
  type Keeps,
  keepsAt,
  mark,
  type Named
} from "./ErasedRecord.ts"
import {
  type AskedValue,
  type ErasedValue,
  erasedValue,
  lacking,
  type Redact,
  redacting,
  redactingKnown
} from "./ErasedValue.ts"
import * as Json from "./Json.ts"

export { type AskedValue, mark, type Named, type Redact }

export type Erased = ErasedValue | ErasedRecord

export const isOfRecord = (rule: Erased): rule is ErasedRecord => "table" in rule
export const isValue = (rule: Erased): rule is ErasedValue => !isOfRecord(rule)

/** Where a field stands: its name, and its dotted path from the top. Positions in lists don't count. */
export type IsKept = (name: string, path: string) => boolean

/** Keeps only the fields at these paths. */
export const keptAt = (paths: ReadonlyArray<string>): IsKept => {
  const all = new Set(paths)
  return (_name, path) => all.has(path)
}

/** How a body, an answer or a row is read. */
export interface Read {
  /** What stays, regardless of the erased value. */
  readonly isKept: IsKept
  /** The records that the JSON is about. */
  readonly records: (value: unknown) => ReadonlyArray<Named>
  /** What stays if one of these records is erased. */
  readonly keeps: Keeps
  /** The text alone never says which record it is about: that takes its request, or a key to hash with. */
  readonly isUnnamed?: boolean
}

/** Text that is about no record; nothing in it stays. */
export const plain: Read = { isKept: () => false, records: () => [], keeps: keepsAt({ kept: [] }) }

/**
 * Reads in several ways: the text is about every record that any of them finds, and a field stays if any of them keeps
 * it.
 */
export const readAs = (all: ReadonlyArray<Read>): Read => ({
  isKept: (name, path) => all.some(({ isKept }) => isKept(name, path)),
  records: (value) => all.flatMap(({ records }) => records(value)),
  keeps: anyOf(all.map(({ keeps }) => keeps))
})

/** How to read what comes from the service. */
export interface Reads {
  /** How to read deliveries. */
  readonly bodies: Read
  /** What stays in the answers that facts rest on. */
  readonly answers: IsKept
  /** How to read a record as the list shows it that fills this table. */
  readonly records: (table: string) => Read
}

/** What is asked to be erased. */
export type Asked = AskedValue | Named

export const isRecord = (asked: Asked): asked is Named => "table" in asked

export const erased = (asked: Asked, salt: string): Erased =>
  isRecord(asked) ? erasedRecord(asked, salt) : erasedValue(asked, salt)

/** Removes what was erased. */
export interface Redactor {
  readonly text: Redact
  /** True only if the JSON text contains no erased value, and this can be told without parsing it. */
  readonly lacksValue: (text: string) => boolean
  readonly isErased: (record: Named) => boolean
  /** Whether a record of this table is erased. */
  readonly hasErased: (table: string) => boolean
}

/** A redactor for when nothing is erased. */
export const nothing: Redactor = {
  text: (text) => text,
  lacksValue: () => false,
  isErased: () => false,
  hasErased: () => false
}

/** Undefined if nothing is erased, so that nothing need be searched. */
export const redactor = (all: ReadonlyArray<Erased>): Redactor | undefined => {
  if (all.length === 0) return undefined
  const records = all.filter(isOfRecord)
  const tables = new Set(records.map(({ table }) => table))
  return {
    ...nothing,
    text: redacting(all.filter(isValue)),
    isErased: isAmong(records),
    hasErased: (table) => tables.has(table)
  }
}

/** Removes what is asked for by its own value. Finds as much as `redactor` finds by its hash. */
export const redactorOf = (asked: Asked): Redactor =>
  isRecord(asked)
    ? {
        ...nothing,
        isErased: ({ id, table }) => table === asked.table && id === asked.id,
        hasErased: (table) => table === asked.table
      }
    : { ...nothing, text: redactingKnown(asked), lacksValue: lacking(asked) }

/** The value without what was erased, or the same object if nothing was. Field names count as text. */
export const redactValue = (
  value: unknown,
  redact: Redact,
  isKept: IsKept,
  name: string | null = null,
  path = ""
): unknown => {
  if (typeof value === "string") return redact(value, name)
  const number = name === null ? undefined : Json.numberText(value)
  // A number isn't personal data unless a rule names its field.
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

/** Two redacted names may become the same. */
const free = (made: Readonly<Record<string, unknown>>, name: string): string => {
  if (!(name in made)) return name
  for (let count = 2; ; count++) if (!(`${name} ${count}` in made)) return `${name} ${count}`
}

const parsed = (text: string): unknown => Json.parse(text.startsWith("\ufeff") ? text.slice(1) : text)

/** The records that a text is about. */
export const recordsIn = (text: string, { records }: Read): ReadonlyArray<Named> => records(parsed(text))

/** JSON text without what was erased, or undefined if it has nothing of it. */
export const redactText = (text: string, redact: Redactor, read: Read): string | undefined => {
  if (redact.lacksValue(text)) return undefined
  const value = parsed(text)
  if (value === undefined) {
    const left = redact.text(text, null, true)
    return left === text ? undefined : left
  }
  const less = read.records(value).some(redact.isErased) ? emptied(value, read.keeps) : value
  const left = redactValue(less, redact.text, read.isKept)
  return left === value ? undefined : Json.stringify(left)
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** The unpacked text of a body; undefined if it isn't text, or is too long. */
export const textOf = (body: Uint8Array, mostBytes: number): string | undefined => {
  const plainBytes = unpack(body, mostBytes)
  if (plainBytes === "too-large") return undefined
  try {
    return decoder.decode(plainBytes)
  } catch {
    return undefined
  }
}

/** The unpacked bytes of a body without what was erased; undefined if nothing in it was. */
export const redactBody = (
  body: Uint8Array,
  mostBytes: number,
  redact: Redactor,
  read: Read
): Uint8Array | undefined => {
  const text = textOf(body, mostBytes)
  const left = text === undefined ? undefined : redactText(text, redact, read)
  return left === undefined ? undefined : Buffer.from(left)
}

/** Names and values, as headers are stored. */
export const redactPairs = (pairs: ReadonlyArray<string>, redact: Redactor): ReadonlyArray<string> =>
  pairs.map((text, place) => (place % 2 === 0 ? text : redact.text(text, pairs[place - 1] ?? null)))
