/**
 * The Store is the system of record: inbox, walks and checkpoints, subscriptions, heartbeats, exports.
 *
 * When `transaction` and `deliveries.receive` return, their writes are on disk and survive a power cut, except for those of
 * a repeatable transaction. A crash rolls the open transaction back. In SQLite all callers share one writer, in call order;
 * in PostgreSQL a caller that needs an order asks for it (`Sql.oneAtATime`).
 */
import { Context, type Duration, type Effect, Schema } from "effect"
import { type Kysely, type RawBuilder, sql, type Transaction } from "kysely"
import type { PoolConfig } from "pg"
import type { Instant } from "../Domain/Instant.ts"
import type { Event } from "../Domain/Event.ts"
import type { Archive, Arrival, Chunk, Damage, Delivery, Host, Leaves } from "./Deliveries.ts"
import type { Peeked, TakenBack, TakenBatch, Waiting } from "./Deliveries.ts"
import type { Following } from "./Following.ts"
import type { Piece } from "./Piece.ts"
import type { StoreTables } from "./StoreTables.ts"

type WorkerRow = StoreTables["workers"]

/** The workers of one Store, as they know of each other. */
export interface Presence {
  /** Keeps the row until it is replaced, withdrawn or older than `forgottenBefore`. */
  readonly say: (row: WorkerRow, forgottenBefore: Instant) => Effect.Effect<void, StoreError>
  readonly withdraw: (id: string) => Effect.Effect<void, StoreError>
  /** Longest-running first. */
  readonly all: Effect.Effect<ReadonlyArray<WorkerRow>, StoreError>
}

export class StoreError extends Schema.TaggedError<StoreError>()("StoreError", {
  /**
   * Locked: a conflicting transaction rolled this one back. Refused: the engine can't hold the data. Fatal: the file is
   * damaged, and is rebuilt when it is reopened.
   */
  reason: Schema.Literals(["Full", "Fatal", "Locked", "Foreign", "Refused", "Unusable", "Failed"]),
  message: Schema.String,
  cause: Schema.optional(Schema.Defect())
}) {}

/** Steps, each of which may be repeated. */
export interface Archiving {
  /** Writes the next archive, complete, into a file; undefined if nothing is old enough. */
  readonly make: (leaves: Leaves) => Effect.Effect<Archive | undefined, StoreError>
  /** Copies its file unchanged. */
  readonly copy: (archive: Archive, target: string) => Effect.Effect<void, StoreError>
  /** Fails unless this copy (by default its own file) has exactly the deliveries that the Store has. */
  readonly compare: (archive: Archive, copy?: string) => Effect.Effect<void, StoreError>
  /** Call it once both copies were compared. Returns the document that seals it. */
  readonly seal: (archive: Archive) => Effect.Effect<string, StoreError>
  /** Its deliveries leave the Store, except those on which the books rest and those in quarantine. */
  readonly leave: (archive: Archive) => Effect.Effect<void, StoreError>
  /** The same for the newest archive, if a crash left that undone. */
  readonly finish: Effect.Effect<void, StoreError>
  /** The archives that hold deliveries that have left, oldest first. */
  readonly names: Effect.Effect<ReadonlyArray<string>, StoreError>
  /** One of them by its sealed document, which is restored from elsewhere if it is damaged. The file isn't read. */
  readonly own: (name: string) => Effect.Effect<{ readonly archive: Archive; readonly document: string }, StoreError>
}

/**
 * The deliveries that a Store holds, and which of them are still to be applied. How they are stored is internal to the
 * engine: no other module reads its files or tables.
 *
 * Guarantees: a delivery is on disk when `receive` returns, and a body is stored once. Every stored event is handed out
 * in stored order until it is settled, and again if it is redelivered. Workers that share a Store never hold the same
 * event; those of a dead worker become free when its connection ends.
 */
