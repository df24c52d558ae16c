/** The contract of the Warehouse, in both engines. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { merge, type Row } from "../../src/Domain/Merge.ts"
import { byName } from "../../src/Domain/Resource.ts"
import { Store } from "../../src/Stores/Store.ts"
import { type Batch, Warehouse } from "../../src/Stores/Warehouse.ts"
import { viewNames } from "../../src/Stores/Views.ts"
import { temporaryFolder } from "../Folders.ts"
import { delivery } from "./Postgres/World.ts"
import { seeded } from "../Seeded.ts"
import { certified, eventRow } from "./Written.ts"
import { engines } from "./WarehouseEngines.ts"

const stored = (id: string) =>
  Effect.flatMap(Warehouse, (warehouse) =>
    warehouse.query(
      (db) =>
        db.selectFrom("construction.ipcs").selectAll().where("id", "=", id).executeTakeFirst() as Promise<
          Row | undefined
        >
    )
  )

/** Stores deliveries, writes the batch for them and settles them, as Apply does. */
const applied = (bodies: ReadonlyArray<string>, batch: Batch) =>
  Effect.gen(function* () {
    const store = yield* Store
    const warehouse = yield* Warehouse
    yield* Effect.promise(() => store.deliveries.receive(bodies.map((body) => delivery(body))))
    yield* store.atomically(
      Effect.gen(function* () {
        const took = yield* store.deliveries.take(100)
        const { watermark: through } = took
        yield* warehouse.write({ ...batch, ...(through === undefined ? {} : { watermark: through }) })
        const settled = took.taken.map(({ event }) => event)
        yield* store.transaction((tx) => store.deliveries.settle(tx, took, settled))
      })
    )
  })

