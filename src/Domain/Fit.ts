/**
 * Which column types hold a JSON value exactly: no text becomes a number, no number a float, no time loses its digits
 * or gains an offset. This rule chooses the type of a learned column, and decides whether later values fit it. Works on
 * the JSON text as `Json.stringify` writes it, because a walk reads millions of values. Pure.
 */
import * as Amount from "./Amount.ts"
import * as Instant from "./Instant.ts"
import * as Json from "./Json.ts"
import type { ColumnType } from "./Resource.ts"
import { readValue } from "./Value.ts"

/** If several types hold all values, the first is taken. */
const types = ["BOOLEAN", "BIGINT", "DECIMAL(28,4)", "DATE", "TIMESTAMPTZ", "VARCHAR", "JSON"] as const
export type LearnedType = (typeof types)[number]

/** By kind of value. A decimal number with more digits than money isn't rounded, and no number is a float. */
const holding = {
  truth: ["BOOLEAN", "VARCHAR", "JSON"],
  whole: ["BIGINT", "DECIMAL(28,4)", "VARCHAR", "JSON"],
  decimal: ["DECIMAL(28,4)", "VARCHAR", "JSON"],
  number: ["VARCHAR", "JSON"],
  day: ["DATE", "VARCHAR", "JSON"],
  time: ["TIMESTAMPTZ", "VARCHAR", "JSON"],
  text: ["VARCHAR", "JSON"],
  nested: ["JSON"]
} as const satisfies Readonly<Record<string, ReadonlyArray<LearnedType>>>

export type Kind = keyof typeof holding

const day = /^"\d{4}-\d{2}-\d{2}"$/
/** With an offset, and no finer than microseconds. A leap second isn't held: it would become another second. */
const time = /^"\d{4}-\d{2}-\d{2}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)"$/
const whole = /^-?\d{1,19}$/
/** Short enough to fit, regardless of the digits. */
const surelyWhole = /^-?\d{1,18}$/
const surelyDecimal = /^-?\d{1,24}\.\d{1,4}$/
/** PostgreSQL's text can't hold NUL. Some texts without one match too. */
const quote = 34
const nul = "\\u0000"

/** Undefined for null, which fits anything. */
export const kindOf = (text: string): Kind | undefined => {
  switch (text[0]) {
    case "n":
      return undefined
    case "t":
    case "f":
      return "truth"
    case "{":
    case "[":
      return "nested"
    case '"':
      return kindOfText(text)
    default:
      return kindOfNumber(text)
  }
}

const kindOfText = (text: string): Kind => {
  if (text.includes(nul)) return "nested"
  // Most begin with a letter.
  if (!isDigit(text.charCodeAt(1))) return "text"
  const inner = text.slice(1, -1)
  if (day.test(text)) return isDay(inner) ? "day" : "text"
  return time.test(text) && Instant.readMicros(inner) !== undefined ? "time" : "text"
}

/** Parsing a date takes ten times as long as finding it here, and a list repeats the same dates. */
const days = new Set<string>()
const mostDays = 10_000

const isDay = (text: string): boolean => {
  if (days.has(text)) return true
  if (Instant.readDate(text) !== text) return false
  if (days.size < mostDays) days.add(text)
  return true
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57

const kindOfNumber = (text: string): Kind => {
  if (surelyWhole.test(text)) return "whole"
  if (surelyDecimal.test(text)) return "decimal"
  if (whole.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text)) return "whole"
  return Amount.read(text, Amount.Money) === undefined ? "number" : "decimal"
}

const isHeldBy = (type: ColumnType, kind: Kind): boolean => holding[kind].some((each) => each === type)

export const holds = (type: ColumnType, text: string): boolean => {
  const kind = kindOf(text)
  return kind === undefined || isHeldBy(type, kind)
}

/** The canonical text for a column of this type; undefined if the column can't hold the value exactly. */
export const readExactly = (type: ColumnType, text: string): string | null | undefined =>
  holds(type, text) ? readValue(type, Json.parse(text)) : undefined

/** Whether the kind of this value can no longer change the type. */
export const isSettled = (kinds: ReadonlySet<Kind>, text: string): boolean =>
  kinds.has("nested") || (kinds.has("text") && text.charCodeAt(0) === quote && !text.includes(nul))

/** Undefined until there is a value. */
export const typeFor = (kinds: Iterable<Kind>): LearnedType | undefined => {
  const all = [...kinds]
  return all.length === 0 ? undefined : types.find((type) => all.every((kind) => isHeldBy(type, kind)))
}
