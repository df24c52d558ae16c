/**
 * The part of the books that the warehouse lacks, for its next write. A warehouse that shows the books themselves lacks
 * nothing.
 *
 * Entries and decisions are copied up to a number; of holds, the open ones of every IPC with facts since the last copy.
 * At startup the warehouse says how much it has. If that isn't a prefix of the books, it gets all of them again. If the
 * process dies between the books and the copy, the copy is one step behind and the next start catches up.
 */
import { Context, Effect, Layer, type Scope, Semaphore } from "effect"
import type { Kysely } from "kysely"
import type { Row } from "../Domain/Merge.ts"
import * as Currencies from "./Currencies.ts"
import { isAmong } from "../Stores/Sql.ts"
import { Store, type StoreError } from "../Stores/Store.ts"
import type { StoreTables } from "../Stores/StoreTables.ts"
import { type BooksWatermark, type LedgerCopy, Warehouse, type WarehouseError } from "../Stores/Warehouse.ts"

export interface Lacking {
  readonly ledger: LedgerCopy | undefined
  /** Call it after the write that included these rows has succeeded. */
  readonly isWritten: Effect.Effect<void>
}

export class Copies extends Context.Service<
  Copies,
  {
    /** What the next write must include, up to a few thousand rows. One caller at a time, until the scope closes. */
    readonly lacking: Effect.Effect<Lacking, StoreError | WarehouseError, Scope.Scope>
    /** Writes only what is lacking, until nothing is lacking. */
    readonly catchUp: Effect.Effect<void, StoreError | WarehouseError>
  }
>()("siteledger/Ledger/Copies") {
  /** Brings the warehouse up to the books before anything else is written. */
  static readonly layer: Layer.Layer<Copies, StoreError | WarehouseError, Store | Warehouse> = Layer.effect(
    Copies,
    Effect.gen(function* () {
      const store = yield* Store
      const warehouse = yield* Warehouse
      yield* Currencies.copy
      const oneAtATime = yield* Semaphore.make(1)
      const copied = yield* warehouse.books
      if (copied === undefined) return Copies.of({ lacking: Effect.succeed(nothing), catchUp: Effect.void })
      let watermark = lower(copied, yield* store.run(newest))

      const lacking = Effect.gen(function* () {
        yield* Effect.acquireRelease(oneAtATime.take(1), () => oneAtATime.release(1))
        const [copy, after] = yield* store.run((db) => since(db, watermark))
        return {
          ledger: isEmpty(copy) ? undefined : copy,
          isWritten: Effect.sync(() => void (watermark = after))
        }
      })
      const next = Effect.scoped(
        Effect.gen(function* () {
          const { isWritten, ledger } = yield* lacking
          if (ledger !== undefined) yield* warehouse.write({ changes: [], events: [], ledger })
          yield* isWritten
          return ledger !== undefined
        })
      )
      const catchUp = Effect.gen(function* () {
        while (yield* next) yield* Effect.yieldNow
      })
      yield* catchUp
      return Copies.of({ lacking, catchUp })
    }).pipe(Effect.catch((error) => unlessWaiting(error)))
  )
}

/** While the warehouse waits for its file, nothing can be copied; afterwards the worker restarts. */
const unlessWaiting = (error: StoreError | WarehouseError) =>
  error.reason === "Waiting"
    ? Effect.succeed(Copies.of({ lacking: Effect.fail(error), catchUp: Effect.fail(error) }))
    : Effect.fail(error)

const nothing: Lacking = { ledger: undefined, isWritten: Effect.void }

/** Rows copied at once: a new warehouse gets a long journal in pieces. */
const most = 5000

const newest = async (db: Kysely<StoreTables>): Promise<BooksWatermark> => {
  const row = await db
    .selectNoFrom((from) => [
      from
        .selectFrom("ledger_entries")
        .select((of) => of.fn.max("sequence").as("n"))
        .as("entries"),
      from
        .selectFrom("ledger_hold_decisions")
        .select((of) => of.fn.max("number").as("n"))
        .as("decisions"),
      from
        .selectFrom("ledger_facts")
        .select((of) => of.fn.max("number").as("n"))
        .as("facts")
    ])
    .executeTakeFirstOrThrow()
  return { entries: Number(row.entries ?? 0), decisions: Number(row.decisions ?? 0), facts: Number(row.facts ?? 0) }
}

/** The warehouse can't have more than the books hold. */
const lower = (copied: BooksWatermark, known: BooksWatermark): BooksWatermark => ({
  entries: Math.min(copied.entries, known.entries),
  decisions: Math.min(copied.decisions, known.decisions),
  facts: Math.min(copied.facts, known.facts)
})

const since = async (
  db: Kysely<StoreTables>,
  watermark: BooksWatermark
): Promise<readonly [LedgerCopy, BooksWatermark]> => {
  // Read before the holds, so that facts recorded in between are copied once more.
  const { facts } = await newest(db)
  const entries = await db
    .selectFrom("ledger_entries")
    .selectAll()
    .where("sequence", ">", watermark.entries)
    .orderBy("sequence")
    .limit(most)
    .execute()
  const decisions = await db
    .selectFrom("ledger_hold_decisions")
    .selectAll()
    .where("number", ">", watermark.decisions)
    .orderBy("number")
    .limit(most)
    .execute()
  return [
    {
      entries: entries.map(textual),
      decisions: decisions.map(textual),
      holds: await holdsSince(db, watermark.facts, facts)
    },
    {
      entries: entries.at(-1)?.sequence ?? watermark.entries,
      decisions: decisions.at(-1)?.number ?? watermark.decisions,
      facts
    }
  ]
}

/** Only for IPCs with new facts: with 20,000 open holds, copying all of them took a second for each new one. */
const holdsSince = async (db: Kysely<StoreTables>, facts: number, newest: number): Promise<LedgerCopy["holds"]> => {
  if (facts === newest) return { ofIpcs: [], open: [] }
  const open = db.selectFrom("ledger_holds").selectAll()
  // How current the warehouse's holds are is known only after the first copy.
  if (facts === 0) return { ofIpcs: "all", open: (await open.execute()).map(textual) }
  // Not `distinct`, for which SQLite would read a whole index in each batch.
  const fresh = await db.selectFrom("ledger_facts").select("ipc_id").where("number", ">", facts).execute()
  const ofIpcs = [...new Set(fresh.map((row) => row.ipc_id))]
  return { ofIpcs, open: (await open.where(isAmong(db, "ipc_id", ofIpcs)).execute()).map(textual) }
}

const textual = (row: Readonly<Record<string, unknown>>): Row => {
  const text: Record<string, string | null> = {}
  for (const name of Object.keys(row)) text[name] = row[name] === null ? null : String(row[name])
  return text
}

const isEmpty = ({ decisions, entries, holds }: LedgerCopy): boolean =>
  entries.length + decisions.length === 0 && holds.ofIpcs !== "all" && holds.ofIpcs.length === 0
