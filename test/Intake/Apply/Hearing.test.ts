/** The ledger hears of payments before the rows of what arrived before them are written, once, and in stored order. */
import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Latch, Layer } from "effect"
import { TestClock } from "effect/testing"
import { documented } from "../../../config/WireFiles.ts"
import { ledgerTypes } from "../../../connectors/construction/ConstructionEvents.ts"
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
import { contractor } from "../../Ledger/Contractor.ts"
import { engines } from "../../Stores/StoreEngines.ts"
import { until } from "../Uptime/World.ts"

const now = "2026-11-20T02:00:00.000000Z"
const reading = { aliases: {}, contentsAt: documented.delivery, trustTypeHeader: false, maximumBytes: 1 << 22 }

const reader = Layer.succeed(
  EventReader,
  EventReader.of({ ledgerTypes, read: (event, nowMicros) => ConstructionReader.read(reading, event, nowMicros) })
)

interface Sent {
  readonly id: string
  readonly type: string | null
  readonly body: string
}

const bodyOf = (type: string, ipc: string, fields: object, at: string) =>
  JSON.stringify({ event_type: type, event_timestamp: at, ipc_id: ipc, ...fields })

const certified = (ipc: string): Sent => {
  const type = "ipc.certified"
  return { id: `c${ipc}`, type, body: bodyOf(type, ipc, { certified_amount: 100 }, now) }
}

const paid = (ipc: string, { at = now, label = "ipc.paid" as string | null, more = {} } = {}): Sent => ({
  id: `p${ipc}`,
  type: label,
  body: bodyOf("ipc.paid", ipc, { payment_reference: `R${ipc}`, ...more }, at)
})

const permit = (id: number): Sent => {
  const type = "permit.issued"
  const body = JSON.stringify({ event_type: type, event_timestamp: now, permit_id: id, validity: "2027" })
  return { id: `v${id}`, type, body }
}

const permits = (count: number) => Array.from({ length: count }, (_, id) => permit(id))

const offer = (...sent: ReadonlyArray<Sent>) =>
  Effect.flatMap(Inbox, (inbox) =>
    Effect.promise(() =>
      Promise.all(
        sent.map(({ body, id, type }) =>
          inbox.offer({
            body: Buffer.from(body),
            bodySha256: createHash("sha256").update(body).digest(),
            eventId: id,
            headerType: type,
            issuedAt: null,
            headers: [],
            secret: "f",
            receivedAt: now
          })
        )
      )
    )
  )

interface World {
  /** Ids of IPCs' events that the ledger heard, and how many rows each batch wrote, as they happened. */
  readonly log: Array<string | number>
  /** Closed: batches wait before they are written. A batch then takes ten seconds. */
  readonly gate: Latch.Latch
  /** A batch waits at the gate. */
  readonly atGate: Latch.Latch
  /** The gate is closed again after the next batch. */
  isForOne: boolean
}

const warehouse = (world: World) =>
  Layer.mock(Warehouse, {
    mirrors: noMirrors,
    id: "mocked",
    opened: Effect.void,
    write: ({ events }) =>
      Effect.gen(function* () {
        yield* world.atGate.open
        yield* world.gate.await
        if (world.isForOne) yield* world.gate.close
        yield* TestClock.adjust("10 seconds")
        world.log.push(events.length)
      })
  })

const noted = ({ log }: World) =>
  Layer.mock(Ledger, {
    hear: (events) =>
      Effect.sync(() => {
        log.push(...events.filter(({ change }) => change.entity === "ipcs").map(({ eventId }) => eventId))
      })
  })

const applying = (world: World, ledger: Layer.Layer<Ledger, StoreError, Store>) =>
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

const made = (): World => ({
  log: [],
  gate: Latch.makeUnsafe(true),
  atGate: Latch.makeUnsafe(false),
  isForOne: false
})

/** Waits until the log ends so; the virtual clock goes on meanwhile. */
const logged = ({ log }: World, end: ReadonlyArray<string | number>) =>
  until(
    Effect.andThen(
      TestClock.adjust(10),
      Effect.sync(() => log.slice(-end.length).join() === end.join())
    )
  )

const pending = Effect.flatMap(Inbox, ({ status }) => Effect.map(status, (all) => all.pending))

const drained = until(
  Effect.andThen(
    TestClock.adjust(10),
    Effect.map(pending, (count) => count === 0)
  )
)

const following = Layer.succeed(Leadership, {
  isLeading: Effect.succeed(false),
  leading: Latch.makeUnsafe(false),
  following: Latch.makeUnsafe(true)
})

