/** What is payable of a certified amount: exact, rounded once for each rule, and never beyond a cap. */
import { assert, it } from "@effect/vitest"
import { payableOf, type PayableRule } from "../../config/Payable.ts"

const cent = 100n
const percent = (text: string, more: Partial<PayableRule> = {}): PayableRule => ({
  name: "rule",
  percent: text,
  amount: null,
  of: "payable",
  cap: null,
  ...more
})

it("each rule takes a percentage of what the rules before it leave, or of the certified amount", () => {
  const retention = percent("-50000")
  const vat = percent("200000")
  assert.strictEqual(payableOf(1_000_000n, [retention], cent).payable, 950_000n)
  assert.strictEqual(payableOf(1_000_000n, [retention, vat], cent).payable, 1_140_000n)
  assert.strictEqual(payableOf(1_000_000n, [retention, { ...vat, of: "certified" }], cent).payable, 1_150_000n)
  assert.deepStrictEqual(payableOf(1_000_000n, [retention, vat], cent), {
    certified: 1_000_000n,
    heldBack: 50_000n,
    added: 190_000n,
    payable: 1_140_000n,
    shares: [-50_000n, 190_000n]
  })
  assert.strictEqual(payableOf(1_000_000n, [], cent).payable, 1_000_000n)
})

it("rounds to the currency's smallest amount, halves away from zero", () => {
  // 0.15 of 0.10 is 0.015.
  assert.strictEqual(payableOf(1_000n, [percent("150000")], cent).payable, 1_200n)
  assert.strictEqual(payableOf(1_000n, [percent("-150000")], cent).payable, 800n)
  assert.strictEqual(payableOf(-1_000n, [percent("150000")], cent).payable, -1_200n)
  assert.strictEqual(payableOf(1_000n, [percent("149999")], cent).payable, 1_100n)
  assert.strictEqual(payableOf(10_000n, [percent("33333")], 10_000n).payable, 10_000n)
  assert.strictEqual(payableOf(10n ** 27n, [percent("1")], 1n).payable, 10n ** 27n + 10n ** 21n)
})

it("never takes more than a cap, and takes a fixed amount as it is", () => {
  const capped = percent("-50000", { cap: "5.0000" })
  assert.strictEqual(payableOf(900_000n, [capped], cent).payable, 855_000n)
  assert.strictEqual(payableOf(1_000_000n, [capped], cent).payable, 950_000n)
  assert.strictEqual(payableOf(2_000_000n, [capped], cent).payable, 1_950_000n)
  assert.strictEqual(payableOf(2_000_000n, [percent("50000", { cap: "5.0000" })], cent).payable, 2_050_000n)
  const advance: PayableRule = { name: "advance", percent: null, amount: "-12.5000", of: "payable", cap: null }
  assert.strictEqual(payableOf(1_000_000n, [advance], cent).payable, 875_000n)
  assert.strictEqual(payableOf(0n, [advance], cent).payable, 0n)
})
