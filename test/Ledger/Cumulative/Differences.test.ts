/**
 * Cumulative certificates: the amount due for an IPC is the difference from the IPC certified before it in its project.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { AppliedEvent } from "../../../src/Ledger/EventFacts.ts"
import { Ledger } from "../../../src/Ledger/Ledger.ts"
import { Store } from "../../../src/Stores/Store.ts"
import { certificate, history, payment, reasons, reject } from "../Histories.ts"
import { at, created, folder, hear, holds, journal, paid, started, startedOnce } from "../Started.ts"
import { as, certifiedIn, certifiedOf, isSound, nets, terms, waiting } from "./Projects.ts"

describe("cumulative certificates", () => {
  it.effect("post the difference to the one before, which was certified first, not received first", () =>
    startedOnce(
      Effect.gen(function* () {
        yield* hear([certifiedIn("7", "C", 30, 1, "300"), paid("C", 31, 2)])
        assert.deepStrictEqual(yield* nets, { C: 300 })
        yield* hear([certifiedIn("7", "A", 10, 3, "100"), certifiedIn("7", "B", 20, 4, "180"), paid("A", 11, 5)])
        assert.deepStrictEqual(yield* nets, { A: 100, C: 120 })
        yield* hear([paid("B", 21, 6)])
        assert.deepStrictEqual(yield* nets, { A: 100, B: 80, C: 120 })
        yield* isSound
        const last = (yield* journal).at(-1)
        assert.strictEqual(last?.certified_as, "cumulative")
        const basis = JSON.parse(last?.basis ?? "[]") as ReadonlyArray<Readonly<Record<string, unknown>>>
        const preceding = basis.find(({ kind }) => kind === "preceding")
        assert.deepInclude(preceding, { of: "A", amount: "100.0000", at: at(10) })
      }),
      terms
    )
  )

  it.effect("count what was certified before them: of the IPC before, by then; of the first, as configured", () =>
    startedOnce(
      Effect.gen(function* () {
        yield* hear([
          certifiedIn("8", "A", 10, 1, "1100"),
          paid("A", 11, 2),
          certifiedIn("8", "B", 20, 3, "1250"),
          // Too late for what was certified by then.
          certifiedIn("8", "A", 25, 4, "1120"),
          paid("B", 26, 5),
          certifiedIn("8", "C", 30, 6, "1300"),
          paid("C", 31, 7),
          certifiedIn("10", "D", 10, 8, "500"),
          paid("D", 11, 9),
          certifiedIn("10", "E", 20, 10, "700"),
          paid("E", 21, 11)
        ])
        assert.deepStrictEqual(yield* nets, { A: 100, B: 150, C: 50, D: 500, E: 700 })
        assert.deepStrictEqual(yield* waiting, ["A recertified-after-payment"])
        assert.deepStrictEqual((yield* holds)[0]?.amount, "120.0000")
        // Before B was certified, so its difference changes.
        yield* hear([certifiedIn("8", "A", 19, 12, "1130")])
        assert.deepStrictEqual(yield* nets, { A: 100, B: 120, C: 50, D: 500, E: 700 })
        yield* isSound
      }),
      terms
    )
  )

  it.effect("ask where it isn't known what was certified before, until it is said once for the project", () =>
    Effect.flatMap(folder, (path) =>
      Effect.gen(function* () {
        yield* started(
          path,
          Effect.gen(function* () {
            yield* hear([certifiedIn("9", "A", 10, 1, "400"), paid("A", 11, 2)])
            yield* hear([certifiedIn("9", "B", 20, 3, "450"), paid("B", 21, 4)])
            yield* hear([certifiedOf("X", 5, 5, "70"), paid("X", 6, 6)])
            assert.deepStrictEqual(yield* nets, { B: 50 })
            assert.deepStrictEqual(yield* waiting, ["A previous-amount-unknown", "X previous-amount-unknown"])
            // Its project isn't cumulative, which an event says later.
            yield* hear([created("X", 1, 7, "10")])
            assert.deepStrictEqual(yield* nets, { B: 50, X: 70 })
          }),
          terms
        )
        const { byProject } = terms.certificates
        const said = as({
          standard: "cumulative",
          payable: [],
          byProject: { ...byProject, "9": { amounts: null, certifiedBefore: "380.0000", payable: null } }
        })
        yield* started(
          path,
          Effect.gen(function* () {
            assert.deepStrictEqual(yield* nets, { A: 20, B: 50, X: 70 })
            assert.deepStrictEqual(yield* waiting, [])
            yield* isSound
          }),
          said
        )
      })
    )
  )

  it.effect("ask where the one before is unclear, and post when it is clear", () =>
    startedOnce(
      Effect.gen(function* () {
        yield* hear([certifiedIn("7", "A", 10, 1, "100"), certifiedIn("7", "A", 10, 2, "110")])
        yield* hear([certifiedIn("7", "B", 20, 3, "150"), paid("B", 21, 4)])
        assert.deepStrictEqual(yield* waiting, ["B previous-amount-unknown"])
        // A later one says what A's amount was by then.
        yield* hear([certifiedIn("7", "A", 15, 5, "105")])
        assert.deepStrictEqual([yield* nets, yield* waiting], [{ B: 45 }, []])
        yield* isSound
      }),
      terms
    )
  )

  it.effect("stand where the certificates that count put them", () =>
    startedOnce(
      Effect.gen(function* () {
        yield* hear([certifiedIn("7", "A", 10, 1, "100"), certifiedIn("7", "C", 40, 2, "300"), paid("C", 41, 3)])
        yield* hear([certifiedIn("7", "B", 20, 4, "150"), certifiedIn("7", "B", 20, 5, "160")])
        yield* hear([certifiedIn("7", "B", 30, 6, "180"), certifiedIn("7", "D", 15, 7, "170"), paid("B", 21, 8)])
        assert.deepStrictEqual([yield* nets, yield* waiting], [{ C: 120 }, ["B ambiguous-order"]])
        const { decide } = yield* Ledger
        const hold = (yield* holds)[0]?.hold_id ?? ""
        // B moves from second 20 to 30, and D stays before it.
        yield* decide({ hold, verdict: "reject", amount: undefined, by: "Ana", reason: "both are wrong" })
        assert.deepStrictEqual([yield* nets, yield* waiting], [{ B: 10, C: 120 }, []])
        const store = yield* Store
        const facts = yield* store.run((db) => db.selectFrom("ledger_facts").selectAll().execute())
        for (const { content, ipc_id } of facts) assert.notInclude(content, `"preceding":{"ipcId":"${ipc_id}"`)
        yield* isSound
        yield* hear([paid("D", 26, 9)])
        assert.deepStrictEqual(yield* nets, { B: 10, C: 120, D: 70 })
        // An earlier one of C puts it before them all.
        yield* hear([certifiedIn("7", "C", 5, 10, "90")])
        assert.deepStrictEqual(yield* nets, { B: 10, C: 300, D: 70 })
        yield* isSound
      }),
      terms
    )
  )

  it.effect("are amounts of their currency themselves, also where their difference is one", () =>
    startedOnce(
      Effect.gen(function* () {
        const precise = (id: string, second: number, amount: string): AppliedEvent => {
          const event = certifiedIn("7", id, second, second, "1")
          const values = { ...event.change.values, certified_amount: amount }
          return { ...event, change: { ...event.change, values } }
        }
        yield* hear([precise("A", 10, "50.0050"), precise("B", 20, "100.0050"), paid("B", 21, 3)])
        assert.deepStrictEqual([yield* nets, yield* waiting], [{}, ["B amount-too-precise"]])
      }),
      { ...terms, currency: "EUR", minorDigits: {} }
    )
  )

  it("stay in question if the question is refused: the payment was made", () => {
    const steps = [certificate(1, 500n), payment(5), reject("previous-amount-unknown")]
    assert.deepStrictEqual(reasons(history(steps, terms)), ["previous-amount-unknown"])
  })

  it.effect("post nothing where nothing is due: a person is asked", () =>
    startedOnce(
      Effect.gen(function* () {
        yield* hear([certifiedIn("7", "A", 10, 1, "100"), certifiedIn("7", "B", 20, 2, "100"), paid("B", 21, 3)])
        assert.deepStrictEqual([yield* nets, yield* waiting], [{}, ["B amount-not-positive"]])
        const { decide } = yield* Ledger
        const hold = (yield* holds)[0]?.hold_id ?? ""
        yield* decide({ hold, verdict: "accept", amount: "7", by: "Ana", reason: "an advance" })
        assert.deepStrictEqual(yield* nets, { B: 7 })
        yield* isSound
      }),
      terms
    )
  )

  it.effect("of an IPC that is signed off by a person are due as they are", () =>
    startedOnce(
      Effect.gen(function* () {
        yield* hear([created("A", 1, 1, "9"), paid("A", 11, 2)])
        const { signOff } = yield* Ledger
        yield* signOff([{ ipcId: "A", amount: "60.0000", certificate: "No. 4" }], "Ana")
        assert.deepStrictEqual(yield* nets, { A: 60 })
        yield* isSound
      }),
      terms
    )
  )
})
