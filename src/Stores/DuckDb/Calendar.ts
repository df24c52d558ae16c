/**
 * DuckDB's days and microseconds since 1970 to canonical text and back, without `Date`'s time zone and limits.
 *
 * Guarantees: exact to the microsecond over DuckDB's whole range (290308 BC to 294247); every text written here reads
 * back to the same number, here and in DuckDB's own casts. Years before 1 are astronomical ("-0043" is 44 BC), years
 * after 9999 have more digits, the infinities are "infinity" and "-infinity". Text that isn't canonical, or that names
 * a day that doesn't exist, throws. Pure.
 */
const millisPerDay = 86_400_000
const microsPerDay = 86_400_000_000
const daysPer400Years = 146_097

const infiniteDays = 2_147_483_647
const infiniteMicros = 9_223_372_036_854_775_807n
const minimumMicros = -9_223_372_022_400_000_000n

const daysOfMonth = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** "YYYY-MM-DD" from days since 1970. */
export const dateText = (days: number): string => {
  if (days === infiniteDays) return "infinity"
  if (days === -infiniteDays) return "-infinity"
  // The calendar repeats every 400 years, so every day has a twin that `Date` can represent.
  const cycles = Math.floor(days / daysPer400Years)
  const shown = new Date((days - cycles * daysPer400Years) * millisPerDay).toISOString().slice(0, 10)
  if (cycles === 0) return shown
  return `${yearText(Number(shown.slice(0, 4)) + cycles * 400)}${shown.slice(4)}`
}

const yearText = (year: number): string => `${year < 0 ? "-" : ""}${String(Math.abs(year)).padStart(4, "0")}`

let lastDay = 0
let lastDate = "1970-01-01"

/** "YYYY-MM-DDTHH:MM:SS.ffffff" from microseconds since 1970, with `suffix` ("Z"). */
export const timestampText = (micros: bigint, suffix: string): string => {
  if (micros === infiniteMicros) return "infinity"
  if (micros === -infiniteMicros) return "-infinity"
  const day = dayOf(micros)
  if (day !== lastDay) {
    lastDate = dateText(day)
    lastDay = day
  }
  const number = Number(micros)
  const rest = Number.isSafeInteger(number)
    ? number - day * microsPerDay
    : Number(micros - BigInt(day) * BigInt(microsPerDay))
  return `${lastDate}T${timeText(rest)}${suffix}`
}

const dayOf = (micros: bigint): number => {
  const number = Number(micros)
  if (Number.isSafeInteger(number)) return Math.floor(number / microsPerDay)
  const day = micros / BigInt(microsPerDay)
  return Number(micros < 0n && day * BigInt(microsPerDay) !== micros ? day - 1n : day)
}

/** "HH:MM:SS.ffffff" from microseconds since midnight. */
export const timeText = (micros: number): string => {
  const seconds = Math.floor(micros / 1_000_000)
  const minutes = Math.floor(seconds / 60)
  const clock = `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:${two(seconds % 60)}`
  return `${clock}.${String(1_000_000 + (micros - seconds * 1_000_000)).slice(1)}`
}

const two = (number: number): string => (number < 10 ? `0${number}` : String(number))

/** The decimal number between two positions; NaN if there is anything else. */
const digits = (text: string, from: number, to: number): number => {
  let number = from < to ? 0 : NaN
  for (let index = from; index < to; index += 1) {
    const digit = text.charCodeAt(index) - 48
    number = digit >= 0 && digit <= 9 ? number * 10 + digit : NaN
  }
  return number
}

/** Days since 1970 from "YYYY-MM-DD". */
export const readDays = (text: string): number => {
  if (text === "infinity") return infiniteDays
  if (text === "-infinity") return -infiniteDays
  const dash = text.length - 6
  const sign = text.startsWith("-") ? 1 : 0
  const year = digits(text, sign, dash) * (sign === 1 ? -1 : 1)
  const month = digits(text, dash + 1, dash + 3)
  const day = digits(text, dash + 4, dash + 6)
  const hasYear = dash - sign === 4 || (dash - sign > 4 && dash - sign < 8 && text[sign] !== "0")
  if (!hasYear || text[dash] !== "-" || text[dash + 3] !== "-" || !isCalendarDay(year, month, day)) {
    throw new RangeError(`Not a canonical date: "${text}"`)
  }
  const cycles = Math.floor((year - 2000) / 400)
  const days = Date.UTC(year - cycles * 400, month - 1, day) / millisPerDay + cycles * daysPer400Years
  if (Math.abs(days) >= infiniteDays) throw new RangeError(`Outside DuckDB's range: "${text}"`)
  return days
}

const isCalendarDay = (year: number, month: number, day: number): boolean => {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const days = month === 2 && !isLeap ? 28 : (daysOfMonth[month - 1] ?? 0)
  return day >= 1 && day <= days
}

/** Microseconds since midnight from "HH:MM:SS.ffffff" between two positions; NaN if it isn't a time of day. */
const readTimeOfDay = (text: string, from: number, to: number): number => {
  const hour = digits(text, from, from + 2)
  const minute = digits(text, from + 3, from + 5)
  const second = digits(text, from + 6, from + 8)
  const length = to - from - 9
  const fraction = length < 0 ? 0 : digits(text, from + 9, to) * 10 ** (6 - length)
  const isPunctuated = text[from + 2] === ":" && text[from + 5] === ":" && (length < 0 || text[from + 8] === ".")
  if (!isPunctuated || to < from + 8 || length > 6 || hour > 23 || minute > 59 || second > 59) return NaN
  return ((hour * 60 + minute) * 60 + second) * 1_000_000 + fraction
}

let lastDateRead = "1970-01-01"
let lastDayRead = 0

/**
 * Microseconds since 1970 from "YYYY-MM-DDTHH:MM:SS.ffffffZ". Fewer fractional digits are accepted; more are refused,
 * because they would be lost.
 */
export const readMicros = (text: string): bigint => {
  if (text === "infinity") return infiniteMicros
  if (text === "-infinity") return -infiniteMicros
  const middle = text.indexOf("T")
  const rest = text.endsWith("Z") ? readTimeOfDay(text, middle + 1, text.length - 1) : NaN
  if (middle < 0 || Number.isNaN(rest)) throw new RangeError(`Not a canonical time: "${text}"`)
  const date = text.slice(0, middle)
  if (date !== lastDateRead) {
    lastDayRead = readDays(date)
    lastDateRead = date
  }
  const number = lastDayRead * microsPerDay + rest
  if (Number.isSafeInteger(number)) return BigInt(number)
  const micros = BigInt(lastDayRead) * BigInt(microsPerDay) + BigInt(rest)
  if (micros < minimumMicros || micros >= infiniteMicros) throw new RangeError(`Outside DuckDB's range: "${text}"`)
  return micros
}
