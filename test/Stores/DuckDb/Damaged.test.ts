/** Damage in the middle of the file, which is found only when that part is read: the file is rebuilt. */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { sql } from "kysely"
import { Restart } from "../../../src/Runtime/Restart.ts"
import * as Sqlite from "../../../src/Stores/Sqlite/Store.ts"
import type { Store } from "../../../src/Stores/Store.ts"
import * as DuckDb from "../../../src/Stores/DuckDb/Warehouse.ts"
import { Warehouse } from "../../../src/Stores/Warehouse.ts"
import { folder } from "../WarehouseEngines.ts"
import { eventRow } from "../Written.ts"

const started = <A, E>(path: string, body: Effect.Effect<A, E, Warehouse | Store>, restarts: Array<string> = []) =>
  Effect.scoped(
    Effect.provide(
      body,
      DuckDb.layerAt(`${path}/warehouse.duckdb`).pipe(
        Layer.provideMerge(Sqlite.layerAt(`${path}/store.sqlite`)),
        Layer.provideMerge(restartNoted(restarts))
      ),
      { local: true }
    )
  )

const restartNoted = (restarts: Array<string>) =>
  Layer.succeed(
    Restart,
    Restart.of({ request: () => Effect.sync(() => void restarts.push("asked")), requested: Effect.never })
  )

const events = Array.from({ length: 5000 }, (_, n) =>
  eventRow(n + 1, JSON.stringify(Array.from({ length: 40 }, (__, k) => Math.sin(n * 41 + k))))
)

const readAll = Effect.flatMap(Warehouse, (warehouse) =>
  warehouse.query((db) => sql`select sum(hash(e)) from construction.events e`.execute(db))
)

describe("a DuckDB file with a damaged block", () => {
  it.live("is set aside by the start that a worker asks for once the block was read", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = yield* folder
        const file = `${path}/warehouse.duckdb`
        yield* started(
          path,
          Effect.flatMap(Warehouse, (warehouse) => warehouse.write({ changes: [], events }))
        )
        const restarts: Array<string> = []
        const kept = yield* folder
        cpSync(path, kept, { recursive: true })
        // Where the rows are differs from version to version. Damage elsewhere is noticed by the start itself.
        for (let at = 0.15; restarts.length === 0; at += 0.05) {
          assert.isBelow(at, 0.95, "there is no such place")
          rmSync(path, { recursive: true })
          cpSync(kept, path, { recursive: true })
          const bytes = readFileSync(file)
          bytes[Math.floor(bytes.length * at)]! ^= 1
          writeFileSync(file, bytes)
          const read = yield* Effect.result(started(path, readAll, restarts))
          if (read._tag === "Failure") assert.strictEqual(read.failure.reason, "Fatal", read.failure.message)
        }
        assert.include(readdirSync(path), "warehouse.duckdb.suspect")
        yield* started(path, readAll)
        const names = readdirSync(path)
        assert.notInclude(names, "warehouse.duckdb.suspect")
        assert.isTrue(names.some((name) => /^warehouse\.duckdb\.set-aside-\d+$/.test(name)))
      })
    )
  )
})
