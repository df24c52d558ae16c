import { assert, describe, it } from "@effect/vitest"
import { answerableOf, onPage, problemOf, reasons, titleOf } from "../../dashboard/Questions.ts"
import { questions } from "../../src/Ledger/People/Questions.ts"

describe("the form of a hold", () => {
  it("asks for an amount or a currency exactly where its question does", () => {
    for (const reason of reasons) {
      const { amount, takesCurrency } = answerableOf(reason) ?? {}
      assert.strictEqual(amount !== undefined, questions[reason].includes("--amount"), reason)
      assert.strictEqual(takesCurrency === true, questions[reason].includes("--currency"), reason)
    }
  })

  it("can reject what its question lets a person reject", () => {
    for (const reason of reasons) {
      // Of this one, a part can't be rejected.
      if (reason === "amount-too-precise") continue
      const isRefused = questions[reason].includes("A payment that was made can't be rejected.")
      assert.strictEqual(answerableOf(reason)?.rejected === undefined, isRefused, reason)
    }
  })

  it("says what the amount does that was given", () => {
    for (const reason of reasons) {
      const { accepted = "", amount, takesCurrency } = answerableOf(reason) ?? {}
      assert.strictEqual(accepted.includes("$"), amount !== undefined || takesCurrency === true, reason)
    }
  })

  it("has a question without the options of the command line", () => {
    for (const reason of reasons) assert.notMatch(onPage(questions[reason]), /--|\(\)|\( | \./, reason)
    assert.include(
      onPage(questions["recertified-after-payment"]),
      "not the new total (below zero if money came back), or"
    )
  })

  it("names a reason that it doesn't know as it is", () => {
    assert.strictEqual(titleOf("from-a-newer-worker"), "from-a-newer-worker")
    assert.isUndefined(answerableOf("toString"))
  })
})

it("an amount is refused that could be read in two ways, or that isn't taken", () => {
  for (const right of ["1234.50", "0.0001", "7"]) assert.isUndefined(problemOf(right, "positive"))
  for (const right of ["0", "-3.5"]) assert.isUndefined(problemOf(right, "any"))
  for (const wrong of ["1,50", "1.234,50", "", "1e3", "1.23456", " 1"]) assert.isString(problemOf(wrong, "any"), wrong)
  for (const wrong of ["0", "0.00", "-1"]) assert.isString(problemOf(wrong, "positive"), wrong)
})
