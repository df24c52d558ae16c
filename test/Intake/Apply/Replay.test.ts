/** The quarantine read again: the ledger and the warehouse are given it in stored order, over several batches. */
import { createHash } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { EventReader, type Reading } from "../../../src/Domain/Event.ts"
import * as Version from "../../../src/Domain/Version.ts"
import { Apply } from "../../../src/Intake/Apply.ts"
import { Inbox } from "../../../src/Intake/Inbox.ts"
import type { AppliedEvent } from "../../../src/Ledger/EventFacts.ts"
import { Copies } from "../../../src/Ledger/Copies.ts"
import { Ledger } from "../../../src/Ledger/Ledger.ts"
import { Reasons } from "../../../src/Runtime/Reasons.ts"
import * as Sqlite from "../../../src/Stores/Sqlite/Store.ts"
import { type Batch, Warehouse, noMirrors } from "../../../src/Stores/Warehouse.ts"
import { removeFolder, temporaryFolder } from "../../Folders.ts"

const at = "2026-11-20T02:00:00.000000Z"

/** More than a batch has. */
const count = 4_500

/** Stored in an order that none of their own bytes would give. */
const bodies = Array.from({ length: count }, (_, place) => String((place * 7_919) % count))

/** The same event, once its type is known. */
const understood = (event: string): Reading => ({
  text: event,
  type: "ipc.paid",
  relabelled: false,
  isByLabel: false,
  eventTimestamp: at,
  entity: "ipcs",
  entityId: event,
  reason: null,
  change: {
    entity: "ipcs",
    id: event,
    version: Version.make(0, 0, "a".repeat(64)),
    source: "event",
    seenAt: at,
    values: {},
    misfits: {},
    extra: {}
  },
  misfits: 0
})

const unknown = (event: string): Reading => ({ ...understood(event), reason: "unknown-type", change: undefined })

const deliveryOf = (body: string) => ({
  body: Buffer.from(body),
  bodySha256: createHash("sha256").update(body).digest(),
  eventId: body,
  headerType: null,
  issuedAt: null,
  headers: [],
  secret: "f",
  receivedAt: at
})

const store = Layer.unwrap(
  Effect.map(
    Effect.acquireRelease(Effect.sync(temporaryFolder), (path) => Effect.sync(() => removeFolder(path))),
    (path) => Sqlite.layerAt(`${path}/store.sqlite`)
  )
)

it.live("a replay gives the ledger and the warehouse the quarantine in stored order, or one of it", () => {
  let isKnown = false
  const heard: Array<string> = []
  const written: Array<string> = []
  const hear = (batch: ReadonlyArray<AppliedEvent>) =>
    Effect.sync(() => heard.push(...batch.map((each) => each.change.id)))
  const write = ({ changes }: Batch) => Effect.sync(() => written.push(...changes.map(({ id }) => id)))
  const around = Layer.mergeAll(
    Layer.succeed(
      EventReader,
      EventReader.of({
        ledgerTypes: [],
        awaitedTypes: [],
        read: ({ body }) => (isKnown ? understood : unknown)(Buffer.from(body).toString())
      })
    ),
    Layer.mock(Ledger, { hear: (batch) => Effect.asVoid(hear(batch)) }),
    Layer.mock(Copies, { lacking: Effect.succeed({ ledger: undefined, isWritten: Effect.void }) }),
    Layer.mock(Warehouse, {
      id: "mocked",
      prefersFewTables: false,
      mirrors: noMirrors,
      opened: Effect.void,
      write: (batch) => Effect.asVoid(write(batch))
    })
  )
  return Effect.gen(function* () {
    const inbox = yield* Inbox
    const { replay, replayOf } = yield* Apply
    yield* Effect.promise(() => Promise.all(bodies.map((body) => inbox.offer(deliveryOf(body)))))
    while ((yield* inbox.status).pending > 0) yield* Effect.sleep("5 millis")
    assert.deepStrictEqual(heard, [])
    isKnown = true
    assert.deepStrictEqual(yield* replayOf([]), { read: 0, applied: 0 })
    // Numbers begin at 1.
    assert.deepStrictEqual(yield* replayOf([count, 3, count + 9]), { read: 2, applied: 2 })
    assert.deepStrictEqual(yield* replayOf([3]), { read: 0, applied: 0 })
    const [some, rest] = [[bodies[2]!, bodies.at(-1)!], bodies.toSpliced(-1, 1).toSpliced(2, 1)]
    assert.deepStrictEqual(yield* replay, { read: count - 2, applied: count - 2 })
    assert.deepStrictEqual(heard, [...some, ...rest])
    assert.deepStrictEqual(written, [...some, ...rest])
    assert.deepStrictEqual(yield* replay, { read: 0, applied: 0 })
  }).pipe(
    Effect.provide(
      Layer.provideMerge(
        Layer.provideMerge(Apply.layer, Layer.merge(Inbox.layer, around)),
        Layer.merge(store, Reasons.layer)
      )
    )
  )
})