describe.each(engines)("the ledger, with a Store in $name,", ({ isSkipped, place }) => {
  const test = (
    fact: string,
    body: (world: World) => Effect.Effect<void, StoreError, Inbox | Store>,
    leading: Layer.Layer<never> = Layer.empty
  ) =>
    it.effect.skipIf(isSkipped)(fact, () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Instant.toMicros(now) / 1000)
        const { layer } = yield* place
        const world = made()
        yield* Effect.provide(
          body(world),
          Layer.provideMerge(applying(world, noted(world)), Layer.provideMerge(layer, leading))
        )
      }).pipe(Effect.scoped)
    )

  const isAtGate = ({ atGate }: World) => Effect.raceFirst(atGate.await, until(Effect.as(TestClock.adjust(10), false)))

  /** While one batch is being written, others arrive. */
  const arriveMeanwhile = (world: World, sent: ReadonlyArray<Sent>) =>
    Effect.gen(function* () {
      yield* world.gate.close
      yield* offer(permit(-1))
      yield* isAtGate(world)
      yield* offer(...sent)
      yield* world.gate.open
    })

  test("hears of all that waits before a second batch is written, and of nothing twice", (world) =>
    Effect.gen(function* () {
      const sent = [certified("1"), ...permits(2500), certified("2"), paid("2"), paid("1")]
      yield* arriveMeanwhile(world, sent)
      yield* logged(world, [504])
      assert.deepStrictEqual(world.log, [1, "c1", "c2", "p2", "p1", 2000, 504])
    }))

  test("hears in its turn of what is labelled as something else", (world) =>
    Effect.gen(function* () {
      const sent = [paid("1", { label: "permit.issued" }), ...permits(2100), paid("2", { label: null })]
      yield* arriveMeanwhile(world, sent)
      yield* logged(world, [102])
      assert.deepStrictEqual(world.log, [1, "p2", "p1", 2000, 102])
    }))

  test("hears in its turn of a large one", (world) =>
    Effect.gen(function* () {
      const sent = [paid("1", { more: { note: "x".repeat(70_000) } }), ...permits(2000), paid("2")]
      yield* arriveMeanwhile(world, sent)
      yield* logged(world, [2])
      assert.deepStrictEqual(world.log, [1, "p2", "p1", 2000, 2])
    }))

  test("hears in its turn of what couldn't be read before", (world) =>
    Effect.gen(function* () {
      // A day and five seconds ahead: by the time that it is applied, it isn't of the future any more.
      const soon = Instant.fromMicros(Instant.toMicros(now) + (24 * 60 * 60 + 15) * 1_000_000)
      yield* arriveMeanwhile(world, [...permits(2000), paid("1", { at: soon }), paid("2")])
      yield* logged(world, [2])
      assert.deepStrictEqual(world.log, [1, "p2", 2000, "p1", 2])
    }))

  test("hears once more of what was delivered again", (world) =>
    Effect.gen(function* () {
      yield* arriveMeanwhile(world, [...permits(2000), paid("1"), paid("1")])
      yield* logged(world, ["p1", 1])
      assert.deepStrictEqual(world.log, [1, "p1", 2000, "p1", 1])
    }))

  test("hears within 20 ms while batches are gathered", (world) =>
    Effect.gen(function* () {
      const { log } = world
      yield* offer(permit(1))
      yield* until(Effect.sync(() => log.length === 1))
      yield* offer(paid("1"))
      const begun = yield* Clock.currentTimeMillis
      let heardMs = 0
      yield* until(
        Effect.gen(function* () {
          yield* TestClock.adjust(5)
          if (heardMs === 0 && log.includes("p1")) heardMs = (yield* Clock.currentTimeMillis) - begun
          return log.length === 3
        })
      )
      assert.deepStrictEqual(log, [1, "p1", 1])
      assert.isAtMost(heardMs, 40)
    }))

  test("hears of nothing ahead while all is applied again", (world) =>
    Effect.gen(function* () {
      yield* arriveMeanwhile(world, [...permits(2100), paid("1")])
      yield* drained
      yield* world.gate.close
      yield* world.atGate.close
      const { deliveries, transaction } = yield* Store
      yield* transaction((tx) => deliveries.restart(tx))
      yield* offer(permit(3000))
      yield* isAtGate(world)
      yield* offer(paid("2"))
      yield* world.gate.open
      yield* logged(world, [104])
      assert.deepStrictEqual(world.log, [1, "p1", 2000, 101, 2000, "p2", "p1", 104])
    }))

  test(
    "hears of everything in its turn where another worker leads",
    (world) =>
      Effect.gen(function* () {
        yield* arriveMeanwhile(world, [...permits(2000), paid("1")])
        yield* logged(world, ["p1", 1])
        assert.deepStrictEqual(world.log, [1, 2000, "p1", 1])
      }),
    following
  )

  it.effect.skipIf(isSkipped)("posts once what was heard before the process died, and asks nothing meanwhile", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Instant.toMicros(now) / 1000)
      const { layer } = yield* place
      const ledger = Ledger.layerWith(contractor)
      const books = Effect.flatMap(Store, (store) =>
        store.run(async (db) => ({
          entries: await db.selectFrom("ledger_entries").select("event_id").execute(),
          asked: await db.selectFrom("ledger_hold_decisions").selectAll().execute()
        }))
      )
      const posted = { entries: [{ event_id: "p1" }], asked: [] }
      const dying = { ...made(), isForOne: true }
      yield* Effect.gen(function* () {
        yield* arriveMeanwhile(dying, [certified("1"), ...permits(2500), paid("1")])
        yield* until(Effect.map(books, ({ entries }) => entries.length === 1))
        assert.strictEqual(yield* pending, 2502)
      }).pipe(Effect.provide(Layer.provideMerge(applying(dying, ledger), layer)))
      const next = made()
      yield* Effect.gen(function* () {
        yield* drained
        assert.deepStrictEqual(yield* books, posted)
      }).pipe(Effect.provide(Layer.provideMerge(applying(next, ledger), layer)))
    }).pipe(Effect.scoped)
  )
})
