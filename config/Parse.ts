/**
 * From the text of a variable to its value. Pure but for the paths (made absolute from the working directory) and the
 * alias file, which is read here. A failure is a sentence that goes on after the variable's name and never repeats the
 * text, which may be a secret in the wrong place.
 */
import { readFileSync } from "node:fs"
import { isIPv4, isIPv6 } from "node:net"
import { resolve } from "node:path"
import { Cron, DateTime, Duration, Option, Redacted, Result, Schema } from "effect"
import type { LogLevel } from "effect"
import type { Parse } from "./Environment.ts"

export interface Listen {
  readonly host: string
  readonly port: number
}
export type LogFormat = "pretty" | "json" | "logfmt"
export type Aliases = Readonly<Record<string, ReadonlyArray<string>>>

export const one =
  <A>(sentence: string, read: (text: string) => A | undefined): Parse<A> =>
  (text) => {
    const value = read(text)
    return value === undefined ? Result.fail(sentence) : Result.succeed(value)
  }

export const plain: Parse<string> = Result.succeed

export const positiveInteger = one("must be a positive whole number.", (text) => {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : 0
  return value > 0 ? value : undefined
})

const truths: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["yes", true],
  ["on", true],
  ["1", true],
  ["false", false],
  ["no", false],
  ["off", false],
  ["0", false]
])
export const boolean = one("must be true or false.", (text) => truths.get(text.toLowerCase()))

export const words = (separator: RegExp): Parse<ReadonlyArray<string>> =>
  one("must name at least one.", (text) => {
    const names = [...new Set(text.split(separator).filter((word) => word !== ""))]
    return names.length > 0 ? names : undefined
  })

export const parameterName = one("must be the name of a query parameter.", (text) =>
  /^[\w.~[\]-]+$/.test(text) ? text : undefined
)

export const duration = one("must be a positive duration like 1 hour, 30 minutes or 2 seconds.", (text) => {
  const match = /^(\d+(?:\.\d+)?)\s+(milli|second|minute|hour|day|week)s?$/.exec(text.toLowerCase())
  const value = Option.getOrUndefined(Duration.fromInput(`${Number(match?.[1])} ${match?.[2]}s` as Duration.Input))
  return value !== undefined && Duration.isPositive(value) ? value : undefined
})

const absolute = (text: string): URL | undefined => {
  const url = URL.parse(text)
  if (url === null || !/^https?:\/\//i.test(text)) return undefined
  return url.username === "" && url.password === "" && url.hash === "" ? url : undefined
}
export const webhookUrl = one("must be an absolute http or https URL without credentials or #fragment.", absolute)

/** It may hold a secret, so it stays covered. */
export const alertUrl = one(
  "must be an absolute https URL without credentials or #fragment (http to loopback).",
  (text) => {
    const url = absolute(text)
    if (url === undefined) return undefined
    const isPrivate = url.protocol === "https:" || isLoopback(url.hostname.replace(/^\[|\]$/g, ""))
    return isPrivate ? Redacted.make(url.href) : undefined
  }
)

/** Without a trailing slash, so that paths can be put behind it; a bare origin keeps the one that URL insists on. */
export const serviceUrl = one(
  "must be an absolute http or https URL without credentials, ?query or #fragment.",
  (text) => {
    const url = absolute(text)
    if (url === undefined || url.search !== "") return undefined
    url.pathname = url.pathname.replace(/\/+$/, "")
    return url
  }
)

/** `host:port`, `[v6]:port`, or `:port` for every IPv4 interface; port 0 lets the system choose. */
export const listen = one(
  "must be host:port, like 127.0.0.1:8080, [::1]:8080 or :8080.",
  (text): Listen | undefined => {
    const match = /^(?:\[([^\]]+)\]|([\w.-]*)):(\d{1,5})$/.exec(text)
    const port = Number(match?.[3] ?? NaN)
    const [, v6, name] = match ?? []
    if (!(port <= 65_535) || (v6 !== undefined && !isIPv6(v6))) return undefined
    return { host: v6 ?? (name || "0.0.0.0"), port }
  }
)

export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."))

export const folder: Parse<string> = (text) => Result.succeed(resolve(text))

export type WarehouseSetting =
  | { readonly engine: "duckdb"; readonly path: string }
  | { readonly engine: "postgres"; readonly url: Redacted.Redacted }

export const warehouse: Parse<WarehouseSetting> = (text) => {
  if (/^postgres(ql)?:/i.test(text)) return postgres(text)
  const path = /^duckdb:(.+)$/i.exec(text)?.[1]?.trim()
  if (path === undefined || path === "" || path.startsWith(":")) {
    return Result.fail("must be duckdb:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE.")
  }
  return Result.succeed({ engine: "duckdb", path: resolve(path) })
}

