/** Apply between a real Store and a Warehouse that fails on purpose. */
import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer, Queue } from "effect"
import { Apply } from "../../src/Intake/Apply.ts"
import { EventReader, type Reading } from "../../src/Domain/Event.ts"
import { Inbox } from "../../src/Intake/Inbox.ts"
import { Copies } from "../../src/Ledger/Copies.ts"
import { Ledger } from "../../src/Ledger/Ledger.ts"
import { Reasons } from "../../src/Runtime/Reasons.ts"
import { Restart } from "../../src/Runtime/Restart.ts"
import * as Sqlite from "../../src/Stores/Sqlite/Store.ts"
import { Store } from "../../src/Stores/Store.ts"
import { type Batch, Warehouse, WarehouseError, noMirrors } from "../../src/Stores/Warehouse.ts"
import * as Projection from "../../src/Stores/Projection.ts"
import { removeFolder, temporaryFolder } from "../Folders.ts"

const readable: Omit<Reading, "type"> = {
  text: null,
  relabelled: false,
  eventTimestamp: null,
  entity: null,
  entityId: null,
  reason: null,
  change: undefined,
  misfits: 0,
  isByLabel: false
}

const reader = Layer.succeed(
  EventReader,
  EventReader.of({
    ledgerTypes: [],
    awaitedTypes: [],
    read: (event) => ({ ...readable, type: Buffer.from(event.body).toString() })
  })
)

const store = Layer.unwrap(
  Effect.map(
    Effect.acquireRelease(Effect.sync(temporaryFolder), (path) => Effect.sync(() => removeFolder(path))),
    (path) => Sqlite.layerAt(`${path}/store.sqlite`)
  )
)

/** A warehouse whose writes the test decides and records in order. */
const warehouse = (written: Queue.Queue<Batch>, write: (batch: Batch) => Effect.Effect<void, WarehouseError>) =>
  Layer.mock(Warehouse, {
    mirrors: noMirrors,
    id: "mocked",
    prefersFewTables: false,
    opened: Effect.void,
    write: (batch) => Effect.andThen(write(batch), Effect.asVoid(Queue.offer(written, batch)))
  })

/** The events contain nothing to post. */
const noLedger = Layer.merge(
  Layer.mock(Ledger, { hear: () => Effect.void }),
  Layer.mock(Copies, { lacking: Effect.succeed({ ledger: undefined, isWritten: Effect.void }) })
)

const offer = (body: string) =>
  Effect.flatMap(Inbox, (inbox) =>
    Effect.promise(() =>
      inbox.offer({
        body: Buffer.from(body),
        bodySha256: createHash("sha256").update(body).digest(),
        eventId: body,
        headerType: null,
        issuedAt: null,
        headers: [],
        secret: "f",
        receivedAt: "2026-11-20T00:00:00.000000Z"
      })
    )
  )

const error = (reason: WarehouseError["reason"]) => new WarehouseError({ reason, message: reason })

const world = (
  write: (batch: Batch) => Effect.Effect<void, WarehouseError>,
  written: Queue.Queue<Batch>,
  events = reader
) =>
  Apply.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(events, Inbox.layer, noLedger, warehouse(written, write))),
    Layer.provideMerge(Layer.mergeAll(store, Reasons.layer, Restart.layer))
  )

const outcomes = (batch: Batch) => batch.events.map(({ event_type, outcome, reason }) => [event_type, outcome, reason])

