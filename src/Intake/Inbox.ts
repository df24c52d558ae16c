/**
 * The Inbox holds every verified delivery, in stored order, permanently.
 *
 * Guarantees: `offer` returns after the delivery is on disk, never before; a body is stored once, under however many ids
 * it arrives. Deliveries that arrive together share one commit, which starts as soon as the previous one has returned. If
 * the process dies before the commit, no 2xx was sent and the service delivers again.
 */
import { Clock, Context, Effect, Latch, Layer } from "effect"
import type { Selectable } from "kysely"
import { sql } from "kysely"
import { type Event, labelOnly } from "../Domain/Event.ts"
import * as Instant from "../Domain/Instant.ts"
import { type Delivery, Store, type StoreError } from "../Stores/Store.ts"
import { type TakenBatch, withinBytes } from "../Stores/Queue.ts"
import { listedNumbers } from "../Stores/Sql.ts"
import type { StoreTables } from "../Stores/StoreTables.ts"

export interface InboxStatus {
  readonly pending: number
  readonly quarantined: number
  /** Of these, events that are applied to rows and posted nothing, because only a label names their type. */
  readonly unposted: number
  readonly oldestPendingAgeMs: number
}

/** Deliveries younger than this are in progress, not a backlog. */
const backlogMs = 2_000

/** Only the newest deliveries are pending: under a steady stream the inbox is never empty for long. */
export const isDrained = ({
  pending,
  oldestPendingAgeMs
}: Pick<InboxStatus, "pending" | "oldestPendingAgeMs">): boolean => pending === 0 || oldestPendingAgeMs < backlogMs

export class Inbox extends Context.Service<
  Inbox,
  {
    /** A promise, because this is the receiver's hot path. Rejects if the Store could not keep the delivery. */
    readonly offer: (delivery: Delivery) => Promise<void>
    /** Open while there may be events to apply. */
    readonly arrived: Latch.Latch
    /** The next events to apply. If several workers share the Store, call it within `atomically` and settle there. */
    readonly take: (limit: number) => Effect.Effect<TakenBatch & { readonly events: ReadonlyArray<Event> }, StoreError>
    /** When the first event after a sequence was received. */
    readonly receivedAfter: (sequence: number) => Effect.Effect<Instant.Instant | null, StoreError>
    /** In quarantine, after a sequence. `dueBy`: only those that are read again by themselves by then. */
    readonly quarantined: (
      after: number,
      limit: number,
      dueBy?: Instant.Instant
    ) => Effect.Effect<ReadonlyArray<Event>, StoreError>
    /** Which of these events carry an id that an earlier, different body already used. */
    readonly reusedIds: (sequences: ReadonlyArray<number>) => Effect.Effect<ReadonlySet<number>, StoreError>
    readonly status: Effect.Effect<InboxStatus, StoreError>
    /** Also false while the Store doesn't answer. */
    readonly isDrained: Effect.Effect<boolean>
    readonly lastReceivedAt: Effect.Effect<string | null, StoreError>
  }
>()("siteledger/Inbox") {
  static readonly layer: Layer.Layer<Inbox, never, Store> = Layer.effect(
    Inbox,
    Effect.gen(function* () {
      const store = yield* Store
      const arrived = yield* Latch.make(true)
      return Inbox.of({
        offer: groupCommit(store, arrived),
        arrived,
        take: (limit) =>
          Effect.map(
            store.run((db) => store.queue.take(db, limit)),
            (took) => ({ ...took, events: took.taken.map(({ row }) => toEvent(row)) })
          ),
        receivedAfter: (sequence) =>
          Effect.map(
            store.run((db) =>
              db
                .selectFrom("inbox")
                .select("received_at")
                .where("sequence", ">", sequence)
                .orderBy("sequence")
                .limit(1)
                .executeTakeFirst()
            ),
            (row) => row?.received_at ?? null
          ),
        quarantined: (after, limit, dueBy) =>
          Effect.map(
            store.run((db) =>
              db
                .selectFrom("quarantine")
                .innerJoin("inbox", "inbox.sequence", "quarantine.sequence")
                .selectAll("inbox")
                .where("inbox.sequence", ">", after)
                .$if(dueBy !== undefined, (query) => query.where(isDue(dueBy ?? "")))
                .orderBy("inbox.sequence")
                .limit(limit)
                .execute()
            ),
            (rows) => withinBytes(rows).map(toEvent)
          ),
        reusedIds: (sequences) => reusedIds(store, sequences),
        status: status(store),
        isDrained: status(store).pipe(
          Effect.map(isDrained),
          Effect.orElseSucceed(() => false)
        ),
        lastReceivedAt: Effect.map(
          store.run((db) =>
            db.selectFrom("inbox").select("received_at").orderBy("sequence", "desc").limit(1).executeTakeFirst()
          ),
          (row) => row?.received_at ?? null
        )
      })
    })
  )
}

