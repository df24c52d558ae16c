/**
 * One attempt to deliver: a POST to the receiver, and the status that it answered within 10 seconds (interface document
 * §3.2). Only the status decides. The body is read afterwards, because a connection with an unread body can't be
 * reused. Reading stops at a limit of bytes and time; the connection is then closed.
 */
import { Clock, Effect, type Scope, Stream } from "effect"
import { HttpClient, type HttpClientError, HttpClientRequest, type HttpClientResponse } from "effect/http"
import type { Delivery, Outcome } from "./Deliveries.ts"
import type { Faults } from "./Faults.ts"
import { isWronglySigned } from "./FaultyDeliveries.ts"
import type { Subscriptions } from "./Subscriptions.ts"

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  EPIPE: "connection reset",
  UND_ERR_SOCKET: "connection closed",
  UND_ERR_CONNECT_TIMEOUT: "timeout",
  ENOTFOUND: "unknown host",
  EAI_AGAIN: "unknown host"
}

/** In the words that the list of deliveries shows. */
const whyNoAnswer = (error: HttpClientError.HttpClientError): string => {
  let cause: unknown = error
  while (cause instanceof Error) {
    const known = "code" in cause ? reasons[String(cause.code)] : undefined
    if (known !== undefined) return known
    cause = cause instanceof AggregateError ? cause.errors[0] : cause.cause
  }
  return "no answer"
}

/** Interface document §3.2: not scaled. */
const answerWithin = "10 seconds"

const bodyWithin = "2 seconds"
const mostBodyBytes = 65_536
/** How many bodies are read at once. Beyond that, connections are closed instead. */
const mostBodies = 256

const isEmpty = ({ headers, status }: HttpClientResponse.HttpClientResponse): boolean =>
  status === 204 || headers["content-length"] === "0"

/** Reads bodies to their end, in the background. Most receivers send none. */
const makeDrain = Effect.map(Effect.scope, (scope) => {
  let bodies = 0
  return (response: HttpClientResponse.HttpClientResponse) => {
    if (isEmpty(response)) return Effect.void
    let left = mostBodyBytes
    const read = response.stream.pipe(
      Stream.takeWhile((chunk) => (left -= chunk.byteLength) >= 0),
      Stream.runDrain,
      Effect.timeoutOption(bodies < mostBodies ? bodyWithin : 0),
      Effect.ignore,
      Effect.ensuring(Effect.sync(() => bodies--))
    )
    bodies++
    return Effect.forkIn(read, scope)
  }
})

export interface AttemptOptions {
  readonly subscriptions: Subscriptions
  readonly faults: Faults
  readonly seed: number
}

/** The bodies are read within this scope. */
export const make = Effect.fnUntraced(function* (
  client: HttpClient.HttpClient,
  { faults, seed, subscriptions }: AttemptOptions
): Effect.fn.Return<(delivery: Delivery) => Effect.Effect<Outcome>, never, Scope.Scope> {
  const drain = yield* makeDrain
  return Effect.fnUntraced(
    function* (delivery: Delivery): Effect.fn.Return<Outcome, HttpClientError.HttpClientError> {
      if (faults.value("outage") > 0) return "network unreachable"
      const shownMillis = (yield* Clock.currentTimeMillis) + faults.value("clock-skew") * 1000
      const signed = subscriptions.sign(delivery.subscription, delivery.event, shownMillis, {
        disguise: delivery.disguise,
        wrongSignature: isWronglySigned(faults, seed, delivery)
      })
      if (signed === undefined) return "no subscription"
      const request = HttpClientRequest.post(signed.url).pipe(
        HttpClientRequest.bodyUint8Array(signed.body, "application/json"),
        HttpClientRequest.setHeaders(signed.headers)
      )
      const answered = yield* client
        .execute(request)
        .pipe(Effect.timeoutOption(answerWithin), Effect.provideService(HttpClient.TracerPropagationEnabled, false))
      if (answered._tag === "None") return "timeout"
      yield* drain(answered.value)
      return answered.value.status
    },
    Effect.catch((error) => Effect.succeed(whyNoAnswer(error)))
  )
})
