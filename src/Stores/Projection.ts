/**
 * The link between the Store (system of record) and the warehouse (a projection of it): both hold the warehouse's
 * random id and the sequence up to which everything is applied.
 *
 * A crash between their two commits leaves the warehouse ahead of the Store; applying the same events again repairs
 * this. A warehouse that is missing, behind, foreign or ahead of everything in the Store is rebuilt: the inbox is
 * applied from its beginning and the walks start over.
 */
import { Clock, Effect, Option, Schema } from "effect"
import { sql, type Transaction } from "kysely"
import { readMeta, type Store, writeMeta } from "./Store.ts"
import * as Segments from "./Segments/Deliveries.ts"
import type { StoreTables } from "./StoreTables.ts"
import * as LogLine from "../Runtime/LogLine.ts"
import type { Task } from "../Runtime/Progress.ts"

export interface WarehouseMeta {
  readonly id: string
  readonly watermark: number
}

export interface Verdict {
  /** The Store has never had a warehouse. */
  readonly isFresh: boolean
  readonly mismatch: string | undefined
}

const idKey = "warehouse_id"

export const watermark = (store: Store["Service"]) => store.run(Segments.watermark)

export const compare = (store: Store["Service"], warehouse: WarehouseMeta) =>
  Effect.map(
    Effect.all([store.run((db) => readMeta(db, idKey)), watermark(store), store.deliveries.last]),
    ([id, ours, last]): Verdict => ({
      isFresh: id === undefined && warehouse.watermark === 0,
      mismatch: mismatch(warehouse, id, ours, last)
    })
  )

const mismatch = (warehouse: WarehouseMeta, id: string | undefined, ours: number, last: number): string | undefined => {
  if (id === undefined || id !== warehouse.id) return "The warehouse is missing or belongs to another store."
  const applied = warehouse.watermark
  if (applied < ours) return `The warehouse is older than the store (applied through ${applied} of ${ours}).`
  // The Store would give the same sequence numbers to other deliveries.
  if (applied > last) return `The store is older than the warehouse (it ends at ${last} of ${applied}).`
  return undefined
}

export const adopt = (store: Store["Service"], warehouseId: string) =>
  store.transaction((tx) => writeMeta(tx, idKey, warehouseId))

/** Marks everything to be applied and walked again, for the warehouse with this id. */
export const startAgain = (store: Store["Service"], warehouseId: string) =>
  Effect.flatMap(beginning(store), (begun) =>
    store.transaction(async (tx) => {
      await forget(tx)
      await store.deliveries.restart(tx)
      await writeMeta(tx, idKey, warehouseId)
      await writeMeta(tx, rebuildKey, begun)
    })
  )

const rebuildKey = "rebuild"
const Begun = Schema.fromJsonString(Schema.Struct({ startedAtMs: Schema.Number, through: Schema.Int }))
const toBegun = Schema.decodeUnknownOption(Begun)

const beginning = Effect.fnUntraced(function* ({ deliveries }: Store["Service"]) {
  const [startedAtMs, through] = yield* Effect.all([Clock.currentTimeMillis, deliveries.last])
  return JSON.stringify({ startedAtMs, through } satisfies (typeof Begun)["Type"])
})

/**
 * The progress of a rebuild, even after a restart, and on every worker; none once the deliveries that existed when it
 * began have been applied.
 */
export const rebuilding = Effect.fnUntraced(function* ({ deliveries, run }: Store["Service"]) {
  const [id, text] = yield* run(async (db) => [await readMeta(db, idKey), await readMeta(db, rebuildKey)] as const)
  const begun = Option.getOrUndefined(toBegun(text))
  if (begun === undefined) return []
  const done = id === disowned.value ? 0 : yield* deliveries.settledThrough
  const { startedAtMs, through: total } = begun
  const task: Task = { name: "rebuild", unit: "deliveries", done, total, startedAtMs }
  return done < total ? [task] : []
})

/** In the order in which a checkpoint writes these tables; Apply writes the last one. */
const forget = async (tx: Transaction<StoreTables>): Promise<void> => {
  for (const table of ["sightings", "walk_pages", "walk_parents", "walk_writing", "walks", "quarantine"] as const) {
    await tx.deleteFrom(table).execute()
  }
}

/** The row in the Store's meta that says that it has no warehouse. */
export const disowned = { key: idKey, value: "none" } as const

/** The next start finds the warehouse foreign and rebuilds it. */
export const disown = (store: Store["Service"]) =>
  store.transaction((tx) => writeMeta(tx, disowned.key, disowned.value))

/**
 * Rebuilds the warehouse; returns whether that needs a restart. A file is rebuilt at the next start, which keeps the
 * old one. Tables on a server are emptied now, while all workers continue, and analysts see them fill again. Rows are
 * deleted (a million take two seconds), not truncated: TRUNCATE would wait for readers, and would take the rows away
 * from an export in progress.
 */
export const rebuild = (store: Store["Service"]) =>
  Effect.flatMap(beginning(store), (begun) =>
    store.transaction(async (tx) => {
      await writeMeta(tx, rebuildKey, begun)
      if (store.engine === "sqlite") {
        await writeMeta(tx, disowned.key, disowned.value)
        return true
      }
      // In the order in which batches are taken and written, to avoid deadlocks.
      await store.deliveries.restart(tx)
      for (const name of [...(await entityTables(tx)), "events"]) await empty(tx, `construction.${name}`)
      await forget(tx)
      return false
    })
  )

/**
 * Gives a Store that was moved here its warehouse. A file is found foreign when it is opened. Tables on a server are
 * rebuilt now, by the first of several workers that start together, while the others wait.
 */
export const adoptMoved = (store: Store["Service"]) =>
  store.engine === "sqlite"
    ? Effect.void
    : store.atomically(
        Effect.gen(function* () {
          const { key, value } = disowned
          const { numUpdatedRows } = yield* store.run((db) =>
            db
              .updateTable("meta")
              .set({ value: "postgres" })
              .where("key", "=", key)
              .where("value", "=", value)
              .executeTakeFirstOrThrow()
          )
          if (numUpdatedRows === 0n) return
          yield* LogLine.write("warehouse.moved", {})
          yield* rebuild(store)
        })
      )

/** Includes those of lists that a person has switched on; ordered by name. */
const entityTables = async (tx: Transaction<StoreTables>): Promise<ReadonlyArray<string>> => {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class join pg_attribute on attrelid = pg_class.oid
    where relnamespace = 'construction'::regnamespace and relkind = 'r' and attname = '_clocks'`.execute(tx)
  return rows.map(({ name }) => name).toSorted()
}

/** About a million events: deleting a whole large table would exceed the statement timeout of one minute. */
const pagesAtOnce = 65_536

const empty = async (tx: Transaction<StoreTables>, name: string): Promise<void> => {
  const table = sql.table(name)
  await sql`lock table ${table} in exclusive mode`.execute(tx)
  const { rows } = await sql<{ pages: number }>`
    select pg_relation_size(${name}::regclass) / current_setting('block_size')::bigint as pages`.execute(tx)
  const pages = Number(rows[0]?.pages)
  for (let page = 0; page < pages; page += pagesAtOnce) {
    const [from, to] = [`(${page},0)`, `(${page + pagesAtOnce},0)`]
    await sql`delete from ${table} where ctid >= ${from}::tid and ctid < ${to}::tid`.execute(tx)
  }
}
