/**
 * The Warehouse is what analysts query: entity tables, events and views in schema `construction`.
 *
 * It is a projection: it can be rebuilt from the Store and a walk, and every write is idempotent. A write is one
 * transaction and returns after it is on disk. There is one write at a time; readers and snapshots don't block it.
 */
import { Context, Effect, Option, Schema, type Scope } from "effect"
import type { Kysely } from "kysely"
import type { Change } from "../Domain/Change.ts"
import type { Row } from "../Domain/Merge.ts"
import type { Chunk } from "./Deliveries.ts"
import type { EntityTable, EntityTables } from "./EntityTables.ts"
import type { Piece } from "./Piece.ts"
import type { JournalLine } from "./JournalLines.ts"
import type { StoreError } from "./Store.ts"
import type { Part, Span, Wanted } from "./TableParts.ts"
import type { CurrencyRow, EventRow, WarehouseTables } from "./WarehouseTables.ts"

export class WarehouseError extends Schema.TaggedError<WarehouseError>()("WarehouseError", {
  /**
   * Held: another program has the file open. Refused: the engine can never hold this data. Fatal: the engine works again
   * only after the file is reopened. Waiting: it can't be opened until its surroundings change. Short: it ran out of memory and now has more, so retry at once. Failed: retry later.
   */
  reason: Schema.Literals(["Held", "Refused", "Fatal", "Waiting", "Short", "Failed"]),
  message: Schema.String,
  cause: Schema.optional(Schema.Defect())
}) {}

export const isShort = (error: { readonly _tag: string }): boolean =>
  error instanceof WarehouseError && error.reason === "Short"

export interface Batch {
  readonly changes: ReadonlyArray<Change>
  readonly events: ReadonlyArray<EventRow>
  readonly ledger?: LedgerCopy
  /** All currencies of projects; they replace the existing ones. */
  readonly currencies?: ReadonlyArray<CurrencyRow>
  /** Once the batch is written, the Inbox is applied up to this sequence. */
  readonly watermark?: number
}

/** What the books hold and the warehouse still lacks. */
export interface LedgerCopy {
  readonly entries: ReadonlyArray<Row>
  readonly decisions: ReadonlyArray<Row>
  /** All open holds of these IPCs; they replace the copied ones. */
  readonly holds: { readonly ofIpcs: ReadonlyArray<string> | "all"; readonly open: ReadonlyArray<Row> }
}

/** How far the books are copied: entries and decisions up to a number, holds as of a fact. */
export interface BooksWatermark {
  readonly entries: number
  readonly decisions: number
  /** 0 if unknown. */
  readonly facts: number
}

/** As in the files of an export. JSON is text there, because many readers mistake Parquet's JSON type for bytes. */
export interface ExportedColumn {
  readonly name: string
  /** As DuckDB's DESCRIBE prints it. */
  readonly type: string
  /** The format of the text. */
  readonly format?: "json"
}

export interface TableShape {
  readonly name: string
  readonly columns: ReadonlyArray<ExportedColumn>
}

/** Events of one UTC date; the fingerprint changes when any of its rows does. */
export interface Partition {
  readonly date: string
  readonly rows: number
  /** Approximate size in memory. */
  readonly bytes: number
  readonly fingerprint: string
}

/** A Parquet file of events of one UTC date. */
export interface EventFile {
  readonly date: string
  readonly path: string
  readonly rows: number
}

/** A copy of the Store's deliveries: chunks of an inbox, by its id. */
export interface Mirror<E = WarehouseError> {
  /** For people: which copy this is. */
  readonly name: string
  /** The last number that it holds; 0 if it holds nothing. */
  readonly through: (inbox: string) => Effect.Effect<number, E>
  readonly add: (inbox: string, chunk: Chunk) => Effect.Effect<void, E>
  /** The first chunk with a number after this one. */
  readonly after: (inbox: string, number: number) => Effect.Effect<Chunk | undefined, E>
}

/** Copies of the Store's deliveries in a private schema. */
export interface Mirrors {
  /** None if Store and Warehouse share a database. */
  readonly live: Effect.Effect<Option.Option<Mirror>, WarehouseError>
  /** Copies in warehouses that were set aside, as far as they can be read. */
  readonly aside: Effect.Effect<ReadonlyArray<Mirror>, never, Scope.Scope>
}

