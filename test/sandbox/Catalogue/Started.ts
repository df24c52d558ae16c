/** What the tests of the catalogue share: a sandbox with it, its operations, requests with a token, and paths with ids. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { HttpClient, HttpClientRequest, type HttpMethod } from "effect/http"
import type { Catalogue } from "../../../sandbox/Catalogue.ts"
import { type Document, methods, type Operation } from "../../../sandbox/Description/OpenApi.ts"
import { Sandbox, type SandboxOptions } from "../../../sandbox/Sandbox.ts"
import * as Json from "../../../src/Domain/Json.ts"

const full: SandboxOptions = {
  openapi: "full",
  identity: "full",
  projects: 3,
  records: 25,
  eventsPerSecond: 0,
  startAt: "2026-01-05T08:00:00Z",
  plan: Infinity
}

export interface Described {
  readonly method: string
  readonly path: string
  /** `http://127.0.0.1:…`, with the version where it has one. */
  readonly base: string
  readonly operation: Operation
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly bytes: Uint8Array
  readonly text: string
}

export interface Given {
  readonly token?: string
  /** Sent as JSON. */
  readonly json?: unknown
  /** Sent as a form, with a file in it or without. */
  readonly form?: FormData | URLSearchParams
}

export const operationsOf = ({ paths, servers }: Document, authUrl: string): ReadonlyArray<Described> =>
  Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method]
      const base = new URL((item.servers ?? servers)[0]?.url ?? "", authUrl).href.replace(/\/$/, "")
      return operation === undefined ? [] : [{ method: method.toUpperCase(), path, base, operation }]
    })
  )

export const started = Effect.fnUntraced(function* (options: SandboxOptions = {}) {
  const sandbox = yield* Sandbox.start({ ...full, ...options })
  const catalogue = sandbox.catalogue ?? assert.fail("there is no catalogue")
  const http = yield* HttpClient.HttpClient
  const ask = Effect.fnUntraced(function* (method: string, url: string, { form, json, token }: Given = {}) {
    let request = HttpClientRequest.make(method as HttpMethod.HttpMethod)(url)
    if (json !== undefined) request = HttpClientRequest.bodyJsonUnsafe(request, json)
    if (form instanceof URLSearchParams) request = HttpClientRequest.bodyUrlParams(request, [...form])
    if (form instanceof FormData) request = HttpClientRequest.bodyFormData(request, form)
    if (token !== undefined) request = HttpClientRequest.bearerToken(request, token)
    const response = yield* http.execute(request)
    const bytes = new Uint8Array(yield* response.arrayBuffer)
    const answer: Answer = {
      status: response.status,
      headers: response.headers,
      bytes,
      text: new TextDecoder().decode(bytes)
    }
    return answer
  })
  const tokenFor = Effect.fnUntraced(function* (scopes?: ReadonlyArray<string>) {
    const client = { grant_type: "client_credentials", client_id: "sandbox", client_secret: "sandbox-secret" }
    const form = new URLSearchParams({ ...client, ...(scopes === undefined ? {} : { scope: scopes.join(" ") }) })
    const { text } = yield* ask("POST", `${sandbox.authUrl}/oauth/token`, { form })
    return String((JSON.parse(text) as Readonly<Record<string, unknown>>)["access_token"])
  })
  const token = yield* tokenFor()
  const get = (path: string) => ask("GET", `${sandbox.baseUrl}${path}`, { token })
  const { text } = yield* ask("GET", `${sandbox.baseUrl}/openapi.json`)
  const document = JSON.parse(text) as Document
  return {
    sandbox,
    catalogue,
    ask,
    get,
    token,
    tokenFor,
    text,
    document,
    operations: operationsOf(document, sandbox.authUrl)
  }
})

/** An existing id of each resource that isn't the catalogue's. */
const ids: Readonly<Record<string, string>> = {
  projects: "1001",
  ipcs: "IPC-2026-000001",
  vos: "VO-2026-000001",
  ncrs: "NCR-2026-000001",
  "hse-incidents": "HSE-2026-000001",
  permits: "PTW-2026-000001",
  transmittals: "TR-2026-000001"
}

/** By catalogue and resource: the path of the last record at the start. */
const samples = new WeakMap<Catalogue, ReadonlyMap<string, string>>()

const samplesOf = (catalogue: Catalogue) => {
  const { names, truth } = catalogue
  const known = samples.get(catalogue) ?? new Map(names.map((name) => [name, truth(name).at(-1)?.item ?? ""]))
  samples.set(catalogue, known)
  return known
}

/** The path with the ids of records that are there. `isFresh`: also if some have gone since the start. */
export const filled = (catalogue: Catalogue, path: string, isFresh = false): string => {
  const [, above = "", below = ""] = /^(.*\})([^{}]*)$/.exec(path) ?? []
  if (above === "") return path
  const [, resource = ""] = /^\/([^/]+)\/\{\w+\}$/.exec(above) ?? []
  const own = ids[resource]
  if (own !== undefined) return `/${resource}/${own}${below}`
  const pattern = new RegExp(`^${above.replaceAll(/\{\w+\}/g, "[^/]+")}$`)
  const [name, sample] = [...samplesOf(catalogue)].find(([, item]) => pattern.test(item)) ?? assert.fail(path)
  return `${(isFresh ? catalogue.truth(name).at(-1)?.item : sample) ?? assert.fail(path)}${below}`
}

/** A part of the document by the reference to it; a part that is no reference is itself. */
export const resolved = (document: object, part: unknown): Readonly<Record<string, unknown>> => {
  const { $ref } = Object(part) as { readonly $ref?: string }
  if ($ref === undefined) return Object(part)
  const found = $ref
    .slice(2)
    .split("/")
    .reduce<unknown>((whole, name) => Object(whole)[name], document)
  return resolved(document, found)
}

export const read = (text: string): unknown => Json.parse(text)
