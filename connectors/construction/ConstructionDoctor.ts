/**
 * The service, for `siteledger doctor`: one token and one request for one record, outside the worker's pace, which
 * costs the plan next to nothing. A person's login is only inspected, because a refresh could use up a token that is
 * valid once.
 */
import { existsSync } from "node:fs"
import { Clock, Effect, Layer } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { type ClientSettings, loginPath, ServiceSettings, Settings } from "../../config/Settings.ts"
import * as Instant from "../../src/Domain/Instant.ts"
import * as Json from "../../src/Domain/Json.ts"
import { examine, fail, type Finding, messageOf, ok, type CheckResult, warn } from "../../src/Operate/Doctor.ts"
import * as Machine from "../../src/Operate/Doctor/Machine.ts"
import { Seal } from "../../src/Runtime/Seal.ts"
import { endedSentence, LoginFile } from "./ConstructionAuth/LoginFile.ts"
import { requestUnpaced, TokenEndpoint } from "./ConstructionAuth/TokenEndpoint.ts"
import * as ConstructionHttp from "./ConstructionHttp.ts"
import { apiNames, boundOf } from "./ConstructionEndpoints.ts"
import { readText, whyNoAnswer } from "./ConstructionText.ts"

interface Way {
  readonly result: CheckResult
  /** Undefined if there is none now; the request is sent without it. */
  readonly token?: string
}

const byCredentials = Effect.gen(function* () {
  const { access } = yield* requestUnpaced({ grant_type: "client_credentials" })
  const way: Way = { result: ok("The service gave a token for the client's credentials."), token: access }
  return way
})

const byLogin = Effect.gen(function* () {
  const file = yield* LoginFile
  const found = yield* file.read
  if (found._tag === "None") return yield* byCredentials
  if (found._tag === "Unusable") return { result: fail(found.sentence) } as Way
  if (found._tag === "Ended") return { result: fail(endedSentence(found)) } as Way
  const { access, expiresAtMs, refresh } = found.tokens
  if (expiresAtMs === null || expiresAtMs > (yield* Clock.currentTimeMillis)) {
    return { result: ok(`The login of ${found.by} gives a token.`), token: access } as Way
  }
  const at = Instant.fromMillis(expiresAtMs)
  if (refresh === null) return { result: fail(`The login ended at ${at}.`, "Run `siteledger login`.") } as Way
  return { result: ok(`The token of the login ended at ${at}, and is renewed at its next use.`) } as Way
})

const seal = Effect.gen(function* () {
  const settings = yield* Settings
  if (!existsSync(loginPath(settings.dataDir))) return yield* byCredentials
  // A new key would decrypt nothing.
  if (!Machine.hasKey(settings)) return { result: fail("There is a login, but not the key that opens it.") } as Way
  return yield* Effect.scoped(Effect.provide(byLogin, LoginFile.layer.pipe(Layer.provide(Seal.layer))))
})

const way: Effect.Effect<Way, unknown, Settings | ClientSettings> = Effect.scoped(
  Effect.provide(seal, TokenEndpoint.layer.pipe(Layer.provide(ConstructionHttp.layer)))
)

const firstRecord = (token: string | undefined) =>
  Effect.gen(function* () {
    const settings = yield* ServiceSettings
    const { baseUrl, pageParam, perPageParam } = settings
    const client = yield* HttpClient.HttpClient
    const request = HttpClientRequest.get(`${baseUrl.href}/projects`).pipe(
      HttpClientRequest.setUrlParams({ [pageParam]: "1", [perPageParam]: "1" }),
      HttpClientRequest.acceptJson,
      token === undefined ? (same) => same : HttpClientRequest.bearerToken(token)
    )
    const answered = yield* Effect.result(
      Effect.flatMap(client.execute(request), (response) =>
        Effect.map(readText(response, boundOf({ ...settings, names: apiNames }, "GET")), (text) => ({
          status: response.status,
          body: Json.parse(text)
        }))
      )
    )
    const address = `${baseUrl.href} (SITELEDGER_BASE_URL)`
    if (answered._tag === "Failure") return fail(`${address} ${whyNoAnswer(answered.failure)}.`)
    return judge(answered.success, address, token !== undefined)
  }).pipe(Effect.provide(ConstructionHttp.layer), Effect.scoped)

const judge = (
  { body, status }: { readonly status: number; readonly body: unknown },
  address: string,
  hasToken: boolean
): CheckResult => {
  if (status === 200 && Json.isObject(body) && Array.isArray(body["data"])) return ok(`${address} lists projects.`)
  if (status === 401 && !hasToken) return ok(`${address} answers; the request had no token.`)
  if (status === 429) return warn(`${address}: the plan's requests are used up for now.`, "Ask again in a minute.")
  const isRedirect = status >= 300 && status < 400
  const otherwise = isRedirect ? "Redirects aren't followed: check SITELEDGER_BASE_URL." : "Check SITELEDGER_BASE_URL."
  const advice = advices[status] ?? (status >= 500 ? "This may be temporary." : otherwise)
  return fail(
    `${address} answered ${status === 200 ? "with something other than a list of projects" : status}.`,
    advice
  )
}

const advices: Readonly<Record<number, string>> = {
  401: "It refuses the token: check that SITELEDGER_AUTH_URL belongs to the same service.",
  403: "The client may not read projects: check SITELEDGER_SCOPES, or have it allowed in the service."
}

export const service: Effect.Effect<
  ReadonlyArray<Finding>,
  never,
  Settings | ClientSettings | ServiceSettings
> = Effect.gen(function* () {
  let token: string | undefined
  const first = yield* examine(
    "token",
    way.pipe(
      Effect.map((found) => {
        token = found.token
        return found.result
      }),
      Effect.catch((cause) => Effect.succeed(fail(messageOf(cause))))
    )
  )
  return [...first, ...(yield* examine("service", firstRecord(token)))]
})
