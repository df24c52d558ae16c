/**
 * The authorization server over HTTP: the authorization endpoint's pages and redirects, and the handlers of
 * ConstructionTokenApi (token, revocation, device, metadata). The modules next to it make the decisions.
 *
 * A person's answer is redirected with 303, after which no browser sends the password again (RFC 9700 §4.12); an error
 * found before a person was asked is redirected with 302.
 */
import { Clock, Effect, Layer, Result } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import {
  type AuthorizationServer,
  ConstructionTokenApi,
  deviceGrant
} from "../../connectors/construction/ConstructionApi.ts"
import * as Authorization from "./Authorization.ts"
import type { Clients } from "./Clients.ts"
import type { Codes } from "./Codes.ts"
import * as ConsentPage from "./ConsentPage.ts"
import type { Consents } from "./Consents.ts"
import * as DeviceRoutes from "./DeviceRoutes.ts"
import type { Grants } from "./Grants.ts"
import { cookie, form, formPage, page, query, refused, sendBack, unkept, unknownForm } from "./Http.ts"
import { refusal } from "./Refusal.ts"
import { revoke } from "./Revocation.ts"
import type { TokenEndpoint } from "./TokenEndpoint.ts"

export interface Parts extends DeviceRoutes.Parts {
  /** A secret in a form is refused. */
  readonly basicOnly: boolean
  readonly clients: Clients
  readonly codes: Codes
  readonly consents: Consents<Authorization.Request>
  /** All existing scopes. */
  readonly scopes: ReadonlyArray<string>
  readonly grants: Grants
  readonly tokenEndpoint: TokenEndpoint
}

export const authorizePath = "/oauth/authorize"
/** Where a person logs in; for browsers only. */
export const pagePaths: ReadonlyArray<string> = [authorizePath, DeviceRoutes.pagePath]
const tokenPath = "/oauth/token"
const revokePath = "/oauth/revoke"

const ask = ({ clients, consents }: Parts, issuer: string) =>
  Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
    const read = Authorization.read(clients, query(request))
    if (Result.isFailure(read)) {
      const { to, ...refusal } = read.failure
      if (to === undefined) return page(ConsentPage.problem(refusal.description), 400)
      return sendBack(Authorization.locate(to, issuer, refusal), 302)
    }
    const { browser, consent } = consents.show(read.success, request.cookies[cookie], yield* Clock.currentTimeMillis)
    return formPage(
      ConsentPage.question(read.success, { action: authorizePath, consent, again: false }),
      browser,
      authorizePath
    )
  })

const answer = ({ codes, consents }: Parts, issuer: string) =>
  Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
    const { values } = yield* form(request)
    const now = yield* Clock.currentTimeMillis
    const answered = consents.answer(values, request.cookies[cookie], now)
    if (Result.isFailure(answered)) return page(ConsentPage.problem(unknownForm), 400)
    const outcome = answered.success
    switch (outcome._tag) {
      case "WrongLogin": {
        const again = { action: authorizePath, consent: outcome.consent, again: true }
        return page(ConsentPage.question(outcome.request, again), 403)
      }
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
const metadata = (issuer: string, { basicOnly, scopes }: Parts): AuthorizationServer => ({
  issuer,
  authorization_endpoint: `${issuer}${authorizePath}`,
  token_endpoint: `${issuer}${tokenPath}`,
  revocation_endpoint: `${issuer}${revokePath}`,
  device_authorization_endpoint: `${issuer}${DeviceRoutes.startPath}`,
  scopes_supported: scopes,
  response_types_supported: ["code"],
  response_modes_supported: ["query"],
  grant_types_supported: ["client_credentials", "authorization_code", "refresh_token", deviceGrant],
  token_endpoint_auth_methods_supported: authMethods(basicOnly),
  revocation_endpoint_auth_methods_supported: authMethods(basicOnly),
  code_challenge_methods_supported: ["S256"],
  authorization_response_iss_parameter_supported: true
})

/** Raw, because RFC 6749 defines its own answer to a request that doesn't decode. */
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
          .handleRaw("device", ({ request }) => DeviceRoutes.start(parts, issuer, request))
          .handle("metadata", () => Effect.succeed(metadata(issuer, parts)))
      )
    )
  )

/** `issuer`: the address under which all of this is served, `{auth_url}`. */
export const layerWith = (parts: Parts, issuer: string) =>
  Layer.mergeAll(
    HttpRouter.add("GET", authorizePath, ask(parts, issuer)),
    HttpRouter.add("POST", authorizePath, answer(parts, issuer)),
    DeviceRoutes.layerWith(parts),
    api(parts, issuer)
  )
