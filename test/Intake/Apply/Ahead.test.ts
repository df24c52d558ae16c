/**
 * Events whose time is ahead of ours are applied by themselves once it no longer is, also after our clock was
 * corrected.
 */
import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { aheadMicros, EventReader, type Reading } from "../../../src/Domain/Event.ts"
import * as Instant from "../../../src/Domain/Instant.ts"
import { Apply } from "../../../src/Intake/Apply.ts"
import { Inbox } from "../../../src/Intake/Inbox.ts"
import { Copies } from "../../../src/Ledger/Copies.ts"
import { Ledger } from "../../../src/Ledger/Ledger.ts"
import { Reasons } from "../../../src/Runtime/Reasons.ts"
import { Store } from "../../../src/Stores/Store.ts"
import { engines } from "../../Stores/StoreEngines.ts"
import { Warehouse, noMirrors } from "../../../src/Stores/Warehouse.ts"
import { machine } from "../../SetClock.ts"
import { until } from "../Uptime/World.ts"
import { Log } from "../../Logged.ts"

const start = Date.UTC(2026, 10, 20, 2)
const minute = 60_000
const day = 24 * 60 * minute

/** A body is the time of its event. */
const read = (body: Uint8Array, nowMicros: number): Reading => {
  const eventTimestamp = Buffer.from(body).toString()
  const isAhead = Instant.toMicros(eventTimestamp) > nowMicros + aheadMicros
  return {
    text: eventTimestamp,
    type: "ipc.paid",
    relabelled: false,
    isByLabel: false,
    eventTimestamp,
    entity: "ipcs",
    entityId: eventTimestamp,
    reason: isAhead ? "event-time-ahead" : null,
    change: undefined,
    misfits: 0
  }
}

const applying = (applied: Array<string>) =>
  Apply.layer.pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        Inbox.layer,
        Layer.succeed(
          EventReader,
          EventReader.of({ ledgerTypes: [], awaitedTypes: [], read: ({ body }, nowMicros) => read(body, nowMicros) })
        ),
        Layer.mock(Ledger, { hear: () => Effect.void }),
        Layer.mock(Copies, { lacking: Effect.succeed({ ledger: undefined, isWritten: Effect.void }) }),
        Layer.mock(Warehouse, {
          mirrors: noMirrors,
          id: "mocked",
          prefersFewTables: false,
          opened: Effect.void,
          write: ({ events }) =>
            Effect.sync(() => {
              for (const { entity_id: id, reason } of events) if (reason === null && id !== null) applied.push(id)
            })
        })
      )
    ),
    Layer.provideMerge(Reasons.layer)
  )

const offer = (at: string) =>
  Effect.flatMap(Inbox, ({ offer }) =>
    Effect.promise(() =>
      offer({
        body: Buffer.from(at),
        bodySha256: createHash("sha256").update(at).digest(),
        eventId: at,
        headerType: null,
        issuedAt: null,
        headers: [],
        secret: "f",
        receivedAt: Instant.fromMillis(start)
      })
    )
  )

const waits = Effect.flatMap(Store, (store) => store.run((db) => db.selectFrom("quarantine").selectAll().execute()))

/** The virtual clock goes on meanwhile, in small steps: a worker on PostgreSQL looks for deliveries once a second. */
const reached = (quarantined: number, applied: ReadonlyArray<string>, times: ReadonlyArray<string>) =>
  until(
    Effect.andThen(
      TestClock.adjust(10),
      Effect.map(waits, (rows) => rows.length === quarantined && applied.join() === times.join())
    )
  )

describe.each(engines)("an event of the future in $name", ({ isSkipped, place }) => {
  const test = (
    fact: string,
    body: (jump: (ms: number) => void, applied: Array<string>, log: Log) => Effect.Effect<void, unknown, Inbox | Store>
  ) =>
    it.effect.skipIf(isSkipped)(fact, () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(start)
        const { jump, on } = yield* machine
        const { layer } = yield* place
        const applied: Array<string> = []
        const log = new Log()
        const scene = Effect.provide(body(jump, applied, log), Layer.provideMerge(applying(applied), layer))
        yield* on(Effect.provide(scene, log.layer))
      }).pipe(Effect.scoped)
    )

  const [now, soon, later] = [0, day + 10 * minute, 3 * day].map((ms) => Instant.fromMillis(start + ms)) as [
    string,
    string,
    string
  ]

  test("waits for its day", (_, applied, log) =>
    Effect.gen(function* () {
      for (const at of [later, soon, now]) yield* offer(at)
      yield* reached(2, applied, [now])
      assert.lengthOf(log.of("delivery.quarantined"), 2)
      assert.deepInclude(log.saw("delivery.quarantined"), { why: "event-time-ahead", sequence: 2 })
      yield* TestClock.adjust(9 * minute)
      assert.lengthOf(yield* waits, 2)
      yield* TestClock.adjust(2 * minute)
      yield* reached(1, applied, [now, soon])
      yield* TestClock.adjust(2 * day)
      yield* reached(0, applied, [now, soon, later])
      yield* until(Effect.sync(() => log.of("deliveries.released").length === 2))
      assert.deepStrictEqual(log.saw("deliveries.released"), { applied: 1 })
      assert.lengthOf(log.of("delivery.quarantined"), 2)
    }))

  test("that was only one by our clock is applied within a minute of its correction", (jump, applied) =>
    Effect.gen(function* () {
      jump(-day)
      for (const at of [soon, now]) yield* offer(at)
      yield* reached(1, applied, [now])
      jump(day + 11 * minute)
      yield* TestClock.adjust(minute)
      yield* reached(0, applied, [now, soon])
    }))

  test("that version 0.1 put there is read again, too", (_, applied) =>
    Effect.gen(function* () {
      yield* offer(soon)
      yield* reached(1, applied, [])
      const store = yield* Store
      yield* store.run((db) => db.updateTable("quarantine").set({ due_at: null }).execute())
      yield* TestClock.adjust(minute)
      yield* until(
        Effect.andThen(
          TestClock.adjust(10),
          Effect.map(waits, ([row]) => row?.due_at !== null)
        )
      )
      yield* TestClock.adjust(11 * minute)
      yield* reached(0, applied, [soon])
    }))
})
