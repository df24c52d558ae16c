/** The watermark of an export is never too high while deliveries are being stored. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { Store } from "../../../src/Stores/Store.ts"
import { Warehouse } from "../../../src/Stores/Warehouse.ts"
import * as Databases from "../../Postgres.ts"
import { database, delivery, session, sessions, storesAt, until } from "./World.ts"

/** Stores a delivery as a worker does, in a transaction that the test ends. */
const storing = (own: Databases.Database, body: string) =>
  Effect.gen(function* () {
    const run = yield* session(own)
    yield* run(`begin;
      with fresh as (
        insert into siteledger.inbox (body_sha256, body, event_id, received_at) values ('${body}', '', 'e', 'now')
        returning sequence
      )
      insert into siteledger.inbox_queue (sequence, is_first, received_at) select sequence, true, 'now' from fresh`)
    return run
  })

/** Delivery 1 is being stored; 2 is stored and applied. */
const opened = Effect.gen(function* () {
  const own = yield* database
  const context = yield* Layer.build(storesAt(own.url))
  const store = yield* Effect.provide(Store, context)
  const warehouse = yield* Effect.provide(Warehouse, context)
  const applied = (body: string) =>
    Effect.promise(async () => {
      await store.deliveries.receive([delivery(body)])
      await own.query("delete from siteledger.inbox_queue")
    })
  const run = yield* storing(own, "one")
  yield* applied("two")
  const through = yield* Effect.forkChild(Effect.scoped(Effect.map(warehouse.snapshot, ({ watermark }) => watermark)))
  const isWaiting = Effect.map(sessions(own), (found) => found.some(({ query }) => query?.includes("pg_locks")))
  yield* until(isWaiting)
  return { own, run, through, applied }
})

describe.skipIf(Databases.skipped !== undefined)("an export from PostgreSQL, while a delivery is being stored", () => {
  it.live("waits for it, and counts it as not applied", () =>
    Effect.gen(function* () {
      const { run, through } = yield* opened
      yield* run("commit")
      assert.strictEqual(yield* Fiber.join(through), 0)
    }).pipe(Effect.scoped)
  )

  it.live("skips it if it is rolled back, and counts nothing stored meanwhile", () =>
    Effect.gen(function* () {
      const { applied, own, run, through } = yield* opened
      yield* storing(own, "three")
      yield* applied("four")
      yield* run("rollback")
      assert.strictEqual(yield* Fiber.join(through), 2)
    }).pipe(Effect.scoped)
  )

  it.live("fails when that takes too long", () =>
    Effect.gen(function* () {
      const { through } = yield* opened
      const { message } = yield* Effect.flip(Fiber.join(through))
      assert.match(message, /: storing a delivery has taken more than three seconds\.$/)
    }).pipe(Effect.scoped)
  )
})