interface Waiting {
  readonly delivery: Delivery
  readonly resolve: () => void
  readonly reject: (cause: unknown) => void
}

const groupCommit = (store: Store["Service"], arrived: Latch.Latch) => {
  let waiting: Array<Waiting> = []
  let isFlushing = false
  const flush = async (): Promise<void> => {
    const batch = waiting
    waiting = []
    try {
      await store.receive(batch.map((each) => each.delivery))
      arrived.openUnsafe()
      for (const { resolve } of batch) resolve()
    } catch (cause) {
      for (const { reject } of batch) reject(cause)
    }
    isFlushing = waiting.length > 0
    if (isFlushing) setImmediate(flush)
  }
  return (delivery: Delivery): Promise<void> =>
    new Promise((resolve, reject) => {
      waiting.push({ delivery, resolve, reject })
      if (isFlushing) return
      isFlushing = true
      // After all requests of this turn of the event loop, so that they share the commit.
      setImmediate(flush)
    })
}

/** The index has the same condition. Version 0.1 noted no time. */
const isDue = (by: Instant.Instant) => sql<boolean>`
  quarantine.reason = 'event-time-ahead' and (quarantine.due_at is null or quarantine.due_at <= ${by})`

/** The first sequence of each id is recorded here, not by the receiver: an index on ids cost it a third of its speed. */
const reusedIds = (store: Store["Service"], sequences: ReadonlyArray<number>) =>
  Effect.map(
    store.transaction(async (tx) => {
      const these = sql`inbox e join ${listedNumbers(tx, sequences)} j on e.sequence = j.value`
      // Ordered by id, so that two workers never deadlock.
      await sql`
        insert into event_ids (event_id, sequence)
        select event_id, min(sequence) from ${these} where true group by event_id order by event_id
        on conflict (event_id) do nothing`.execute(tx)
      return sql<{ sequence: number }>`
        select e.sequence from ${these} join event_ids f on f.event_id = e.event_id
        where f.sequence <> e.sequence`.execute(tx)
    }),
    ({ rows }) => new Set(rows.map((row) => row.sequence))
  )

const status = (store: Store["Service"]) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    return yield* store.run(async (db) => {
      const { count, oldest } = await store.queue.waiting(db)
      const quarantined = await db
        .selectFrom("quarantine")
        .select((of) => [
          of.fn.countAll<number>().as("count"),
          of.fn.countAll<number>().filterWhere("reason", "=", labelOnly).as("unposted")
        ])
        .executeTakeFirstOrThrow()
      const oldestMs = oldest === null ? now : Instant.toMicros(oldest) / 1000
      return {
        pending: count,
        quarantined: Number(quarantined.count),
        unposted: Number(quarantined.unposted),
        oldestPendingAgeMs: Math.max(0, Math.round(now - oldestMs))
      }
    })
  })

const toEvent = (row: Selectable<StoreTables["inbox"]>): Event => ({
  sequence: row.sequence,
  bodySha256: Buffer.from(row.body_sha256).toString("hex"),
  body: row.body,
  eventId: row.event_id,
  headerType: row.header_type,
  otherTypes: JSON.parse(row.other_types ?? "[]") as ReadonlyArray<string>,
  issuedAt: row.issued_at,
  receivedAt: row.received_at,
  deliveries: row.deliveries,
  replayed: row.replayed !== 0
})
