/**
 * People's decisions about holds: posted at once with who and why, or refused in one sentence.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Ledger } from "../../src/Ledger/Ledger.ts"
import type { Terms } from "../../src/Ledger/Fact.ts"
import { contractor } from "./Contractor.ts"
import {
  certified,
  copied,
  copy,
  created,
  folder,
  hear,
  holds,
  journal,
  paid,
  started,
  startedOnce,
  startedWholeOnce,
  verified
} from "./Started.ts"

describe("a decision", () => {
  const decision = {
    verdict: "accept" as const,
    amount: "120.5" as string | undefined,
    by: "Ana",
    reason: "bank statement"
  }

  it.effect("posts at once, with who and why", () =>
    startedWholeOnce(
      Effect.gen(function* () {
        const { decide } = yield* Ledger
        yield* hear([paid("A", 5, 6)])
        const [hold] = yield* holds
        yield* decide({ ...decision, hold: hold?.hold_id.slice(0, 6) ?? "" })
        yield* copy
        const [entry] = yield* copied("ledger_entries")
        assert.deepInclude(entry, { amount: "120.5000", event_id: "event-A-5-6" })
        assert.include(String(entry?.["basis"]), "bank statement")
        const [closed] = yield* copied("ledger_hold_decisions")
        assert.deepInclude(closed, {
          verdict: "accept",
          decided_by: "Ana",
          why: "bank statement",
          amount: "120.5000"
        })
      })
    )
  )

  it.effect("that makes no sense is refused in one sentence and leaves no trace", () =>
    startedOnce(
      Effect.gen(function* () {
        const { decide } = yield* Ledger
        yield* hear([paid("A", 5, 6)])
        const hold = (yield* holds)[0]?.hold_id ?? ""
        const refused = [
          [{ hold: "nothing" }, "no open hold"],
          [{ amount: undefined }, "--amount"],
          [{ amount: "0" }, "more than zero"],
          [{ amount: "-1" }, "more than zero"],
          [{ amount: "1.00001" }, "4 after it"],
          [{ amount: "ten" }, "isn't a number"],
          [{ by: " " }, "--by"],
          [{ reason: "" }, "--reason"],
          [{ currency: "EUR" }, "takes no currency"],
          [{ verdict: "reject" as const, amount: undefined }, "can't be rejected"]
        ] as const
        for (const [wrong, sentence] of refused) {
          const error = yield* Effect.flip(decide({ ...decision, hold, ...wrong }))
          assert.include(error.message, sentence)
        }
        assert.strictEqual((yield* holds).length, 1)
        assert.deepStrictEqual(yield* journal, [])
      })
    )
  )

  it.effect("about a currency needs one, and later entries keep that currency", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const terms: Terms = { ...contractor, currency: "EUR", currencies: { "7": "USD" } }
      const asked = Effect.gen(function* () {
        const { decide } = yield* Ledger
        yield* hear([certified("A", 1, 2, "5.0000"), paid("A", 5, 6), certified("B", 1, 2, "6.0000"), paid("B", 5, 6)])
        const open = yield* holds
        assert.deepStrictEqual(
          open.map(({ reason }) => reason),
          ["currency-unknown", "currency-unknown"]
        )
        const hold = open.find(({ ipc_id }) => ipc_id === "A")?.hold_id ?? ""
        const bare = { ...decision, amount: undefined, hold }
        for (const [wrong, sentence] of [
          [{}, "--currency"],
          [{ currency: "XYZ" }, "ISO 4217, like EUR"],
          [{ currency: "euro" }, "ISO 4217, like EUR"],
          [{ currency: "USD", amount: "5" }, "takes no amount"],
          [{ verdict: "reject" as const }, "wait for an event that names its project"]
        ] as const) {
          assert.include((yield* Effect.flip(decide({ ...bare, ...wrong }))).message, sentence)
        }
        yield* decide({ ...bare, currency: "USD" })
        yield* hear([created("B", 0, 9, "8")])
      })
      yield* started(path, asked, terms)
      // The next start has other accounts, and no currencies by project.
      const corrected = hear([certified("A", 2, 10, "4.0000"), certified("B", 2, 10, "7.0000")])
      yield* started(path, corrected, { ...contractor, debitAccount: "payable", creditAccount: "bank" })
      const [entries, { differences }] = yield* started(path, Effect.all([journal, verified]))
      assert.deepStrictEqual(
        entries.map((entry) => [entry.ipc_id, entry.amount, entry.currency, entry.debit_account]),
        [
          ["A", "5.0000", "USD", "bank"],
          ["B", "6.0000", "EUR", "bank"],
          ["A", "-1.0000", "USD", "bank"],
          ["B", "1.0000", "EUR", "bank"]
        ]
      )
      assert.deepStrictEqual(differences, [])
    }).pipe(Effect.scoped)
  )
})
