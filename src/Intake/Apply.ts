/**
 * Apply drains the Inbox into the warehouse, in stored order, in batches.
 *
 * Order of a batch: the ledger's entries in the Store, then warehouse rows, then one Store transaction
 * {applied-through sequence, quarantine}. All of it is idempotent, so dying in between applies the same events once
 * more and changes nothing. An event that
 * can't be read or stored waits in quarantine and blocks nothing after it.
 */
import { Clock, Context, Effect, Layer, Option, Schedule } from "effect"
import type { Transaction } from "kysely"
import { Counts } from "./Apply/Counts.ts"
import { isStorable } from "./Apply/Storable.ts"
import type { Change } from "../Domain/Change.ts"
import { type Alarm, type Event, EventReader, type Reading } from "../Domain/Event.ts"
import { Inbox } from "./Inbox.ts"
import { Ledger } from "../Ledger/Ledger.ts"
import type { Heard } from "../Ledger/Said.ts"
import { Reasons } from "../Runtime/Reasons.ts"
import { Restart } from "../Runtime/Restart.ts"
import { Store, type StoreError } from "../Stores/Store.ts"
import type { Took } from "../Stores/Queue.ts"
import { listedNumbers } from "../Stores/Sql.ts"
import type { StoreTables } from "../Stores/StoreTables.ts"
import { supervised } from "../Runtime/Supervisor.ts"
import { type Batch, Warehouse, type WarehouseError } from "../Stores/Warehouse.ts"
import type { EventRow } from "../Stores/WarehouseTables.ts"

export interface Replayed {
  readonly read: number
  readonly applied: number
}

type Tail = Pick<Batch, "through" | "ledger">

export class Apply extends Context.Service<
  Apply,
  {
    /** Reads the quarantine again with today's configuration and applies what has become readable. */
    readonly replay: Effect.Effect<Replayed, StoreError | WarehouseError>
    /** Applied since the start, alarms since the start, values that didn't fit their column. */
    readonly counts: Effect.Effect<Readonly<Record<string, number>>>
  }
>()("siteledger/Apply") {
  static readonly layer: Layer.Layer<Apply, StoreError, EventReader | Inbox | Ledger | Store | Warehouse | Reasons> =
    Layer.effect(
      Apply,
      Effect.suspend(() => make)
    )
}

const batchEvents = 2000

/** An event with what it says, ready to be written. */
interface Read {
  readonly event: Event
  readonly reading: Omit<Reading, "reason"> & { readonly reason: string | null }
  readonly alarms: ReadonlyArray<Alarm>
}

const make = Effect.gen(function* () {
  const inbox = yield* Inbox
  const store = yield* Store
  const counts = new Counts()

  /** One batch; false when there was nothing to do. */
  const step = Effect.gen(function* () {
    const { took, written } = yield* store.atomically(
      Effect.gen(function* () {
        const took = yield* inbox.take(batchEvents)
        return { took, written: took.events.length === 0 ? [] : yield* process(took.events, took) }
      })
    )
    // Counted once it is kept.
    const fresh = new Set(took.taken.filter(({ isFresh }) => isFresh).map(({ row }) => row.sequence))
    counts.add(written, ({ sequence }) => fresh.has(sequence))
    return took.events.length > 0
  })

  const drain = Effect.gen(function* () {
    // What another worker took in, and perhaps died over, tells nobody here.
    yield* Effect.raceFirst(inbox.arrived.await, Effect.sleep(store.pollEvery))
    // Closed before looking: whatever arrives from here on opens it again.
    yield* inbox.arrived.close
    while (yield* Effect.retry(step, { times: 5, while: ({ reason }) => reason === "Locked" })) yield* Effect.yieldNow
  })
  yield* Effect.forkScoped(supervised("applying events", patiently(drain, inbox)))

  return Apply.of({
    replay: replay(counts).pipe(
      Effect.provideContext(yield* Effect.context<EventReader | Inbox | Ledger | Store | Warehouse>())
    ),
    counts: Effect.sync(() => counts.all)
  })
})

/** Apply is the owner of these retries: until the stores answer again, with growing pauses. */
const patiently = <R>(turn: Effect.Effect<void, StoreError | WarehouseError, R>, inbox: Inbox["Service"]) =>
  Effect.gen(function* () {
    const reasons = yield* Reasons
    const noticed = Effect.tapError(turn, (error) =>
      Effect.gen(function* () {
        yield* inbox.arrived.open
        yield* reasons.set("apply", `Events can't be applied for now: ${error.message}`)
        if (error.reason === "Fatal") yield* openAgain
      })
    )
    const pauses = Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("10 seconds")])
    yield* Effect.orDie(Effect.retry(noticed, pauses))
    yield* reasons.clear("apply")
  })

/** An engine that has given up works again once its file has been closed and opened. */
const openAgain = Effect.flatMap(
  Effect.serviceOption(Restart),
  Option.match({ onNone: () => Effect.void, onSome: (restart) => restart.request })
)

