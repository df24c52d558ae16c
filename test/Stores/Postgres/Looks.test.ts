/**
 * What a worker asks again and again: the looks of one moment are one statement, and none of them misses a change by
 * another worker.
 */
import { assert, describe, it, vi } from "@effect/vitest"
import { Effect, Fiber, Latch } from "effect"
import { sql } from "kysely"
import { Postgres } from "../../../src/Stores/Postgres/Postgres.ts"
import { Store } from "../../../src/Stores/Store.ts"
import * as Databases from "../../Postgres.ts"
import { ask, database, delivery, storesAt } from "./World.ts"

describe.skipIf(Databases.skipped !== undefined)("looks", () => {
  it.live("of one moment are one statement, and each has its own answer", () =>
    Effect.gen(function* () {
      const own = yield* database
      yield* Effect.gen(function* () {
        const { deliveries, look, stamp } = yield* Store
        yield* Effect.promise(() => deliveries.receive([delivery("first"), delivery("second")]))
        const seven = look(sql<number>`select 7`)
        const all = [deliveries.isWaiting, stamp("walks"), seven, deliveries.last, stamp("walks")] as const
        const taken = vi.spyOn((yield* Postgres).connections.sessions, "take")
        const result = yield* Effect.all(all, { concurrency: "unbounded" })
        assert.deepStrictEqual([result[0], result[2], result[3]], [true, 7, 2])
        assert.strictEqual(result[1], result[4])
        assert.strictEqual(taken.mock.calls.length, 1)
      }).pipe(Effect.provide(storesAt(own.url), { local: true }))
    }).pipe(Effect.scoped)
  )

  it.live("within a transaction see what it has written, and others at the same moment don't", () =>
    Effect.gen(function* () {
      const own = yield* database
      yield* Effect.gen(function* () {
        const { atomically, look, run } = yield* Store
        const count = look(sql<number>`select count(*) from meta where key = 'looked'`)
        const hasWritten = yield* Latch.make(false)
        const beside = yield* Effect.forkChild(Effect.andThen(hasWritten.await, count))
        const inside = Effect.gen(function* () {
          yield* run((db) => db.insertInto("meta").values({ key: "looked", value: "1" }).execute())
          yield* hasWritten.open
          yield* Effect.yieldNow
          return [yield* count, yield* Fiber.join(beside)]
        })
        assert.deepStrictEqual(yield* atomically(inside), [1, 0])
      }).pipe(Effect.provide(storesAt(own.url), { local: true }))
    }).pipe(Effect.scoped)
  )

  it.live("at a table differ once another worker has written to it, and only then", () =>
    Effect.gen(function* () {
      const own = yield* database
      yield* Effect.gen(function* () {
        const { stamp } = yield* Store
        const now = stamp("subscriptions")
        const seen = [yield* now]
        assert.strictEqual(yield* now, seen[0])
        for (const change of [
          "insert into siteledger.subscriptions (url, events, created_at) values ('u', '[]', '2026-11-20T02:00:00.000000Z')",
          // To what it is.
          "update siteledger.subscriptions set url = url",
          "update siteledger.subscriptions set url = 'v'",
          "delete from siteledger.subscriptions"
        ]) {
          yield* ask(own, change)
          seen.push(yield* now)
          assert.strictEqual(yield* now, seen.at(-1))
        }
        // Without a row it is as before the first.
        assert.strictEqual(new Set(seen).size, 4)
        assert.strictEqual(seen[4], seen[0])
      }).pipe(Effect.provide(storesAt(own.url), { local: true }))
    }).pipe(Effect.scoped)
  )

  it.live("fail with the Store's reason", () =>
    Effect.gen(function* () {
      const own = yield* database
      yield* Effect.gen(function* () {
        const { look } = yield* Store
        const error = yield* Effect.flip(look(sql`select 1 / 0`))
        assert.strictEqual(error._tag, "StoreError")
      }).pipe(Effect.provide(storesAt(own.url), { local: true }))
    }).pipe(Effect.scoped)
  )
})