export const noMirrors: Mirrors = { live: Effect.succeed(Option.none()), aside: Effect.succeed([]) }

export type TakeLines = (lines: ReadonlyArray<JournalLine>) => Promise<void>

/** One point in time over all tables, unaffected by later writes. */
export interface Snapshot {
  readonly watermark: number
  readonly tables: ReadonlyArray<TableShape>
  /** One part for a table that doesn't know when its rows were first seen, or that has no rows. */
  readonly parts: (table: string, wanted: Wanted) => Effect.Effect<ReadonlyArray<Part>, WarehouseError>
  readonly eventDates: Effect.Effect<ReadonlyArray<Partition>, WarehouseError>
  /** Writes a whole table, or a part of it, as one Parquet file; returns the rows written. */
  readonly writeTable: (table: string, path: string, part?: Span) => Effect.Effect<number, WarehouseError>
  /** Writes the events of these dates into a new folder, as one Parquet file per date. */
  readonly writeEvents: (
    dates: ReadonlyArray<Partition>,
    folder: string
  ) => Effect.Effect<ReadonlyArray<EventFile>, WarehouseError>
  /** The head of the books, as `ledger verify` prints it; null if no entry is linked. */
  readonly head: Effect.Effect<string | null, WarehouseError>
  /** Passes the journal's lines (`JournalLines`) to `take` in chunks, each after the previous one was taken. */
  readonly readJournal: (take: TakeLines) => Effect.Effect<void, WarehouseError>
}

export interface Published {
  /** False if it was based on the previous copy. */
  readonly isWhole: boolean
}

export class Warehouse extends Context.Service<
  Warehouse,
  {
    /** Random, created with the file: distinguishes our own file from a foreign one. */
    readonly id: string
    /** Writing to one table for a while and then to another costs much less than alternating between many. */
    readonly prefersFewTables: boolean
    /** Doesn't complete while the file can't be opened; until then everything below fails. */
    readonly opened: Effect.Effect<void>
    readonly write: (batch: Batch) => Effect.Effect<void, WarehouseError>
    readonly watermark: Effect.Effect<number, WarehouseError>
    /** How far it holds the books; undefined if it shows the books themselves and nothing is copied. */
    readonly books: Effect.Effect<BooksWatermark | undefined, WarehouseError>
    /** A real write, on disk when it returns: proves that the warehouse works, not only that it is open. */
    readonly probe: Effect.Effect<void, WarehouseError>
    /** Grows by one with every write that analysts can see. */
    readonly version: Effect.Effect<number>
    /** An entity table as it is here. Dies if there is none. */
    readonly table: (name: string) => Effect.Effect<EntityTable, WarehouseError>
    /** Everything that analysts see, except the views that every warehouse has, as it is here. */
    readonly tables: Effect.Effect<EntityTables, WarehouseError>
    /**
     * Gives the tables the columns that the Store has learned (`LearnedColumns`) and they lack. A separate step:
     * nothing else is written or read meanwhile, and it is on disk when it returns. If it is interrupted, the next
     * start does it. In a shared database it joins the transaction in which they are learned; other workers notice with
     * their next write.
     */
    readonly evolve: Effect.Effect<void, WarehouseError | StoreError>
    readonly query: <A>(run: (db: Kysely<WarehouseTables>) => Promise<A>) => Effect.Effect<A, WarehouseError>
    readonly snapshot: Effect.Effect<Snapshot, WarehouseError, Scope.Scope>
    /**
     * Writes a consistent copy for analysts, which appears at `path` all at once. `isWhole`: from the warehouse alone,
     * because the existing file is damaged.
     */
    readonly publish: (
      path: string,
      options?: { readonly isWhole?: boolean }
    ) => Effect.Effect<Published, WarehouseError>
    readonly mirrors: Mirrors
    /** For the weekly check; none if the server checks its own. */
    readonly pieces: Effect.Effect<ReadonlyArray<Piece<WarehouseError>>, WarehouseError>
    /** Deletes all but the newest of the files that were set aside. For a warehouse that is live. */
    readonly keepNewest: Effect.Effect<void>
  }
>()("siteledger/Warehouse") {}