const replay = Effect.fnUntraced(function* (counts: Counts) {
  const inbox = yield* Inbox
  const store = yield* Store
  let after = 0
  let read = 0
  let applied = 0
  while (true) {
    const events = yield* inbox.quarantined(after, batchEvents)
    if (events.length === 0) return { read, applied }
    const done = yield* store.atomically(process(events, undefined))
    counts.add(done)
    read += done.length
    applied += done.filter(({ reading }) => reading.reason === null).length
    after = events.at(-1)?.sequence ?? after
  }
})

/** Reads, writes and settles events. */
const process = Effect.fnUntraced(function* (events: ReadonlyArray<Event>, took: Took | undefined) {
  const store = yield* Store
  const inbox = yield* Inbox
  const reader = yield* EventReader
  const nowMicros = (yield* Clock.currentTimeMillis) * 1000
  const reused = yield* inbox.reusedIds(events.map((event) => event.sequence))
  const reads = events.map((event): Read => {
    const reading = reader.read(event, nowMicros)
    const read = { event, reading, alarms: alarmsOf(event, reading, reused) }
    return isStorable(store.engine, reading.change) ? read : refused(read)
  })
  const ledger = yield* Ledger
  yield* ledger.hear(reads.flatMap(heard))
  const written = yield* ledger.withCopy((copy) =>
    write(reads, {
      ...(took?.through === undefined ? {} : { through: took.through }),
      ...(copy === undefined ? {} : { ledger: copy })
    })
  )
  yield* store.transaction(async (tx) => {
    await settle(tx, written)
    if (took === undefined) return
    // Only what was written: a delivery that came meanwhile keeps its place.
    await store.queue.settle(
      tx,
      took,
      written.map(({ event }) => event)
    )
  })
  return written
})

const alarmsOf = (event: Event, reading: Reading, reused: ReadonlySet<number>): ReadonlyArray<Alarm> => [
  ...(reused.has(event.sequence) ? (["id-reused"] as const) : []),
  ...(event.replayed ? (["replayed"] as const) : []),
  ...(reading.relabelled ? (["relabelled"] as const) : [])
]

const heard = ({ event, reading }: Read): ReadonlyArray<Heard> =>
  reading.reason !== null || reading.change === undefined || reading.eventTimestamp === null
    ? []
    : [{ eventId: event.eventId, at: reading.eventTimestamp, receivedAt: event.receivedAt, change: reading.change }]

/** Writes all, or halves the batch until the one event is found that the engine refuses. */
const write = (reads: ReadonlyArray<Read>, tail: Tail): Effect.Effect<ReadonlyArray<Read>, WarehouseError, Warehouse> =>
  Effect.gen(function* () {
    const warehouse = yield* Warehouse
    const changes = reads
      .map(({ reading }) => reading.change)
      .filter((change): change is Change => change !== undefined)
    const outcome = yield* Effect.result(warehouse.write({ changes, events: reads.map(toRow), ...tail }))
    if (outcome._tag === "Success") return reads
    if (outcome.failure.reason !== "Refused") return yield* outcome.failure
    const [only, ...others] = reads
    if (only === undefined || only.reading.reason === notStorable) return yield* outcome.failure
    if (others.length === 0) return yield* write([refused(only)], tail)
    const middle = Math.ceil(reads.length / 2)
    const first = yield* write(reads.slice(0, middle), {})
    return [...first, ...(yield* write(reads.slice(middle), tail))]
  })

const notStorable = "not-storable"

const refused = ({ event, reading, alarms }: Read): Read => ({
  event,
  reading: { ...reading, entity: null, entityId: null, reason: notStorable, change: undefined },
  alarms
})

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** The whole body as text; null where text can't hold it (the Store has the bytes). */
const payload = ({ event, reading }: Read): string | null => {
  if (reading.reason === notStorable) return null
  try {
    return decoder.decode(event.body)
  } catch {
    return null
  }
}

const toRow = (read: Read): EventRow => ({
  body_sha256: read.event.bodySha256,
  sequence: String(read.event.sequence),
  event_id: read.event.eventId,
  event_type: read.reading.type,
  event_timestamp: read.reading.eventTimestamp,
  entity: read.reading.entity,
  entity_id: read.reading.entityId,
  payload: payload(read),
  issued_at: read.event.issuedAt,
  received_at: read.event.receivedAt,
  deliveries: String(read.event.deliveries),
  outcome: read.reading.reason === null ? "applied" : "quarantined",
  reason: read.reading.reason,
  alarms: JSON.stringify(read.alarms)
})

const settle = async (tx: Transaction<StoreTables>, reads: ReadonlyArray<Read>): Promise<void> => {
  const applied = reads.filter(({ reading }) => reading.reason === null).map(({ event }) => event.sequence)
  await tx.deleteFrom("quarantine").where("sequence", "in", listedNumbers(tx, applied)).execute()
  const quarantined = reads.flatMap(({ event, reading }) =>
    reading.reason === null ? [] : [{ sequence: event.sequence, reason: reading.reason }]
  )
  if (quarantined.length === 0) return
  await tx
    .insertInto("quarantine")
    .values(quarantined)
    .onConflict((conflict) => conflict.column("sequence").doUpdateSet((of) => ({ reason: of.ref("excluded.reason") })))
    .execute()
}
