/** The list of currencies against a foreign one, made of the standard's own file. */
import { assert, it } from "@effect/vitest"
import * as Iso4217 from "currency-codes"
import { isCurrency, minorDigits } from "../../config/Currency.ts"

/** Metals, units of account, tests. */
const noMoney = new Set("XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX".split(" "))

const money = Iso4217.data.filter(({ code }) => !noMoney.has(code))

it("has each code of the standard", () => {
  assert.isAbove(money.length, 160)
  assert.deepStrictEqual(
    money.filter(({ code }) => !isCurrency(code)),
    []
  )
  for (const text of ["", "eur", "XYZ", "EURO"]) assert.isFalse(isCurrency(text), text)
})

it("says how many decimals the amounts of each have", () => {
  assert.deepStrictEqual(
    money.map(({ code }) => [code, minorDigits[code] ?? 2]),
    money.map(({ code, digits }) => [code, digits])
  )
})
