/**
 * Tombstones of erasures: linked by hashes, refused while an erasure is unfinished, and taken over from a newer store.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Erasure from "../../src/Domain/Erasure.ts"
import * as Erasures from "../../src/Stores/Erasures.ts"
import { Store } from "../../src/Stores/Store.ts"
import { engines } from "./StoreEngines.ts"

const salt = "a".repeat(64)
/** Of a value, or of a record that is named by its table and id. */
const rule = (named: string) => {
  const [table = "", id] = named.split("/")
  return Erasure.erased(id === undefined ? { value: named, field: null, isWithin: true } : { table, id }, salt)
}

const add = (value: string, bodies: ReadonlyArray<string>) =>
  Effect.flatMap(Store, (store) =>
    store.transaction(async (tx) => {
      const { number } = await tx
        .insertInto("erasures")
        .values({
          asked_at: "2026-11-26T10:00:00.000000Z",
          asked_by: "Ada",
          reason: "asked for",
          ...Erasures.rowOf(rule(value)),
          chain: null
        })
        .returning("number")
        .executeTakeFirstOrThrow()
      for (const body of bodies) {
        await tx
          .insertInto("erased_bodies")
          .values({ body_sha256: body, erasure: Number(number), sequence: 1 })
          .execute()
      }
    })
  )

const run = <A>(query: Parameters<Store["Service"]["run"]>[0]) =>
  Effect.flatMap(Store, (store) => store.run(query) as Effect.Effect<A, never>)

const broken = run<ReadonlyArray<string>>((db) => Erasures.broken(db, 100))
const finish = Effect.flatMap(Store, (store) => store.transaction(Erasures.finish))
const erasing = Erasures.erasing({
  bodies: Erasure.plain,
  answers: Erasure.plain.isKept,
  records: () => Erasure.plain,
  apart: { module: "", given: null }
})

const [one, two] = ["1".repeat(64), "2".repeat(64)]

describe.each(engines)("tombstones in $name", ({ isSkipped, place }) => {
  const on = <A, E>(body: Effect.Effect<A, E, Store>) =>
    Effect.flatMap(place, ({ layer }) => Effect.scoped(Effect.provide(body, layer))).pipe(Effect.scoped)

  it.effect.skipIf(isSkipped)("are obeyed by a start once they are through, and refuse it before", () =>
    on(
      Effect.gen(function* () {
        assert.isUndefined(yield* erasing)
        yield* add("Ada Lovelace", [one])
        const { message, reason } = yield* Effect.flip(erasing)
        assert.strictEqual(reason, "Unusable")
        assert.include(message, "siteledger erase --resume")
        yield* finish
        yield* add("permits/7", [two])
        assert.strictEqual((yield* Effect.flip(erasing)).reason, "Unusable")
        yield* finish
        assert.deepStrictEqual((yield* erasing)?.all, [rule("Ada Lovelace"), rule("permits/7")])
        assert.deepStrictEqual(yield* broken, [])
      })
    )
  )

  it.effect.skipIf(isSkipped)("don't hold any more once one, or a body that it names, is changed or gone", () =>
    on(
      Effect.gen(function* () {
        yield* add("Ada Lovelace", [one, two])
        yield* finish
        yield* add("Charles Babbage", [])
        yield* finish
        assert.deepStrictEqual(yield* broken, [])
        const sentence = (number: number) =>
          `Erasure ${number}, the bodies that it names, or the erasure before it were changed since.`
        yield* run((db) => db.updateTable("erasures").set({ reason: "x" }).where("number", "=", 2).execute())
        assert.deepStrictEqual(yield* broken, [sentence(2)])
        yield* run((db) => db.updateTable("erasures").set({ reason: "asked for" }).execute())
        assert.deepStrictEqual(yield* broken, [])
        yield* run((db) => db.deleteFrom("erased_bodies").where("body_sha256", "=", two).execute())
        assert.deepStrictEqual(yield* broken, [sentence(1)])
        yield* run((db) => db.deleteFrom("erasures").where("number", "=", 1).execute())
        assert.deepStrictEqual(yield* broken, ["There is no erasure 1.", sentence(2)])
      })
    )
  )

  it.effect.skipIf(isSkipped)("of a newer store are to be done again in an older one, each once", () =>
    on(
      Effect.gen(function* () {
        yield* add("Ada Lovelace", [])
        yield* add("permits/7", [])
        yield* finish
        const newer = yield* run<ReadonlyArray<Erasures.Tombstone>>(Erasures.tombstones)
        yield* run((db) => db.deleteFrom("erasures").execute())
        const take = Effect.flatMap(Store, (store) => store.transaction((tx) => Erasures.takeOver(tx, newer)))
        yield* take
        yield* take
        const taken = yield* run<ReadonlyArray<Erasures.Tombstone>>(Erasures.tombstones)
        assert.deepStrictEqual(taken.map(Erasures.ruleOf), [rule("Ada Lovelace"), rule("permits/7")])
        assert.deepStrictEqual(taken.map(Erasures.isThrough), [false, false])
      })
    )
  )
})
