/**
 * Faults of the REST side, in front of what answers: instead of an answer (resets, errors, HTML, an outage), before
 * it (no answer for a minute) or on it (cut JSON, a wrong clock). What a network or a proxy does happens to the
 * authorization server too; nothing of all this to the administration page.
 *
 * What is answered instead never reaches the API: it changes nothing there and doesn't count against the plan.
 */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Clock, DateTime, Effect, Stream } from "effect"
import { HttpBody, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { type Faults, hits } from "./Faults.ts"

type Answer<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
type Faulty = <E, R>(answer: Answer<E, R>) => Answer<E, R | HttpServerRequest.HttpServerRequest>

const error = (status: number, error: string, message: string, headers: Readonly<Record<string, string>> = {}) =>
  HttpServerResponse.jsonUnsafe({ error, message }, { status, headers })

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

/** The first half of a body under the length of the whole, then the end of the connection. */
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
      return Effect.succeed(error(500, "internal_error", "an error that was asked for"))
    }
    if (hits(faults, seed, "error-502", request)) return Effect.succeed(html(502, "502 Bad Gateway"))
    if (hits(faults, seed, "error-503", request)) {
      return Effect.succeed(error(503, "unavailable", "a break that was asked for"))
    }
    return undefined
  }
  const byApi = (request: number) => {
    const refusals = faults.value("rate-limit")
    if (refusals > 0) {
      faults.set("rate-limit", refusals - 1)
      return Effect.succeed(error(429, "rate_limited", "a refusal that was asked for", { "retry-after": "1" }))
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

/** `versionPath`: what the paths of the API begin with. */
export const layer = (seed: number, faults: Faults, versionPath: string) => {
  const { api, authorization } = makeFaulty(seed, faults)
  return HttpRouter.middleware(
    (answer) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ url }) => {
        if (url.startsWith(`${versionPath}/`)) return api(answer)
        return url.startsWith("/oauth/") ? authorization(answer) : answer
      }),
    { global: true }
  )
}
