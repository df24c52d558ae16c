/**
 * The Store is the system of record: inbox, walks and checkpoints, subscriptions, heartbeats, exports.
 *
 * What `transaction` and `receive` return from is on disk: a power cut loses none of it. Dying in the middle rolls the
 * open transaction back. In SQLite all callers share one writer, in the order of their calls; in PostgreSQL those who
 * need an order ask for it (`Store/Sql.oneAtATime`).
 */
import { Context, type Duration, type Effect, Schema } from "effect"
import type { Kysely, Transaction } from "kysely"
import type { Instant } from "../Domain/Instant.ts"
import type { Queue } from "./Queue.ts"
import type { StoreTables } from "./StoreTables.ts"

/** A verified delivery as it came in. */
export interface Delivery {
  readonly body: Uint8Array
  readonly bodySha256: Uint8Array
  readonly eventId: string
  readonly headerType: string | null
  readonly issuedAt: Instant | null
  readonly receivedAt: Instant
}

type WorkerRow = StoreTables["workers"]

/** What workers on one Store know of each other. */
export interface Presence {
  /** Keeps the row until it is replaced, withdrawn, or older than `forgottenBefore`. */
  readonly say: (row: WorkerRow, forgottenBefore: Instant) => Effect.Effect<void, StoreError>
  readonly withdraw: (id: string) => Effect.Effect<void, StoreError>
  /** The longest-running first. */
  readonly all: Effect.Effect<ReadonlyArray<WorkerRow>, StoreError>
}

export class StoreError extends Schema.TaggedError<StoreError>()("StoreError", {
  /** Locked: another transaction was in the way; this one was rolled back. Refused: the engine can't hold the data. */
  reason: Schema.Literals(["Full", "Locked", "Foreign", "Refused", "Unusable", "Failed"]),
  message: Schema.String,
  cause: Schema.optional(Schema.Defect())
}) {}

export class Store extends Context.Service<
  Store,
  {
    readonly engine: "sqlite" | "postgres"
    /**
     * Where Store and Warehouse are one database, all that is written within is one transaction. Where they are two,
     * each write is one of its own, and their order has to make up for it.
     */
    readonly atomically: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StoreError, R>
    /**
     * How long to wait before looking again for what another worker may have written here; infinite where this process
     * is the only writer.
     */
    readonly pollEvery: Duration.Duration
    /**
     * Whether a new key may take the place of one that is lost, and what was sealed with it: a worker that is alone may
     * do so; one of several would make a subscription that the others can't verify, and fails with what to do.
     */
    readonly lostKey: Effect.Effect<void, StoreError>
    /** The workers that share this Store; where one is alone by construction, none is kept. */
    readonly workers: Presence
    /** What of the Inbox is still to be applied. */
    readonly queue: Queue
    readonly run: <A>(query: (db: Kysely<StoreTables>) => Promise<A>) => Effect.Effect<A, StoreError>
    readonly transaction: <A>(body: (tx: Transaction<StoreTables>) => Promise<A>) => Effect.Effect<A, StoreError>
    /**
     * Stores verified deliveries; when it fails, some of them may be stored. A body that is known is counted, nothing more.
     * Returns how many bodies were new. A promise, as it is the receiver's hot path.
     */
    readonly receive: (batch: ReadonlyArray<Delivery>) => Promise<number>
    /** A copy of the whole Store at `path`, taken while it is in use; fails where something is, unless that is replaced. */
    readonly backup: (path: string, isReplacing: boolean) => Effect.Effect<void, StoreError>
  }
>()("siteledger/Store") {}

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
    .onConflict((conflict) => conflict.column("key").doUpdateSet({ value }))
    .execute()
