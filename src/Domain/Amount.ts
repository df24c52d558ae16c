/**
 * Decimal numbers as text, never as a float. An amount is canonical text with the scale of its column
 * ("12.3400"), so that equal amounts are equal text in every engine.
 *
 * A value that doesn't fit the column is `undefined`. The fit is checked on the text, because casts round silently.
 */
import { BigDecimal, Option } from "effect"
import * as Json from "./Json.ts"

export interface Precision {
  readonly digits: number
  readonly scale: number
}

/** DECIMAL(28,4): 24 digits before the point, 4 after it. */
export const Money: Precision = { digits: 28, scale: 4 }

/** Longer texts can't fit any column. Refusing them early keeps hostile bodies cheap. */
const longestText = 200

/** Reads a JSON number or a decimal string exactly; `undefined` if it is neither or doesn't fit. */
export const read = (value: unknown, { digits, scale }: Precision): string | undefined => {
  const text = typeof value === "string" ? value.trim() : Json.numberText(value)
  if (text === undefined || text.length > longestText || !/^[-+]?\d/.test(text)) return undefined
  const parsed = BigDecimal.fromString(text)
  if (Option.isNone(parsed)) return undefined
  const exact = BigDecimal.normalize(parsed.value)
  const integerDigits = exact.value === 0n ? 0 : String(exact.value).replace("-", "").length - exact.scale
  if (exact.scale > scale || integerDigits > digits - scale) return undefined
  return print(exact.value * 10n ** BigInt(scale - exact.scale), scale)
}

/** Canonical text as whole ten-thousandths, so that sums are exact. */
export const toUnits = (text: string): bigint => BigInt(text.replace(".", ""))

/** Canonical text of whole ten-thousandths; `undefined` if it doesn't fit the column. */
export const ofUnits = (units: bigint): string | undefined =>
  units === fitting(units) ? print(units, Money.scale) : undefined

/** Canonical text of a sum, which may be too large for the column. */
export const sumOfUnits = (units: bigint): string => print(units, Money.scale)

const most = 10n ** BigInt(Money.digits) - 1n

/** Clamped to what fits the column. */
export const fitting = (units: bigint): bigint => (units > most ? most : units < -most ? -most : units)

const print = (units: bigint, scale: number): string => {
  const text = String(units < 0n ? -units : units).padStart(scale + 1, "0")
  return `${units < 0n ? "-" : ""}${text.slice(0, -scale)}.${text.slice(-scale)}`
}
