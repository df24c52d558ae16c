/**
 * What every Warehouse must do, whichever engine is below it. Each implementation's test calls this with a layer that
 * brings a fresh warehouse and its Store.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, type Layer } from "effect"
import type { Change } from "../src/Change.ts"
import * as Clock from "../src/Clock.ts"
import * as Instant from "../src/Instant.ts"
import { merge, type Row } from "../src/Merge.ts"
import { byName } from "../src/Resource.ts"
import type { Store } from "../src/Store.ts"
import { Warehouse } from "../src/Warehouse.ts"
import type { EventRow } from "../src/Warehouse/Tables.ts"
import { seeded } from "./Seeded.ts"

const start = Date.UTC(2026, 10, 20) * 1000

export const certified = (id: string, second: number, amount: string): Change => {
  const at = Instant.fromMicros(start + second * 1_000_000 + 1)
  return {
    entity: "ipcs",
    id,
    clock: Clock.make(start + second * 1_000_000 + 1, 3, String(second).padStart(64, "0")),
    source: "event",
    seenAt: at,
    values: {
      certified_amount: amount,
      certificate_url: `https://c/${id}`,
      certified_at: at,
      project_id: "9007199254740993"
    },
    misfits: {},
    extra: { note: '"Ñandú 1.10"' }
  }
}

export const eventRow = (sequence: number, payload: string | null): EventRow => ({
  body_sha256: String(sequence).padStart(64, "0"),
  sequence: String(sequence),
  event_id: "e",
  event_type: "ipc.certified",
  event_timestamp: null,
  entity: null,
  entity_id: null,
  payload,
  issued_at: null,
  received_at: Instant.fromMicros(start),
  deliveries: "1",
  outcome: "applied",
  reason: null,
  alarms: "[]"
})

const stored = (id: string) =>
  Effect.flatMap(Warehouse, (warehouse) =>
    warehouse.query(
      (db) =>
        db.selectFrom("construction.ipcs").selectAll().where("id", "=", id).executeTakeFirst() as Promise<
          Row | undefined
        >
    )
  )

export const warehouseSuite = <E>(name: string, layer: Layer.Layer<Warehouse | Store, E>) => {
  const test = (fact: string, body: Effect.Effect<void, unknown, Warehouse | Store>) =>
    it.effect(fact, () => Effect.provide(body, layer, { local: true }))

  describe(`${name} as a warehouse`, () => {
    test(
      "gives back what was written, to the last digit and microsecond",
      Effect.gen(function* () {
        const warehouse = yield* Warehouse
        const amount = "-123456789012345678901234.5678"
        yield* warehouse.write({ changes: [certified("A", 1, amount)], events: [] })
        const row = yield* stored("A")
        assert.strictEqual(row?.["certified_amount"], amount)
        assert.strictEqual(row?.["certified_at"], "2026-11-20T00:00:01.000001Z")
        assert.strictEqual(row?.["project_id"], "9007199254740993")
        assert.strictEqual(row?.["status"], "certified")
        assert.strictEqual(row?.["_extra"], '{"note":"Ñandú 1.10"}')
      })
    )

    test(
      "holds after any batches what the pure merge makes of all changes",
      Effect.gen(function* () {
        const warehouse = yield* Warehouse
        const random = seeded(7)
        const changes = Array.from({ length: 120 }, (_, index) =>
          certified(`I${random.below(10)}`, random.below(40), `${index}.${random.digits(4)}`)
        )
        for (let from = 0; from < changes.length;) {
          const size = 1 + random.below(30)
          yield* warehouse.write({ changes: changes.slice(from, from + size), events: [] })
          from += size
        }
        for (const [id, ofId] of Map.groupBy(changes, (change) => change.id)) {
          assert.deepStrictEqual(yield* stored(id), merge(byName("ipcs"), undefined, ofId), "seed 7")
        }
      })
    )

    test(
      "keeps one row for a key that comes twice in a batch: the newest",
      Effect.gen(function* () {
        const warehouse = yield* Warehouse
        const changes = [certified("A", 1, "1.0000"), certified("A", 3, "3.0000"), certified("A", 2, "2.0000")]
        yield* warehouse.write({ changes, events: [eventRow(1, "old"), { ...eventRow(1, "new"), deliveries: "2" }] })
        assert.strictEqual((yield* stored("A"))?.["certified_amount"], "3.0000")
        const events = yield* warehouse.query((db) => db.selectFrom("construction.events").selectAll().execute())
        assert.deepStrictEqual(
          events.map(({ deliveries, payload }) => [deliveries, payload]),
          [["2", "new"]]
        )
      })
    )

    test(
      "writes a batch wholly or not at all, and goes on after a refusal",
      Effect.gen(function* () {
        const warehouse = yield* Warehouse
        const bad = { ...certified("B", 1, "1.0000"), values: { certified_amount: "not a number" } }
        const outcome = yield* Effect.result(
          warehouse.write({ changes: [certified("A", 1, "1.0000"), bad], events: [eventRow(1, "x")], through: 5 })
        )
        assert.strictEqual(outcome._tag === "Failure" ? outcome.failure.reason : "written", "Refused")
        assert.isUndefined(yield* stored("A"))
        assert.strictEqual(yield* warehouse.appliedThrough, 0)
        yield* warehouse.write({ changes: [certified("A", 1, "1.0000")], events: [], through: 6 })
        assert.strictEqual(yield* warehouse.appliedThrough, 6)
      })
    )

    test(
      "keeps verbatim text that no JSON type would",
      Effect.gen(function* () {
        const warehouse = yield* Warehouse
        const payload = `{"a" : 1.10,  "nul":"\\u0000", "broken`
        yield* warehouse.write({ changes: [], events: [eventRow(1, payload), eventRow(2, null)] })
        const events = yield* warehouse.query((db) =>
          db.selectFrom("construction.events").select("payload").orderBy("sequence").execute()
        )
        assert.deepStrictEqual(events, [{ payload }, { payload: null }])
      })
    )

    test(
      "shows one point in time to a snapshot while writes go on",
      Effect.scoped(
        Effect.gen(function* () {
          const warehouse = yield* Warehouse
          yield* warehouse.write({ changes: [certified("A", 1, "1.0000")], events: [eventRow(1, "x")], through: 1 })
          const snapshot = yield* warehouse.snapshot
          yield* warehouse.write({ changes: [certified("B", 1, "1.0000")], events: [eventRow(2, "y")], through: 2 })
          assert.strictEqual(snapshot.appliedThrough, 1)
          const dates = yield* snapshot.eventDates
          assert.deepStrictEqual(
            dates.map(({ date, rows }) => ({ date, rows })),
            [{ date: "2026-11-20", rows: 1 }]
          )
          assert.strictEqual(yield* warehouse.appliedThrough, 2)
        })
      )
    )

    test(
      "takes writes from many fibers, one after the other, and loses none",
      Effect.gen(function* () {
        const warehouse = yield* Warehouse
        const fibers = yield* Effect.forEach(
          Array.from({ length: 12 }, (_, index) => index),
          (index) => Effect.forkChild(warehouse.write({ changes: [certified(`F${index}`, 1, "1.0000")], events: [] }))
        )
        yield* Fiber.joinAll(fibers)
        const rows = yield* warehouse.query((db) => db.selectFrom("construction.ipcs").select("id").execute())
        assert.strictEqual(rows.length, 12)
      })
    )

    test(
      "answers its views",
      Effect.gen(function* () {
        const warehouse = yield* Warehouse
        yield* warehouse.write({ changes: [certified("A", 1, "1.0000")], events: [] })
        const views = yield* Effect.promise(() => import("../src/Warehouse/Schema.ts"))
        for (const view of views.viewNames) {
          yield* warehouse.query((db) =>
            db
              .selectFrom(`construction.${view}` as "construction.events")
              .selectAll()
              .execute()
          )
        }
      })
    )
  })
}
