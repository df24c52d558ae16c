/** How far an export says that everything is applied: no further than it is, while deliveries are being stored. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { Client } from "pg"
import { Store } from "../../../src/Stores/Store.ts"
import { Warehouse } from "../../../src/Stores/Warehouse.ts"
import * as Databases from "../../Postgres.ts"
import { database, delivery, sessions, storesAt, until } from "./World.ts"

/** As a worker stores one, slowly: what ends it is left to the test. */
const storing = (own: Databases.Database, body: string) =>
  Effect.gen(function* () {
    const client = new Client({ connectionString: own.url })
    const say = (text: string) => Effect.promise(() => client.query(text))
    yield* Effect.acquireRelease(
      Effect.promise(() => client.connect()),
      () => Effect.promise(() => client.end())
    )
    yield* say(`begin;
      with fresh as (
        insert into siteledger.inbox (body_sha256, body, event_id, received_at) values ('${body}', '', 'e', 'now')
        returning sequence
      )
      insert into siteledger.inbox_queue (sequence, is_first, received_at) select sequence, true, 'now' from fresh`)
    return say
  })

/** Number 1 is being stored; 2 is there, and applied. */
const opened = Effect.gen(function* () {
  const own = yield* database
  const context = yield* Layer.build(storesAt(own.url))
  const store = yield* Effect.provide(Store, context)
  const warehouse = yield* Effect.provide(Warehouse, context)
  const applied = (body: string) =>
    Effect.promise(async () => {
      await store.receive([delivery(body)])
      await own.query("delete from siteledger.inbox_queue")
    })
  const say = yield* storing(own, "one")
  yield* applied("two")
  const through = yield* Effect.forkChild(Effect.scoped(Effect.map(warehouse.snapshot, ({ watermark }) => watermark)))
  const isWaiting = Effect.map(sessions(own), (found) => found.some(({ query }) => query?.includes("pg_locks")))
  yield* until(isWaiting)
  return { own, say, through, applied }
})

describe.skipIf(Databases.skipped !== undefined)("an export from PostgreSQL, while a delivery is being stored", () => {
  it.live("waits for it, and counts it as one that isn't applied", () =>
    Effect.gen(function* () {
      const { say, through } = yield* opened
      yield* say("commit")
      assert.strictEqual(yield* Fiber.join(through), 0)
    }).pipe(Effect.scoped)
  )

  it.live("counts what is left when it comes to nothing, and nothing that came meanwhile", () =>
    Effect.gen(function* () {
      const { applied, own, say, through } = yield* opened
      yield* storing(own, "three")
      yield* applied("four")
      yield* say("rollback")
      assert.strictEqual(yield* Fiber.join(through), 2)
    }).pipe(Effect.scoped)
  )

  it.live("fails when that takes too long", () =>
    Effect.gen(function* () {
      const { through } = yield* opened
      const { message } = yield* Effect.flip(Fiber.join(through))
      assert.match(message, /: a delivery is being stored for more than three seconds\.$/)
    }).pipe(Effect.scoped)
  )
})
