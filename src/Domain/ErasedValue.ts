/**
 * A value that is erased, and how it is removed from a text: by its hash alone, since the value isn't kept; or by the
 * value itself during the erasure, which finds the same places in a tenth of the time. Pure.
 */
import { hash } from "node:crypto"
import { mark } from "./ErasedRecord.ts"

/** An erased value, as it is stored: it can't be read here, but someone who has the value can recognise it. */
export interface ErasedValue {
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

/** Unicode writes some letters in more than one way. */
const canonical = (value: string): string => value.normalize("NFC")

const digest = (salt: string, field: string | null, value: string): string =>
  // Hashed in one call: a long text has many parts, and creating an object for each took as long as the hash.
  hash("sha256", JSON.stringify([salt, field, canonical(value)]))

export interface AskedValue {
  readonly value: string
  readonly field: string | null
  readonly isWithin: boolean
}

export const erasedValue = ({ field, isWithin, value }: AskedValue, salt: string): ErasedValue => ({
  salt,
  sha256: digest(salt, field, value),
  field,
  length: canonical(value).length,
  isWithin
})

/**
 * Returns the text without the erased parts, or the same text if there are none. `isLoose`: nothing tells values apart
 * in this text, so each is searched for within it.
 */
export type Redact = (text: string, name: string | null, isLoose?: boolean) => string

export const redacting = (all: ReadonlyArray<ErasedValue>): Redact => {
  const salts = [...Map.groupBy(all, ({ salt }) => salt)].map(([salt, rules]) => by(salted(salt, rules)))
  return (text, name, isLoose) => salts.reduce((left, redact) => redact(left, name, isLoose), text)
}

/** Redacts a value that is known. */
export const redactingKnown = (asked: AskedValue): Redact => by(known(asked))

/** A letter that Unicode may write in another way, or an escape. */
const mayHide = /[^\0-\x7f]|\\/

/**
 * True for most bodies: every text in them is written literally, and the value isn't there. A number may be written in
 * many ways.
 */
export const lacking =
  ({ field, value }: AskedValue) =>
  (text: string): boolean =>
    field === null && !text.includes(value) && !mayHide.test(text)

type Fields = ReadonlyArray<string | null>

/** What is erased, and how it is recognised. */
interface Erased {
  /** The field names that some rule asks for. */
  readonly fields: ReadonlySet<string>
  readonly isEverywhere: boolean
  /** Whether a whole text is erased in one of these fields. */
  readonly is: (text: string, fields: Fields) => boolean
  /**
   * A longer text without the values that may be erased within it; `isLoose`: also without those that are normally
   * erased only as a whole.
   */
  readonly shortened: (text: string, fields: Fields, isLoose: boolean) => string
}

const by =
  ({ fields: names, is, isEverywhere, shortened }: Erased): Redact =>
  (text, name, isLoose = false) => {
    const fields = [...(isEverywhere ? [null] : []), ...(name !== null && names.has(name) ? [name] : [])]
    if (text === "" || fields.length === 0) return text
    return is(text, fields) ? mark : shortened(text, fields, isLoose)
  }

const known = ({ field, isWithin, value: given }: AskedValue): Erased => {
  const value = canonical(given)
  return {
    fields: new Set(field === null ? [] : [field]),
    isEverywhere: field === null,
    is: (text) => canonical(text) === value,
    shortened: (text, _, isLoose) =>
      isWithin || (isLoose && field === null)
        ? without(text, value.length, (whole, from) => whole.indexOf(value, from))
        : text
  }
}

/** Rules with the same salt, so that a text is hashed once for all of them. */
const salted = (salt: string, rules: ReadonlyArray<ErasedValue>): Erased => {
  const isOne = (sums: ReadonlySet<string>, text: string, fields: Fields): boolean =>
    fields.some((field) => sums.has(digest(salt, field, text)))
  const all = new Set(rules.map(({ sha256 }) => sha256))
  const within = byLength(rules.filter(({ isWithin }) => isWithin))
  const loose = byLength(rules.filter(({ field }) => field === null))
  return {
    fields: new Set(rules.flatMap(({ field }) => field ?? [])),
    isEverywhere: rules.some(({ field }) => field === null),
    is: (text, fields) => isOne(all, text, fields),
    shortened: (text, fields, isLoose) =>
      (isLoose ? loose : within).reduce(
        (left, [length, sums]) =>
          without(left, length, (whole, from) => {
            for (let at = from; at + length <= whole.length; at++) {
              // Checking every other position would cost a hash for each letter.
              if (isWords(whole, at, length) && isOne(sums, whole.slice(at, at + length), fields)) return at
            }
            return -1
          }),
        text
      )
  }
}

/** Longest first, because one value may contain another. */
type ByLength = ReadonlyArray<readonly [length: number, sums: ReadonlySet<string>]>

const byLength = (rules: ReadonlyArray<ErasedValue>): ByLength =>
  [...Map.groupBy(rules, ({ length }) => length)]
    .map(([length, some]) => [length, new Set(some.map(({ sha256 }) => sha256))] as const)
    .toSorted(([a], [b]) => b - a)

/**
 * Returns the text unchanged if nothing in it is erased. `next`: the next position where a value may be; -1 if there is
 * none.
 */
const without = (text: string, length: number, next: (whole: string, from: number) => number): string => {
  const whole = canonical(text)
  let made = ""
  let copied = 0
  for (let at = next(whole, 0); at !== -1;) {
    const isOne = isWords(whole, at, length)
    if (isOne) {
      made += whole.slice(copied, at) + mark
      copied = at + length
    }
    at = next(whole, isOne ? copied : at + 1)
  }
  return copied === 0 ? text : made + whole.slice(copied)
}

const isWord = /[\p{L}\p{M}\p{N}]/u

/** No word continues before or after it. */
const isWords = (text: string, at: number, length: number): boolean => isEdge(text, at) && isEdge(text, at + length)

const isEdge = (text: string, at: number): boolean => {
  const [before, after] = [text[at - 1], text[at]]
  return before === undefined || after === undefined || !isWord.test(before) || !isWord.test(after)
}
