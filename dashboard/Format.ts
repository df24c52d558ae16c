/**
 * How the page writes times, ages, counts and amounts. Pure.
 *
 * Guarantees: amounts are text throughout, so no digit is lost or rounded; a time is written in the reader's time zone,
 * with UTC beside it where that is asked for.
 */
const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const two = (ms: number, large: number, small: number, [one, other]: readonly [string, string]): string => {
  const rest = Math.floor((ms % large) / small)
  return rest === 0 ? `${Math.floor(ms / large)} ${one}` : `${Math.floor(ms / large)} ${one} ${rest} ${other}`
}

/** To the second below a minute, to the minute below a day: `12 s`, `3 min`, `2 h 5 min`, `3 d 4 h`. */
export const span = (ms: number): string => {
  if (ms < minute) return `${Math.max(0, Math.floor(ms / second))} s`
  if (ms < hour) return `${Math.floor(ms / minute)} min`
  return ms < day ? two(ms, hour, minute, ["h", "min"]) : two(ms, day, hour, ["d", "h"])
}

/** How long something took: `85 ms`, `1.2 s`, `48 s`, `3 min 20 s`. */
export const took = (ms: number): string => {
  if (ms < second) return `${ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms)} ms`
  if (ms < 10 * second) return `${(ms / second).toFixed(1)} s`
  return ms >= minute && ms < hour ? two(ms, minute, second, ["min", "s"]) : span(ms)
}

export const ago = (ms: number): string => (ms < second ? "just now" : `${span(ms)} ago`)

export const ahead = (ms: number): string => (ms < second ? "now" : `in ${span(ms)}`)

const formats = new Map<string, Intl.DateTimeFormat>()

/** The Swedish format is ISO 8601 without the T. Undefined: the reader's zone. */
const formatIn = (zone: string | undefined): Intl.DateTimeFormat => {
  const known = formats.get(zone ?? "")
  if (known !== undefined) return known
  const options = {
    dateStyle: "short",
    timeStyle: "medium",
    ...(zone === undefined ? {} : { timeZone: zone })
  } as const
  const format = new Intl.DateTimeFormat("sv-SE", options)
  formats.set(zone ?? "", format)
  return format
}

/** `2026-11-27 14:03:22`, in the reader's zone, or in the one that is given. */
export const fullTime = (at: number, zone?: string): string => formatIn(zone).format(at)

/** Without the day if it is today; otherwise without the seconds. */
export const shortTime = (at: number, now: number, zone?: string): string => {
  const [date = "", time = ""] = fullTime(at, zone).split(" ")
  return fullTime(now, zone).startsWith(date) ? time : `${date} ${time.slice(0, 5)}`
}

/** `2026-11-27T14:03:22.123456Z` as people read it. */
export const utc = (instant: string): string => `${instant.replace("T", " ").replace(/Z$/, "")} UTC`

export const count = (number: number): string => number.toLocaleString("en-US")

/** `1 row`, `12,345 rows`. */
export const counted = (number: number, noun: string, plural = `${noun}s`): string =>
  `${count(number)} ${number === 1 ? noun : plural}`

/** `512 bytes`, `1.4 MB`. */
export const size = (bytes: number): string => {
  if (bytes < 1000) return `${bytes} bytes`
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

export interface Digits {
  /** Empty, or a minus sign. */
  readonly sign: string
  /** With commas between thousands. */
  readonly whole: string
  /** Includes the decimal point; empty if the currency has no decimals. */
  readonly fraction: string
}

/** The least number of decimals. */
const decimalsOf = (currency: string | null): number =>
  currency !== null && /^[A-Z]{3}$/.test(currency)
    ? (new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().minimumFractionDigits ?? 2)
    : 2

/** All digits of a decimal, except trailing zeros that its currency doesn't need; undefined if it isn't a decimal. */
export const digits = (amount: string, currency: string | null): Digits | undefined => {
  const [, sign, whole, decimals = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount) ?? []
  if (sign === undefined || whole === undefined) return undefined
  const least = decimalsOf(currency)
  const kept = decimals.replace(/0+$/, "").padEnd(least, "0")
  return {
    sign: sign === "-" ? "−" : "",
    whole: whole.replace(/\B(?=(\d{3})+$)/g, ","),
    fraction: kept === "" ? "" : `.${kept}`
  }
}

/** For a sentence: `1,234.50 EUR`. Anything but a decimal is left as it is. */
export const money = (amount: string, currency: string | null): string => {
  const found = digits(amount, currency)
  const text = found === undefined ? amount : `${found.sign}${found.whole}${found.fraction}`
  return currency === null ? text : `${text} ${currency}`
}

/** Whole ten-thousandths, as in facts, as a decimal; undefined if it isn't a whole number. */
export const ofUnits = (units: string | number): string | undefined => {
  const [, sign, whole] = /^(-?)(\d+)$/.exec(String(units)) ?? []
  if (sign === undefined || whole === undefined) return undefined
  const padded = whole.padStart(5, "0")
  return `${sign}${padded.slice(0, -4)}.${padded.slice(-4)}`
}

/** A time in the form of a datetime field, to the minute in the reader's zone; empty if it isn't a time. */
export const minuteOf = (instant: string): string => {
  const at = new Date(instant)
  if (Number.isNaN(at.getTime())) return ""
  const [day, hour, minute] = [at.getDate(), at.getHours(), at.getMinutes()].map((part) =>
    String(part).padStart(2, "0")
  )
  return `${at.getFullYear()}-${String(at.getMonth() + 1).padStart(2, "0")}-${day}T${hour}:${minute}`
}

/**
 * The time of such a field in UTC. Undefined: typing isn't finished; meanwhile such a field contains years of the first
 * century.
 */
export const instantOf = (minute: string): string | undefined =>
  /^[12]\d{3}-\d\d-\d\dT\d\d:\d\d/.test(minute)
    ? new Date(minute).toISOString().replace(/:\d\d\.\d+Z$/, "Z")
    : undefined
