/**
 * The life of Xero's access token: by client credentials (OAuth 2.0; a "custom connection"), kept only in memory.
 *
 * It lives 30 minutes and is renewed before it expires, by min(60 s, a tenth of its life), with one request for all
 * that wait. All that wait are told of a failure, and the next call asks again: retries belong to the Sink.
 */
import { Clock, Duration, Effect, Redacted } from "effect"
import { HttpClientRequest } from "effect/http"
import { oneForAll } from "./OneForAll.ts"
import { grantIn } from "./XeroAnswer.ts"
import { exchange } from "./XeroExchange.ts"

export interface Credentials {
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted
  readonly tokenUrl: URL
  /** Separated by spaces. */
  readonly scope: string
}

const earliestRenewalMs = 60_000

export const make = Effect.fnUntraced(function* (credentials: Credentials, patience: Duration.Duration) {
  const { clientId, clientSecret, scope, tokenUrl } = credentials
  let held: { readonly token: string; readonly renewAtMs: number } | undefined

  const current = Effect.map(Clock.currentTimeMillis, (nowMs) =>
    held !== undefined && nowMs < held.renewAtMs ? held.token : undefined
  )
  const request = HttpClientRequest.post(tokenUrl).pipe(
    HttpClientRequest.acceptJson,
    HttpClientRequest.basicAuth(clientId, clientSecret),
    HttpClientRequest.bodyUrlParams({ grant_type: "client_credentials", scope })
  )
  const renewed = yield* oneForAll(
    Effect.gen(function* () {
      const already = yield* current
      if (already !== undefined) return already
      const askedMs = yield* Clock.currentTimeMillis
      const answer = yield* exchange({ request, host: "Xero's token endpoint", patience })
      const { lifeMs, token } = yield* Effect.fromResult(grantIn(answer))
      held = { token, renewAtMs: askedMs + lifeMs - Math.min(earliestRenewalMs, lifeMs / 10) }
      return token
    })
  )
  return {
    get: Effect.flatMap(current, (token) => (token === undefined ? renewed : Effect.succeed(token))),
    /** Xero refused it: forget it, unless there is already a newer one. */
    drop: (token: string) =>
      Effect.sync(() => {
        if (held?.token === token) held = undefined
      }),
    secret: Redacted.value(clientSecret)
  }
})