describe("applying", () => {
  it.live("finds the one event that the engine refuses, quarantines it and applies the others", () =>
    Effect.gen(function* () {
      const written = yield* Queue.unbounded<Batch>()
      const hasPoison = (batch: Batch) =>
        batch.events.some(({ event_type, reason }) => event_type === "poison" && reason === null)
      const write = (batch: Batch) => (hasPoison(batch) ? Effect.fail(error("Refused")) : Effect.void)
      const all = yield* Effect.gen(function* () {
        for (const body of ["a", "b", "poison", "c", "d"]) yield* offer(body)
        const rows: Array<ReadonlyArray<unknown>> = []
        while (rows.length < 5) rows.push(...outcomes(yield* Queue.take(written)))
        const kept = yield* Store
        // The Store's part of a batch is written after the warehouse's.
        while ((yield* Projection.watermark(kept)) < 5) yield* Effect.sleep("5 millis")
        const quarantine = yield* kept.run((db) => db.selectFrom("quarantine").selectAll().execute())
        assert.deepStrictEqual(quarantine, [
          { sequence: 3, reason: "not-storable", event_type: "poison", due_at: null }
        ])
        return rows
      }).pipe(Effect.provide(world(write, written)))
      assert.sameDeepMembers(all, [
        ["a", "applied", null],
        ["b", "applied", null],
        ["poison", "quarantined", "not-storable"],
        ["c", "applied", null],
        ["d", "applied", null]
      ])
    })
  )

  it.live("retries a failed write, and settles nothing before it is written", () =>
    Effect.gen(function* () {
      const written = yield* Queue.unbounded<Batch>()
      const heldBack = yield* Deferred.make<void>()
      let tries = 0
      const write = () =>
        Effect.gen(function* () {
          if (++tries > 2) return
          if (tries === 2) yield* Deferred.succeed(heldBack, undefined)
          return yield* error("Failed")
        })
      yield* Effect.gen(function* () {
        yield* offer("a")
        yield* Deferred.await(heldBack)
        assert.strictEqual(yield* Projection.watermark(yield* Store), 0)
        assert.deepStrictEqual(outcomes(yield* Queue.take(written)), [["a", "applied", null]])
      }).pipe(Effect.provide(world(write, written)))
      assert.strictEqual(tries, 3)
    })
  )

  it.live("takes fewer events at once if they unpack to much, and applies all of them in order", () =>
    Effect.gen(function* () {
      const written = yield* Queue.unbounded<Batch>()
      const unpacked = "x".repeat(6 * 1024 * 1024)
      const large = Layer.succeed(
        EventReader,
        EventReader.of({
          ledgerTypes: [],
          awaitedTypes: [],
          read: (event) => {
            const type = Buffer.from(event.body).toString()
            if (type.startsWith("bomb")) return { ...readable, type, reason: "too-large" }
            return { ...readable, type, text: unpacked }
          }
        })
      )
      const names = ["a", "b", "c", "d", "bomb 1", "bomb 2", "bomb 3", "bomb 4", "bomb 5", "bomb 6", "e"]
      yield* Effect.gen(function* () {
        const inbox = yield* Inbox
        yield* inbox.arrived.close
        for (const name of names) yield* offer(name)
        const seen: Array<string | null> = []
        while (seen.length < names.length) {
          const { events } = yield* Queue.take(written)
          assert.isAtMost(events.length, 5)
          seen.push(...events.map(({ event_type: type }) => type))
        }
        assert.deepStrictEqual(seen, names)
        const kept = yield* Store
        while ((yield* Projection.watermark(kept)) < names.length) yield* Effect.sleep("5 millis")
        assert.deepInclude(yield* (yield* Apply).replay, { read: 6, applied: 0 })
      }).pipe(Effect.provide(world(() => Effect.void, written, large)))
    })
  )

  it.live("requests a restart of the pipelines after a fatal error of the engine", () =>
    Effect.gen(function* () {
      const written = yield* Queue.unbounded<Batch>()
      yield* Effect.gen(function* () {
        const restart = yield* Restart
        yield* offer("a")
        yield* restart.requested
      }).pipe(Effect.provide(world(() => Effect.fail(error("Fatal")), written)))
    })
  )

  it.live("applies again what a crash left between the two stores, and counts a delivery that arrived meanwhile", () =>
    Effect.gen(function* () {
      const written = yield* Queue.unbounded<Batch>()
      yield* Effect.gen(function* () {
        yield* offer("a")
        yield* Queue.take(written)
        yield* offer("a")
        const again = yield* Queue.take(written)
        assert.deepStrictEqual(
          again.events.map(({ deliveries, sequence }) => [sequence, deliveries]),
          [["1", "2"]]
        )
      }).pipe(Effect.provide(world(() => Effect.void, written)))
    })
  )
})
