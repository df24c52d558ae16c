/** Looking for waiting events costs as much as there are, however much the inbox holds. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Store } from "../../../src/Stores/Store.ts"
import * as Databases from "../../Postgres.ts"
import { ask, database, delivery, storesAt, until } from "./World.ts"

const stored = 3000
const long = 50_000
/** More often than a session plans a statement for the values it is given. */
const looks = 12

describe.skipIf(Databases.skipped !== undefined)("looking for what waits in PostgreSQL", () => {
  it.live("never reads the whole inbox", () =>
    Effect.gen(function* () {
      const own = yield* database
      const { deliveries } = yield* Effect.provide(Store, yield* Layer.build(storesAt(own.url)))
      yield* ask(own, "alter table siteledger.inbox set (autovacuum_enabled = false)")
      yield* Effect.promise(() =>
        deliveries.receive(Array.from({ length: stored }, (_, n) => delivery(`{"number":${n}}`)))
      )
      const rowsRead = Effect.map(
        ask(own, "select seq_tup_read as rows from pg_stat_user_tables where relname = 'inbox'"),
        ([row]) => Number(row?.["rows"])
      )
      // A session says at most once a second, or when it ends, what it has read.
      const looked = (count: number) =>
        Effect.map(
          ask(own, "select idx_tup_fetch as rows from pg_stat_user_tables where relname = 'inbox'"),
          ([row]) => Number(row?.["rows"]) >= count
        )
      const before = yield* rowsRead
      for (let n = 0; n < looks; n++) {
        const { events } = yield* deliveries.peek(["ipc.paid"], stored - 2)
        assert.strictEqual(events.length, 2)
      }
      yield* until(Effect.andThen(deliveries.peek(["ipc.paid"], stored - 2), looked(4 * looks)))
      assert.strictEqual((yield* rowsRead) - before, 0)
    }).pipe(Effect.scoped)
  )

  it.live("says how far all is applied, also of numbers out of order, and reads no long queue", () =>
    Effect.gen(function* () {
      const own = yield* database
      const { deliveries } = yield* Effect.provide(Store, yield* Layer.build(storesAt(own.url)))
      assert.strictEqual(yield* deliveries.settledThrough, 0)
      yield* Effect.promise(() => deliveries.receive(Array.from({ length: 5 }, (_, n) => delivery(`{"number":${n}}`))))
      yield* ask(own, "delete from siteledger.inbox_queue where sequence < 3")
      assert.strictEqual(yield* deliveries.settledThrough, 2)
      // As a worker leaves it that stored at the same time as another one.
      yield* ask(own, "update siteledger.inbox_queue set sequence = 8 - sequence")
      assert.strictEqual(yield* deliveries.settledThrough, 2)
      yield* ask(
        own,
        `insert into siteledger.inbox_queue (sequence, is_first, received_at)
         select n, true, '' from generate_series(6, ${long}) as n`
      )
      yield* ask(own, "vacuum (analyze) siteledger.inbox_queue")
      const read = Effect.map(
        ask(own, "select seq_tup_read + idx_tup_fetch as rows from pg_stat_user_tables where relname = 'inbox_queue'"),
        ([row]) => Number(row?.["rows"])
      )
      const before = yield* read
      assert.strictEqual(yield* deliveries.settledThrough, 2)
      yield* until(Effect.map(read, (rows) => rows > before + long / 10))
      assert.isBelow((yield* read) - before, long / 2)
    }).pipe(Effect.scoped)
  )
})
