/**
 * The process that adds columns to the warehouse's file is killed with -9 at every point, in turn: around what the
 * Store learns, and before and after each of DuckDB's statements. The next start has all columns and all rows, and the
 * next pass results in the right table. The short form takes one point in three.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api"
import { Effect, Layer } from "effect"
import { openWarehouse } from "../../../src/Stores/DuckDb/File.ts"
import * as DuckDb from "../../../src/Stores/DuckDb/Warehouse.ts"
import { described, usual } from "../../../src/Stores/EntityTables.ts"
import * as LearnedColumns from "../../../src/Stores/LearnedColumns.ts"
import { Resources } from "../../../src/Stores/Resources.ts"
import * as Sqlite from "../../../src/Stores/Sqlite/Store.ts"
import { Store } from "../../../src/Stores/Store.ts"
import { Warehouse } from "../../../src/Stores/Warehouse.ts"
import { removeFolder, temporaryFolder } from "../../Folders.ts"
import { patience, rounds, seed } from "../../Long.ts"
import { columns, orders, page, shown } from "./EvolvingOrders.ts"

const script = fileURLToPath(new URL("evolving-child.ts", import.meta.url))

/** Killed at a point; 0: at none, and what it printed. */
const child = async (folder: string, point: number): Promise<string> => {
  const process_ = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", script, folder, String(point)])
  let [stdout, stderr] = ["", ""]
  process_.stdout.on("data", (chunk: Buffer) => (stdout += String(chunk)))
  process_.stderr.on("data", (chunk: Buffer) => (stderr += String(chunk)))
  const [code, signal] = (await once(process_, "close")) as [number | null, NodeJS.Signals | null]
  return signal ?? (code === 0 ? stdout : stderr)
}

const storesIn = (folder: string) =>
  DuckDb.layerAt(`${folder}/warehouse.duckdb`).pipe(
    Layer.provideMerge(Sqlite.layerAt(`${folder}/store.sqlite`)),
    Layer.provide(Layer.succeed(Resources, [orders]))
  )

const folder = Effect.acquireRelease(Effect.sync(temporaryFolder), (path) => Effect.sync(() => removeFolder(path)))

/** As the next worker goes on: it adds what was learned, learns what wasn't, and reads the list again. */
const continued = Effect.gen(function* () {
  const [store, warehouse] = [yield* Store, yield* Warehouse]
  const { columns: found } = yield* warehouse.table("orders")
  const learned = yield* store.run(LearnedColumns.all)
  const names = new Set(found.map(({ name }) => name))
  for (const { name } of learned) assert.isTrue(names.has(name), `${name} was learned, and isn't there`)
  yield* store.transaction((tx) => LearnedColumns.add(tx, columns))
  yield* warehouse.evolve
  yield* warehouse.write({ changes: page(3), events: [] })
})

const rowsIn = async (path: string): Promise<ReadonlyArray<ReadonlyArray<string>>> => {
  const instance = await DuckDBInstance.create(path, { access_mode: "READ_ONLY" })
  const connection = await instance.connect()
  try {
    const found = await connection.runAndReadAll(
      `select cast(columns(*) as varchar) from (select id, title, amount, "at", _extra from construction.orders order by id)`
    )
    return found.getRowsJson() as ReadonlyArray<ReadonlyArray<string>>
  } finally {
    connection.disconnectSync()
    instance.closeSync()
  }
}

const methods = ["prepare", "run", "runAndReadAll", "stream"] as const

/** The statements of this process while something runs, by their first two words. `onAlter`: before the first column is added. */
const statementsOf = <A, E, R>(effect: Effect.Effect<A, E, R>, onAlter: () => Promise<void>) =>
  Effect.suspend(() => {
    const { prototype } = DuckDBConnection
    const statements: Array<string> = []
    const own = Object.fromEntries(methods.map((name) => [name, prototype[name]]))
    for (const name of methods) {
      const called = prototype[name] as (...given: ReadonlyArray<unknown>) => Promise<unknown>
      Object.assign(prototype, {
        [name]: async function (this: DuckDBConnection, ...given: ReadonlyArray<unknown>) {
          const begins = String(given[0])
            .split(";\n")
            .map((statement) => statement.trim().split(/\s+/).slice(0, 2).join(" ").toLowerCase())
          if (begins.includes("alter table") && !statements.includes("alter table")) await onAlter()
          statements.push(...begins)
          return called.apply(this, [...given])
        }
      })
    }
    return Effect.as(
      Effect.ensuring(
        effect,
        Effect.sync(() => void Object.assign(prototype, own))
      ),
      statements
    )
  })

