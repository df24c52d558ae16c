/**
 * The Inbox holds every verified delivery, in stored order, permanently.
 *
 * Guarantees: a delivery is on disk before it is acknowledged; a body is stored once, no matter how many ids it arrives
 * under. The receiver is a guest in the thread that stores deliveries. If the process dies before a delivery is on
 * disk, no 2xx was sent and the service delivers it again.
 */
import { Clock, Context, Effect, Latch, Layer } from "effect"
import { sql } from "kysely"
import { type Event, labelOnly } from "../Domain/Event.ts"
import * as Instant from "../Domain/Instant.ts"
import type { Delivery, Host } from "../Stores/Deliveries.ts"
import { type Deliveries, Store, type StoreError } from "../Stores/Store.ts"
import * as Damage from "./Damage.ts"
import { Groups } from "./Receiver/Groups.ts"

export interface InboxStatus {
  readonly pending: number
  readonly quarantined: number
  /** Events among these that were applied to rows but posted nothing, because only a label names their type. */
  readonly unposted: number
  readonly oldestPendingAgeMs: number
  /** Deliveries in archives, which every reader treats like the inbox. */
  readonly archived: number
}

/** Which part of the quarantine; by default all of it. */
export interface Which {
  /** Only those that are read again automatically by then. */
  readonly dueBy?: Instant.Instant
  /** Only these sequences; at least one. */
  readonly among?: ReadonlyArray<number>
}

/** Deliveries younger than this are in progress, not a backlog. */
const backlogMs = 2_000

/** Whether only the newest deliveries are pending: under a steady stream the inbox is never empty for long. */
export const isDrained = ({
  pending,
  oldestPendingAgeMs
}: Pick<InboxStatus, "pending" | "oldestPendingAgeMs">): boolean => pending === 0 || oldestPendingAgeMs < backlogMs

export class Inbox extends Context.Service<
  Inbox,
  {
    /** Where the receiver stores deliveries; it opens `arrived`. */
    readonly host: Host
    /** Stores a delivery that didn't come over HTTP, in a group with others that are offered at the same time. */
    readonly offer: (delivery: Delivery) => Promise<void>
    /** Open while there may be events to apply. */
    readonly arrived: Latch.Latch
    /** The next events to apply. If several workers share the Store, call it within `atomically` and settle there. */
    readonly take: Deliveries["take"]
    /** When the first event after a sequence was received. */
    readonly receivedAfter: Deliveries["receivedAfter"]
    /** Deliveries in quarantine after a sequence. */
    readonly quarantined: (
      after: number,
      limit: number,
      which: Which
    ) => Effect.Effect<ReadonlyArray<Event>, StoreError>
    readonly status: Effect.Effect<InboxStatus, StoreError>
    /** Also false while the Store doesn't answer. */
    readonly isDrained: Effect.Effect<boolean>
    readonly lastReceivedAt: Effect.Effect<string | null, StoreError>
  }
>()("siteledger/Inbox") {
  static readonly layer: Layer.Layer<Inbox, StoreError, Store> = Layer.effect(
    Inbox,
    Effect.gen(function* () {
      const store = yield* Store
      const arrived = yield* Latch.make(true)
      // Damage is reported before anything is received.
      yield* Damage.tell
      yield* Effect.forkScoped(Damage.tellAlways)
      const groups = new Groups<Delivery>(receiving(store, arrived))
      return Inbox.of({
        host: store.deliveries.host,
        offer: (delivery) =>
          new Promise((stored, failed) => groups.offer({ delivery, body: delivery.body, stored, failed })),
        arrived,
        take: store.deliveries.take,
        receivedAfter: store.deliveries.receivedAfter,
        quarantined: (after, limit, which) => quarantined(store, after, limit, which),
        status: status(store),
        isDrained: status(store).pipe(
          Effect.map(isDrained),
          Effect.orElseSucceed(() => false)
        ),
        lastReceivedAt: Effect.map(store.deliveries.newest, ([newest]) => newest?.receivedAt ?? null)
      })
    })
  )
}

const receiving =
  (store: Store["Service"], arrived: Latch.Latch) =>
  async (batch: ReadonlyArray<Delivery>): Promise<void> => {
    await store.deliveries.receive(batch)
    arrived.openUnsafe()
  }

/** The index has the same condition. Version 0.1 recorded no time. */
const isDue = (by: Instant.Instant) => sql<boolean>`
  quarantine.reason = 'event-time-ahead' and (quarantine.due_at is null or quarantine.due_at <= ${by})`

const quarantined = Effect.fnUntraced(function* (
  store: Store["Service"],
  after: number,
  limit: number,
  { among, dueBy }: Which
) {
  for (let from = after; ;) {
    const rows = yield* store.run((db) =>
      db
        .selectFrom("quarantine")
        .select("sequence")
        .where("sequence", ">", from)
        .$if(dueBy !== undefined, (query) => query.where(isDue(dueBy ?? "")))
        .$if(among !== undefined, (query) => query.where("sequence", "in", [...(among ?? [])]))
        .orderBy("sequence")
        .limit(limit)
        .execute()
    )
    const events = yield* store.deliveries.read(rows.map(({ sequence }) => sequence))
    // All of these may be lost.
    if (rows.length === 0 || events.length > 0) return events
    from = rows.at(-1)!.sequence
  }
})

const status = (store: Store["Service"]) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const { count, oldest } = yield* store.deliveries.waiting
    const quarantined = yield* store.run((db) =>
      db
        .selectFrom("quarantine")
        .select((of) => [
          of.fn.countAll<number>().as("count"),
          of.fn.countAll<number>().filterWhere("reason", "=", labelOnly).as("unposted")
        ])
        .executeTakeFirstOrThrow()
    )
    const oldestMs = oldest === null ? now : Instant.toMicros(oldest) / 1000
    return {
      pending: count,
      quarantined: Number(quarantined.count),
      unposted: Number(quarantined.unposted),
      oldestPendingAgeMs: Math.max(0, Math.round(now - oldestMs)),
      archived: yield* store.deliveries.archived
    }
  })
