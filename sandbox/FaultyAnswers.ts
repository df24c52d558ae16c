/**
 * Faults of the REST side: in place of an answer (resets, errors, HTML, an outage), before it (a minute of silence) or
 * in it (truncated JSON, a wrong clock). Faults of a network or a proxy also hit the authorization server; none of them
 * hits the administration page.
 *
 * A request that a fault answers never reaches the API: it changes nothing there and doesn't count against the plan.
 */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Clock, DateTime, Effect, Stream } from "effect"
import { HttpBody, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { type Faults, hits } from "./Faults.ts"
import { refusal } from "./Refusal.ts"

type Answer<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
type Faulty = <E, R>(answer: Answer<E, R>) => Answer<E, R | HttpServerRequest.HttpServerRequest>

const html = (status: number, title: string) =>
  HttpServerResponse.text(`<!DOCTYPE html>\n<html><head><title>${title}</title></head><body>${title}</body></html>\n`, {
    status,
    contentType: "text/html; charset=utf-8"
  })

const connection = Effect.map(
  HttpServerRequest.HttpServerRequest,
  (request) => NodeHttpServerRequest.toIncomingMessage(request).socket
)

/** The server interrupts it once the connection has closed. */
const closing = Effect.interruptible(Effect.never)

const reset = Effect.flatMap(connection, (socket) => {
  socket.resetAndDestroy()
  return closing
})

/** The first half of a body with the Content-Length of the whole; then the connection ends. */
const brokenOff = ({ body, contentLength, contentType }: HttpBody.Uint8Array) =>
  Effect.map(connection, (socket) => {
    const end = Effect.andThen(
      Effect.sync(() => socket.destroySoon()),
      closing
    )
    const halfOf = Stream.make(body.subarray(0, contentLength / 2))
    return HttpBody.stream(Stream.concat(halfOf, Stream.fromEffectDrain(end)), contentType, contentLength)
  })

/** The first half of a body as if it were the whole. */
const shortened = ({ body, contentLength, contentType }: HttpBody.Uint8Array) =>
  HttpBody.uint8Array(body.subarray(0, contentLength / 2), contentType)

const later = Effect.interruptible(Effect.sleep("60 seconds"))

const withClock = Effect.fnUntraced(function* (answer: HttpServerResponse.HttpServerResponse, skewSeconds: number) {
  if (skewSeconds === 0) return answer
  const shown = DateTime.makeUnsafe((yield* Clock.currentTimeMillis) + skewSeconds * 1000)
  return HttpServerResponse.setHeader(answer, "date", DateTime.toDateUtc(shown).toUTCString())
})

const makeFaulty = (seed: number, faults: Faults) => {
  let asked = 0
  let cuts = 0

  const byNetwork = (request: number) => {
    if (hits(faults, seed, "reset", request)) return reset
    if (hits(faults, seed, "error-500", request)) {
      return Effect.succeed(refusal(500, "internal_error", "an injected error"))
    }
    if (hits(faults, seed, "error-502", request)) return Effect.succeed(html(502, "502 Bad Gateway"))
    if (hits(faults, seed, "error-503", request)) {
      return Effect.succeed(refusal(503, "unavailable", "an injected interruption"))
    }
    return undefined
  }
  const byApi = (request: number) => {
    const refusals = faults.value("rate-limit")
    if (refusals > 0) {
      faults.set("rate-limit", refusals - 1)
      return Effect.succeed(refusal(429, "rate_limited", "an injected refusal", { "retry-after": "1" }))
    }
    return hits(faults, seed, "html", request) ? Effect.succeed(html(200, "Scheduled maintenance")) : undefined
  }
  const cut = (answer: HttpServerResponse.HttpServerResponse) => {
    const { body } = answer
    if (body._tag !== "Uint8Array") return Effect.succeed(answer)
    if (cuts++ % 2 === 0) return Effect.succeed(HttpServerResponse.setBody(answer, shortened(body)))
    return Effect.map(brokenOff(body), (half) => HttpServerResponse.setBody(answer, half))
  }
  const answering =
    (instead: (request: number) => ReturnType<typeof byNetwork>, mayCut: boolean): Faulty =>
    (answer) =>
      Effect.gen(function* () {
        const request = asked++
        if (faults.value("outage") > 0) return yield* reset
        if (hits(faults, seed, "hang", request)) yield* later
        const answered = yield* instead(request) ?? answer
        const whole = yield* withClock(answered, faults.value("clock-skew"))
        return mayCut && hits(faults, seed, "cut-json", request) ? yield* cut(whole) : whole
      })
  return {
    api: answering((request) => byNetwork(request) ?? byApi(request), true),
    authorization: answering(byNetwork, false)
  }
}

export const layerWith = (seed: number, faults: Faults) => {
  const { api, authorization } = makeFaulty(seed, faults)
  return HttpRouter.middleware(
    (answer) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ url }) => {
        if (/^\/v\d+\//.test(url)) return api(answer)
        return url.startsWith("/oauth/") ? authorization(answer) : answer
      }),
    { global: true }
  )
}
