/**
 * Reads variables that name a place: a URL, a listener, a folder, an engine, a lake. As in Parse.ts, a failure is a
 * sentence that doesn't repeat the text. Relative paths start at the working directory.
 */
import { BlockList, isIP, isIPv4, isIPv6 } from "node:net"
import { resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { Redacted, Result } from "effect"
import { one, type Parse } from "./Parse.ts"

const absolute = (text: string): URL | undefined => {
  const url = URL.parse(text)
  if (url === null || !/^https?:\/\//i.test(text)) return undefined
  return url.username === "" && url.password === "" && url.hash === "" ? url : undefined
}

export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."))

/** Data sent there is encrypted, or doesn't leave this machine. */
const encrypted = (text: string): URL | undefined => {
  const url = absolute(text)
  if (url === undefined) return undefined
  const isPrivate = url.protocol === "https:" || isLoopback(url.hostname.replace(/^\[|\]$/g, ""))
  return isPrivate ? url : undefined
}

export const webhook = one("must be an absolute http or https URL without credentials or #fragment.", absolute)

/** Telemetry contains no secret, and collectors are usually on the same machine. */
export const collector = webhook

/** It may hold a secret, so it stays redacted. */
export const alert = one(
  "must be an absolute https URL without credentials or #fragment (http to loopback).",
  (text) => {
    const url = encrypted(text)
    return url && Redacted.make(url.href)
  }
)

/** Kept as written, because authorization servers compare it as text. */
export const redirect = one(
  "must be an https URL (http on loopback only) without credentials, ?query or #fragment.",
  (text): string | undefined => (encrypted(text)?.search === "" ? text : undefined)
)

export const sink = one("must be an https URL (http on loopback only) without credentials or #fragment.", encrypted)

/** A token is sent to it. */
export const worker = sink

/** Without a trailing slash, so that paths can be appended; a bare origin keeps the slash that URL insists on. */
export const service = one(
  "must be an absolute http or https URL without credentials, ?query or #fragment.",
  (text) => {
    const url = absolute(text)
    if (url === undefined || url.search !== "") return undefined
    url.pathname = url.pathname.replace(/\/+$/, "")
    return url
  }
)

export interface Listen {
  readonly host: string
  readonly port: number
}

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

/** Addresses and CIDR ranges, separated by commas. */
export const ranges = one(
  "must be addresses or CIDR ranges separated by commas, like 10.0.0.0/8,192.0.2.7,2001:db8::/32.",
  (text): BlockList | undefined => {
    const ranges = new BlockList()
    for (const part of text.split(",")) {
      const [address = "", digits, ...more] = part.trim().split("/")
      const longest = isIPv6(address) ? 128 : 32
      const isBits = digits === undefined || (/^\d{1,3}$/.test(digits) && Number(digits) <= longest)
      if (isIP(address) === 0 || address.includes("%") || !isBits || more.length > 0) return undefined
      ranges.addSubnet(address, Number(digits ?? longest), isIPv6(address) ? "ipv6" : "ipv4")
    }
    return ranges
  }
)

export const folder: Parse<string> = (text) => Result.succeed(resolve(text))

export type Location = { readonly kind: "file"; readonly path: string } | { readonly kind: "url"; readonly url: URL }

/** A file, or a URL without credentials. */
export const document = one(
  "must be a path, or an http or https URL without credentials or #fragment.",
  (text): Location | undefined => {
    if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(text)) return text === "" ? undefined : { kind: "file", path: resolve(text) }
    const url = absolute(text)
    return url && { kind: "url", url }
  }
)

export type Warehouse =
  | { readonly engine: "duckdb"; readonly path: string }
  | { readonly engine: "postgres"; readonly url: Redacted.Redacted }

export const warehouse: Parse<Warehouse> = (text) => {
  if (/^postgres(ql)?:/i.test(text)) return Result.map(server(text), (url) => ({ engine: "postgres", url }))
  const path = /^duckdb:(.+)$/i.exec(text)?.[1]?.trim()
  if (path === undefined || path === "" || path.startsWith(":")) {
    return Result.fail("must be duckdb:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE.")
  }
  return Result.succeed({ engine: "duckdb", path: resolve(path) })
}

const serverSentence = "must be postgres://USER:PASSWORD@HOST:PORT/DATABASE; escape special characters."

/** A database on a server. */
export const server = one(serverSentence, (text): Redacted.Redacted | undefined => {
  const url = URL.parse(text)
  const isWhole = url !== null && /^postgres(ql)?:/i.test(text) && url.host !== "" && /^\/[^/]+$/.test(url.pathname)
  return isWhole ? Redacted.make(text) : undefined
})

export type Lake =
  | { readonly kind: "folder"; readonly path: string }
  /** `prefix` has no slash at either end, and is empty for the whole bucket. */
  | { readonly kind: "s3"; readonly bucket: string; readonly prefix: string }

const lakeSentence = "must be file:PATH or s3://BUCKET/PREFIX."

/** The AWS SDK reads the rest (credentials, region, endpoint) from its own variables and files. */
export const lake: Parse<Lake> = (text) => (/^s3:/i.test(text) ? bucket(text) : lakeFolder(text))

const lakeFolder: Parse<Lake> = (text) => {
  const path = /^file:(.+)$/i.exec(text)?.[1]?.trim() ?? ""
  const asUrl = path.startsWith("//")
  return Result.try({
    try: () => (asUrl ? fileURLToPath(`file:${path}`) : path),
    catch: () => lakeSentence
  }).pipe(
    Result.flatMap((local) =>
      local === "" ? Result.fail(lakeSentence) : Result.succeed({ kind: "folder", path: resolve(local) })
    )
  )
}

/** The prefix is taken literally: characters that are special in a URL aren't special in a key. */
const bucket: Parse<Lake> = (text) => {
  const [, name = "", rest = ""] = /^s3:\/\/([^/]*)\/?(.*)$/i.exec(text) ?? []
  if (name.includes("@")) {
    return Result.fail(
      "must not contain credentials: give them in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE."
    )
  }
  // Other stores allow more than AWS, which itself refuses what it doesn't allow.
  if (!/^[A-Za-z0-9][\w.-]{1,253}[A-Za-z0-9]$/.test(name)) return Result.fail(lakeSentence)
  const prefix = rest.replace(/\/+$/, "")
  const isPlain = prefix === "" || prefix.split("/").every((part) => !["", ".", ".."].includes(part))
  return isPlain
    ? Result.succeed({ kind: "s3", bucket: name, prefix })
    : Result.fail("must be s3://BUCKET/PREFIX without empty parts, . or .. in the prefix.")
}
