/**
 * A client and its user at the sandbox's authorization server, by hand: the request, the page with its form and its
 * cookie, the answer, the exchange. Everything goes over HTTP; no redirect is followed.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { TokenAnswer } from "../../../connectors/construction/ConstructionApi.ts"
import { Sandbox, type SandboxOptions } from "../../../sandbox/Sandbox.ts"

/** RFC 7636, Appendix B. */
export const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
export const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

export const redirectUri = "http://127.0.0.1:49152/callback"

/** Undefined removes a parameter. */
export type Parameters = Readonly<Record<string, string | undefined>>
export type Pairs = ReadonlyArray<readonly [string, string]>

const encode = (parameters: Parameters, also: Pairs = []): string => {
  const encoded = new URLSearchParams()
  for (const [name, value] of [...Object.entries(parameters), ...also]) {
    if (value !== undefined) encoded.append(name, value)
  }
  return encoded.toString()
}

export const authorizationRequest: Parameters = {
  response_type: "code",
  client_id: "sandbox-app",
  redirect_uri: redirectUri,
  scope: "projects.read ipcs.read",
  state: "a state of the client",
  code_challenge: challenge,
  code_challenge_method: "S256"
}

export const exchangeRequest = (code: string): Parameters => ({
  grant_type: "authorization_code",
  client_id: "sandbox-app",
  redirect_uri: redirectUri,
  code,
  code_verifier: verifier
})

export const refreshRequest = (refreshToken: string): Parameters => ({
  grant_type: "refresh_token",
  client_id: "sandbox-app",
  refresh_token: refreshToken
})

export const credentialsRequest: Parameters = {
  grant_type: "client_credentials",
  client_id: "sandbox",
  client_secret: "sandbox-secret"
}

export const administrator = { username: "admin@example.com", password: "sandbox" } as const
export type Form = Readonly<Record<string, string>>

export interface Shown {
  readonly response: HttpClientResponse.HttpClientResponse
  readonly html: string
  /** The form's action and hidden fields. */
  readonly action: string
  readonly hidden: Form
  readonly cookie: string
}

const unescaped = (html: string): string =>
  html.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&")

const Errors = Schema.Struct({ error: Schema.String })

export const errorOf = Effect.fnUntraced(function* (response: HttpClientResponse.HttpClientResponse) {
  const body = yield* Effect.flatMap(response.json, Schema.decodeUnknownEffect(Errors))
  return `${response.status} ${body.error}`
})

export const locationOf = (response: HttpClientResponse.HttpClientResponse): URL => {
  const location = response.headers["location"]
  if (location === undefined) return assert.fail(`${response.status} without a Location`)
  return new URL(location)
}

export interface Sent {
  readonly headers?: Readonly<Record<string, string>>
  /** In addition to the named ones, for repeated parameters. */
  readonly also?: Pairs
}

/** Serves until the scope closes. */
export const start = Effect.fnUntraced(function* (options: SandboxOptions = {}) {
  const sandbox = yield* Sandbox.start({ eventsPerSecond: 0, ...options })
  const clients = yield* Layer.build(NodeHttpClient.layerUndici)
  const http = Context.get(clients, HttpClient.HttpClient)
  const post = (path: string, form: Parameters, { also = [], headers = {} }: Sent = {}) =>
    HttpClientRequest.post(`${sandbox.authUrl}${path}`).pipe(
      HttpClientRequest.bodyText(encode(form, also), "application/x-www-form-urlencoded"),
      HttpClientRequest.setHeaders(headers),
      http.execute
    )
  const authorize = (parameters: Parameters = {}, { also = [], headers = {} }: Sent = {}) =>
    HttpClientRequest.get(
      `${sandbox.authUrl}/oauth/authorize?${encode({ ...authorizationRequest, ...parameters }, also)}`
    ).pipe(HttpClientRequest.setHeaders(headers), http.execute)

  const show = Effect.fnUntraced(function* (
    parameters: Parameters = {},
    headers: Form = {}
  ): Effect.fn.Return<Shown, unknown> {
    const response = yield* authorize(parameters, { headers })
    const html = yield* response.text
    assert.strictEqual(response.status, 200, html)
    const hidden = [...html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)]
    return {
      response,
      html,
      action: unescaped(/<form method="post" action="([^"]*)">/.exec(html)?.[1] ?? ""),
      hidden: Object.fromEntries(hidden.map(([, name = "", value = ""]) => [name, unescaped(value)])),
      cookie: (response.headers["set-cookie"] ?? "").split(";")[0] ?? ""
    }
  })
  const answer = ({ action, cookie, hidden }: Shown, form: Form) =>
    post(action, { ...hidden, ...form }, { headers: { cookie } })
  /** Returns the code. */
  const login = Effect.fnUntraced(function* (parameters: Parameters = {}) {
    const shown = yield* show(parameters)
    const response = yield* answer(shown, { ...administrator, decision: "allow" })
    return locationOf(response).searchParams.get("code") ?? assert.fail("no code")
  })
  const askToken = (form: Parameters, sent?: Sent) => post("/oauth/token", form, sent)
  const tokens = (form: Parameters, sent?: Sent) =>
    askToken(form, sent).pipe(
      Effect.flatMap((response) => response.json),
      Effect.flatMap(Schema.decodeUnknownEffect(TokenAnswer)),
      Effect.map((answer) => ({ ...answer, refresh_token: answer.refresh_token ?? "" }))
    )
  const get = (path: string, token: string) =>
    HttpClientRequest.get(`${sandbox.baseUrl}${path}`).pipe(HttpClientRequest.bearerToken(token), http.execute)
  return { sandbox, http, post, authorize, show, answer, login, askToken, tokens, get }
})

export type Started = Effect.Success<ReturnType<typeof start>>

/** Whether the token is valid for the projects. */
export const isGood = ({ get }: Started, token: string) =>
  Effect.map(get("/projects", token), ({ status }) => {
    assert.include([200, 401], status)
    return status === 200
  })