describe(`adding columns to a DuckDB file, seed ${seed}`, () => {
  it.live("is all that happens between two checkpoints, whatever is written, asked and copied", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const working = Effect.gen(function* () {
        const [store, warehouse] = [yield* Store, yield* Warehouse]
        yield* warehouse.write({ changes: page(1), events: [] })
        yield* store.transaction((tx) => LearnedColumns.add(tx, columns))
        const writing = warehouse.write({ changes: page(2).slice(0, 20), events: [] })
        const others = [
          writing,
          warehouse.probe,
          warehouse.watermark,
          warehouse.query((db) => db.selectFrom("construction.projects").selectAll().execute()),
          Effect.scoped(warehouse.snapshot),
          warehouse.publish(join(path, "copy.duckdb"))
        ]
        let beside: Promise<unknown> = Promise.resolve()
        const onAlter = async () => {
          beside = Effect.runPromise(Effect.all(others, { concurrency: "unbounded" }))
          // Enough for a statement of each.
          for (let turn = 0; turn < 200; turn++) await setImmediate()
        }
        const statements = yield* statementsOf(
          Effect.andThen(
            warehouse.evolve,
            Effect.promise(() => beside)
          ),
          onAlter
        )
        const first = statements.indexOf("alter table") - 2
        const altered = ["alter table", "comment on"]
        assert.deepStrictEqual(statements.slice(first, first + 8), [
          "checkpoint",
          "begin transaction",
          ...altered,
          ...altered,
          "commit",
          "checkpoint"
        ])
        assert.strictEqual(statements.filter((statement) => statement === "alter table").length, columns.length)
      })
      yield* Effect.scoped(Effect.provide(working, storesIn(path)))
    })
  )

  it.live("makes many wide tables in transactions that are small, of which DuckDB keeps each version of a table", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const { columns: few, ...order } = orders
      const wide = Object.fromEntries(
        Array.from({ length: 100 }, (_, n) => [`field_${n}`, { type: "VARCHAR" as const, says: "Any.", since: 1 }])
      )
      const lists = Array.from({ length: 30 }, (_, n) =>
        described({ ...order, name: `wide_${n}`, columns: { ...few, ...wide } })
      )
      const making = Effect.promise(async () => {
        const file = await openWarehouse(`${path}/warehouse.duckdb`, { tables: [...usual, ...lists] })
        await file.close()
      })
      const statements = yield* statementsOf(making, async () => undefined)
      const comments = statements
        .join(" ")
        .split(/\bcommit\b/)
        .map((part) => part.split("comment on").length - 1)
      assert.isAbove(
        comments.reduce((sum, count) => sum + count, 0),
        3000
      )
      assert.isBelow(Math.max(...comments), 1200)
    })
  )

  it.live(
    "can be killed at any point",
    () =>
      Effect.gen(function* () {
        const points = Number(
          yield* Effect.scoped(Effect.flatMap(folder, (path) => Effect.promise(() => child(path, 0))))
        )
        assert.isAbove(points, 20)
        const step = rounds(8, 1)
        for (let point = 1 + (seed % step); point <= points; point += step) {
          yield* Effect.scoped(
            Effect.gen(function* () {
              const path = yield* folder
              assert.strictEqual(yield* Effect.promise(() => child(path, point)), "SIGKILL", `point ${point}`)
              yield* Effect.scoped(Effect.provide(continued, storesIn(path)))
              assert.deepStrictEqual(
                yield* Effect.promise(() => rowsIn(`${path}/warehouse.duckdb`)),
                shown(3),
                `point ${point}`
              )
            })
          )
        }
      }),
    patience
  )
})
