/**
 * Reads the value of a variable from its text; Address.ts does so for places. Pure. A failure is a sentence that
 * continues after the variable's name. It never repeats the text, which may be a secret in the wrong place.
 */
import { Cron, DateTime, Duration, LogLevel, Option, Redacted, Result } from "effect"
import { isCurrency } from "./Currency.ts"

export type Parse<A> = (text: string) => Result.Result<A, string>

export const one =
  <A>(sentence: string, read: (text: string) => A | undefined): Parse<A> =>
  (text) => {
    const value = read(text)
    return value === undefined ? Result.fail(sentence) : Result.succeed(value)
  }

/** Ignores case. */
const word = <W extends string>(sentence: string, words: ReadonlyArray<W>): Parse<W> =>
  one(sentence, (text) => words.find((each) => each === text.toLowerCase()))

export const plain: Parse<string> = Result.succeed

export const positiveInteger = one("must be a positive whole number.", (text) => {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : 0
  return value > 0 ? value : undefined
})

export const atLeast = (least: number): Parse<number> =>
  one(`must be a whole number of at least ${least}.`, (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : 0
    return value >= least ? value : undefined
  })

export const boolean = one("must be true or false.", (text) => {
  if (/^(true|yes|on|1)$/i.test(text)) return true
  return /^(false|no|off|0)$/i.test(text) ? false : undefined
})

export const words = (separator: RegExp): Parse<ReadonlyArray<string>> =>
  one("must name at least one.", (text) => {
    const names = [...new Set(text.split(separator).filter((each) => each !== ""))]
    return names.length > 0 ? names : undefined
  })

export const parameterName = one("must be the name of a query parameter.", (text) =>
  /^[\w.~[\]-]+$/.test(text) ? text : undefined
)

const millisIn: ReadonlyMap<string, number> = new Map([
  ...["ms", "milli", "millis"].map((unit) => [unit, 1] as const),
  ...["s", "sec", "second", "seconds"].map((unit) => [unit, 1000] as const),
  ...["m", "min", "minute", "minutes"].map((unit) => [unit, 60_000] as const),
  ...["h", "hour", "hours"].map((unit) => [unit, 3_600_000] as const),
  ...["d", "day", "days"].map((unit) => [unit, 86_400_000] as const),
  ...["w", "week", "weeks"].map((unit) => [unit, 604_800_000] as const)
])

/** One part, or several: `1h 30m`. */
const durationParts = /^(?:\d+(?:\.\d+)?\s*[a-z]+\s*)+$/

export const duration = one("must be a positive duration like 1h, 90s or 30 minutes.", (text) => {
  const parts = [...text.toLowerCase().matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/g)]
  const millis = parts.reduce(
    (sum, [, count, unit = ""]) => sum + Number(count) * (millisIn.get(unit) ?? Number.NaN),
    0
  )
  const isOne = durationParts.test(text.toLowerCase()) && millis > 0 && millis <= Number.MAX_SAFE_INTEGER
  return isOne ? Duration.millis(millis) : undefined
})

const daysIn: Readonly<Record<string, number>> = { d: 1, w: 7, m: 31, y: 366 }

/** Rounded up rather than down. */
export const age = one("must be an age like 90 days, 12w, 6 months or 2y.", (text) => {
  const found = /^([1-9]\d{0,3})\s*(d|days?|w|weeks?|months?|y|years?)$/.exec(text.toLowerCase())
  const [, count, unit = ""] = found ?? []
  return count === undefined ? undefined : Duration.days(Number(count) * (daysIn[unit.charAt(0)] ?? 1))
})

/** Without a name: for a named zone, ICU is loaded, which takes 12 ms and 8 MB. */
const utc = DateTime.zoneMakeOffset(0)

export const zoneName = (zone: DateTime.TimeZone): string => (zone === utc ? "UTC" : DateTime.zoneToString(zone))

export const timezone = one("must be a time zone like UTC or Europe/London.", (text) =>
  text.toUpperCase() === "UTC" ? utc : Option.getOrUndefined(DateTime.zoneFromString(text))
)

const nicknames: ReadonlyMap<string, string> = new Map([
  ["@hourly", "0 * * * *"],
  ["@daily", "0 0 * * *"],
  ["@weekly", "0 0 * * 0"],
  ["@monthly", "0 0 1 * *"]
])

/**
 * The schedule in a time zone. When clocks go back, a fixed hour runs once (the earlier one) and a wildcard in hour or
 * minute runs without a gap, as in Vixie cron. `next` is called because an impossible date such as 31 February parses.
 */
