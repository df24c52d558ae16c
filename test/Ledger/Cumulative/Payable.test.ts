/** Certified amounts before retention or without tax: the payable amount is due, with caps over the total certified. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { PayableRule } from "../../../config/Payable.ts"
import type { Terms } from "../../../src/Ledger/Fact.ts"
import { Ledger } from "../../../src/Ledger/Ledger.ts"
import { contractor } from "../Contractor.ts"
import { created, folder, hear, holds, journal, paid, started, startedOnce } from "../Started.ts"
import { certifiedIn, certifiedOf, isSound, nets, waiting } from "./Projects.ts"

const retention: PayableRule = { name: "retention", percent: "-50000", amount: null, of: "payable", cap: "50.0000" }
const vat: PayableRule = { name: "VAT", percent: "200000", amount: null, of: "payable", cap: null }

/** In project 7 certificates are cumulative, before retention and without tax; in 10 each stands for itself, without tax. */
const terms: Terms = {
  ...contractor,
  currency: "EUR",
  minorDigits: {},
  certificates: {
    standard: "each",
    payable: [],
    byProject: {
      "7": { amounts: "cumulative", certifiedBefore: "0.0000", payable: [retention, vat] },
      "10": { amounts: null, certifiedBefore: null, payable: [vat] }
    }
  }
}

const basisOf = (text: string | undefined) =>
  JSON.parse(text ?? "[]") as ReadonlyArray<Readonly<Record<string, string>>>

describe("what is payable", () => {
  it.effect("is due: less retention up to its cap over all certificates, with tax", () =>
    startedOnce(
      Effect.gen(function* () {
        for (const [id, second, amount] of [
          ["A", 10, "600"],
          ["B", 20, "1200"],
          ["C", 30, "1500"]
        ] as const) {
          yield* hear([certifiedIn("7", id, second, second, amount), paid(id, second + 1, second + 1)])
        }
        // 5 % of 600 is 30; of 1,200 no more than 50 in all; then nothing is held back any more.
        assert.deepStrictEqual(yield* nets, { A: 684, B: 696, C: 360 })
        const rules = basisOf((yield* journal)[0]?.basis).find(({ kind }) => kind === "payable")?.["rules"] ?? ""
        assert.deepStrictEqual(JSON.parse(rules), [retention, vat])
        yield* isSound
      }),
      terms
    )
  )

  it.effect("is due of each certificate for itself, and of one that a person signed off as it is", () =>
    startedOnce(
      Effect.gen(function* () {
        yield* hear([
          certifiedIn("10", "A", 10, 1, "100"),
          paid("A", 11, 2),
          created("B", 1, 3, "10"),
          paid("B", 12, 4)
        ])
        const { signOff } = yield* Ledger
        yield* signOff([{ ipcId: "B", amount: "60.0000", certificate: "No. 4" }], "Ana")
        assert.deepStrictEqual(yield* nets, { A: 120, B: 60 })
        yield* isSound
      }),
      terms
    )
  )

  it.effect("waits for the project if projects differ, and nothing changes unasked what a person said by then", () =>
    startedOnce(
      Effect.gen(function* () {
        yield* hear([certifiedOf("A", 10, 1, "100"), paid("A", 11, 2), paid("B", 12, 3)])
        assert.deepStrictEqual(yield* waiting, ["A previous-amount-unknown", "B awaiting-certified-amount"])
        const { decide } = yield* Ledger
        for (const { hold_id } of yield* holds) {
          yield* decide({ hold: hold_id, verdict: "accept", amount: "110", by: "Ana", reason: "the bank says so" })
        }
        assert.deepStrictEqual(yield* nets, { A: 110, B: 110 })
        yield* hear([created("A", 1, 4, "10"), certifiedIn("10", "B", 5, 5, "90")])
        assert.deepStrictEqual([yield* nets, yield* waiting], [{ A: 110, B: 110 }, ["B previous-amount-unknown"]])
        yield* isSound
      }),
      terms
    )
  )

  it.effect("stays as it was for what is posted, whatever the terms say later", () =>
    Effect.flatMap(folder, (path) =>
      Effect.gen(function* () {
        yield* started(
          path,
          hear([
            certifiedIn("10", "A", 10, 1, "100"),
            paid("A", 11, 2),
            certifiedIn("11", "B", 10, 3, "100"),
            paid("B", 11, 4)
          ]),
          terms
        )
        const { byProject } = terms.certificates
        const more = { amounts: null, certifiedBefore: null, payable: [{ ...vat, percent: "100000" }] }
        const other = { ...terms.certificates, byProject: { ...byProject, "10": more, "11": more } }
        yield* started(
          path,
          Effect.gen(function* () {
            yield* hear([certifiedIn("10", "A", 9.5, 5, "50"), certifiedIn("10", "A", 10.5, 6, "200")])
            yield* hear([
              certifiedIn("11", "B", 10.5, 7, "200"),
              certifiedIn("10", "C", 10, 8, "100"),
              paid("C", 11, 9)
            ])
            assert.deepStrictEqual(yield* nets, { A: 240, B: 200, C: 110 })
            yield* isSound
          }),
          { ...terms, certificates: other }
        )
      })
    )
  )

  it.effect("asks where the certificate itself has more decimals than its currency", () =>
    startedOnce(
      Effect.gen(function* () {
        const event = certifiedIn("10", "A", 10, 1, "100")
        const values = { ...event.change.values, certified_amount: "100.0050" }
        yield* hear([{ ...event, change: { ...event.change, values } }, paid("A", 11, 2)])
        assert.deepStrictEqual([yield* nets, yield* waiting], [{}, ["A amount-too-precise"]])
      }),
      terms
    )
  )
})
