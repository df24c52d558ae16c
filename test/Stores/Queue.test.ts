/** The queue of events to apply, in both engines of the Store. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Store } from "../../src/Stores/Store.ts"
import type { TakenBatch } from "../../src/Stores/Deliveries.ts"
import { delivery } from "./Postgres/World.ts"
import { engines } from "./StoreEngines.ts"

const receive = (...bodies: ReadonlyArray<string | Uint8Array>) =>
  Effect.flatMap(Store, (store) => Effect.promise(() => store.deliveries.receive(bodies.map((body) => delivery(body)))))

const take = (limit: number) => Effect.flatMap(Store, (store) => store.deliveries.take(limit))

const settle = (took: TakenBatch) =>
  Effect.flatMap(Store, (store) =>
    store.transaction((tx) =>
      store.deliveries.settle(
        tx,
        took,
        took.taken.map(({ event }) => event)
      )
    )
  )

/** Takes and settles a batch; returns a summary of it. */
const turn = (limit: number) =>
  Effect.flatMap(Store, (store) => store.atomically(Effect.map(Effect.tap(take(limit), settle), summary)))

const summary = ({ taken }: TakenBatch) =>
  taken.map(({ event, isFresh }) => `${firstOf(event.body)} ${event.deliveries} ${isFresh ? "fresh" : "again"}`)

const firstOf = (body: Uint8Array): string => String.fromCharCode(body[0] ?? 0)

const waiting = Effect.flatMap(Store, (store) => store.deliveries.waiting)

