/**
 * Cumulative certificates: other terms change nothing that is posted, `preview` shows what they would change, an IPC
 * may change its project, and `verify` knows the order.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Ledger } from "../../../src/Ledger/Ledger.ts"
import { type Preview, preview } from "../../../src/Ledger/Preview.ts"
import { Store } from "../../../src/Stores/Store.ts"
import * as Databases from "../../Postgres.ts"
import { database, storesAt } from "../../Stores/Postgres/World.ts"
import { contractor } from "../Contractor.ts"
import { at, created, folder, hear, journal, paid, started, startedOnce, verified } from "../Started.ts"
import { as, certifiedIn, isSound, nets, terms, waiting } from "./Projects.ts"

describe("other terms", () => {
  it.effect("leave what is posted as it is, and count for what comes", () =>
    Effect.flatMap(folder, (path) =>
      Effect.gen(function* () {
        yield* started(
          path,
          Effect.gen(function* () {
            yield* hear([certifiedIn("7", "A", 10, 1, "100"), paid("A", 11, 2)])
            yield* hear([certifiedIn("7", "B", 20, 3, "180"), paid("B", 21, 4), certifiedIn("7", "C", 30, 5, "250")])
            assert.deepStrictEqual(yield* nets, { A: 100, B: 180 })
            assert.deepStrictEqual(
              (yield* journal).map(({ certified_as }) => certified_as),
              ["assumed", "assumed"]
            )
          })
        )
        yield* started(
          path,
          Effect.gen(function* () {
            yield* isSound
            yield* hear([created("B", 22, 6, "7"), paid("C", 31, 7)])
            assert.deepStrictEqual(yield* nets, { A: 100, B: 180, C: 70 })
            // Of what is posted, other amounts are taken as before.
            yield* hear([certifiedIn("7", "B", 20.5, 8, "190")])
            assert.deepStrictEqual(yield* nets, { A: 100, B: 190, C: 60 })
            yield* isSound
          }),
          terms
        )
        yield* started(
          path,
          Effect.gen(function* () {
            yield* hear([
              certifiedIn("7", "C", 30.5, 9, "255"),
              certifiedIn("7", "D", 40, 10, "400"),
              paid("D", 41, 11)
            ])
            assert.deepStrictEqual(yield* nets, { A: 100, B: 190, C: 65, D: 400 })
            yield* isSound
          }),
          as({ standard: "each", payable: [], byProject: {} })
        )
      })
    )
  )
})

describe("books of an earlier version", () => {
  it.effect("have an order from their first start on, and are told it if they are cumulative", () =>
    Effect.flatMap(folder, (path) =>
      Effect.gen(function* () {
        yield* started(
          path,
          Effect.gen(function* () {
            yield* hear([certifiedIn("7", "A", 10, 1, "100"), certifiedIn("7", "B", 20, 2, "180")])
            const store = yield* Store
            yield* store.run((db) => db.deleteFrom("ledger_certified").execute())
            yield* store.run((db) => db.deleteFrom("meta").where("key", "=", "ledger_certified").execute())
            yield* isSound
          })
        )
        yield* started(
          path,
          Effect.gen(function* () {
            yield* isSound
            yield* hear([paid("B", 21, 3)])
            assert.deepStrictEqual(yield* nets, { B: 80 })
            yield* isSound
          }),
          terms
        )
      })
    )
  )
})

describe("ledger preview", () => {
  it.effect("shows what other terms would post, also where nobody was told what precedes", () =>
    startedOnce(
      Effect.gen(function* () {
        yield* hear([certifiedIn("7", "A", 10, 1, "100"), paid("A", 11, 2), certifiedIn("7", "B", 20, 3, "180")])
        yield* hear([paid("B", 21, 4), certifiedIn("9", "C", 10, 5, "50"), paid("C", 11, 6)])
        const store = yield* Store
        const totals = ({ holds, totals: all }: Preview) => [
          holds,
          all.filter(({ account }) => account === "bank").map(({ amount, entries }) => [amount, entries])
        ]
        assert.deepStrictEqual(totals(yield* preview(store, contractor)), [
          {},
          [
            ["280.0000", 2],
            ["50.0000", 1]
          ]
        ])
        const other = yield* preview(store, terms)
        assert.deepStrictEqual(totals(other), [{ "previous-amount-unknown": 1 }, [["180.0000", 2]]])
        assert.deepStrictEqual(other.terms.certificates, terms.certificates)
      })
    )
  )
})

const areNamed = Effect.gen(function* () {
  yield* hear([certifiedIn("7", "A", 10, 1, "100"), certifiedIn("7", "B", 20, 2, "180")])
  yield* hear([certifiedIn("7", "C", 40, 3, "200"), certifiedIn("9", "D", 30, 4, "50")])
  const store = yield* Store
  assert.deepStrictEqual((yield* verified).differences, [])
  yield* store.run((db) =>
    db
      .updateTable("ledger_certified")
      .set({ first_at: at(30) })
      .where("ipc_id", "=", "A")
      .execute()
  )
  const { differences } = yield* verified
  assert.deepStrictEqual(differences, [
    "IPC A isn't where its certificates put it among those of its project.",
    "IPC A: its facts don't say that IPC B precedes it, with its certificates.",
    "IPC B: its facts don't say that it is the first of its project, with its certificates.",
    "IPC C: its facts don't say that IPC A precedes it, with its certificates."
  ])
})

describe("verify", () => {
  it.effect("names an IPC that isn't in its place, and one that wasn't told what precedes it", () =>
    startedOnce(areNamed, terms)
  )

  it.effect.skipIf(Databases.skipped !== undefined)("names them on PostgreSQL, too", () =>
    Effect.flatMap(database, ({ url }) =>
      Effect.provide(areNamed, Layer.provideMerge(Ledger.layerWith(terms), storesAt(url)))
    )
  )

  it.effect("names an IPC that has another amount in its place", () =>
    startedOnce(
      Effect.gen(function* () {
        yield* hear([certifiedIn("7", "A", 10, 1, "100"), certifiedIn("7", "B", 20, 2, "180")])
        const store = yield* Store
        const { certificates } = yield* store.run((db) =>
          db.selectFrom("ledger_certified").selectAll().where("ipc_id", "=", "A").executeTakeFirstOrThrow()
        )
        const planted = certificates.replace("1000000", "1100000")
        assert.notStrictEqual(planted, certificates)
        yield* store.run((db) =>
          db.updateTable("ledger_certified").set({ certificates: planted }).where("ipc_id", "=", "A").execute()
        )
        const { differences } = yield* verified
        assert.deepStrictEqual(differences, [
          "IPC A isn't where its certificates put it among those of its project.",
          "IPC B: its facts don't say that IPC A precedes it, with its certificates."
        ])
      }),
      terms
    )
  )
})

describe("an IPC that changes its project", () => {
  it.effect("takes its place there, and leaves no gap behind, once a person agrees", () =>
    startedOnce(
      Effect.gen(function* () {
        for (const [id, second, amount] of [
          ["A", 10, "100"],
          ["B", 20, "180"],
          ["C", 30, "300"]
        ] as const) {
          yield* hear([certifiedIn("7", id, second, second, amount), paid(id, second + 1, second + 1)])
        }
        yield* hear([certifiedIn("8", "Z", 5, 40, "1150"), paid("Z", 6, 41)])
        assert.deepStrictEqual(yield* nets, { A: 100, B: 80, C: 120, Z: 150 })
        yield* hear([created("B", 50, 50, "8")])
        assert.deepStrictEqual(yield* waiting, ["B previous-amount-unknown", "B project-changed"])
        assert.deepStrictEqual(yield* nets, { A: 100, B: 80, C: 200, Z: 150 })
        yield* isSound
      }),
      terms
    )
  )
})
