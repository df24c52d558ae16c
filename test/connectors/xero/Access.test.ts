/**
 * The token's life, Xero's limits, and conditions that stop every entry: nothing is given up, and each verdict says
 * what to check.
 */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { all, inXero, message, reasonOf, started } from "./XeroWorld.ts"

const numbers = (count: number) => Array.from({ length: count }, (_, index) => message(index + 1))

/** With a turn of the event loop for the network. */
const second = Effect.andThen(
  TestClock.adjust("1 second"),
  Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))
)

const passing = <A, E>(fiber: Fiber.Fiber<A, E>): Effect.Effect<A, E> =>
  Effect.gen(function* () {
    while (fiber.pollUnsafe() === undefined) yield* second
    return yield* Fiber.join(fiber)
  })

const patience = Duration.days(1)

describe("the token", () => {
  it.live("is asked for once by entries that are posted together, and once more when it ends under all of them", () =>
    inXero((server) =>
      Effect.gen(function* () {
        const adapter = yield* started(server)
        server.fault = ({ method }) => {
          if (method === "PUT" && server.puts.length === 1) server.expire()
          return undefined
        }
        yield* all(adapter, numbers(20))
        assert.strictEqual(server.tokenRequests.length, 2)
        const [first, second] = server.puts.map(({ body, headers }) => [headers["idempotency-key"], body])
        assert.deepStrictEqual(second, first)
        assert.strictEqual(server.journals.all.length, 20)
      })
    )
  )

  it.effect("is renewed a minute before it ends", () =>
    inXero((server) =>
      Effect.gen(function* () {
        const adapter = yield* started(server, { patience })
        const post = (number: number) => Effect.flatMap(Effect.forkChild(adapter.post(message(number))), passing)
        yield* post(1)
        yield* TestClock.adjust("28 minutes")
        yield* post(2)
        assert.strictEqual(server.tokenRequests.length, 1)
        yield* TestClock.adjust("90 seconds")
        yield* post(3)
        assert.strictEqual(server.tokenRequests.length, 2)
        assert.strictEqual(server.journals.all.length, 3)
      })
    )
  )

  it.live("that ends midway is replaced, and the request repeated once", () =>
    inXero((server) =>
      Effect.gen(function* () {
        const adapter = yield* started(server)
        server.fault = ({ method }) => {
          if (method === "PUT" && server.tokens.length === 1) server.expire()
          return undefined
        }
        assert.deepStrictEqual(yield* adapter.post(message(1)), { _tag: "Taken" })
        assert.strictEqual(server.puts.length, 2)
        assert.strictEqual(server.tokenRequests.length, 2)
        server.fault = () => {
          server.expire()
          return undefined
        }
        const verdict = yield* adapter.post(message(2))
        assert.strictEqual(verdict._tag, "Unavailable")
        assert.match(reasonOf(verdict), /^Xero refuses the token that it gave \(401\): TokenExpired/)
        assert.strictEqual(server.journals.all.length, 1)
      })
    )
  )

  it.live("that Xero doesn't give says what to check, to all that wait, and is asked for again", () =>
    inXero((server) =>
      Effect.gen(function* () {
        const wrongSecret = yield* started(server, { clientSecret: Redacted.make("wrong") })
        const verdict = yield* wrongSecret.post(message(1))
        assert.strictEqual(
          reasonOf(verdict),
          "Xero gives no access token (400, invalid_client): check the client id and the client secret."
        )
        const wrongScope = yield* started(server, { scope: "accounting.transactions" })
        assert.match(reasonOf(yield* wrongScope.post(message(1))), /invalid_scope.*the scope that is asked for/)
        const adapter = yield* started(server)
        server.answerToken = () => ({ status: 503, headers: { "retry-after": "7" }, body: server.clientSecret })
        const [first, ...others] = yield* all(adapter, numbers(10))
        assert.deepStrictEqual(first, {
          _tag: "Unavailable",
          reason: "Xero gives no access token (503): it may pass.",
          retryAfterMs: 7000
        })
        for (const each of others) assert.deepStrictEqual(each, first)
        server.answerToken = () => undefined
        assert.strictEqual((yield* adapter.post(message(1)))._tag, "Taken")
      })
    )
  )
})