export const cron: Parse<(zone: DateTime.TimeZone) => Cron.Cron> = (text) => {
  const fields = (nicknames.get(text.toLowerCase()) ?? text).split(/\s+/)
  const [minute, hour] = fields.slice(-5)
  const onDstOverlap = minute?.startsWith("*") || hour?.startsWith("*") ? "both" : "earlier"
  const inZone = (zone: DateTime.TimeZone) => Cron.parseUnsafe(fields.join(" "), zone, { onDstOverlap })
  return Cron.parse(fields.join(" ")).pipe(
    Result.mapError(() => "must be five cron fields, like 0 2 * * *, or @hourly, @daily, @weekly, @monthly."),
    Result.flatMap((value) =>
      Result.try({ try: () => Cron.next(value, 0), catch: () => "never occurs: no date matches it." })
    ),
    Result.map(() => inZone)
  )
}

/** Refuses 31 February. */
const isDay = (text: string): boolean =>
  Option.exists(DateTime.make(text), (day) => DateTime.formatIsoDateUtc(day) === text)

export const day = one("must be a date like 2026-01-31.", (text) =>
  /^\d{4}-\d\d-\d\d$/.test(text) && isDay(text) ? text : undefined
)

/** Canonical, with four decimals. */
export const amount = one("must be an amount like 10000 or 2500.50.", (text) => {
  const [, whole, decimals = ""] = /^(\d{1,24})(?:\.(\d{1,4}))?$/.exec(text) ?? []
  return whole === undefined ? undefined : `${BigInt(whole)}.${decimals.padEnd(4, "0")}`
})

export const secret: Parse<Redacted.Redacted> = (text) => Result.succeed(Redacted.make(text))

const shortest = 8

export const longSecret = one(`must have at least ${shortest} characters.`, (text) =>
  text.length < shortest ? undefined : Redacted.make(text)
)

export const secrets: Parse<ReadonlyArray<Redacted.Redacted>> = (text) => {
  const parts = text.split(",").map((part) => part.trim())
  if (parts.includes("")) return Result.fail("holds an empty secret between its commas.")
  if (parts.some((part) => part.length < shortest)) {
    return Result.fail(`holds a secret shorter than ${shortest} characters.`)
  }
  return Result.succeed([...new Set(parts)].map((part) => Redacted.make(part)))
}

export const token = one("must be visible ASCII characters without spaces (it travels in a header).", (text) =>
  /^[!-~]+$/.test(text) ? Redacted.make(text) : undefined
)

export const key = one("must be 64 hexadecimal digits (256 bits).", (text) =>
  /^[0-9a-f]{64}$/i.test(text) ? Redacted.make(text.toLowerCase()) : undefined
)

const synonyms: ReadonlyMap<string, string> = new Map([
  ["warning", "warn"],
  ["off", "none"]
])

export const logLevel = one("must be one of trace, debug, info, warn, error, fatal, all, none.", (text) => {
  const word = text.toLowerCase()
  return LogLevel.values.find((level) => level.toLowerCase() === (synonyms.get(word) ?? word))
})

export const logFormat = word("must be pretty, json or logfmt.", ["pretty", "json", "logfmt"])

export const perspective = word("must be contractor, employer or clearing.", ["contractor", "employer", "clearing"])

export const closedPeriod = word("must be hold or post.", ["hold", "post"])

export const exporter = word("must be otlp or none.", ["otlp", "none"])

export const tokenAuth = word("must be post or basic.", ["post", "basic"])

export const sinkStatus = word("must be draft or posted.", ["draft", "posted"])

export const account = one("must be the name of an account: up to 64 characters, no line breaks.", (text) =>
  text.length <= 64 && !/\p{Cc}/u.test(text) ? text : undefined
)

export interface Currencies {
  readonly standard: string | null
  readonly byProject: Readonly<Record<string, string>>
}

export const currencies = one(
  "must be a currency of ISO 4217 like EUR, and may name others by project: EUR 4711=USD.",
  (text): Currencies | undefined => {
    const matches = text.split(/[\s,]+/).map((each) => /^(?:(-?\d+)=)?([A-Z]{3})$/.exec(each))
    if (matches.some((each) => !isCurrency(each?.[2] ?? ""))) return undefined
    const standard = matches.filter((each) => each?.[1] === undefined)
    if (standard.length > 1) return undefined
    return {
      standard: standard[0]?.[2] ?? null,
      byProject: Object.fromEntries(
        matches.flatMap((each) => (each?.[1] === undefined ? [] : [[each[1], each[2] ?? ""]]))
      )
    }
  }
)