export interface Deliveries {
  /**
   * Stores verified deliveries and returns how many bodies were new; a known body is only counted. If it fails, some of
   * them may be stored. For deliveries that the receiver's thread doesn't store itself.
   */
  readonly receive: (batch: ReadonlyArray<Delivery>) => Promise<number>
  /** Runs the guest that receives deliveries in the thread that stores them. */
  readonly host: Host
  /** The next events to apply. If several workers share the Store, call it within `atomically` and settle there. */
  readonly take: (limit: number) => Effect.Effect<TakenBatch, StoreError>
  /**
   * What waits after a sequence, without taking it: events whose header names one of these types, or none. `after`:
   * undefined for all events that wait and were never handed out. An event may be missed if it was numbered before
   * another but stored later. So a missing event proves nothing, and an event's id may have been used before.
   */
  readonly peek: (types: ReadonlyArray<string>, after: number | undefined) => Effect.Effect<Peeked, StoreError>
  /** `applied`: events with the number of deliveries known when they were applied. */
  readonly settle: (
    tx: Transaction<StoreTables>,
    took: TakenBatch,
    applied: ReadonlyArray<Pick<Event, "deliveries" | "sequence">>
  ) => Promise<void>
  /** How many events are still to be applied; an estimate if there are thousands. */
  readonly waiting: Effect.Effect<Waiting, StoreError>
  /** Whether any wait: cheaper than beginning a transaction in which none would be taken. */
  readonly isWaiting: Effect.Effect<boolean, StoreError>
  /** Hands out all events again. */
  readonly restart: (tx: Transaction<StoreTables>) => Promise<void>
  /** The first of these events, in stored order: as many as fit into a batch. */
  readonly read: (sequences: ReadonlyArray<number>) => Effect.Effect<ReadonlyArray<Event>, StoreError>
  /** Names and values of the headers of an event's first delivery; none if it isn't there, or version 0.1 stored it. */
  readonly headers: (sequence: number) => Effect.Effect<ReadonlyArray<string>, StoreError>
  /** All events after a sequence, whether they wait or not, for callers that read them from the first one on. */
  readonly stored: (after: number) => Effect.Effect<Peeked, StoreError>
  /** Every event up to this sequence is settled. */
  readonly settledThrough: Effect.Effect<number, StoreError>
  /** When the first event after a sequence was received. */
  readonly receivedAfter: (sequence: number) => Effect.Effect<Instant | null, StoreError>
  /** The first deliveries of the newest events, as many as are available, newest first. */
  readonly newest: Effect.Effect<ReadonlyArray<Arrival>, StoreError>
  /** For a copy of all deliveries elsewhere; undefined if the engine has its own means of copying them. */
  readonly copying:
    | {
        /** Random: another inbox has a different id. */
        readonly id: Effect.Effect<string, StoreError>
        /** What comes after a number; undefined if nothing does. */
        readonly after: (number: number) => Effect.Effect<Chunk | undefined, StoreError>
        /** Restores what is lost, and what comes after the last number. */
        readonly takeBack: (chunk: Chunk) => Effect.Effect<TakenBack, StoreError>
      }
    | undefined
  /** For deliveries that leave for archives; undefined if the engine keeps them all. */
  readonly archiving: Archiving | undefined
  /** How many deliveries are in archives. */
  readonly archived: Effect.Effect<number, StoreError>
  /** What the disk did to its files. */
  readonly damage: Effect.Effect<Damage, StoreError>
  /** The greatest sequence; 0 if there is none. */
  readonly last: Effect.Effect<number, StoreError>
}

export interface TransactionOptions {
  /** A power cut may undo it, but no crash of the process; then the same work is done again. Saves SQLite an fsync. */
  readonly isRepeatable?: boolean
}

export type Followed = Following<StoreError>

/** Where it is, as plain data, for another thread that reads it. */
export type ReadAt = {
  /** How many of a worker's connections are for such readers; undefined if reading takes only a core. */
  readonly readers: number | undefined
} & (
  | { readonly engine: "sqlite"; readonly path: string }
  | { readonly engine: "postgres"; readonly config: PoolConfig; readonly name: string }
)

