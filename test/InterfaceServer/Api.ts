/**
 * The REST half of the stand-in service of the tests: tokens (§4.3, §5.1), the request limit (§8) and the list of
 * projects (§4.1), with faults a test can switch on. Written from the interface document alone; shares nothing with
 * the product, on purpose. Where the document says "not shown", the behaviour is a setting.
 */
import { randomBytes } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import { mark } from "../Marked.ts"
import { type Answer, json, mediaType, refusal } from "./Wire.ts"

/** A project, or the raw JSON text of one: text is answered character for character. */
export type ProjectSource = string | { readonly id: number; readonly name: string; readonly status: string }

export interface ApiSettings {
  clientId: string
  clientSecret: string
  tokenLifetimeSeconds: number
  /** Whether a token answer states `expires_in`; the token ends after its lifetime either way. */
  expiresIn: boolean
  /** Answer the token request with this status and RFC 6749 error instead. */
  refuseTokens: { status: number; error: string } | null
  /** 403 on the list of projects unless the token was asked for with this scope. */
  requiredScope: string | null
  projects: number | Array<ProjectSource>
  project: (index: number) => ProjectSource
  pageParam: string
  perPageParam: string
  defaultPerPage: number
  maxPerPage: number
  /** 422 for a page above `maxPerPage`; by default it is shortened silently and `per_page` says so. */
  rejectLargePages: boolean
  requestsPerMinute: number
  /** Length of the limit's sliding window, for tests that can't wait 60 seconds. */
  minuteMs: number
  /** Whether a 429 says when to come back. */
  retryAfter: boolean
  /** How pages of projects are compressed. */
  encoding: "gzip" | null
}

export const apiDefaults: ApiSettings = {
  clientId: "interface-client",
  // Form-encoding matters for this secret.
  clientSecret: `interface ${mark}+/&=%`,
  tokenLifetimeSeconds: 3600,
  expiresIn: true,
  refuseTokens: null,
  requiredScope: null,
  projects: 120,
  project: (index) => ({
    id: 1001 + index,
    name: `Project ${index + 1}`,
    status: index % 3 === 0 ? "awarded" : "in-progress"
  }),
  pageParam: "page",
  perPageParam: "per_page",
  defaultPerPage: 50,
  maxPerPage: 100,
  rejectLargePages: false,
  requestsPerMinute: 600,
  minuteMs: 60_000,
  retryAfter: true,
  encoding: null
}

/** RFC 6749 §5.2. */
const refuse = (status: number, error: string, error_description: string): Answer =>
  json(status, { error, error_description }, { "cache-control": "no-store" })

export class Tokens {
  readonly #settings: ApiSettings
  readonly #live = new Map<string, { readonly endsAt: number; readonly scopes: ReadonlyArray<string> }>()

  constructor(settings: ApiSettings) {
    this.#settings = settings
  }

  /** §5.1. Only the form in the body counts, and each parameter once (RFC 6749 §3.2). */
  grant(headers: IncomingHttpHeaders, body: Buffer): Answer {
    const settings = this.#settings
    if (settings.refuseTokens !== null) {
      return refuse(settings.refuseTokens.status, settings.refuseTokens.error, "switched on by the test")
    }
    if (mediaType(headers) !== "application/x-www-form-urlencoded") {
      return refuse(400, "invalid_request", "the body must be form-encoded")
    }
    const form = new URLSearchParams(body.toString("utf8"))
    for (const name of form.keys()) {
      if (form.getAll(name).length > 1) return refuse(400, "invalid_request", `${name} is given twice`)
    }
    if (!form.has("grant_type")) return refuse(400, "invalid_request", "grant_type is missing")
    if (form.get("grant_type") !== "client_credentials") {
      return refuse(400, "unsupported_grant_type", "only client_credentials is served here")
    }
    if (!form.has("client_id") || !form.has("client_secret")) {
      return refuse(400, "invalid_request", "client_id and client_secret are required")
    }
    if (form.get("client_id") !== settings.clientId || form.get("client_secret") !== settings.clientSecret) {
      return refuse(401, "invalid_client", "unknown client or wrong secret")
    }
    return this.#issue(form.get("scope") ?? "")
  }

