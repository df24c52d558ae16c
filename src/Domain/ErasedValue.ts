/**
 * A value that is erased, and how a text is rid of it: by hashes alone, since nobody keeps the value. Pure.
 */
import { hash } from "node:crypto"
import { mark } from "./ErasedRecord.ts"

/** A value that is erased, as it is kept: nobody can read it here, but whoever has it can tell that it is the one. */
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
  // In one call: a long text has many parts, and an object for each took as long as the hash.
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
 * A text without what was erased; the same text if it has nothing of it. `isLoose`: nobody knows what in it is a value, so
 * each is looked for within it.
 */
export type Redact = (text: string, name: string | null, isLoose?: boolean) => string

export const redacting = (all: ReadonlyArray<ErasedValue>): Redact => {
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

  constructor(salt: string, rules: ReadonlyArray<ErasedValue>) {
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

const byLength = (rules: ReadonlyArray<ErasedValue>): ByLength =>
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
