/**
 * A service that answers what a test says, without a network and on the virtual clock: it notes each request and when
 * it came. Tokens are given freely.
 */
import { Clock, Effect, Fiber, Layer } from "effect"
import { HttpClient, type HttpClientRequest, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { ConstructionService, type Options, type ServiceError } from "../../../connectors/construction/Client.ts"

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

/** `answer` is told how often the API was asked before, tokens aside. */
export const scripted = (answer: (request: HttpClientRequest.HttpClientRequest, before: number) => Response) => {
  const asked: Array<Asked> = []
  const execute = (request: HttpClientRequest.HttpClientRequest) =>
    Effect.map(Clock.currentTimeMillis, (atMs) => {
      const { pathname } = new URL(request.url)
      const before = asked.filter(({ what }) => !what.endsWith("/oauth/token")).length
      asked.push({ what: `${request.method} ${pathname}`, atMs })
      const isToken = pathname === "/oauth/token"
      const given = isToken
        ? json({ access_token: `token-${asked.length}`, expires_in: 3600 })
        : answer(request, before)
      return HttpClientResponse.fromWeb(request, given)
    })
  return { asked, layer: Layer.succeed(HttpClient.HttpClient, HttpClient.make(execute)) }
}

/** As in real life: near zero, parts of a nanosecond that Pace waits for would keep the virtual clock busy. */
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

/** Runs what uses a client of the service, while time passes. */
export const using = <A, E>(
  service: ReturnType<typeof scripted>,
  effect: Effect.Effect<A, E, ConstructionService>,
  given: Partial<Options> = {}
): Effect.Effect<A, E | ServiceError> =>
  ConstructionService.layer({ ...options, ...given }).pipe(
    Layer.provide(service.layer),
    (client) => Effect.provide(passing(effect), client),
    (effect) => Effect.andThen(TestClock.setTime(startMs), effect)
  )
