/**
 * Apply over a real Store and a warehouse whose batches wait at a gate, with a log of what the ledger heard meanwhile.
 */
import { createHash } from "node:crypto"
import { Array as Arr, Effect, Latch, Layer, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { documented } from "../../../config/WireFiles.ts"
import { awaitedTypes, ledgerTypes } from "../../../connectors/construction/ConstructionEvents.ts"
import * as ConstructionReader from "../../../connectors/construction/ConstructionReader.ts"
import { EventReader } from "../../../src/Domain/Event.ts"
import * as Instant from "../../../src/Domain/Instant.ts"
import { Apply } from "../../../src/Intake/Apply.ts"
import { Inbox } from "../../../src/Intake/Inbox.ts"
import { Copies } from "../../../src/Ledger/Copies.ts"
import { Ledger } from "../../../src/Ledger/Ledger.ts"
import { Leadership } from "../../../src/Runtime/Leadership.ts"
import { Reasons } from "../../../src/Runtime/Reasons.ts"
import { Store, StoreError } from "../../../src/Stores/Store.ts"
import { Warehouse, noMirrors } from "../../../src/Stores/Warehouse.ts"
import type { Place } from "../../Stores/StoreEngines.ts"
import { until } from "../Uptime/World.ts"

export const now = "2026-11-20T02:00:00.000000Z"
const reading = {
  aliases: { paid_amount: ["amount"] },
  contentsAt: documented.delivery,
  trustTypeHeader: false,
  maximumBytes: 1 << 22
}

export const reader = Layer.succeed(
  EventReader,
  EventReader.of({
    ledgerTypes,
    awaitedTypes,
    read: (event, nowMicros) => ConstructionReader.read(reading, event, nowMicros)
  })
)

interface Sent {
  readonly id: string
  readonly type: string | null
  readonly body: string
}

const bodyOf = (type: string, ipc: string, fields: object, at: string) =>
  JSON.stringify({ event_type: type, event_timestamp: at, ipc_id: ipc, ...fields })

export const certified = (ipc: string): Sent => {
  const type = "ipc.certified"
  return { id: `c${ipc}`, type, body: bodyOf(type, ipc, { certified_amount: 100 }, now) }
}

export const paid = (ipc: string, { at = now, label = "ipc.paid" as string | null, more = {} } = {}): Sent => ({
  id: `p${ipc}`,
  type: label,
  body: bodyOf("ipc.paid", ipc, { payment_reference: `R${ipc}`, ...more }, at)
})

export const permit = (id: number): Sent => {
  const type = "permit.issued"
  const body = JSON.stringify({ event_type: type, event_timestamp: now, permit_id: id, validity: "2027" })
  return { id: `v${id}`, type, body }
}

export const permits = (count: number, from = 0) => Array.from({ length: count }, (_, id) => permit(from + id))

/** A server has one second for events that arrive together. */
const together = 4000

const deliveryOf = ({ body, id, type }: Sent) => ({
  body: Buffer.from(body),
  bodySha256: createHash("sha256").update(body).digest(),
  eventId: id,
  headerType: type,
  issuedAt: null,
  headers: [],
  secret: "f",
  receivedAt: now
})

/** By another process, which doesn't notify this one. */
export const storeElsewhere = (sent: Sent) =>
  Effect.flatMap(Store, ({ deliveries }) => Effect.promise(() => deliveries.receive([deliveryOf(sent)])))

export const offer = (...sent: ReadonlyArray<Sent>) =>
  Effect.flatMap(Inbox, (inbox) =>
    Effect.forEach(
      Arr.chunksOf(sent, together),
      (some) => Effect.promise(() => Promise.all(some.map((each) => inbox.offer(deliveryOf(each))))),
      { discard: true }
    )
  )

export interface World {
  /** Ids of IPCs' events that the ledger heard, and how many rows each batch wrote, as they happened. */
  readonly log: Array<string | number>
  /** Closed: batches wait before they are written. A batch then takes an hour. */
  readonly gate: Latch.Latch
  /** Open while a batch waits at the gate. */
  readonly atGate: Latch.Latch
  /** The gate is closed again after the next batch. */
  isForOne: boolean
  /** Hearing takes a little longer than a batch. */
  isSlowToHear?: boolean
  /** In one transaction of the ledger. */
  mostHeard?: number
}

const warehouse = (world: World) =>
  Layer.mock(Warehouse, {
    mirrors: noMirrors,
    id: "mocked",
    prefersFewTables: false,
    opened: Effect.void,
    write: ({ events }) =>
      Effect.gen(function* () {
        yield* world.atGate.open
        yield* world.gate.await
        if (world.isForOne) yield* world.gate.close
        yield* TestClock.adjust("1 hour")
        world.log.push(events.length)
      })
  })

export const noted = (world: World) =>
  Layer.mock(Ledger, {
    hear: (events) =>
      Effect.gen(function* () {
        const ids = events.filter(({ change }) => change.entity === "ipcs").map(({ eventId }) => eventId)
        if (world.isSlowToHear === true && ids.length > 0) yield* TestClock.adjust("70 minutes")
        world.log.push(...ids)
        world.mostHeard = Math.max(world.mostHeard ?? 0, events.length)
      })
  })

export const applying = (world: World, ledger: Layer.Layer<Ledger, StoreError, Store>) =>
  Apply.layer.pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        Inbox.layer,
        reader,
        ledger,
        Layer.mock(Copies, { lacking: Effect.succeed({ ledger: undefined, isWritten: Effect.void }) }),
        warehouse(world)
      )
    ),
    Layer.provideMerge(Reasons.layer)
  )