  #issue(scope: string): Answer {
    const { expiresIn, tokenLifetimeSeconds } = this.#settings
    const access_token = `${mark}_${randomBytes(24).toString("base64url")}`
    this.#live.set(access_token, { endsAt: Date.now() + tokenLifetimeSeconds * 1000, scopes: scope.split(" ") })
    return json(
      200,
      {
        access_token,
        token_type: "Bearer",
        ...(expiresIn ? { expires_in: tokenLifetimeSeconds } : {}),
        ...(scope === "" ? {} : { scope })
      },
      { "cache-control": "no-store" }
    )
  }

  revoke(): void {
    this.#live.clear()
  }

  /** The refusal of a request whose token is missing, unknown, revoked or ended. */
  refuse(headers: IncomingHttpHeaders, scope: string | null): Answer | null {
    const token = /^Bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1]
    const live = token === undefined ? undefined : this.#live.get(token)
    if (live === undefined || live.endsAt <= Date.now()) {
      return refusal(401, "a valid bearer token is required", { "www-authenticate": "Bearer" })
    }
    return scope === null || live.scopes.includes(scope) ? null : refusal(403, `scope ${scope} is required`)
  }
}

/** At most N requests let through in any sliding minute, over all clients; refused requests don't count. */
export class RequestLimit {
  readonly #settings: ApiSettings
  readonly #letThrough: Array<number> = []

  constructor(settings: ApiSettings) {
    this.#settings = settings
  }

  refuse(at: number): Answer | null {
    const { minuteMs, requestsPerMinute, retryAfter } = this.#settings
    while (this.#letThrough[0] !== undefined && this.#letThrough[0] <= at - minuteMs) this.#letThrough.shift()
    if (this.#letThrough.length < requestsPerMinute) {
      this.#letThrough.push(at)
      return null
    }
    const waitMs = (this.#letThrough[0] ?? at) + minuteMs - at
    return refusal(429, "too many requests", retryAfter ? { "retry-after": `${Math.ceil(waitMs / 1000)}` } : {})
  }
}

/** `cut-json` is a whole HTTP answer with half the JSON; `cut-body` breaks the connection half-way through it. */
export type Fault =
  | "html"
  | "cut-json"
  | "cut-body"
  | "500"
  | "502"
  | "503"
  | "wrong-shape"
  | "hang"
  | "reset"
  | "ignore-page"

export class Projects {
  readonly #settings: ApiSettings
  readonly #faults: Array<Fault> = []
  /** Mutable: a test may insert, change and delete anywhere between two requests. */
  readonly all: Array<ProjectSource>

  constructor(settings: ApiSettings) {
    this.#settings = settings
    const { project, projects } = settings
    this.all = typeof projects === "number" ? Array.from({ length: projects }, (_, index) => project(index)) : projects
  }

  fail(fault: Fault, requests: number): void {
    for (let request = 0; request < requests; request++) this.#faults.push(fault)
  }

  /** §4.1: a page past the last one is an empty list. */
  list(query: URLSearchParams): Answer {
    const fault = this.#faults.shift()
    const { defaultPerPage, maxPerPage, pageParam, perPageParam, rejectLargePages } = this.#settings
    const asked = (name: string, otherwise: number) => {
      const text = query.get(name)
      return text === null ? otherwise : /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 0
    }
    const page = fault === "ignore-page" ? 1 : asked(pageParam, 1)
    const wanted = asked(perPageParam, defaultPerPage)
    if (page === 0 || wanted === 0) return refusal(422, `${pageParam} and ${perPageParam} are whole numbers from 1`)
    if (wanted > maxPerPage && rejectLargePages) return refusal(422, `${perPageParam} is at most ${maxPerPage}`)
    const per_page = Math.min(wanted, maxPerPage)
    const texts = this.all
      .slice((page - 1) * per_page, page * per_page)
      .map((project) => (typeof project === "string" ? project : JSON.stringify(project)))
    const pagination = JSON.stringify({ total: this.all.length, page, per_page })
    const { encoding } = this.#settings
    return spoil(
      { ...json(200, null), encoding, body: `{"data":[${texts.join(",")}],"pagination":${pagination}}` },
      fault
    )
  }
}

const spoil = (answer: Answer, fault: Fault | undefined): Answer => {
  switch (fault) {
    case undefined:
    case "ignore-page":
      return answer
    case "html":
      return { status: 200, headers: { "content-type": "text/html" }, body: "<!doctype html><h1>Maintenance</h1>" }
    case "cut-json":
      return { ...answer, body: answer.body.slice(0, answer.body.length / 2) }
    case "cut-body":
      return { ...answer, wire: "cut" }
    case "wrong-shape":
      return json(200, { items: {}, count: "many" })
    case "hang":
    case "reset":
      return { ...answer, wire: fault }
    default:
      return { status: Number(fault), headers: { "content-type": "text/plain" }, body: "switched on by the test" }
  }
}
