/**
 * One batch of events, in one direction: read → the ledger's entries in the Store → one write of the warehouse (rows,
 * events, and what it lacks of the books) → settled in the Store. Where all of this is one database transaction, the
 * ledger comes last, because from there to the commit other workers wait for the books.
 *
 * The records that these events ask to look up are noted when the batch is settled. Every step is idempotent, so if the
 * process dies in between, the same events are applied once more and change nothing. An event that one engine can't
 * hold waits in quarantine on every engine, and blocks nothing after it.
 */
import { Clock, Effect } from "effect"
import type { Transaction } from "kysely"
import type { Change } from "../../Domain/Change.ts"
import { type Event, EventReader } from "../../Domain/Event.ts"
import * as Instant from "../../Domain/Instant.ts"
import { Copies } from "../../Ledger/Copies.ts"
import type { AppliedEvent } from "../../Ledger/EventFacts.ts"
import { Ledger } from "../../Ledger/Ledger.ts"
import { firstOf, type TakenBatch } from "../../Stores/Deliveries.ts"
import * as LookUps from "../../Stores/LookUps.ts"
import { listedNumbers } from "../../Stores/Sql.ts"
import { Store, type StoreError } from "../../Stores/Store.ts"
import type { StoreTables } from "../../Stores/StoreTables.ts"
import { type Batch, Warehouse, type WarehouseError } from "../../Stores/Warehouse.ts"
import { dueAt, heard, isRefused, read, type ReadEvent, refused, toRow } from "./Readings.ts"
import { withinMemory } from "./WithinMemory.ts"

/** Undefined for events that were taken before; these keep their place in the order. */
interface Turn {
  readonly took: TakenBatch
  /** Whether the ledger heard the event ahead of its turn. */
  readonly isHeard: (event: Event) => boolean
}

/** Returns the events that it wrote: as many of the first ones as fit into memory. */
export const apply = Effect.fnUntraced(function* (events: ReadonlyArray<Event>, turn: Turn | undefined) {
  const store = yield* Store
  const reader = yield* EventReader
  const nowMicros = (yield* Clock.currentTimeMillis) * 1000
  const readings = yield* withinMemory(events, (event) => read(event, reader, nowMicros))
  const batch = turn && firstOf(turn.took, readings.length)
  const hearing = Effect.suspend(() =>
    hear(readings.filter(({ event }) => turn?.isHeard(event) !== true).flatMap(heard))
  )
  if (!store.sharesDatabase) yield* hearing
  const written = yield* Effect.scoped(writeWithBooks(readings, batch?.watermark))
  const resources = yield* LookUps.LookedUp
  const settle = async (tx: Transaction<StoreTables>): Promise<void> => {
    await quarantine(tx, written)
    await LookUps.want(tx, toldOf(written, resources), Instant.fromMillis(nowMicros / 1000))
    if (batch === undefined) return
    // Only what was written: a delivery that came meanwhile stays in line.
    await store.deliveries.settle(
      tx,
      batch,
      written.map(({ event }) => event)
    )
  }
  // A batch that isn't settled is taken again; events that came from quarantine aren't.
  yield* store.transaction(settle, { isRepeatable: batch !== undefined })
  if (store.sharesDatabase) yield* hearing
  return written
})

/**
 * How many are heard in one transaction. Progress can be asked for only between transactions, and one of 2,000 events
 * takes up to 100 ms.
 */
const heardTogether = 500

export const hear = Effect.fnUntraced(function* (events: ReadonlyArray<AppliedEvent>) {
  const ledger = yield* Ledger
  for (let from = 0; from < events.length; from += heardTogether) {
    yield* ledger.hear(events.slice(from, from + heardTogether))
  }
})

/** A conflicting transaction rolled this one back. */
export const atOnce = { times: 5, while: ({ reason }: StoreError | WarehouseError) => reason === "Locked" }

type Tail = Pick<Batch, "watermark" | "ledger">

const writeWithBooks = Effect.fnUntraced(function* (readings: ReadonlyArray<ReadEvent>, watermark: number | undefined) {
  const { isWritten, ledger } = yield* (yield* Copies).lacking
  const written = yield* write(readings, {
    ...(watermark === undefined ? {} : { watermark }),
    ...(ledger === undefined ? {} : { ledger })
  })
  yield* isWritten
  return written
})

/** Writes all of them. If the engine refuses one, halves the batch until that event is found. */
const write = (
  readings: ReadonlyArray<ReadEvent>,
  tail: Tail
): Effect.Effect<ReadonlyArray<ReadEvent>, WarehouseError, Warehouse> =>
  Effect.gen(function* () {
    const warehouse = yield* Warehouse
    const changes = readings
      .map(({ reading }) => reading.change)
      .filter((change): change is Change => change !== undefined)
    const outcome = yield* Effect.result(warehouse.write({ changes, events: readings.map(toRow), ...tail }))
    if (outcome._tag === "Success") return readings
    if (outcome.failure.reason !== "Refused") return yield* outcome.failure
    const [only, ...others] = readings
    if (only === undefined || isRefused(only)) return yield* outcome.failure
    if (others.length === 0) return yield* write([refused(only)], tail)
    const middle = Math.ceil(readings.length / 2)
    const first = yield* write(readings.slice(0, middle), {})
    return [...first, ...(yield* write(readings.slice(middle), tail))]
  })

/** The records that these events mention. */
const toldOf = (readings: ReadonlyArray<ReadEvent>, resources: ReadonlySet<string>): ReadonlyArray<LookUps.Wanted> =>
  resources.size === 0
    ? []
    : readings.flatMap(({ reading: { change, reason } }) =>
        change !== undefined && reason === null && resources.has(change.entity)
          ? [{ resource: change.entity, id: change.id }]
          : []
      )

/** Adds events that can't be applied to the quarantine, and removes those that could. */
const quarantine = async (tx: Transaction<StoreTables>, readings: ReadonlyArray<ReadEvent>): Promise<void> => {
  const applied = readings.filter(({ reading }) => reading.reason === null).map(({ event }) => event.sequence)
  await tx.deleteFrom("quarantine").where("sequence", "in", listedNumbers(tx, applied)).execute()
  const quarantined = readings.flatMap(({ event, reading }) =>
    reading.reason === null
      ? []
      : [{ sequence: event.sequence, reason: reading.reason, event_type: reading.type, due_at: dueAt(reading) }]
  )
  if (quarantined.length === 0) return
  await tx
    .insertInto("quarantine")
    .values(quarantined)
    .onConflict((conflict) =>
      conflict.column("sequence").doUpdateSet((of) => ({
        reason: of.ref("excluded.reason"),
        event_type: of.ref("excluded.event_type"),
        due_at: of.ref("excluded.due_at")
      }))
    )
    .execute()
}