/** Never echoed: it holds a password. */
const postgres = (text: string): Result.Result<WarehouseSetting, string> => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isWhole = url !== undefined && url.host !== "" && /^\/[^/]+$/.test(url.pathname)
  if (!isWhole) return Result.fail("must be postgres://USER:PASSWORD@HOST:PORT/DATABASE; escape special characters.")
  return Result.succeed({ engine: "postgres", url: Redacted.make(text) })
}

export const timezone = one("must be a time zone like UTC or Europe/London.", (text) =>
  Option.getOrUndefined(DateTime.zoneFromString(text))
)

const nicknames: ReadonlyMap<string, string> = new Map([
  ["@hourly", "0 * * * *"],
  ["@daily", "0 0 * * *"],
  ["@weekly", "0 0 * * 0"],
  ["@monthly", "0 0 1 * *"]
])

/**
 * When clocks go back, a fixed hour runs once (the earlier) and a wildcard in hour or minute runs on without a hole, as
 * in Vixie cron. `next` is asked from `now` because an impossible date such as 31 February parses.
 */
export const cron =
  (zone: DateTime.TimeZone, now: DateTime.DateTime): Parse<Cron.Cron> =>
  (text) => {
    const fields = (nicknames.get(text.toLowerCase()) ?? text).split(/\s+/)
    const [minute, hour] = fields.slice(-5)
    const onDstOverlap = minute?.startsWith("*") || hour?.startsWith("*") ? "both" : "earlier"
    return Cron.parse(fields.join(" "), zone, { onDstOverlap }).pipe(
      Result.mapError(() => "must be five cron fields, like 0 2 * * *, or @hourly, @daily, @weekly, @monthly."),
      Result.flatMap((value) =>
        Result.try({
          try: () => {
            Cron.next(value, now)
            return value
          },
          catch: () => "never comes: no date fits it."
        })
      )
    )
  }

export const secret: Parse<Redacted.Redacted> = (text) => Result.succeed(Redacted.make(text))

export const secrets: Parse<ReadonlyArray<Redacted.Redacted>> = (text) => {
  const parts = text.split(",").map((part) => part.trim())
  if (parts.some((part) => part === "")) return Result.fail("holds an empty secret between its commas.")
  if (parts.some((part) => part.length < 8)) return Result.fail("holds a secret shorter than 8 characters.")
  return Result.succeed([...new Set(parts)].map((part) => Redacted.make(part)))
}

export const token = one("must be visible ASCII characters without spaces (it travels in a header).", (text) =>
  /^[!-~]+$/.test(text) ? Redacted.make(text) : undefined
)

export const key = one("must be 64 hexadecimal digits (256 bits).", (text) =>
  /^[0-9a-f]{64}$/i.test(text) ? Redacted.make(text.toLowerCase()) : undefined
)

const levels: ReadonlyMap<string, LogLevel.LogLevel> = new Map([
  ["all", "All"],
  ["trace", "Trace"],
  ["debug", "Debug"],
  ["info", "Info"],
  ["warn", "Warn"],
  ["warning", "Warn"],
  ["error", "Error"],
  ["fatal", "Fatal"],
  ["none", "None"],
  ["off", "None"]
])
export const logLevel = one("must be one of trace, debug, info, warn, error, fatal, all, none.", (text) =>
  levels.get(text.toLowerCase())
)

export const logFormat = one("must be pretty, json or logfmt.", (text): LogFormat | undefined => {
  const format = text.toLowerCase()
  return format === "pretty" || format === "json" || format === "logfmt" ? format : undefined
})

const AliasFile = Schema.fromJsonString(
  Schema.Record(Schema.NonEmptyString, Schema.Union([Schema.NonEmptyString, Schema.Array(Schema.NonEmptyString)]))
)

export const aliasFile: Parse<Aliases> = (text) => {
  const content = Result.try({
    try: () => readFileSync(resolve(text), "utf8"),
    catch: () => "names a file that cannot be read."
  })
  return Result.flatMap(content, (json) =>
    Schema.decodeUnknownResult(AliasFile)(json.replace(/^\uFEFF/, "")).pipe(
      Result.map((names) =>
        Object.fromEntries(
          Object.entries(names).map(([name, alias]) => [name, typeof alias === "string" ? [alias] : alias])
        )
      ),
      Result.mapError(() => "names a file that is not a JSON object from field name to alias or list of aliases.")
    )
  )
}