describe.each(engines)("the queue of a Store in $name", ({ isSkipped, place }) => {
  const test = <E>(fact: string, body: Effect.Effect<void, E, Store>) =>
    it.live.skipIf(isSkipped)(fact, () =>
      Effect.scoped(Effect.flatMap(place, ({ layer }) => Effect.provide(body, layer)))
    )

  test(
    "hands out events in stored order until they are settled",
    Effect.gen(function* () {
      yield* receive("c", "a", "b")
      assert.deepStrictEqual(summary(yield* take(2)), ["c 1 fresh", "a 1 fresh"])
      assert.deepStrictEqual(yield* turn(2), ["c 1 fresh", "a 1 fresh"])
      assert.deepStrictEqual(yield* turn(2), ["b 1 fresh"])
      assert.deepStrictEqual(yield* turn(2), [])
    })
  )

  test(
    "hands out an event again if it is delivered again, once for all its deliveries",
    Effect.gen(function* () {
      yield* receive("a", "b", "a")
      assert.deepStrictEqual(yield* turn(10), ["a 2 fresh", "b 1 fresh"])
      assert.deepStrictEqual(yield* turn(10), [])
      yield* receive("b", "b", "c")
      assert.deepStrictEqual(yield* turn(10), ["b 3 again", "c 1 fresh"])
      assert.deepStrictEqual(yield* turn(10), [])
    })
  )

  test(
    "hands out an event again if it is delivered while being applied",
    Effect.gen(function* () {
      const store = yield* Store
      yield* receive("a")
      yield* turn(10)
      yield* receive("a")
      yield* store.atomically(
        Effect.gen(function* () {
          const took = yield* take(10)
          assert.deepStrictEqual(summary(took), ["a 2 again"])
          yield* receive("a")
          yield* settle(took)
        })
      )
      assert.deepStrictEqual(yield* turn(10), ["a 3 again"])
      assert.deepStrictEqual(yield* turn(10), [])
    })
  )

  test(
    "hands out no more bytes at once than the limit of a batch, but at least one body",
    Effect.gen(function* () {
      const size = 1.5 * 1024 * 1024
      const large = ["a", "b", "c", "d"].map((first) => Buffer.concat([Buffer.from(first), Buffer.alloc(size)]))
      yield* receive(...large)
      assert.deepStrictEqual(yield* turn(10), ["a 1 fresh", "b 1 fresh"])
      assert.deepStrictEqual(yield* turn(10), ["c 1 fresh", "d 1 fresh"])
      yield* receive(Buffer.alloc(5 * 1024 * 1024, "e"), "f")
      assert.deepStrictEqual(yield* turn(10), ["e 1 fresh"])
      assert.deepStrictEqual(yield* turn(10), ["f 1 fresh"])
    })
  )

  test(
    "counts the waiting events, and knows since when they wait",
    Effect.gen(function* () {
      const isWaiting = Effect.flatMap(Store, (store) => store.deliveries.isWaiting)
      assert.deepStrictEqual(yield* waiting, { count: 0, oldest: null })
      assert.isFalse(yield* isWaiting)
      yield* receive("a", "b")
      assert.isTrue(yield* isWaiting)
      assert.deepInclude(yield* waiting, { oldest: "2026-11-20T02:00:00.000000Z" })
      yield* turn(1)
      assert.deepStrictEqual(yield* waiting, { count: 1, oldest: "2026-11-20T02:00:00.000000Z" })
      yield* turn(1)
      assert.deepStrictEqual(yield* waiting, { count: 0, oldest: null })
      assert.isFalse(yield* isWaiting)
    })
  )

  test(
    "says how many thousands wait without counting them all",
    Effect.gen(function* () {
      for (let first = 0; first < 4000; first += 500) {
        yield* receive(...Array.from({ length: 500 }, (_, n) => `body ${first + n}`))
      }
      for (const left of [3000, 2001, 2000, 1]) {
        yield* turn((yield* waiting).count - left)
        assert.strictEqual((yield* waiting).count, left)
      }
    })
  )

  test(
    "hands out everything as new after a restart",
    Effect.gen(function* () {
      const store = yield* Store
      yield* receive("b", "a")
      yield* turn(10)
      yield* receive("b")
      yield* store.transaction((tx) => store.deliveries.restart(tx))
      assert.deepInclude(yield* waiting, { oldest: "2026-11-20T02:00:00.000000Z" })
      assert.deepStrictEqual(yield* turn(10), ["b 2 fresh", "a 1 fresh"])
      assert.deepStrictEqual(yield* turn(10), [])
    })
  )

  /** Offers a body for each type, and its first letter. */
  const labelled = (...types: ReadonlyArray<readonly [string, string | null]>) =>
    Effect.flatMap(Store, (store) =>
      Effect.promise(() =>
        store.deliveries.receive(types.map(([body, headerType]) => ({ ...delivery(body), headerType })))
      )
    )

  const peek = (after?: number) =>
    Effect.gen(function* () {
      const { events, hasMore, through } = yield* (yield* Store).deliveries.peek(["money"], after)
      return { events: events.map(({ body }) => firstOf(body)).join(""), hasMore, through }
    })

  test(
    "shows what waits, and leaves it there",
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* peek(), { events: "", hasMore: false, through: 0 })
      yield* labelled(["a", "money"], ["b", "other"], ["c", null], ["d", "other"])
      assert.deepStrictEqual(yield* peek(), { events: "ac", hasMore: false, through: 4 })
      assert.deepStrictEqual(yield* peek(1), { events: "c", hasMore: false, through: 4 })
      assert.deepStrictEqual(yield* peek(4), { events: "", hasMore: false, through: 4 })
      assert.deepStrictEqual(yield* turn(1), ["a 1 fresh"])
      assert.deepStrictEqual(yield* peek(), { events: "c", hasMore: false, through: 4 })
      assert.deepStrictEqual(yield* turn(9), ["b 1 fresh", "c 1 fresh", "d 1 fresh"])
      assert.deepStrictEqual(yield* peek(), { events: "", hasMore: false, through: 4 })
    })
  )

  test(
    "shows no more bytes at once than the limit of a batch",
    Effect.gen(function* () {
      const large = "x".repeat(1.5 * 1024 * 1024)
      yield* labelled([`a${large}`, "money"], [`b${large}`, "money"], [`c${large}`, "money"], ["d", "money"])
      assert.deepStrictEqual(yield* peek(), { events: "ab", hasMore: true, through: 2 })
      assert.deepStrictEqual(yield* peek(2), { events: "cd", hasMore: false, through: 4 })
    })
  )

  test(
    "reads all that is stored, no more bytes at once than the limit of a batch",
    Effect.gen(function* () {
      const large = "x".repeat(1.5 * 1024 * 1024)
      const stored = (after: number) =>
        Effect.gen(function* () {
          const { events, hasMore, through } = yield* (yield* Store).deliveries.stored(after)
          return { events: events.map(({ body }) => firstOf(body)).join(""), hasMore, through }
        })
      assert.deepStrictEqual(yield* stored(0), { events: "", hasMore: false, through: 0 })
      yield* receive(`a${large}`, `b${large}`, `c${large}${large}${large}`, "d")
      yield* turn(1)
      assert.deepStrictEqual(yield* stored(0), { events: "ab", hasMore: true, through: 2 })
      assert.deepStrictEqual(yield* stored(2), { events: "c", hasMore: true, through: 3 })
      assert.deepStrictEqual(yield* stored(3), { events: "d", hasMore: false, through: 4 })
    })
  )

  test(
    "shows nothing that is handed out again after a restart",
    Effect.gen(function* () {
      const store = yield* Store
      yield* labelled(["a", "money"], ["b", "money"])
      yield* turn(2)
      yield* store.transaction((tx) => store.deliveries.restart(tx))
      yield* labelled(["c", "money"])
      assert.deepStrictEqual(yield* peek(), { events: "c", hasMore: false, through: 3 })
      // A second one, before everything is applied again.
      yield* turn(1)
      yield* store.transaction((tx) => store.deliveries.restart(tx))
      assert.strictEqual((yield* peek()).events, "c")
    })
  )
})
