/** The list of open holds, on both engines: its orders, its filters, and its pages while holds are closed. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Amount from "../../src/Domain/Amount.ts"
import { holdsLike } from "../../src/Ledger/Look.ts"
import * as Holds from "../../src/Ledger/Look/Holds.ts"
import { Store } from "../../src/Stores/Store.ts"
import { type Random, seeded } from "../Seeded.ts"
import { engines } from "../Stores/StoreEngines.ts"

const reasons = ["over-payment", "second-person", "period-closed"] as const

/** Of all lengths, many alike, some below zero, some without. */
const amountOf = ({ below, chance, digits }: Random): string | null => {
  if (chance(0.15)) return null
  const whole = chance(0.4) ? String(below(3)) : digits(1 + below(24))
  return `${chance(0.3) ? "-" : ""}${whole}.${chance(0.5) ? "0000" : digits(4)}`
}

const made = (random: Random, count: number) =>
  Array.from({ length: count }, (_, number) => ({
    hold_id: `h${String((number * 7919) % 10_007).padStart(5, "0")}`,
    ipc_id: `I-${random.below(4)}`,
    payment_reference: "P",
    reason: random.pick(reasons),
    since: `2026-11-${String(1 + random.below(9)).padStart(2, "0")}T02:00:00.000000Z`,
    basis: "[]",
    amount: amountOf(random),
    currency: random.pick(["EUR", "USD", null])
  }))

type Hold = ReturnType<typeof made>[number]

const sizeOf = ({ amount }: Hold): bigint => (amount === null ? -1n : Amount.toUnits(amount.replace("-", "")))

const byId = (one: Hold, other: Hold): number => (one.hold_id < other.hold_id ? -1 : 1)

const orders: Readonly<Record<Holds.Order, (one: Hold, other: Hold) => number>> = {
  oldest: (one, other) => (one.since === other.since ? byId(one, other) : one.since < other.since ? -1 : 1),
  largest: (one, other) => (sizeOf(one) === sizeOf(other) ? byId(one, other) : sizeOf(one) > sizeOf(other) ? -1 : 1)
}

const idsOf = (rows: ReadonlyArray<Pick<Hold, "hold_id">>) => rows.map(({ hold_id }) => hold_id)

const all = Number.MAX_SAFE_INTEGER

describe.each(engines)("open holds in $name", ({ isSkipped, place }) => {
  const test = <E>(fact: string, body: (kept: ReadonlyArray<Hold>) => Effect.Effect<void, E, Store>) =>
    it.live.skipIf(isSkipped)(fact, () =>
      Effect.gen(function* () {
        const kept = made(seeded(7), 400)
        const { layer } = yield* place
        const filled = Effect.flatMap(Store, (store) =>
          store.transaction((tx) => tx.insertInto("ledger_holds").values(kept).execute())
        )
        yield* Effect.provide(Effect.andThen(filled, body(kept)), layer)
      }).pipe(Effect.scoped)
    )

  test("are found by the beginnings of their ids, in any script, two at the most", (kept) =>
    Effect.gen(function* () {
      const store = yield* Store
      const odd = ["é", "é\u{10fffe}", "f", "H00001"].map((id) => ({ ...kept[0]!, hold_id: id }))
      yield* store.transaction((tx) => tx.insertInto("ledger_holds").values(odd).execute())
      const known = [...kept, ...odd].map(({ hold_id }) => hold_id)
      for (const start of [...known, "h0", "h00", "h000", "h0000", "h9", "x", "H", "é\u{10fffe}1"]) {
        const found = idsOf(yield* store.run((db) => holdsLike(db, start)))
        const expected = known.filter((id) => id.startsWith(start))
        assert.lengthOf(found, Math.min(2, expected.length), start)
        assert.includeMembers(expected, found)
      }
    }))

  for (const order of ["oldest", "largest"] as const) {
    test(`come in pages, the ${order} first, each once, by reason and IPC`, (kept) =>
      Effect.gen(function* () {
        for (const filters of [
          {},
          { reason: "over-payment" },
          { ipc: "I-2" },
          { reason: "second-person", ipc: "I-1" }
        ]) {
          const expected = kept
            .filter(({ ipc_id, reason }) => (filters.ipc ?? ipc_id) === ipc_id && (filters.reason ?? reason) === reason)
            .toSorted(orders[order])
          const wanted = { ...filters, order }
          assert.deepStrictEqual(idsOf(yield* Holds.holds({ ...wanted, limit: all })), idsOf(expected))
          assert.strictEqual(yield* Holds.count(filters), expected.length)
          const paged: Array<string> = []
          let after: Holds.Last | undefined
          do {
            const page = yield* Holds.holds({ ...wanted, ...(after === undefined ? {} : { after }), limit: 23 })
            paged.push(...idsOf(page))
            after = page.at(-1)
          } while (after !== undefined && paged.length <= expected.length)
          assert.deepStrictEqual(paged, idsOf(expected))
        }
      }))

    test(`go on behind a hold that was closed meanwhile, the ${order} first`, (kept) =>
      Effect.gen(function* () {
        const store = yield* Store
        const expected = idsOf(kept.toSorted(orders[order]))
        const after = (yield* Holds.holds({ order, limit: 50 })).at(-1)!
        yield* store.transaction((tx) =>
          tx.deleteFrom("ledger_holds").where("hold_id", "in", expected.slice(0, 50)).execute()
        )
        assert.deepStrictEqual(idsOf(yield* Holds.holds({ order, after, limit: 50 })), expected.slice(50, 100))
      }))
  }

  test("are the oldest of all without any wish, as ever", (kept) =>
    Effect.gen(function* () {
      const rows = yield* Holds.holds({ limit: 3 })
      assert.deepStrictEqual(idsOf(rows), idsOf(kept.toSorted(orders.oldest).slice(0, 3)))
      assert.match(rows[0]?.question ?? "", /Accept/)
      assert.deepStrictEqual(yield* Holds.holds({ limit: 3, reason: "of another version" }), [])
    }))
})