describe.each(engines)("$name as a warehouse", ({ isSkipped, layer }) => {
  const test = (fact: string, body: Effect.Effect<void, unknown, Warehouse | Store>) =>
    it.live.skipIf(isSkipped)(fact, () => Effect.scoped(Effect.provide(body, layer, { local: true })))

  test(
    "returns what was written, to the last digit and microsecond",
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
    "holds the pure merge of all changes, however they are batched",
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
    "keeps one row for a key that occurs twice in a batch: the newest",
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
    "keeps one row for an event that is written again: the later",
    Effect.gen(function* () {
      const warehouse = yield* Warehouse
      yield* warehouse.write({ changes: [], events: [1, 2, 3].map((sequence) => eventRow(sequence, "x")) })
      yield* warehouse.write({ changes: [], events: [4, 2].map((sequence) => eventRow(sequence, "again")) })
      const events = yield* warehouse.query((db) =>
        db.selectFrom("construction.events").select(["sequence", "payload"]).orderBy("sequence").execute()
      )
      assert.deepStrictEqual(
        events.map(({ payload, sequence }) => `${sequence} ${payload}`),
        ["1 x", "2 again", "3 x", "4 again"]
      )
    })
  )

  test(
    "writes a batch completely or not at all, and goes on after a refusal",
    Effect.gen(function* () {
      const warehouse = yield* Warehouse
      const bad = { ...certified("B", 1, "1.0000"), values: { certified_amount: "not a number" } }
      const outcome = yield* Effect.result(
        applied(["one"], { changes: [certified("A", 1, "1.0000"), bad], events: [eventRow(1, "x")] })
      )
      assert.strictEqual(outcome._tag === "Failure" ? outcome.failure.reason : "written", "Refused")
      assert.isUndefined(yield* stored("A"))
      assert.strictEqual(yield* warehouse.watermark, 0)
      yield* applied(["two"], { changes: [certified("A", 1, "1.0000")], events: [] })
      assert.strictEqual(yield* warehouse.watermark, 2)
    })
  )

  test(
    "keeps text verbatim that isn't valid JSON",
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
        yield* applied(["one"], { changes: [certified("A", 1, "1.0000")], events: [eventRow(1, "x")] })
        const snapshot = yield* warehouse.snapshot
        yield* applied(["two"], { changes: [certified("B", 1, "1.0000")], events: [eventRow(2, "y")] })
        assert.strictEqual(snapshot.watermark, 1)
        const dates = yield* snapshot.eventDates
        assert.deepStrictEqual(
          dates.map(({ date, rows }) => ({ date, rows })),
          [{ date: "2026-11-20", rows: 1 }]
        )
        const folder = temporaryFolder()
        const files = [1, 2, 3].map((file) => snapshot.writeTable("ipcs", `${folder}/${file}.parquet`))
        assert.deepStrictEqual(yield* Effect.all(files, { concurrency: "unbounded" }), [1, 1, 1])
        assert.strictEqual(yield* warehouse.watermark, 2)
      })
    )
  )

  test(
    "changes the fingerprint of a table with any of its rows, and with no others",
    Effect.gen(function* () {
      const warehouse = yield* Warehouse
      const fingerprints = Effect.scoped(
        Effect.flatMap(warehouse.snapshot, ({ parts, tables }) =>
          Effect.map(
            Effect.forEach(tables, ({ name }) =>
              Effect.map(parts(name, { bounds: [], rows: 1000 }), (all) => [name, JSON.stringify(all)] as const)
            ),
            (all) => new Map(all)
          )
        )
      )
      const changed = Effect.fnUntraced(function* (batch: Parameters<typeof warehouse.write>[0]) {
        const before = yield* fingerprints
        yield* warehouse.write(batch)
        const after = yield* fingerprints
        return [...after.keys()].filter((name) => after.get(name) !== before.get(name))
      })
      assert.deepStrictEqual(yield* changed({ changes: [certified("A", 1, "1.0000")], events: [] }), ["ipcs"])
      assert.deepStrictEqual(yield* changed({ changes: [certified("A", 1, "1.0000")], events: [] }), [])
      assert.deepStrictEqual(yield* changed({ changes: [certified("A", 2, "2.0000")], events: [] }), ["ipcs"])
      assert.deepStrictEqual(yield* changed({ changes: [certified("B", 1, "1.0000")], events: [] }), ["ipcs"])
      assert.deepStrictEqual(yield* changed({ changes: [], events: [eventRow(1, "x")] }), ["events"])
    })
  )

  test(
    "changes the fingerprint of exactly the dates whose events changed",
    Effect.gen(function* () {
      const warehouse = yield* Warehouse
      const dates = Effect.scoped(Effect.flatMap(warehouse.snapshot, ({ eventDates }) => eventDates))
      const on = (day: string, sequence: number) => ({
        ...eventRow(sequence, "x"),
        event_timestamp: `${day}T23:59:59.999999Z`
      })
      yield* warehouse.write({ changes: [], events: [on("2026-11-18", 1), on("2026-11-19", 2), on("2026-11-19", 3)] })
      const before = yield* dates
      assert.deepStrictEqual(
        before.map(({ date, rows }) => [date, rows]),
        [
          ["2026-11-18", 1],
          ["2026-11-19", 2]
        ]
      )
      yield* warehouse.write({ changes: [], events: [on("2026-11-18", 1)] })
      assert.deepStrictEqual(yield* dates, before)
      yield* warehouse.write({ changes: [], events: [{ ...on("2026-11-19", 3), deliveries: "2" }] })
      const [same, changed] = yield* dates
      assert.deepStrictEqual(same, before[0])
      assert.notStrictEqual(changed?.fingerprint, before[1]?.fingerprint)
    })
  )

  test(
    "takes writes from many fibers and loses none",
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
    "answers queries of its views",
    Effect.gen(function* () {
      const warehouse = yield* Warehouse
      yield* warehouse.write({ changes: [certified("A", 1, "1.0000")], events: [] })
      for (const view of viewNames) {
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
