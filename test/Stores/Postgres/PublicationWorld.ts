/** A server's warehouse that copies for analysts are made of, and what they hold. */
import { statSync } from "node:fs"
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import { assert, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import type { Kysely } from "kysely"
import { evolve } from "../../../src/Stores/Postgres/Evolve.ts"
import { Postgres } from "../../../src/Stores/Postgres/Postgres.ts"
import { Publication } from "../../../src/Stores/Postgres/Publication.ts"
import { write } from "../../../src/Stores/Postgres/Writer.ts"
import { rebuild } from "../../../src/Stores/Projection.ts"
import type { Limits } from "../../../src/Stores/PublishedFiles.ts"
import { Store } from "../../../src/Stores/Store.ts"
import type { Batch } from "../../../src/Stores/Warehouse.ts"
import { tables, type WarehouseTables } from "../../../src/Stores/WarehouseTables.ts"
import type { Database } from "../../Postgres.ts"
import { batch, withLines, withLinesIn } from "../DuckDb/PublicationWorld.ts"
import { folder } from "../WarehouseEngines.ts"
import { database, storesAt } from "./World.ts"

const shownTables = ["construction.ipc_lines", ...tables.map(({ name }) => `construction.${name}`), "siteledger.meta"]

/** The file's own id apart. */
const contentsAt = async (path: string): Promise<ReadonlyArray<unknown>> => {
  const instance = await DuckDBInstance.create(path, { access_mode: "READ_ONLY" })
  const connection = await instance.connect()
  const contents: Array<unknown> = []
  for (const table of shownTables) {
    const rows = await connection.runAndReadAll(`select * from ${table} order by all`)
    contents.push([table, rows.getRowsJson().filter(([key]) => key !== "id")])
  }
  connection.disconnectSync()
  instance.closeSync()
  return contents
}

interface Made {
  readonly inode: number
  readonly isWhole: boolean
}

export interface World {
  readonly own: Database
  readonly target: string
  readonly write: (batch: Batch) => Effect.Effect<unknown, unknown>
  readonly run: (sql: string) => Effect.Effect<unknown>
  readonly rebuild: Effect.Effect<unknown, unknown>
  /** Another process makes the copies from now on. */
  readonly restart: Effect.Effect<void>
  /** The tables get columns that they lack. */
  readonly evolve: (columns: ReadonlyArray<string>) => Effect.Effect<void>
  readonly made: Effect.Effect<Made, unknown>
  /** The same, and compares it with a whole copy that is made now. */
  readonly published: Effect.Effect<Made, unknown>
}

export const always: Limits = { large: 0, replaced: 1000, leftAlone: 0 }

export const test = (
  fact: string,
  body: (world: World) => Effect.Effect<void, unknown, Postgres | Scope.Scope | Store>,
  limits: Partial<Limits> = {}
) =>
  it.live(
    fact,
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const own = yield* database
          yield* Effect.provide(Effect.flatMap(worldOf(own, { ...always, ...limits }), body), storesAt(own.url), {
            local: true
          })
        })
      ),
    120_000
  )

export const worldOf = Effect.fnUntraced(function* (own: Database, limits: Limits, given?: string) {
  const path = yield* folder
  const target = given ?? join(path, "analytics.duckdb")
  const postgres = yield* Postgres
  const store = yield* Store
  const { connections } = postgres
  let known = yield* Effect.promise(() => evolve(connections.db, withLines))
  let publication = new Publication(limits)
  const made = Effect.map(
    Effect.suspend(() => publication.publish({ connections, tables: known }, target, false)),
    ({ isWhole }): Made => ({ inode: statSync(target).ino, isWhole })
  )
  const world: World = {
    own,
    target,
    made,
    write: (each) =>
      postgres.atomically(postgres.run((db) => write(db as unknown as Kysely<WarehouseTables>, known, each))),
    run: (sql) => Effect.promise(() => own.query(sql)),
    rebuild: rebuild(store),
    restart: Effect.sync(() => void (publication = new Publication(limits))),
    evolve: (columns) =>
      Effect.promise(async () => {
        known = await evolve(connections.db, withLinesIn(columns))
      }),
    published: Effect.gen(function* () {
      const one = yield* made
      const whole = join(path, "whole.duckdb")
      yield* new Publication().publish({ connections, tables: known }, whole, true)
      const [is, should] = yield* Effect.promise(() => Promise.all([target, whole].map(contentsAt)))
      assert.deepStrictEqual(is, should)
      return one
    })
  }
  return world
})

/** After that the next copy is made from the one before. */
export const takingTurns = Effect.fnUntraced(function* ({ made, write }: World) {
  yield* write(batch(1))
  const hidden = yield* made
  yield* write(batch(2))
  const shown = yield* made
  assert.deepStrictEqual([hidden.isWhole, shown.isWhole], [true, false])
  yield* write(batch(3))
  return { hidden: hidden.inode, shown: shown.inode }
})
