/**
 * Records that wait to be looked up, on both engines: one row per record, no matter what comes, until the record has
 * been read since.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Instant from "../../src/Domain/Instant.ts"
import { Store } from "../../src/Stores/Store.ts"
import * as LookUps from "../../src/Stores/LookUps.ts"
import { engines } from "./StoreEngines.ts"

const at = (second: number) => Instant.fromMillis(1_790_000_000_000 + second * 1000)

const want = (second: number, ...ids: ReadonlyArray<string>) =>
  Effect.flatMap(Store, (store) =>
    store.transaction((tx) =>
      LookUps.want(
        tx,
        ids.map((id) => ({ resource: "ipcs", id })),
        at(second)
      )
    )
  )
const next = (limit = 10) => Effect.flatMap(Store, (store) => store.run((db) => LookUps.next(db, "ipcs", limit)))
const done = (waiting: LookUps.Waiting, second: number) =>
  Effect.flatMap(Store, (store) => store.transaction((tx) => LookUps.done(tx, "ipcs", waiting, at(second))))
const note = (id: string, found: string | null) =>
  Effect.flatMap(Store, (store) => store.transaction((tx) => LookUps.note(tx, { resource: "ipcs", id }, at(50), found)))
const rows = Effect.flatMap(Store, (store) => store.run((db) => db.selectFrom("lookups").selectAll().execute()))

for (const { isSkipped, name, place } of engines) {
  const test = <E>(what: string, body: Effect.Effect<void, E, Store>) =>
    it.live(what, () => Effect.scoped(Effect.flatMap(place, ({ layer }) => Effect.provide(body, layer))))

  describe.skipIf(isSkipped)(`records to be looked up, in ${name}`, () => {
    test(
      "are a row each, however many events tell of them, those that wait longest first",
      Effect.gen(function* () {
        yield* want(1, "7", "IPC/8", "7")
        yield* want(2, "9", "7")
        yield* want(3, "é'\"")
        assert.deepStrictEqual(yield* next(), [
          { id: "7", events: 3 },
          { id: "IPC/8", events: 1 },
          { id: "9", events: 1 },
          { id: "é'\"", events: 1 }
        ])
        assert.lengthOf(yield* next(2), 2)
        const others = yield* Effect.flatMap(Store, (store) => store.run((db) => LookUps.next(db, "vos", 9)))
        assert.deepStrictEqual(others, [])
      })
    )

    test(
      "wait on for what comes while they are read, and else no longer",
      Effect.gen(function* () {
        yield* want(1, "7", "8")
        const [seven, eight] = yield* next()
        yield* want(2, "7")
        if (seven === undefined || eight === undefined) return assert.fail("nothing waits")
        yield* done(seven, 3)
        yield* done(eight, 3)
        assert.deepStrictEqual(yield* next(), [{ id: "7", events: 1 }])
        yield* done({ id: "7", events: 1 }, 4)
        assert.deepStrictEqual(yield* rows, [])
      })
    )

    test(
      "keep what was found for a payment until it doesn't wait any more",
      Effect.gen(function* () {
        yield* want(1, "7")
        yield* note("7", "nothing")
        yield* done({ id: "7", events: 1 }, 3)
        const { run, transaction } = yield* Store
        assert.deepStrictEqual([...(yield* run((db) => LookUps.findings(db, ["7", "8"])))], [["7", "nothing"]])
        yield* want(9, "7")
        const [row] = yield* rows
        assert.deepStrictEqual([row?.events, row?.since], [1, at(9)])
        yield* transaction(async (tx) => void (await LookUps.forget(tx)))
        assert.lengthOf(yield* rows, 1)
        yield* note("8", "nothing")
        yield* transaction(async (tx) => void (await LookUps.forget(tx)))
        assert.deepStrictEqual(yield* next(), [{ id: "7", events: 1 }])
        assert.lengthOf(yield* rows, 1)
      })
    )
  })
}
