/**
 * What people decide about holds: posted at once with who and why, or refused in one sentence.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Ledger } from "../../src/Ledger.ts"
import { copied, folder, hear, holds, journal, paid, started } from "./Started.ts"

describe("a decision", () => {
  const decision = {
    verdict: "accept" as const,
    amount: "120.5" as string | undefined,
    by: "Ana",
    reason: "bank statement"
  }

  it.effect("posts at once, with who and why", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* started(
        path,
        Effect.gen(function* () {
          const { decide } = yield* Ledger
          yield* hear([paid("A", 5, 6)])
          const [hold] = yield* holds
          yield* decide({ ...decision, hold: hold?.hold_id.slice(0, 6) ?? "" })
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
    }).pipe(Effect.scoped)
  )

  it.effect("that makes no sense is refused in one sentence, and nothing is kept of it", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* started(
        path,
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
    }).pipe(Effect.scoped)
  )
})
