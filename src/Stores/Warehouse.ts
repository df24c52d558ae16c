/**
 * The Warehouse is what analysts query: entity tables, events and views in schema `construction`.
 *
 * It is a projection: whatever it holds can be made again from the Store and a walk, and every write is
 * idempotent. A write is one transaction and returns after it is on disk. One write at a time; readers and
 * snapshots don't stop it.
 */
import { Context, type Effect, Schema, type Scope } from "effect"
import type { Kysely } from "kysely"
import type { Change } from "../Domain/Change.ts"
import type { Row } from "../Domain/Merge.ts"
import type { JournalLine } from "./JournalLines.ts"
import type { EventRow, WarehouseTables } from "./WarehouseTables.ts"

export class WarehouseError extends Schema.TaggedError<WarehouseError>()("WarehouseError", {
  /**
   * Held: another program has the file open. Refused: the engine can't hold this data, whenever it is tried.
   * Fatal: the engine has given up until the file is opened again. Short: it had too little memory and has been given
   * more, so that it can be tried again at once. Failed: it can be tried again.
   */
  reason: Schema.Literals(["Held", "Refused", "Fatal", "Short", "Failed"]),
  message: Schema.String,
  cause: Schema.optional(Schema.Defect())
}) {}

export const isShort = (error: { readonly _tag: string }): boolean =>
  error instanceof WarehouseError && error.reason === "Short"

export interface Batch {
  readonly changes: ReadonlyArray<Change>
  readonly events: ReadonlyArray<EventRow>
  readonly ledger?: LedgerCopy
  /** The Inbox is applied through this sequence once the batch is written. */
  readonly watermark?: number
}

/** What the books hold that the warehouse doesn't yet. */
export interface LedgerCopy {
  readonly entries: ReadonlyArray<Row>
  readonly decisions: ReadonlyArray<Row>
  /** All open holds of these IPCs, in the place of those that are there. */
  readonly holds: { readonly ofIpcs: ReadonlyArray<string> | "all"; readonly open: ReadonlyArray<Row> }
}

/** How much of the books is copied: entries and decisions up to a number, and the holds as of a fact. */
export interface BooksWatermark {
  readonly entries: number
  readonly decisions: number
  /** 0: not known. */
  readonly facts: number
}

export interface TableShape {
  readonly name: string
  /** Type names as DuckDB's DESCRIBE gives them. */
  readonly columns: ReadonlyArray<{ readonly name: string; readonly type: string }>
}

/** Events of one UTC date; the fingerprint changes when any of its rows does. */
export interface Partition {
  readonly date: string
  readonly rows: number
  /** What they take in memory, about. */
  readonly bytes: number
  readonly fingerprint: string
}

/** A Parquet file of events of one UTC date. */
export interface EventFile {
  readonly date: string
  readonly path: string
  readonly rows: number
}

export type TakeLines = (lines: ReadonlyArray<JournalLine>) => Promise<void>

/** One point in time over all tables, however much is written meanwhile. */
export interface Snapshot {
  readonly watermark: number
  readonly tables: ReadonlyArray<TableShape>
  readonly eventDates: Effect.Effect<ReadonlyArray<Partition>, WarehouseError>
  /** Writes a whole table as one Parquet file; returns the rows written. */
  readonly writeTable: (table: string, path: string) => Effect.Effect<number, WarehouseError>
  /** Writes the events of these dates as Parquet into a new folder, one file for each date. */
  readonly writeEvents: (
    dates: ReadonlyArray<Partition>,
    folder: string
  ) => Effect.Effect<ReadonlyArray<EventFile>, WarehouseError>
  /** Gives the lines of the books (`JournalLines`), some at a time and the next ones once those are taken. */
  readonly readJournal: (take: TakeLines) => Effect.Effect<void, WarehouseError>
}

export class Warehouse extends Context.Service<
  Warehouse,
  {
    /** Random, made with the file: tells a foreign file from our own. */
    readonly id: string
    /** False for a change that the engine could never hold: writing it would keep everything after it waiting. */
    readonly canHold: (change: Change | undefined) => boolean
    readonly write: (batch: Batch) => Effect.Effect<void, WarehouseError>
    readonly watermark: Effect.Effect<number, WarehouseError>
    /** How much of the books it holds; undefined: it shows the books themselves, and nothing is copied. */
    readonly books: Effect.Effect<BooksWatermark | undefined, WarehouseError>
    /** A real write, on disk when it returns: whether the warehouse works, and not only whether it is open. */
    readonly probe: Effect.Effect<void, WarehouseError>
    /** Moves by one with every write that an analyst can see. */
    readonly version: Effect.Effect<number>
    readonly query: <A>(run: (db: Kysely<WarehouseTables>) => Promise<A>) => Effect.Effect<A, WarehouseError>
    readonly snapshot: Effect.Effect<Snapshot, WarehouseError, Scope.Scope>
    /** Writes a consistent copy for analysts to `path`, visible all at once. */
    readonly publish: (path: string) => Effect.Effect<void, WarehouseError>
  }
>()("siteledger/Warehouse") {}
