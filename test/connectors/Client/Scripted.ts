/**
 * A service that answers as a test wants, without a network and on the virtual clock: it notes each request with its
 * time. It gives a token to every request for one.
 */
import { Clock, Effect, Fiber, Layer } from "effect"
import { HttpClient, type HttpClientRequest, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import {
  ConstructionService,
  type Options,
  type ServiceError
} from "../../../connectors/construction/ClientForEffect.ts"

export interface Asked {
  /** Method and path, like `GET /v1/projects`. */
  readonly what: string
  readonly atMs: number
}

const options: Options = {
  baseUrl: "https://service.test/v1",
  authUrl: "https://auth.test",
  clientId: "client",
  clientSecret: "a secret of the client"
}

export const json = (body: unknown, init: ResponseInit = {}) =>
  new Response(typeof body === "string" ? body : JSON.stringify(body), init)

export const page = (records: ReadonlyArray<unknown>, total: number, number = 1, perPage = records.length) =>
  json({ data: records, pagination: { total, page: number, per_page: perPage } })

export const project = (id: number) => ({ id, name: `Project ${id}`, status: "awarded" })

/** `answer` gets the number of earlier requests, without those for tokens. */
export const scripted = (answer: (request: HttpClientRequest.HttpClientRequest, before: number) => Response) => {
  const asked: Array<Asked> = []
  const execute = (request: HttpClientRequest.HttpClientRequest) =>
    Effect.map(Clock.currentTimeMillis, (atMs) => {
      const { pathname } = new URL(request.url)
      const before = asked.filter(({ what }) => !what.endsWith("/oauth/token")).length
      asked.push({ what: `${request.method} ${pathname}`, atMs })
      const isToken = pathname === "/oauth/token"
      const response = isToken
        ? json({ access_token: `token-${asked.length}`, expires_in: 3600 })
        : answer(request, before)
      return HttpClientResponse.fromWeb(request, response)
    })
  return { asked, layer: Layer.succeed(HttpClient.HttpClient, HttpClient.make(execute)) }
}

/** Realistic: near zero, Pace would wait for fractions of a nanosecond and keep the virtual clock busy. */
const startMs = Date.parse("2026-11-20T02:00:00.400Z")

/** Lets the virtual clock run until the effect is done. */
const passing = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const fiber = yield* Effect.forkChild(effect)
  while (fiber.pollUnsafe() === undefined) {
    yield* TestClock.adjust("100 millis")
    yield* Effect.promise(() => new Promise((done) => setImmediate(done)))
  }
  return yield* Fiber.join(fiber)
})

/** Runs an effect with a client of the service, while time passes. */
export const using = <A, E>(
  service: ReturnType<typeof scripted>,
  effect: Effect.Effect<A, E, ConstructionService>,
  others: Partial<Options> = {}
): Effect.Effect<A, E | ServiceError> =>
  ConstructionService.layer({ ...options, ...others }).pipe(
    Layer.provide(service.layer),
    (client) => Effect.provide(passing(effect), client),
    (effect) => Effect.andThen(TestClock.setTime(startMs), effect)
  )
