/** The contract of the Store, in both engines: deliveries, transactions, and what is kept. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Projection from "../../src/Stores/Projection.ts"
import { readMeta, Store, writeMeta } from "../../src/Stores/Store.ts"
import { delivery } from "./Postgres/World.ts"
import { engines } from "./StoreEngines.ts"

const receive = (...batch: ReadonlyArray<ReturnType<typeof delivery>>) =>
  Effect.flatMap(Store, (store) => Effect.promise(() => store.deliveries.receive(batch)))

/** Nothing is applied here. */
const inbox = Effect.flatMap(Store, (store) =>
  Effect.map(store.atomically(store.deliveries.take(1000)), ({ taken }) =>
    taken.map(({ event }) => event).toSorted((a, b) => a.sequence - b.sequence)
  )
)

const noted = (key: string) => Effect.flatMap(Store, (store) => store.run((db) => readMeta(db, key)))

describe.each(engines)("a Store in $name", ({ isSkipped, place }) => {
  const test = <E>(fact: string, body: Effect.Effect<void, E, Store>) =>
    it.live.skipIf(isSkipped)(fact, () =>
      Effect.scoped(Effect.flatMap(place, ({ layer }) => Effect.provide(body, layer)))
    )

  test(
    "keeps deliveries byte by byte, in the order in which they arrived",
    Effect.gen(function* () {
      const bodies = [Buffer.from("z"), Buffer.from([0, 255, 254, 0]), Buffer.from(""), Buffer.from('{"a": 1.10}')]
      assert.strictEqual(yield* receive(...bodies.map((body) => delivery(body))), 4)
      yield* receive(delivery("a"), delivery("é\u0000ü", { headerType: null, issuedAt: "2026-11-20T01:00:00.000000Z" }))
      const rows = yield* inbox
      assert.deepStrictEqual(
        rows.map(({ body }) => Buffer.from(body)),
        [...bodies, Buffer.from("a"), Buffer.from("é\u0000ü")]
      )
      const last = rows.at(-1)
      assert.deepStrictEqual(
        [last?.headerType, last?.issuedAt, last?.receivedAt, last?.deliveries, last?.replayed, last?.otherTypes],
        [null, "2026-11-20T01:00:00.000000Z", "2026-11-20T02:00:00.000000Z", 1, false, []]
      )
    })
  )

  test(
    "keeps a body once, and counts its deliveries, also within one batch",
    Effect.gen(function* () {
      assert.strictEqual(yield* receive(delivery("a"), delivery("b"), delivery("a"), delivery("a")), 2)
      assert.strictEqual(yield* receive(delivery("c"), delivery("b")), 1)
      assert.strictEqual(yield* receive(delivery("a")), 0)
      assert.strictEqual(yield* receive(), 0)
      assert.deepStrictEqual(
        (yield* inbox).map(({ body, deliveries }) => [String(Buffer.from(body)), deliveries]),
        [
          ["a", 4],
          ["b", 2],
          ["c", 1]
        ]
      )
    })
  )

  test(
    "notes permanently that a body arrived under another id, and keeps its first id",
    Effect.gen(function* () {
      const ids = ["first", "first", "second", "first"]
      for (const [place, eventId] of ids.entries()) {
        yield* receive(delivery("a", { eventId }))
        const [row] = yield* inbox
        assert.deepStrictEqual([row?.eventId, row?.replayed], ["first", place >= 2])
      }
      yield* receive(delivery("b", { eventId: "one" }), delivery("b", { eventId: "other" }))
      assert.isTrue((yield* inbox)[1]?.replayed)
    })
  )

  test(
    "keeps other labels of a body, each once, and at most 64",
    Effect.gen(function* () {
      const labels = ["ipc.paid", "one", null, 'tw"o', "one", "ipc.paid", 'tw"o', "\\u0000"]
      for (const headerType of labels) yield* receive(delivery("a", { headerType }))
      const others = Effect.map(inbox, ([event]) => event?.otherTypes)
      assert.deepStrictEqual(yield* others, ["one", 'tw"o', "\\u0000"])
      yield* receive(...Array.from({ length: 100 }, (_, place) => delivery("a", { headerType: `label ${place}` })))
      assert.strictEqual((yield* others)?.length, 64)
      assert.strictEqual((yield* inbox)[0]?.deliveries, 108)
      yield* receive(delivery("b", { headerType: null }), delivery("b", { headerType: "late" }))
      assert.deepStrictEqual((yield* inbox)[1]?.otherTypes, ["late"])
    })
  )

  test(
    "stores as many bytes at once as may be in flight",
    Effect.gen(function* () {
      const filler = Buffer.alloc(4 * 1024 * 1024, "0123456789abcdef")
      const all = Array.from({ length: 16 }, (_, place) => {
        const body = Buffer.from(filler)
        body.writeUInt32BE(place)
        return delivery(body)
      })
      assert.strictEqual(yield* receive(...all), 16)
      const store = yield* Store
      for (const [place, { body }] of all.entries()) {
        const [event] = yield* store.deliveries.read([place + 1])
        assert.isTrue(Buffer.from(event?.body ?? "").equals(body))
      }
    })
  )

  test(
    "rolls back a failing transaction, and goes on",
    Effect.gen(function* () {
      const store = yield* Store
      const error = yield* Effect.flip(
        store.transaction(async (tx) => {
          await writeMeta(tx, "a", "1")
          throw new Error("no")
        })
      )
      assert.deepStrictEqual([error._tag, error.reason], ["StoreError", "Failed"])
      assert.isUndefined(yield* noted("a"))
      yield* store.transaction((tx) => writeMeta(tx, "a", "2"))
      yield* store.transaction((tx) => writeMeta(tx, "a", "3"))
      assert.strictEqual(yield* noted("a"), "3")
    })
  )

  test(
    "refuses to change or delete facts and terms",
    Effect.gen(function* () {
      const store = yield* Store
      const fact = { number: 1, ipc_id: "A", kind: "paid", known_at: "now", content: "{}" }
      yield* store.transaction((tx) => tx.insertInto("ledger_facts").values(fact).execute())
      yield* store.transaction((tx) => tx.insertInto("ledger_terms").values({ from_fact: 1, content: "{}" }).execute())
      for (const table of ["ledger_facts", "ledger_terms"] as const) {
        for (const change of [
          Effect.asVoid(store.transaction((tx) => tx.updateTable(table).set({ content: "[]" }).execute())),
          Effect.asVoid(store.transaction((tx) => tx.deleteFrom(table).execute()))
        ]) {
          assert.match((yield* Effect.flip(change)).message, /append-only/)
        }
        const [{ content } = {}] = yield* store.run((db) => db.selectFrom(table).select("content").execute())
        assert.strictEqual(content, "{}")
      }
    })
  )

  test(
    "returns whole numbers as numbers, and orders text by its bytes",
    Effect.gen(function* () {
      const store = yield* Store
      yield* store.transaction((tx) =>
        tx
          .insertInto("schedule")
          .values(["b", "B", "a", "é", "Z", "_", "1"].map((name) => ({ name, last_scheduled_ms: 2 ** 53 - 1 })))
          .execute()
      )
      const rows = yield* store.run((db) => db.selectFrom("schedule").selectAll().orderBy("name").execute())
      assert.deepStrictEqual(
        rows.map(({ name }) => name),
        ["1", "B", "Z", "_", "a", "b", "é"]
      )
      assert.strictEqual(rows[0]?.last_scheduled_ms, 9_007_199_254_740_991)
    })
  )

  test(
    "knows how far a rebuild of the warehouse is, until what was stored when it was asked for is applied",
    Effect.gen(function* () {
      const store = yield* Store
      const far = Effect.map(Projection.rebuilding(store), (tasks) => tasks.map(({ done, total }) => [done, total]))
      const settled = Effect.gen(function* () {
        const batch = yield* store.deliveries.take(2)
        const applied = batch.taken.map(({ event }) => event)
        yield* store.transaction((tx) => store.deliveries.settle(tx, batch, applied))
      }).pipe(store.atomically)
      yield* receive(delivery("a"), delivery("b"), delivery("c"))
      yield* settled
      yield* settled
      assert.deepStrictEqual(yield* far, [])
      // An embedded one is rebuilt at the next start.
      const isAtNextStart = yield* Projection.rebuild(store)
      assert.deepStrictEqual(yield* far, [[0, 3]])
      if (isAtNextStart) yield* Projection.startAgain(store, "another")
      yield* receive(delivery("d"))
      yield* settled
      assert.deepStrictEqual(yield* far, [[2, 3]])
      yield* settled
      assert.deepStrictEqual(yield* far, [])
    })
  )

  it.live.skipIf(isSkipped)("is reopened with everything in it, and migrated once", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { layer } = yield* place
        const migrations = Effect.flatMap(Store, (store) =>
          store.run((db) =>
            db
              .selectFrom("kysely_migration" as "meta")
              .selectAll()
              .execute()
          )
        )
        const opened = <A, E>(body: Effect.Effect<A, E, Store>) =>
          Effect.scoped(Effect.provide(body, layer, { local: true }))
        const first = yield* opened(Effect.andThen(receive(delivery("a")), migrations))
        assert.isNotEmpty(first)
        assert.deepStrictEqual(yield* opened(migrations), first)
        assert.lengthOf(yield* opened(inbox), 1)
      })
    )
  )
})
