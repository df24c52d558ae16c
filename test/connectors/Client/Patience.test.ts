/** How a client waits, on the virtual clock: for its plan, for a 429, for transient failures, and for how long. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { ConstructionService } from "../../../connectors/construction/ClientForEffect.ts"
import { json, page, project, scripted, using } from "./Scripted.ts"

const firstPage = ConstructionService.use(({ projects }) => projects.page(1))
const all = ConstructionService.use(({ projects }) => Stream.runCount(projects.all))
const subscribe = ConstructionService.use(({ webhooks }) =>
  webhooks.create({ url: "https://hooks.test/construction", events: ["ipc.paid"] })
)

describe("a client", () => {
  it.effect("keeps to its plan, the token's request included", () =>
    Effect.gen(function* () {
      const service = scripted(() => page([project(1)], 1))
      const twice = Effect.all([firstPage, firstPage], { concurrency: 2 })
      yield* using(service, twice, { requestsPerMinute: 2 })
      const [first, , third, ...more] = service.asked.map(({ atMs }) => atMs)
      assert.deepStrictEqual(more, [])
      // Turns are 60 s apart; the steps between a turn and its request take virtual time too.
      assert.isAtLeast((third ?? 0) - (first ?? 0), 58_000)
    })
  )

  it.effect("waits for as long as a 429 says, and then asks once", () =>
    Effect.gen(function* () {
      const refused = () => json({}, { status: 429, headers: { "retry-after": "7" } })
      const service = scripted((_request, before) => (before === 0 ? refused() : page([project(1)], 1)))
      const { data } = yield* using(service, firstPage)
      const [first, second, ...more] = service.asked.filter(({ what }) => what === "GET /v1/projects")
      assert.deepStrictEqual(more, [])
      assert.isAtLeast((second?.atMs ?? 0) - (first?.atMs ?? 0), 7000)
      assert.strictEqual(data[0]?.id, 1)
    })
  )

  it.effect("asks again after an hour if a 429 says a day, with a token that is valid then", () =>
    Effect.gen(function* () {
      const tokens: Array<string | undefined> = []
      const refused = () => json({}, { status: 429, headers: { "retry-after": "86400" } })
      const service = scripted((request, before) => {
        tokens.push(request.headers["authorization"])
        return before === 0 ? refused() : page([project(1)], 1)
      })
      yield* using(service, firstPage, { giveUpAfter: "2 hours" })
      const [first, second, ...more] = service.asked.filter(({ what }) => what === "GET /v1/projects")
      assert.deepStrictEqual(more, [])
      const passedMs = (second?.atMs ?? 0) - (first?.atMs ?? 0)
      assert.isAtLeast(passedMs, 3_600_000)
      // The request for the new token takes a turn too.
      assert.isAtMost(passedMs, 3_600_000 + 2 * 60_000 + 2_000)
      assert.deepStrictEqual(tokens, ["Bearer token-1", "Bearer token-3"])
    })
  )

  it.effect("says why it gives up in a pause that the service's rate headers ask for", () =>
    Effect.gen(function* () {
      const headers = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "7200" }
      const service = scripted(() => json("", { status: 503, headers }))
      const { message } = yield* using(service, Effect.flip(firstPage), { giveUpAfter: "2 minutes" })
      assert.match(message, /asked for no requests until 2026-11-20T04:00:\d\dZ \(its rate limit headers\)/)
      assert.lengthOf(service.asked, 2, "a token and one page")
    })
  )

  it.effect("renews a token a minute before its hour ends, by one request for all waiting calls", () =>
    Effect.gen(function* () {
      const service = scripted(() => page([], 0))
      const threeTimes = Effect.gen(function* () {
        const { token } = yield* ConstructionService
        const ten = Effect.all(
          Array.from({ length: 10 }, () => token),
          { concurrency: "unbounded" }
        )
        const atOnce = yield* ten
        yield* Effect.sleep("3539 seconds")
        const before = yield* ten
        yield* Effect.sleep("1 second")
        return [atOnce, before, yield* ten].map((tokens) => [...new Set(tokens)])
      })
      assert.deepStrictEqual(yield* using(service, threeTimes), [["token-1"], ["token-1"], ["token-2"]])
    })
  )

  it.effect("gives up after giveUpAfter, and says why", () =>
    Effect.gen(function* () {
      const service = scripted(() => json("", { status: 503 }))
      const error = yield* using(service, Effect.flip(firstPage), { giveUpAfter: "1 minute" })
      assert.strictEqual(error.reason, "Unavailable")
      assert.strictEqual(error.message, "Given up after 1m. The service can't be read for now. It answered 503.")
      const times = service.asked.map(({ atMs }) => atMs)
      assert.isAtLeast(times.length, 4)
      assert.isAtMost(Math.max(...times) - Math.min(...times), 60_000)
    })
  )
})

it.effect("a POST whose answer never ends isn't sent again", () =>
  Effect.gen(function* () {
    const service = scripted(() => new Response(new ReadableStream()))
    const post = ConstructionService.use(({ request }) => request("POST", "/ncrs", { body: {} }))
    const error = yield* using(service, Effect.flip(post))
    assert.strictEqual(error.reason, "Unavailable")
    assert.match(error.message, /^POST \/ncrs isn't repeated/)
    assert.strictEqual(service.asked.filter(({ what }) => what === "POST /v1/ncrs").length, 1)
  })
)

describe("an answer that stays wrong", () => {
  it.effect("of a list that ends before its total is a failure", () =>
    Effect.gen(function* () {
      const service = scripted((request) => {
        const number = Number(new Map(request.urlParams).get("page"))
        return page(number < 3 ? [project(number * 2), project(number * 2 + 1)] : [], 7, number, 2)
      })
      const error = yield* using(service, Effect.flip(all))
      assert.strictEqual(error.reason, "NotAsPromised")
      assert.strictEqual(error.message, "GET /projects ended after 4 of the 7 projects that it counts.")
    })
  )

  it.effect("to a new subscription isn't requested again, which would subscribe again", () =>
    Effect.gen(function* () {
      const service = scripted(() => json({ url: "https://hooks.test/construction", events: [] }, { status: 201 }))
      const error = yield* using(service, Effect.flip(subscribe))
      assert.strictEqual(error.reason, "NotAsPromised")
      assert.strictEqual(service.asked.filter(({ what }) => what === "POST /v1/webhooks").length, 1)
    })
  )
})