/** Over a new, empty Store, with a ledger that notes what it hears. */
export const inPlace = <E>(
  place: Effect.Effect<Place, unknown, Scope.Scope>,
  body: (world: World) => Effect.Effect<void, E, Inbox | Store>,
  around: (store: Place["layer"]) => Place["layer"] = (store) => store
) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Instant.toMicros(now) / 1000)
    const { layer } = yield* place
    const world = made()
    yield* Effect.provide(body(world), Layer.provideMerge(applying(world, noted(world)), around(layer)))
  }).pipe(Effect.scoped)

export const made = (): World => ({
  log: [],
  gate: Latch.makeUnsafe(true),
  atGate: Latch.makeUnsafe(false),
  isForOne: false
})

/** Waits until the log ends like this; the virtual clock runs meanwhile. */
export const logged = ({ log }: World, end: ReadonlyArray<string | number>) =>
  until(
    Effect.andThen(
      TestClock.adjust(10),
      Effect.sync(() => log.slice(-end.length).join() === end.join())
    )
  )

export const pending = Effect.flatMap(Inbox, ({ status }) => Effect.map(status, (all) => all.pending))

export const drained = until(
  Effect.andThen(
    TestClock.adjust(10),
    Effect.map(pending, (count) => count === 0)
  )
)

export const following = Layer.succeed(Leadership, {
  isLeading: Effect.succeed(false),
  leading: Latch.makeUnsafe(false),
  following: Latch.makeUnsafe(true)
})

export const isAtGate = ({ atGate }: World) =>
  Effect.raceFirst(atGate.await, until(Effect.as(TestClock.adjust(10), false)))

/**
 * While one batch is being written, others arrive. `heard`: the batch continues once the ledger has heard of this one.
 */
export const arriveMeanwhile = (world: World, sent: ReadonlyArray<Sent>, heard?: string) =>
  Effect.gen(function* () {
    yield* world.gate.close
    yield* offer(permit(-1))
    yield* isAtGate(world)
    yield* offer(...sent)
    if (heard !== undefined) yield* logged(world, [heard])
    yield* world.gate.open
  })

/** Without the batch that was being written meanwhile. */
export const after = ({ log }: World) => log.filter((_, place) => place !== log.indexOf(1))
