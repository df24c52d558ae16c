/**
 * What DuckDB caches is given back once nothing has changed for a minute, but not while somebody reads, who would run out
 * of memory.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { sql } from "kysely"
import * as DuckDb from "../../../src/Stores/DuckDb/Warehouse.ts"
import * as Sqlite from "../../../src/Stores/Sqlite/Store.ts"
import { Warehouse } from "../../../src/Stores/Warehouse.ts"
import { folder } from "../WarehouseEngines.ts"
import { eventRow } from "../Written.ts"

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