/**
 * Whether what an effect runs (`run`) only reads, and may miss uncommitted writes. Then it doesn't wait for an open
 * transaction, even if the Store has one writer for all.
 */
export const Looking = Context.Reference<boolean>("siteledger/Stores/Looking", { defaultValue: () => false })

/** What reading needs of a Store. */
export type Reader = Pick<Store["Service"], "run" | "transaction">

/** Small tables that other workers write to. */
export type Shared = "subscriptions" | "walks" | "webhook_secrets"

export class Store extends Context.Service<
  Store,
  {
    readonly engine: "sqlite" | "postgres"
    /**
     * If Store and Warehouse share a database, all writes within are one transaction. If not, each write is its own
     * transaction, and their order must keep a crash in between harmless.
     */
    readonly atomically: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StoreError, R>
    /** Whether they share a database. */
    readonly sharesDatabase: boolean
    /**
     * Runs the effect once others can see what was written: at once, or after the surrounding `atomically` has
     * committed; never if that fails.
     */
    readonly afterCommit: (effect: Effect.Effect<void>) => Effect.Effect<void>
    /**
     * How often to look for what other workers have written; infinite if this process is the only writer.
     */
    readonly pollEvery: Duration.Duration
    /**
     * For one value that is polled, always with the same query: the looks of one moment cost little more than a single
     * one.
     */
    readonly look: <A>(value: RawBuilder<A>) => Effect.Effect<A, StoreError>
    /** Changes once another worker may have written to the table. */
    readonly stamp: (table: Shared) => Effect.Effect<string, StoreError>
    /**
     * Succeeds if a new key may replace a lost one. A single worker may do so; one of several would create a subscription
     * that the others can't verify, so it fails and says what to do.
     */
    readonly lostKey: Effect.Effect<void, StoreError>
    /** How many erasures this worker knows. From then on, no new connection is opened for a worker that lacks some. */
    readonly knows: (erasures: number) => Effect.Effect<void>
    /** The workers that share this Store; always empty for an engine with a single worker. */
    readonly workers: Presence
    readonly deliveries: Deliveries
    readonly run: <A>(query: (db: Kysely<StoreTables>) => Promise<A>) => Effect.Effect<A, StoreError>
    readonly transaction: <A>(
      body: (tx: Transaction<StoreTables>) => Promise<A>,
      options?: TransactionOptions
    ) => Effect.Effect<A, StoreError>
    /** See `Reading`; undefined if only this thread can read. */
    readonly readAt: ReadAt | undefined
    /** For the weekly check; none if the server checks its own. */
    readonly pieces: Effect.Effect<ReadonlyArray<Piece<StoreError>>, StoreError>
    /** Copies the whole Store to `path` while it is in use; fails if a file is there and `isReplacing` is false. */
    readonly backup: (path: string, isReplacing: boolean) => Effect.Effect<void, StoreError>
    /** For an off-machine backup; undefined if the engine's own tools make one, or nothing is logged. */
    readonly following: Followed | undefined
  }
>()("siteledger/Store") {}

/** A look that isn't shared. */
export const lookOf =
  <E>(run: <A>(query: (db: Kysely<StoreTables>) => Promise<A>) => Effect.Effect<A, E>) =>
  <A>(value: RawBuilder<A>): Effect.Effect<A, E> =>
    run(async (db) => (await sql<{ value: A }>`select (${value}) as value`.execute(db)).rows[0]!.value)

export const readMeta = (db: Kysely<StoreTables>, key: string): Promise<string | undefined> =>
  db
    .selectFrom("meta")
    .select("value")
    .where("key", "=", key)
    .executeTakeFirst()
    .then((row) => row?.value)

export const writeMeta = (db: Kysely<StoreTables>, key: string, value: string): Promise<unknown> =>
  db
    .insertInto("meta")
    .values({ key, value })
    // A start that changes nothing needs no disk space.
    .onConflict((conflict) => conflict.column("key").doUpdateSet({ value }).where("meta.value", "<>", value))
    .execute()
