/**
 * The authorization server over HTTP: the authorization endpoint's pages and redirects, and the handlers of
 * ConstructionTokenApi (token, revocation, metadata). The decisions are made in the modules next to it.
 *
 * No response may be cached (RFC 6749 §5.1). A person's answer is redirected with 303, after which no browser sends the
 * password again (RFC 9700 §4.12); an error found before a person was asked, with 302.
 */
import { ByteSize, Clock, Effect, Layer, Result } from "effect"
import { HttpIncomingMessage, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { type AuthorizationServer, ConstructionTokenApi } from "../../connectors/construction/ConstructionApi.ts"
import { allScopes } from "../Scopes.ts"
import * as Authorization from "./Authorization.ts"
import type { Authenticate } from "./ClientAuthentication.ts"
import type { Clients } from "./Clients.ts"
import type { Codes } from "./Codes.ts"
import * as ConsentPage from "./ConsentPage.ts"
import { type Consents, consentSeconds } from "./Consents.ts"
import type { Grants } from "./Grants.ts"
import * as Parameters from "./Parameters.ts"
import { refusal, type Refusal } from "./Refusal.ts"
import { revoke } from "./Revocation.ts"
import type { TokenEndpoint } from "./TokenEndpoint.ts"

export interface Parts {
  readonly authenticate: Authenticate
  /** A secret in a form is refused. */
  readonly basicOnly: boolean
  readonly clients: Clients
  readonly codes: Codes
  readonly consents: Consents
  readonly grants: Grants
  readonly tokenEndpoint: TokenEndpoint
}

export const authorizePath = "/oauth/authorize"
const tokenPath = "/oauth/token"
const revokePath = "/oauth/revoke"
const cookie = "sandbox-browser"
const largestForm = ByteSize.kibibytes(64)
export const unkept = { "cache-control": "no-store", pragma: "no-cache" }

/** A body that isn't a readable form counts as one without parameters. */
const form = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<Parameters.Parameters> => {
  const isForm = /^application\/x-www-form-urlencoded *(;|$)/i.test(request.headers["content-type"] ?? "")
  if (!isForm) return Effect.succeed(Parameters.read([]))
  return request.text.pipe(
    Effect.map((text) => Parameters.read(new URLSearchParams(text))),
    Effect.orElseSucceed(() => Parameters.read([])),
    Effect.provideService(HttpIncomingMessage.MaxBodySize, largestForm)
  )
}

const query = (request: HttpServerRequest.HttpServerRequest): Parameters.Parameters => {
  const mark = request.originalUrl.indexOf("?")
  return Parameters.read(new URLSearchParams(mark < 0 ? "" : request.originalUrl.slice(mark + 1)))
}

const page = ({ headers, html }: ConsentPage.Page, status: number) =>
  HttpServerResponse.text(html, { status, headers, contentType: "text/html; charset=utf-8" })

const sendBack = (location: string, status: 302 | 303) =>
  HttpServerResponse.redirect(location, { status, headers: { ...unkept, "referrer-policy": "no-referrer" } })

/** RFC 6749 §5.2. Every 401 names a scheme (RFC 9110 §15.5.2), even if the secret came in the form. */
const refused = ({ description, error }: Refusal) =>
  HttpServerResponse.jsonUnsafe(
    { error, error_description: description },
    error === "invalid_client"
      ? { status: 401, headers: { ...unkept, "www-authenticate": 'Basic realm="construction", charset="UTF-8"' } }
      : { status: 400, headers: unkept }
  )

const ask = ({ clients, consents }: Parts, issuer: string) =>
  Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
    const read = Authorization.read(clients, query(request))
    if (Result.isFailure(read)) {
      const { to, ...refusal } = read.failure
      if (to === undefined) return page(ConsentPage.problem(refusal.description), 400)
      return sendBack(Authorization.locate(to, issuer, refusal), 302)
    }
    const { browser, consent } = consents.show(read.success, request.cookies[cookie], yield* Clock.currentTimeMillis)
    // Lax: not sent with a form of another site. Not `secure`, because the sandbox is served without TLS.
    return HttpServerResponse.setCookieUnsafe(
      page(ConsentPage.question(read.success, consent, authorizePath, false), 200),
      cookie,
      browser,
      { httpOnly: true, sameSite: "lax", path: authorizePath, maxAge: `${consentSeconds} seconds` }
    )
  })

