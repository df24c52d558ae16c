/** How much of an IPC is certified, paid and open. */
import { assert, it } from "@effect/vitest"
import { balanceOf } from "../../src/Ledger/Balance.ts"
import type { Terms } from "../../src/Ledger/Fact.ts"
import { contractor } from "./Contractor.ts"
import { certificate, history, opening, payment, project, reject, type Answer, type ShortFact } from "./Histories.ts"

const balance = (...steps: ReadonlyArray<ShortFact | Answer>) => {
  const { certified, open, paid } = balanceOf(history(steps), contractor)
  return [certified, paid, open]
}

it("what is certified is what the newest certificate says, else the opening one", () => {
  const paid = payment(5, "P", 60_000n)
  assert.deepStrictEqual(balance(certificate(9, 120_000n), certificate(1, 100_000n), paid), [
    "12.0000",
    "6.0000",
    "6.0000"
  ])
  assert.deepStrictEqual(balance(opening(50_000n), payment(5)), ["5.0000", "5.0000", "0.0000"])
  assert.deepStrictEqual(balance(certificate(1, 100_000n), payment(5), certificate(9, 80_000n)), [
    "8.0000",
    "10.0000",
    "-2.0000"
  ])
})

it("what is due is what is payable of the certificate, after what was certified before", () => {
  const terms: Terms = {
    ...contractor,
    certificates: {
      standard: "cumulative",
      payable: [{ name: "retention", percent: "-50000", amount: null, of: "payable", cap: null }],
      byProject: { "7": { amounts: null, certifiedBefore: "10.0000", payable: null } }
    }
  }
  const preceding = { ipcId: null, certificates: [] }
  const certified = [{ ...project("7"), preceding }, certificate(1, 300_000n)]
  assert.deepInclude(balanceOf(history(certified, terms), terms), { certified: "30.0000", due: "19.0000" })
  assert.deepInclude(balanceOf(history([...certified, payment(5)], terms), terms), { paid: "19.0000", open: "0.0000" })
  assert.deepInclude(balanceOf(history([certificate(1, 300_000n)], terms), terms), { certified: "30.0000", due: null })
})

it("nobody knows what is open while certificates of one time disagree, or there is none", () => {
  assert.deepStrictEqual(balance(), [null, "0.0000", null])
  const different = [certificate(1, 70_000n), certificate(2, 100_000n), certificate(2, 90_000n), payment(5)]
  assert.deepStrictEqual(balance(...different), [null, "0.0000", null])
  assert.deepStrictEqual(balance(...different, reject("ambiguous-order")), ["7.0000", "7.0000", "0.0000"])
})