describe("what stands in the way", () => {
  it.live("is named: a wrong tenant, a wrong address, silence, and no server", () =>
    inXero((server) =>
      Effect.gen(function* () {
        const { origin } = server
        const verdictOf = Effect.fnUntraced(function* (options: Parameters<typeof started>[1]) {
          const verdict = yield* (yield* started(server, options)).post(message(1))
          assert.strictEqual(verdict._tag, "Unavailable")
          return reasonOf(verdict)
        })
        assert.match(yield* verdictOf({ tenantId: "another" }), /\(403\): check the tenant id/)
        assert.match(yield* verdictOf({ baseUrl: new URL(`${origin}/api/`) }), /\(404\): check the base URL/)
        assert.match(
          yield* verdictOf({ baseUrl: new URL("http://127.0.0.1:1/") }),
          /can't be reached.*nothing is listening/
        )
        server.fault = () => "silence"
        const brief = yield* verdictOf({ patience: Duration.seconds(2) }) // long enough for the token that comes first
        assert.strictEqual(brief, "Xero gave no answer within 2 seconds.")
        server.fault = () => ({ status: 307, headers: { location: "/elsewhere" } })
        assert.match(yield* verdictOf({}), /\(307\): check the base URL/)
        server.fault = () => ({ status: 400, body: { Message: "QueryParseException" } })
        assert.strictEqual(yield* verdictOf({}), "Xero's journals can't be read (400): QueryParseException")
        assert.deepStrictEqual(server.journals.all, [])
      })
    )
  )

  it.live("is a limit of Xero's: nothing more is sent until the time that it named", () =>
    inXero((server) =>
      Effect.gen(function* () {
        const adapter = yield* started(server)
        const headers = { "retry-after": "60", "x-rate-limit-problem": "minute" }
        server.fault = ({ method }) => (method === "PUT" ? { status: 429, headers } : undefined)
        assert.deepStrictEqual(yield* adapter.post(message(1)), {
          _tag: "Unavailable",
          reason: "Xero takes no more requests for now (429, limit: minute).",
          retryAfterMs: 60_000
        })
        const asked = server.asked.length
        const verdict = yield* adapter.post(message(2))
        assert.strictEqual(server.asked.length, asked)
        assert.strictEqual(verdict._tag, "Unavailable")
        if (verdict._tag === "Unavailable") assert.closeTo(verdict.retryAfterMs ?? 0, 60_000, 30_000)
      })
    )
  )

  it.effect("passes: entries go on after the pause that Xero asked for", () =>
    inXero((server) =>
      Effect.gen(function* () {
        const adapter = yield* started(server, { patience })
        const post = Effect.flatMap(Effect.forkChild(adapter.post(message(1))), passing)
        server.fault = () => ({ status: 429, headers: { "retry-after": "3600" } })
        assert.strictEqual((yield* post)._tag, "Unavailable")
        server.fault = () => undefined
        assert.strictEqual((yield* post)._tag, "Unavailable")
        assert.strictEqual(server.asked.length, 1)
        yield* TestClock.adjust("1 hour")
        assert.strictEqual((yield* post)._tag, "Taken")
      })
    )
  )
})

describe("requests to Xero", () => {
  it.effect("are spread evenly over the minute, never more than the limit", () =>
    inXero((server) =>
      Effect.gen(function* () {
        const clock = yield* Clock.Clock
        const beganMs = clock.currentTimeMillisUnsafe()
        const seconds: Array<number> = []
        server.fault = () => {
          seconds.push((clock.currentTimeMillisUnsafe() - beganMs) / 1000)
          return undefined
        }
        const adapter = yield* started(server, { requestsPerMinute: 60, patience })
        const inTurn = Effect.forEach(numbers(15), adapter.post, { discard: true })
        yield* passing(yield* Effect.forkChild(inTurn))
        assert.strictEqual(seconds.length, 30)
        seconds.forEach((at, index) => assert.isAtLeast(at, index))
      })
    )
  )

  it.effect("are two at once at the most: one that looks, and one that sends", () =>
    inXero((server) =>
      Effect.gen(function* () {
        const adapter = yield* started(server, { patience })
        const open = Promise.withResolvers<undefined>()
        server.fault = ({ method }) => (method === "PUT" ? open.promise : undefined)
        const first = yield* Effect.forkChild(adapter.post(message(1)))
        while (server.puts.length < 1) yield* second
        const others = yield* Effect.forkChild(all(adapter, numbers(20).slice(1)))
        for (let round = 0; round < 100; round++) yield* second
        assert.strictEqual(server.puts.length, 1)
        open.resolve(undefined)
        yield* passing(first)
        yield* passing(others)
        assert.strictEqual(server.puts.length, 2)
        assert.strictEqual(server.journals.all.length, 20)
      })
    )
  )
})