const answer = ({ codes, consents }: Parts, issuer: string) =>
  Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
    const { values } = yield* form(request)
    const now = yield* Clock.currentTimeMillis
    const answered = consents.answer(values, request.cookies[cookie], now)
    if (Result.isFailure(answered)) {
      const description =
        "This form was already answered, is too old, or came from another site. Cookies must be allowed."
      return page(ConsentPage.problem(description), 400)
    }
    const outcome = answered.success
    switch (outcome._tag) {
      case "WrongLogin":
        return page(ConsentPage.question(outcome.request, outcome.consent, authorizePath, true), 403)
      case "Denied": {
        const denied = refusal("access_denied", "the user denied the request")
        return sendBack(Authorization.locate(outcome.request, issuer, denied), 303)
      }
      case "Allowed": {
        const code = codes.issue(outcome.request, now)
        return sendBack(Authorization.locate(outcome.request, issuer, { code }), 303)
      }
    }
  })

const authMethods = (basicOnly: boolean): ReadonlyArray<string> => [
  "client_secret_basic",
  ...(basicOnly ? [] : ["client_secret_post"]),
  "none"
]

/** RFC 8414 §2. Assumed: the interface document doesn't show it. */
const metadata = (issuer: string, basicOnly: boolean): AuthorizationServer => ({
  issuer,
  authorization_endpoint: `${issuer}${authorizePath}`,
  token_endpoint: `${issuer}${tokenPath}`,
  revocation_endpoint: `${issuer}${revokePath}`,
  scopes_supported: allScopes,
  response_types_supported: ["code"],
  response_modes_supported: ["query"],
  grant_types_supported: ["client_credentials", "authorization_code", "refresh_token"],
  token_endpoint_auth_methods_supported: authMethods(basicOnly),
  revocation_endpoint_auth_methods_supported: authMethods(basicOnly),
  code_challenge_methods_supported: ["S256"],
  authorization_response_iss_parameter_supported: true
})

/** Raw, because RFC 6749 has its own answer to a request that doesn't decode. */
const api = (parts: Parts, issuer: string) =>
  HttpApiBuilder.layer(ConstructionTokenApi).pipe(
    Layer.provide(
      HttpApiBuilder.group(ConstructionTokenApi, "oauth", (handlers) =>
        handlers
          .handleRaw("token", ({ request }) =>
            Effect.gen(function* () {
              const parameters = yield* form(request)
              const now = yield* Clock.currentTimeMillis
              return Result.match(parts.tokenEndpoint.answer(parameters, request.headers.authorization, now), {
                onFailure: refused,
                onSuccess: (token) => HttpServerResponse.jsonUnsafe(token, { headers: unkept })
              })
            })
          )
          .handleRaw("revoke", ({ request }) =>
            Effect.gen(function* () {
              const parameters = yield* form(request)
              const now = yield* Clock.currentTimeMillis
              return Result.match(revoke(parts, parameters, request.headers.authorization, now), {
                onFailure: refused,
                onSuccess: () => HttpServerResponse.empty({ status: 200, headers: unkept })
              })
            })
          )
          .handle("metadata", () => Effect.succeed(metadata(issuer, parts.basicOnly)))
      )
    )
  )

/** `issuer`: the address under which all of this is served, `{auth_url}`. */
export const layerWith = (parts: Parts, issuer: string) =>
  Layer.mergeAll(
    HttpRouter.add("GET", authorizePath, ask(parts, issuer)),
    HttpRouter.add("POST", authorizePath, answer(parts, issuer)),
    api(parts, issuer)
  )
