/** How much memory DuckDB may use: little at rest, its whole share during an export, and more for good once it ran out. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { sql } from "kysely"
import * as DuckDb from "../../../src/Stores/DuckDb/Warehouse.ts"
import * as Sqlite from "../../../src/Stores/Sqlite/Store.ts"
import { Warehouse } from "../../../src/Stores/Warehouse.ts"
import { removeFolder, temporaryFolder } from "../../RunningWorker.ts"

const within = <A, E>(body: (folder: string) => Effect.Effect<A, E, Warehouse>, budgetMb?: number) =>
  Effect.acquireUseRelease(
    Effect.sync(temporaryFolder),
    (folder) => {
      const warehouse = DuckDb.layerAt(`${folder}/warehouse.duckdb`, budgetMb)
      return Effect.scoped(
        Effect.provide(body(folder), warehouse.pipe(Layer.provide(Sqlite.layerAt(`${folder}/store.sqlite`))))
      )
    },
    (folder) => Effect.sync(() => removeFolder(folder))
  )

const limit = Effect.flatMap(Warehouse, ({ query }) =>
  query(async (db) => {
    const { rows } = await sql<{ limit: string }>`select current_setting('memory_limit') as "limit"`.execute(db)
    return rows[0]?.limit
  })
)

const duringExport = Effect.scoped(
  Effect.gen(function* () {
    yield* (yield* Warehouse).snapshot
    return yield* limit
  })
)

it.effect("a third at rest, and all of the share only during exports", () =>
  within(() =>
    Effect.gen(function* () {
      const before = yield* limit
      const two = yield* Effect.scoped(Effect.andThen((yield* Warehouse).snapshot, duringExport))
      // 128 and 384 MB.
      assert.deepStrictEqual([before, two, yield* limit], ["122.0 MiB", "366.2 MiB", "122.0 MiB"])
    })
  )
)

it.effect("of the budget", () =>
  within(
    () =>
      Effect.gen(function* () {
        // 200 and 600 MB.
        assert.deepStrictEqual([yield* limit, yield* duringExport], ["190.7 MiB", "572.2 MiB"])
      }),
    984
  )
)

it.effect("more for good once a read ran out of it", () =>
  within((folder) =>
    Effect.gen(function* () {
      const { publish, query } = yield* Warehouse
      yield* query((db) => sql`set memory_limit = '1MB'`.execute(db))
      assert.strictEqual((yield* Effect.flip(publish(`${folder}/copy.duckdb`))).reason, "Short")
      // 256 MB.
      assert.strictEqual(yield* limit, "244.1 MiB")
    })
  )
)
