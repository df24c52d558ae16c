/**
 * One call to Xero's accounting API: address, organisation, token, pace.
 *
 * Never more calls than the limit in a minute, evenly spaced. A 401 is retried once with a new token; all other retries
 * are the Sink's. During a pause that Xero asked for (429 with Retry-After), nothing is sent, and its verdict is
 * returned again. Time is measured by a clock that can't be set. A restart forgets the pause, and one call finds out.
 */
import { Clock, Duration, Effect } from "effect"
import { type HttpClient, HttpClientRequest } from "effect/http"
import { RateLimiter } from "effect/persistence"
import type { Verdict } from "../../src/Ledger/Outbox/SinkAnswer.ts"
import { runningMs, steady } from "../../src/Runtime/Boot.ts"
import { retryAfterMs } from "../../src/Runtime/RetryAfter.ts"
import { type Answer, unavailable } from "./XeroAnswer.ts"
import { exchange } from "./XeroExchange.ts"
import * as XeroToken from "./XeroToken.ts"

export interface Connection extends XeroToken.Credentials {
  readonly tenantId: string
  readonly baseUrl: URL
  readonly requestsPerMinute: number
  readonly patience: Duration.Duration
}

type Request = Effect.Effect<HttpClientRequest.HttpClientRequest, Verdict>

export interface XeroApi {
  /** The request is sent when its turn has come. Its address is below the base URL. */
  readonly call: (request: Request) => Effect.Effect<Answer, Verdict, HttpClient.HttpClient>
}

/** Requests that the network bunches together must not exceed the limit. */
const spare = 1.02

/** A longer pause is a mistake. */
const longestPauseMs = Duration.toMillis(Duration.days(1))

export const make = Effect.fnUntraced(function* (connection: Connection) {
  const { baseUrl, patience, requestsPerMinute, tenantId } = connection
  const tokens = yield* XeroToken.make(connection, patience)
  const limiter = yield* RateLimiter.make.pipe(Effect.provide(RateLimiter.layerStoreMemory))
  const spacing = Duration.millis((60_000 / requestsPerMinute) * spare)
  const turn = RateLimiter.sleep(limiter, { key: "xero", limit: 1, window: spacing }).pipe(
    Effect.updateService(Clock.Clock, steady),
    Effect.orDie
  )
  let pause: { readonly untilMs: number; readonly reason: string } | undefined

  const send = Effect.fnUntraced(function* (request: Request) {
    yield* turn
    const clock = yield* Clock.Clock
    const leftMs = (pause?.untilMs ?? 0) - runningMs(clock)
    if (pause !== undefined && leftMs > 0) return yield* Effect.fail(unavailable(pause.reason, leftMs))
    const token = yield* tokens.get
    const made = yield* request
    const signed = HttpClientRequest.bearerToken(made, token)
    const answer = yield* exchange({ request: signed, host: "Xero", patience })
    const askedMs = retryAfterMs(answer.headers["retry-after"], answer.receivedMs)
    if (answer.status === 429 && askedMs !== undefined) {
      pause = { untilMs: runningMs(clock) + Math.min(askedMs, longestPauseMs), reason: pauseSentence }
    }
    return { made, token, answer: { ...answer, secrets: [tokens.secret, token] } }
  })

  const addressed = (request: HttpClientRequest.HttpClientRequest) =>
    request.pipe(
      HttpClientRequest.prependUrl(baseUrl.href.replace(/\/$/, "")),
      HttpClientRequest.acceptJson,
      HttpClientRequest.setHeader("xero-tenant-id", tenantId)
    )

  const api: XeroApi = {
    call: Effect.fnUntraced(function* (request) {
      const first = yield* send(Effect.map(request, addressed))
      if (first.answer.status !== 401) return first.answer
      yield* tokens.drop(first.token)
      return (yield* send(Effect.succeed(first.made))).answer
    })
  }
  return api
})

const pauseSentence = "Xero takes no more requests for now: it asked for a pause (429)."
