/**
 * The dashboard's files, as `npm run build` created them: `index.html` for each of its pages, and the files that it
 * loads.
 *
 * They are read once, and only by their names in the folder, so no path leads elsewhere. A browser may load nothing
 * from any other host, run no script but ours, and show the page in no frame.
 */
import { readdirSync, readFileSync } from "node:fs"
import { extname } from "node:path"
import { gzipSync } from "node:zlib"
import { Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Module from "../../Runtime/Module.ts"

type Request = HttpServerRequest.HttpServerRequest

/** The pages to which a link may lead: each of them is this file, regardless of the rest of the path. */
export const pages = [
  "/",
  "/walks",
  "/walks/:list",
  "/deliveries",
  "/deliveries/:id",
  "/quarantine",
  "/records",
  "/records/:table",
  "/records/:table/:id",
  "/setup",
  "/lake",
  "/sql",
  "/ledger",
  "/ledger/holds",
  "/ledger/holds/:id",
  "/ledger/outbox",
  "/ledger/balances",
  "/ipcs/:id"
] as const

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
  "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

const guards = {
  "content-security-policy": policy,
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY"
}

const types: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml"
}

interface File {
  readonly bytes: Uint8Array
  readonly compressed: Uint8Array
  readonly headers: Readonly<Record<string, string>>
}

const read = (folder: URL, name: string, cacheControl: string): File => {
  const bytes = readFileSync(new URL(name, folder))
  const type = types[extname(name)] ?? "application/octet-stream"
  const headers = { ...guards, "cache-control": cacheControl, "content-type": type, vary: "accept-encoding" }
  return { bytes, compressed: gzipSync(bytes), headers }
}

const unbuilt = HttpServerResponse.text("The dashboard isn't built: run `npm run build`.\n", { status: 404 })

const answer =
  (file: File) =>
  ({ headers }: Request): HttpServerResponse.HttpServerResponse => {
    const isCompressed = /\bgzip\b/.test(headers["accept-encoding"] ?? "")
    const more = isCompressed ? { "content-encoding": "gzip" } : {}
    return HttpServerResponse.uint8Array(isCompressed ? file.compressed : file.bytes, {
      headers: { ...file.headers, ...more }
    })
  }

/** The page, and each file that it loads, by path; without a build, a sentence for people. */
export const files = Effect.sync(() => {
  const folder = Module.besideBuild("dashboard/")
  try {
    const assets = readdirSync(new URL("assets/", folder)).map((name) => {
      // The name contains a hash of the contents.
      const file = read(folder, `assets/${name}`, "public, max-age=31536000, immutable")
      return { path: `/assets/${name}` as const, answer: answer(file) }
    })
    return { page: answer(read(folder, "index.html", "no-cache")), assets }
  } catch {
    return { page: () => unbuilt, assets: [] }
  }
})
