/**
 * A value that an engine can't hold has the same outcome on both engines: in the rows, in the books and in quarantine.
 */
import { randomBytes } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { documented } from "../../../config/WireFiles.ts"
import { awaitedTypes, ledgerTypes } from "../../../connectors/construction/ConstructionEvents.ts"
import * as ConstructionReader from "../../../connectors/construction/ConstructionReader.ts"
import { EventReader } from "../../../src/Domain/Event.ts"
import { Apply } from "../../../src/Intake/Apply.ts"
import { Inbox } from "../../../src/Intake/Inbox.ts"
import { Copies } from "../../../src/Ledger/Copies.ts"
import { Ledger } from "../../../src/Ledger/Ledger.ts"
import { Reasons } from "../../../src/Runtime/Reasons.ts"
import { Restart } from "../../../src/Runtime/Restart.ts"
import { Store } from "../../../src/Stores/Store.ts"
import { Warehouse } from "../../../src/Stores/Warehouse.ts"
import { contractor } from "../../Ledger/Contractor.ts"
import { delivery, until } from "../../Stores/Postgres/World.ts"
import { engines } from "../../Stores/WarehouseEngines.ts"

const reader = Layer.succeed(
  EventReader,
  EventReader.of({
    ledgerTypes,
    awaitedTypes,
    read: (event, nowMicros) =>
      ConstructionReader.read(
        { aliases: {}, contentsAt: documented.delivery, trustTypeHeader: false, maximumBytes: 10_000_000 },
        event,
        nowMicros
      )
  })
)

const at = "2026-11-19T10:00:00Z"

const paid = (ipc_id: string, payment_reference: string, event_timestamp: string | null = at) =>
  JSON.stringify({ ipc_id, payment_reference, event_timestamp })

const certified = (ipc_id: string, certificate_url: string) =>
  JSON.stringify({ ipc_id, certified_amount: "10.5", certificate_url, event_timestamp: "2026-11-19T09:00:00Z" })

// Random, because PostgreSQL compresses long text before it measures it.
const long = randomBytes(4_000).toString("base64").slice(0, 5_000)
const longest = long.slice(0, 2_000)
const large = "x".repeat(3_000_000)

const refused = { outcome: "quarantined", reason: "not-storable" }
const applied = { outcome: "applied", reason: null }

const bodies: ReadonlyArray<readonly [what: string, body: string, outcome: object]> = [
  ["a NUL in a reference", paid("nul-1", "P\0"), refused],
  ["a NUL in an id", paid("nul\0", "P"), refused],
  ["a NUL in an id of what can't be applied", paid("nul\0", "P", null), refused],
  ["a NUL in a certificate's URL", certified("nul-2", "https://c/\0"), refused],
  ["a NUL between the fields", `${paid("nul-3", "P")}\0`, { outcome: "quarantined", reason: "not-json" }],
  ["an id of 5,000 characters", paid(long, "P"), refused],
  ["an id of 2,001 bytes in fewer characters", paid(`${longest.slice(0, 1999)}é`, "P"), refused],
  ["half a surrogate pair", paid("half", "P\ud800"), applied],
  ["a long id's certificate", certified(longest, `https://c/${long}`), applied],
  ["a long id's payment", paid(longest, "P"), applied],
  ["a certificate", certified("7", `https://c/${large}`), applied],
  ["a long reference", paid("7", `${long}a`), applied],
  ["a long reference that ends differently", paid("7", `${long}b`), applied],
  ["a reference of several MB", paid("8", large), applied],
  ["its certificate", certified("8", "https://c/8"), applied]
]

const everything = Effect.gen(function* () {
  const inbox = yield* Inbox
  const warehouse = yield* Warehouse
  const store = yield* Store
  for (const [, body] of bodies) {
    yield* Effect.promise(() =>
      inbox.offer(delivery(body, { headerType: body.includes("certified_amount") ? "ipc.certified" : "ipc.paid" }))
    )
  }
  yield* until(Effect.map(inbox.status, ({ pending }) => pending === 0))
  const { events, ipcs } = yield* warehouse.query(async (db) => ({
    events: await db
      .selectFrom("construction.events")
      .select(["outcome", "reason", "entity", "entity_id", "payload"])
      .orderBy("sequence")
      .execute(),
    ipcs: await db.selectFrom("construction.ipcs").select(["id", "payment_reference", "certificate_url"]).execute()
  }))
  const books = yield* store.run(async (db) => ({
    entries: await db
      .selectFrom("ledger_entries")
      .select(["entry_id", "sequence", "ipc_id", "payment_reference", "certificate_url", "amount"])
      .orderBy("sequence")
      .execute(),
    holds: await db.selectFrom("ledger_holds").select(["hold_id", "ipc_id", "payment_reference", "reason"]).execute(),
    quarantine: await db.selectFrom("quarantine").select(["sequence", "reason"]).orderBy("sequence").execute()
  }))
  const { differences } = yield* (yield* Ledger).verify
  const byId = (a: object, b: object) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)
  return { events, ipcs: ipcs.toSorted(byId), ...books, holds: books.holds.toSorted(byId), differences }
})

const worker = Apply.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(Inbox.layer, Ledger.layerWith(contractor), Copies.layer, reader)),
  Layer.provideMerge(Layer.merge(Reasons.layer, Restart.layer))
)

describe("what an engine can't hold", () => {
  it.live("is quarantined on every engine, and everything else is applied and posted", () =>
    Effect.gen(function* () {
      const results = yield* Effect.forEach(
        engines.filter(({ isSkipped }) => !isSkipped),
        ({ layer }) =>
          everything.pipe(Effect.provide(Layer.provideMerge(worker, layer), { local: true }), Effect.scoped)
      )
      for (const { differences, entries, events, holds, quarantine } of results) {
        for (const [index, [what, body, outcome]] of bodies.entries()) {
          const isShown = outcome === applied
          assert.deepInclude(events[index], outcome, what)
          assert.isTrue(events[index]?.payload === (isShown ? body : null), what)
        }
        const expected = bodies.flatMap(([, , outcome], index) =>
          outcome === applied ? [] : [{ sequence: index + 1, reason: (outcome as typeof refused).reason }]
        )
        assert.deepStrictEqual(quarantine, expected)
        assert.deepStrictEqual(entries.map(({ ipc_id }) => ipc_id).toSorted(), [longest, "7", "8"].toSorted())
        assert.isTrue(entries.some(({ payment_reference: reference }) => reference === `${long}a`))
        assert.deepStrictEqual(holds.map(({ ipc_id, reason }) => `${ipc_id} ${reason}`).toSorted(), [
          "7 second-payment-reference",
          "half awaiting-certified-amount"
        ])
        assert.deepStrictEqual(differences, [])
      }
      for (const result of results) assert.deepStrictEqual(result, results[0])
    })
  )
})
