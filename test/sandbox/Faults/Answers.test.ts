import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Clock, DateTime, Effect, Exit, Fiber, Queue } from "effect"
import { HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import type { FaultName } from "../../../sandbox/Faults.ts"
import { start } from "./Started.ts"

const projects = 7

const answer = (response: HttpClientResponse.HttpClientResponse) =>
  Effect.map(response.text, (text) => ({ status: response.status, headers: response.headers, text }))

/** The status and the beginning of the body, or that no whole answer came. */
const outcome = <E>(asked: Effect.Effect<HttpClientResponse.HttpClientResponse, E>) =>
  asked.pipe(
    Effect.flatMap(answer),
    Effect.match({ onFailure: () => "broken", onSuccess: ({ status, text }) => `${status} ${text.slice(0, 9)}` })
  )

const fine = '200 {"data":['

const started = Effect.fnUntraced(function* () {
  const all = yield* start({ projects })
  return { ...all, list: outcome(all.get("/projects")) }
})

describe("Faults of the API", () => {
  const whole: ReadonlyArray<readonly [FaultName, string]> = [
    ["error-500", '500 {"error":'],
    ["error-502", "502 <!DOCTYPE"],
    ["error-503", '503 {"error":'],
    ["html", "200 <!DOCTYPE"],
    ["reset", "broken"]
  ]
  for (const [name, expected] of whole) {
    it.effect(`${name} shows on the wire while it is on`, () =>
      Effect.gen(function* () {
        const { list, set } = yield* started()
        yield* set({ [name]: 1 })
        assert.strictEqual(yield* list, expected)
        assert.strictEqual(yield* list, expected)
        yield* set({ [name]: 0 })
        assert.strictEqual(yield* list, fine)
      }).pipe(Effect.provide(NodeHttpClient.layerUndici))
    )
  }

  it.effect("shares hit some requests, the same in every run", () =>
    Effect.gen(function* () {
      const run = Effect.gen(function* () {
        const { list, set } = yield* started()
        yield* set({ "error-503": 0.3, reset: 0.3 })
        return yield* Effect.forEach(Array.from({ length: 40 }), () => list)
      })
      const first = yield* Effect.scoped(run)
      assert.deepStrictEqual(yield* Effect.scoped(run), first)
      const count = (wanted: string) => first.filter((found) => found === wanted).length
      for (const wanted of [fine, '503 {"error":', "broken"]) assert.isAbove(count(wanted), 4)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("rate-limit refuses that many requests, and they don't count against the plan", () =>
    Effect.gen(function* () {
      const { get, list, sandbox, set } = yield* started()
      yield* set({ "rate-limit": 2 })
      const refused = yield* get("/projects")
      assert.strictEqual(refused.status, 429)
      assert.strictEqual(refused.headers["retry-after"], "1")
      assert.strictEqual(sandbox.faults.value("rate-limit"), 1)
      assert.strictEqual(yield* list, '429 {"error":')
      assert.strictEqual(yield* list, fine)
      assert.strictEqual((yield* sandbox.stats).usedLastMinute, 1)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("hang answers after 60 seconds and keeps the connection", () =>
    Effect.gen(function* () {
      const { get, set } = yield* start({ projects, tokenSeconds: 1e9 })
      const list = outcome(get("/projects"))
      yield* set({ hang: 1 })
      const asked = yield* Effect.forkChild(list)
      let seconds = 0
      for (; asked.pollUnsafe() === undefined; seconds++) {
        yield* TestClock.adjust("1 second")
        yield* Effect.promise(() => new Promise(setImmediate))
      }
      assert.isAtLeast(seconds, 60)
      assert.strictEqual(yield* Fiber.join(asked), fine)
      yield* set({ hang: 0 })
      assert.strictEqual(yield* list, fine)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("cut-json ends bodies in the middle, every other one with the Content-Length of the whole", () =>
    Effect.gen(function* () {
      const { get, list, set } = yield* started()
      const honest = yield* Effect.flatMap(get("/projects"), answer)
      yield* set({ "cut-json": 1, "clock-skew": 3600 })
      const short = yield* Effect.flatMap(get("/projects"), answer)
      assert.strictEqual(Number(short.headers["content-length"]), Buffer.byteLength(short.text))
      assert.isTrue(honest.text.startsWith(short.text.slice(0, -3)))
      assert.isBelow(short.text.length, honest.text.length)
      const broken = yield* get("/projects")
      assert.strictEqual(broken.headers["content-length"], String(Buffer.byteLength(honest.text)))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(broken.text)))
      for (const { headers } of [short, broken]) {
        assert.strictEqual(headers["content-type"], "application/json")
        assert.strictEqual(headers["date"], "Thu, 01 Jan 1970 01:00:00 GMT")
      }
      yield* set({ "cut-json": 0 })
      assert.strictEqual(yield* list, fine)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("page-size-clamp shrinks every page, and the page's per_page shows it", () =>
    Effect.gen(function* () {
      const { construction, set } = yield* started()
      const sizes = Effect.map(construction.projects.list({ query: { per_page: 5 } }), ({ data, pagination }) => [
        data.length,
        pagination.per_page
      ])
      yield* set({ "page-size-clamp": 3 })
      assert.deepStrictEqual(yield* sizes, [3, 3])
      yield* set({ "page-size-clamp": 0 })
      assert.deepStrictEqual(yield* sizes, [5, 5])
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("churn moves the list under a walk, and the truth with it", () =>
    Effect.gen(function* () {
      const { construction, sandbox, set } = yield* started()
      const page = (number: number) =>
        Effect.map(construction.projects.list({ query: { page: number, per_page: 3 } }), ({ data, pagination }) => [
          pagination.total,
          ...data.map(({ id }) => id)
        ])
      yield* set({ churn: 2 })
      assert.deepStrictEqual(yield* page(1), [7, 1001, 1002, 1003])
      assert.deepStrictEqual(yield* page(2), [8, 1005, 1006, 1007])
      assert.deepStrictEqual(yield* page(3), [9, 1009, 1010, 1011])
      yield* set({ churn: 0 })
      assert.deepStrictEqual(yield* page(1), [9, 1003, 1004, 1005])
      const truth = sandbox.truth()
      assert.strictEqual(truth.projectCount, 9)
      assert.strictEqual(truth.project(0).id, 1003)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("churn leaves the last project", () =>
    Effect.gen(function* () {
      const { get, sandbox, set } = yield* start({ projects: 1 })
      yield* set({ churn: 1 })
      for (let request = 0; request < 3; request++) yield* get("/projects?page=2")
      assert.strictEqual(sandbox.truth().projectCount, 1)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("clock-skew shows in Date and X-Service-Timestamp", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(DateTime.toEpochMillis(DateTime.makeUnsafe("2026-03-01T12:00:00Z")))
      const { get, sandbox, set, subscribe } = yield* start()
      const receiver = yield* subscribe()
      yield* set({ "clock-skew": -3600 })
      assert.strictEqual((yield* get("/projects")).headers["date"], "Sun, 01 Mar 2026 11:00:00 GMT")
      yield* sandbox.emit(1)
      const { headers } = yield* Queue.take(receiver.inbox)
      const now = yield* Clock.currentTimeMillis
      assert.strictEqual(Number(headers["x-service-timestamp"]), now / 1000 - 3600)
      yield* set({ "clock-skew": 0 })
      yield* sandbox.emit(1)
      assert.strictEqual(Number((yield* Queue.take(receiver.inbox)).headers["x-service-timestamp"]), now / 1000)
      assert.notStrictEqual((yield* get("/projects")).headers["date"], "Sun, 01 Mar 2026 11:00:00 GMT")
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("of the network hit the token endpoint too, those of the API don't", () =>
    Effect.gen(function* () {
      const { set, token } = yield* start()
      const isRefused = Effect.map(Effect.exit(token), Exit.isFailure)
      for (const name of ["error-500", "error-502", "error-503", "reset"] as const) {
        yield* set({ [name]: 1 })
        assert.isTrue(yield* isRefused, name)
        yield* set({ [name]: 0 })
      }
      yield* set({ html: 1, "cut-json": 1, "rate-limit": 9 })
      assert.isFalse(yield* isRefused)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )
})

describe("An outage", () => {
  it.effect("resets every connection and lets no delivery through, and ends by itself", () =>
    Effect.gen(function* () {
      const { list, sandbox, set, subscribe, token } = yield* started()
      const receiver = yield* subscribe()
      yield* set({ outage: 100 })
      yield* sandbox.emit(3)
      yield* sandbox.deliveries.until(({ attempts }) => attempts === 4)
      assert.strictEqual(yield* list, "broken")
      assert.isTrue(Exit.isFailure(yield* Effect.exit(token)))
      yield* TestClock.adjust("60 seconds")
      yield* sandbox.deliveries.until(({ attempts }) => attempts === 7)
      assert.strictEqual(yield* Queue.size(receiver.inbox), 0)
      assert.strictEqual(yield* list, "broken")
      assert.strictEqual(sandbox.faults.value("outage"), 40)
      yield* TestClock.adjust("40 seconds")
      assert.strictEqual(sandbox.faults.value("outage"), 0)
      assert.strictEqual(yield* list, fine)
      yield* TestClock.adjust("200 seconds")
      yield* sandbox.deliveries.until(({ waiting }) => waiting === 0)
      assert.strictEqual(yield* Queue.size(receiver.inbox), 3)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("that outlasts the retries leaves failed deliveries, which can all be replayed", () =>
    Effect.gen(function* () {
      const { sandbox, set, subscribe } = yield* start({ timeScale: 60 })
      const receiver = yield* subscribe()
      yield* set({ outage: 1600 })
      yield* sandbox.emit(3)
      yield* TestClock.adjust("25 minutes")
      yield* sandbox.deliveries.until(({ failed }) => failed === 3)
      assert.strictEqual(yield* sandbox.replayFailed, 3)
      yield* TestClock.adjust("2 minutes")
      yield* sandbox.deliveries.until(({ waiting }) => waiting === 0)
      assert.strictEqual(sandbox.deliveries.counts().failed, 0)
      assert.strictEqual(yield* Queue.size(receiver.inbox), 3)
      assert.strictEqual(yield* sandbox.replayFailed, 0)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )
})
