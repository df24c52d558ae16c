/**
 * Points in time as UTC text with six digits, "2026-11-20T02:00:00.123456Z": exact to the microsecond,
 * equal in every engine, and ordered as text. Microseconds since 1970 are plain numbers (exact until 2255). Imports no
 * Effect, for the thread that receives.
 */
import * as Json from "./Json.ts"

export type Instant = string

const iso =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,12}))?)?\s?([Zz]|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?)?$/
const unix = /^(\d{1,15})(?:\.(\d+))?$/

/** Some serialisers write "1.7637E9". */
const scientific = /^(\d{1,15})(?:\.(\d{0,30}))?[eE](\+?\d{1,2}|-\d)$/

/** A Unix time below this is in seconds (until the year 5138), otherwise in milliseconds (since 1973). */
const secondsBelow = 100_000_000_000

/** The last millisecond that the text form can hold (doubles are coarser than microseconds there). */
export const maximumMicros = Date.UTC(9999, 11, 31, 23, 59, 59, 999) * 1000

/**
 * Reads ISO 8601 (UTC if it has no offset), or Unix seconds or milliseconds, as text or number. Digits beyond
 * microseconds are cut off.
 */
export const readMicros = (value: unknown): number | undefined => {
  const text = typeof value === "string" ? value.trim() : Json.numberText(value)
  if (text === undefined) return undefined
  // ISO 8601 first, because it is the most common.
  const micros = isoMicros(text) ?? unixMicros(plain(text))
  return micros !== undefined && micros >= 0 && micros <= maximumMicros ? micros : undefined
}

/** Rewrites a number without its exponent. */
const plain = (text: string): string => {
  const [match, whole = "", fraction = "", exponent] = scientific.exec(text) ?? []
  if (match === undefined) return text
  const digits = whole + fraction
  const point = whole.length + Number(exponent)
  const integer = digits.slice(0, Math.max(0, point)).padEnd(point, "0").replace(/^0+/, "")
  return `${integer || "0"}.${point < 0 ? digits.padStart(digits.length - point, "0") : digits.slice(point) || "0"}`
}

const unixMicros = (text: string): number | undefined => {
  const [match, whole = "0", fraction = ""] = unix.exec(text) ?? []
  if (match === undefined) return undefined
  const digits = Number(whole) < secondsBelow ? 6 : 3
  return Number(whole) * 10 ** digits + Number(fraction.padEnd(digits, "0").slice(0, digits))
}

const isoMicros = (text: string): number | undefined => {
  const match = iso.exec(text)
  if (match === null) return undefined
  const [, year, month, day, hour = "0", minute = "0", second = "0", fraction = "", offset = "Z"] = match
  const midnight = Date.UTC(Number(year), Number(month) - 1, Number(day))
  // A day ends at 24:00:00, which is also its leap second 23:59:60.
  const secondOfDay = Number(hour) * 3600 + Number(minute) * 60 + Number(second)
  if (
    !isDay(midnight, Number(year), Number(month), Number(day)) ||
    secondOfDay > 86_400 ||
    Number(minute) > 59 ||
    Number(second) > 60
  )
    return undefined
  const seconds = midnight / 1000 + secondOfDay - offsetSeconds(offset)
  return seconds * 1_000_000 + Number(fraction.padEnd(6, "0").slice(0, 6))
}

const offsetSeconds = (offset: string): number => {
  if (offset === "Z" || offset === "z") return 0
  const sign = offset.startsWith("-") ? -1 : 1
  const digits = offset.slice(1).replace(":", "").padEnd(4, "0")
  return sign * (Number(digits.slice(0, 2)) * 3600 + Number(digits.slice(2)) * 60)
}

/** Date.UTC rolls the 31st of a short month over, and adds 1900 to years below 100. */
const isDay = (midnight: number, year: number, month: number, day: number): boolean => {
  const date = new Date(midnight)
  return date.getUTCDate() === day && date.getUTCMonth() === month - 1 && date.getUTCFullYear() === year
}

/** Canonical text of microseconds since 1970. */
export const fromMicros = (micros: number): Instant => {
  const millis = Math.floor(micros / 1000)
  return `${isoText(millis)}${String(micros - millis * 1000).padStart(3, "0")}Z`
}

/**
 * Without the zone. The last hour is cached, because most times share it with the time before and writing the date is
 * the slowest part.
 */
const isoText = (millis: number): string => {
  const hour = Math.floor(millis / hourMillis)
  if (hour !== lastHour.number) {
    lastHour = { number: hour, text: new Date(hour * hourMillis).toISOString().slice(0, -"00:00.000Z".length) }
  }
  const within = millis - hour * hourMillis
  const [minute, second] = [Math.floor(within / 60_000), Math.floor(within / 1000) % 60]
  return `${lastHour.text}${digits(minute, 2)}:${digits(second, 2)}.${digits(within % 1000, 3)}`
}

const hourMillis = 3_600_000

let lastHour = { number: Number.NaN, text: "" }

const digits = (number: number, count: number): string => String(number).padStart(count, "0")

export const fromMillis = (millis: number): Instant => `${new Date(millis).toISOString().slice(0, -1)}000Z`

/** As HTTP writes it (RFC 9110 §5.6.7), to the second. */
export const httpDate = (millis: number): string => new Date(millis).toUTCString()

/** Microseconds since 1970 of canonical text. */
export const toMicros = (instant: Instant): number =>
  Date.parse(`${instant.slice(0, 23)}Z`) * 1000 + Number(instant.slice(23, 26))

/** A calendar day "YYYY-MM-DD": alone, or the date part of an ISO 8601 time as written, in its own offset. */
export const readDate = (value: unknown): string | undefined => {
  if (typeof value !== "string" || isoMicros(value.trim()) === undefined) return undefined
  return value.trim().slice(0, 10)
}

/** Whether keeping only the day loses nothing: the value is a day alone, or midnight in its own offset. */
export const isOnlyDay = (value: unknown): boolean =>
  typeof value !== "string" || /^[\d-]{10}(?:[Tt ]00:?00(?::?00(?:[.,]0+)?)?(?:[Zz]|[+-][\d:]+)?)?$/.test(value.trim())
