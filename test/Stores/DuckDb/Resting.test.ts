/**
 * DuckDB's caches and the rows in memory are released once nothing has changed for a minute, but not during a read,
 * which would run out of memory; and so are the caches of copies for analysts and looks.
 */
import { assert, it, vi } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { sql } from "kysely"
import { EntityRows } from "../../../src/Stores/DuckDb/EntityRows.ts"
import { StoredRows } from "../../../src/Stores/DuckDb/StoredRows.ts"
import { TableRows } from "../../../src/Stores/DuckDb/TableRows.ts"
import * as DuckDb from "../../../src/Stores/DuckDb/Warehouse.ts"
import * as Sqlite from "../../../src/Stores/Sqlite/Store.ts"
import { Warehouse } from "../../../src/Stores/Warehouse.ts"
import { folder } from "../WarehouseEngines.ts"
import { certified, eventRow } from "../Written.ts"

const layerIn = (path: string) =>
  DuckDb.layerAt(`${path}/warehouse.duckdb`).pipe(Layer.provideMerge(Sqlite.layerAt(`${path}/store.sqlite`)))

const cachedMb = Effect.gen(function* () {
  const warehouse = yield* Warehouse
  // In turn after what is under way.
  yield* warehouse.probe
  const { rows } = yield* warehouse.query((db) =>
    sql<{ mb: number }>`select (sum(memory_usage_bytes) / 1e6)::double as mb from duckdb_memory()`.execute(db)
  )
  return rows[0]!.mb
})

const write = (from: number) =>
  Effect.flatMap(Warehouse, (warehouse) =>
    warehouse.write({
      changes: [],
      events: Array.from({ length: 20_000 }, (_, n) => eventRow(from + n, `{"text":"${"x".repeat(200)}"}`))
    })
  )

it.effect("a warehouse at rest gives back what it has cached, and keeps it while somebody reads", () =>
  Effect.gen(function* () {
    const resting = Effect.gen(function* () {
      yield* write(1)
      const filled = yield* cachedMb
      yield* TestClock.adjust("1 minute")
      // That was the minute of the change.
      yield* TestClock.adjust("1 minute")
      assert.isBelow(yield* cachedMb, filled / 2)
      const reading = Effect.gen(function* () {
        yield* (yield* Warehouse).snapshot
        yield* write(20_001)
        const again = yield* cachedMb
        yield* TestClock.adjust("3 minutes")
        assert.isAtLeast(yield* cachedMb, again * 0.9)
        return again
      })
      const again = yield* Effect.scoped(reading)
      yield* TestClock.adjust("2 minutes")
      assert.isBelow(yield* cachedMb, again / 2)
    })
    const path = yield* folder
    yield* Effect.provide(resting, layerIn(path), { local: true })
  })
)

/** Given back after so long, and no sooner. */
const isGivenBackAfter = Effect.fnUntraced(function* (minutes: number, filled: number) {
  yield* TestClock.adjust(`${minutes - 1} minutes`)
  assert.isAtLeast(yield* cachedMb, filled * 0.9)
  yield* TestClock.adjust("1 minute")
  assert.isBelow(yield* cachedMb, filled / 2)
})

const settled = Effect.andThen(write(1), TestClock.adjust("2 minutes"))

it.effect("a minute after a copy for analysts, what was read for it is given back", () =>
  Effect.gen(function* () {
    const path = yield* folder
    const publishing = Effect.gen(function* () {
      yield* settled
      yield* (yield* Warehouse).publish(`${path}/copy.duckdb`)
      yield* isGivenBackAfter(1, yield* cachedMb)
    })
    yield* Effect.provide(publishing, layerIn(path), { local: true })
  })
)

it.effect("ten minutes after somebody has looked, what was read for it is given back", () =>
  Effect.gen(function* () {
    const path = yield* folder
    const looking = Effect.gen(function* () {
      yield* settled
      const { query } = yield* Warehouse
      yield* query((db) => sql`select sum(length(payload::text)) from construction.events`.execute(db))
      yield* isGivenBackAfter(10, yield* cachedMb)
    })
    yield* Effect.provide(looking, layerIn(path), { local: true })
  })
)

const forgotten = (): WeakRef<object> => new WeakRef({})

it.effect("at rest the thread that wrote gives its garbage back", () =>
  Effect.gen(function* () {
    const path = yield* folder
    const resting = Effect.gen(function* () {
      yield* write(1)
      const one = forgotten()
      yield* TestClock.adjust("2 minutes")
      yield* cachedMb
      assert.isUndefined(one.deref())
    })
    yield* Effect.provide(resting, layerIn(path), { local: true })
  })
)

it.effect(
  "at rest a warehouse keeps neither rows nor their numbers in memory, and changes them afterwards as before",
  () =>
    Effect.gen(function* () {
      const path = yield* folder
      const forget = vi.spyOn(StoredRows.prototype, "forget")
      const resting = Effect.gen(function* () {
        const { query, write: put } = yield* Warehouse
        yield* put({ changes: [certified("A", 1, "1.0000")], events: [] })
        assert.strictEqual(forget.mock.calls.length, 0)
        yield* TestClock.adjust("2 minutes")
        yield* cachedMb
        assert.isAbove(forget.mock.calls.length, 0)
        yield* put({ changes: [certified("A", 2, "2.0000")], events: [] })
        const { rows } = yield* query((db) =>
          sql<{ id: string; amount: string }>`select id, certified_amount as amount from construction.ipcs`.execute(db)
        )
        assert.deepStrictEqual(rows, [{ id: "A", amount: "2.0000" }])
      })
      yield* Effect.provide(resting, layerIn(path), { local: true })
      forget.mockRestore()
    })
)

it.effect("after a rest, a large warehouse isn't vacuumed sooner than before", () =>
  Effect.gen(function* () {
    const path = yield* folder
    const append = vi.spyOn(TableRows.prototype, "append")
    const numbered = vi.spyOn(EntityRows.prototype, "numbered", "get").mockReturnValue(1_000_000)
    const resting = Effect.gen(function* () {
      const { write: put } = yield* Warehouse
      yield* put({ changes: [certified("A", 1, "1.0000")], events: [] })
      const rows = append.mock.contexts[0] as TableRows
      yield* TestClock.adjust("2 minutes")
      yield* cachedMb
      numbered.mockRestore()
      rows.deleted = 150_000
      yield* put({ changes: [certified("B", 1, "1.0000")], events: [] })
      assert.isAtLeast(rows.deleted, 150_000)
      rows.deleted = 250_000
      yield* put({ changes: [certified("C", 1, "1.0000")], events: [] })
      assert.strictEqual(rows.deleted, 0)
    })
    yield* Effect.provide(resting, layerIn(path), { local: true })
    append.mockRestore()
  })
)
