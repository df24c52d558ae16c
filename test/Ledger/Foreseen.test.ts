/** What a decision would do, as a person sees it beforehand: exactly what it does later, and nothing until then. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Amount from "../../src/Domain/Amount.ts"
import { Ledger } from "../../src/Ledger/Ledger.ts"
import { explain } from "../../src/Ledger/Look.ts"
import type { Decision } from "../../src/Ledger/People/Decide.ts"
import { Store } from "../../src/Stores/Store.ts"
import { seeded } from "../Seeded.ts"
import { certifiedIn } from "./Cumulative/Projects.ts"
import { day, terms } from "./Reported.ts"
import { created, hear, holds, journal, paid, startedOnce, startedWholeOnce } from "./Started.ts"

const ours = [
  "ledger_facts",
  "ledger_entries",
  "ledger_holds",
  "ledger_hold_decisions",
  "ledger_outbox",
  "ledger_certified",
  "admin_log"
] as const

/** All that the books consist of. */
const all = Effect.flatMap(Store, (store) =>
  store.run((db) => Promise.all(ours.map((table) => db.selectFrom(table).selectAll().execute())))
)

const amountsOf = (reason: string): ReadonlyArray<string | undefined> =>
  reason === "over-payment" || reason === "project-changed" ? [undefined] : ["40", undefined]

/** Foresees it, and then does it; undefined: it is refused both times, in the same words. */
const both = Effect.fnUntraced(function* (decision: Decision, ipc: string) {
  const { decide, foresee } = yield* Ledger
  const before = yield* all
  const foreseen = yield* Effect.result(foresee(decision))
  assert.deepStrictEqual(yield* all, before, "it wrote something")
  const was = (yield* explain(ipc)).balance
  const done = yield* Effect.result(decide(decision))
  if (done._tag === "Failure" || foreseen._tag === "Failure") {
    assert.strictEqual(foreseen._tag, done._tag)
    if (done._tag === "Failure" && foreseen._tag === "Failure")
      assert.strictEqual(foreseen.failure.message, done.failure.message)
    return undefined
  }
  const { after, before: now, closed, entries, held, opened } = foreseen.success
  assert.deepStrictEqual(
    entries.map(({ amount, currency, ipc_id, kind, posting_date }) => [ipc_id, kind, amount, currency, posting_date]),
    done.success.entries.map(({ currency, ipc_id, kind, posting_date, units }) => [
      ipc_id,
      kind,
      Amount.sumOfUnits(units),
      currency,
      posting_date
    ])
  )
  const ids = (some: ReadonlyArray<{ readonly hold_id: string }>) => some.map(({ hold_id: id }) => id).toSorted()
  assert.deepStrictEqual([ids(opened), ids(closed)], [ids(done.success.opened), ids(done.success.closed)])
  assert.deepStrictEqual(ids(held), ids((yield* holds).filter(({ ipc_id: id }) => id === ipc)))
  assert.deepStrictEqual([now, after], [was, (yield* explain(ipc)).balance])
  return entries
})

describe("a decision, foreseen,", () => {
  it.effect("is what it then does, also to the IPCs that follow, and writes nothing", () =>
    startedWholeOnce(
      Effect.gen(function* () {
        const { below, pick } = seeded(31)
        yield* TestClock.setTime(Date.UTC(2027, 0, 1))
        let [decided, others] = [0, 0]
        for (let received = 1; received < 150; received++) {
          const [id, second] = [`IPC-${below(12)}`, below(30 * day)]
          yield* hear([
            pick([
              () => certifiedIn(pick(["7", "8"]), id, second, received, String(1 + below(500))),
              () => paid(id, second, received, `PAY-${below(3)}`),
              () => created(id, second, received, pick(["7", "8"]))
            ])()
          ])
          const open = yield* holds
          if (open.length === 0) continue
          const hold = pick(open)
          const verdict = pick(["accept", "accept", "reject"] as const)
          const amount = verdict === "reject" ? undefined : pick(amountsOf(hold.reason))
          const entries = yield* both({ hold: hold.hold_id, verdict, amount, by: "Ana", reason: "seen" }, hold.ipc_id)
          if (entries === undefined) continue
          decided++
          others += entries.filter(({ ipc_id: ipc }) => ipc !== hold.ipc_id).length
        }
        assert.isAbove(decided, 20)
        assert.isAbove((yield* journal).length, 20)
        assert.isAbove(others, 0)
      }),
      terms
    )
  )

  it.effect("has the lines of each entry, and what is open then", () =>
    startedOnce(
      Effect.gen(function* () {
        const { foresee } = yield* Ledger
        yield* hear([paid("A", 5, 6)])
        const [hold] = yield* holds
        const decision = { hold: hold!.hold_id.slice(0, 6), verdict: "accept" as const, by: "Ana", reason: "seen" }
        const found = yield* foresee({ ...decision, amount: "120.5" })
        assert.deepStrictEqual(
          found.entries.map(({ amount, lines }) => [amount, lines]),
          [
            [
              "120.5000",
              [
                { account: "bank", debit: "120.5000", credit: "0.0000" },
                { account: "receivable", debit: "0.0000", credit: "120.5000" }
              ]
            ]
          ]
        )
        assert.deepStrictEqual([found.before.paid, found.after.paid, found.held], ["0.0000", "120.5000", []])
        const refused = yield* Effect.flip(foresee({ ...decision, amount: "-1" }))
        assert.strictEqual(refused.message, "The amount must be more than zero.")
      })
    )
  )
})
