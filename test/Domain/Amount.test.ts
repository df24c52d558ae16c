import { assert, describe, it } from "@effect/vitest"
import * as Amount from "../../src/Domain/Amount.ts"
import * as Json from "../../src/Domain/Json.ts"
import { forSeeds } from "../Seeded.ts"

const money = (value: unknown) => Amount.read(value, Amount.Money)

/** As a JSON number in source text, and as a string. */
const both = (text: string): ReadonlyArray<unknown> => [Json.parse(text), text]

const nines = "9".repeat(24)

describe("Amount", () => {
  it("is canonical text with the scale of its column", () => {
    const read = {
      "0": "0.0000",
      "7": "7.0000",
      "12.34": "12.3400",
      "0.0001": "0.0001",
      "1.50": "1.5000",
      "-3.1": "-3.1000"
    }
    for (const [text, canonical] of Object.entries(read)) {
      for (const value of both(text)) assert.strictEqual(money(value), canonical, text)
    }
    assert.strictEqual(Amount.read("71.5", { digits: 10, scale: 2 }), "71.50")
    assert.strictEqual(money(12.5), "12.5000")
  })

  it("has up to 24 digits before the point, all exact", () => {
    for (const sign of ["", "-"]) {
      for (const value of both(`${sign}${nines}.9999`)) assert.strictEqual(money(value), `${sign}${nines}.9999`)
      for (const value of both(`${sign}1${"0".repeat(23)}`))
        assert.strictEqual(money(value), `${sign}1${"0".repeat(23)}.0000`)
    }
    assert.strictEqual(money("000012.5"), "12.5000")
    assert.strictEqual(money(`${"0".repeat(50)}${nines}`), `${nines}.0000`)
  })

  it("is refused with 25 digits before the point", () => {
    for (const text of [`1${"0".repeat(24)}`, `-${"9".repeat(25)}`, `1${nines}.5`]) {
      for (const value of both(text)) assert.isUndefined(money(value), text)
    }
    assert.isUndefined(Amount.read("100000000", { digits: 10, scale: 2 }))
    assert.strictEqual(Amount.read("99999999.99", { digits: 10, scale: 2 }), "99999999.99")
  })

  it("is refused with a fifth decimal other than zero", () => {
    for (const text of ["1.00001", "0.00001", "-0.12345", "12.34000000001", `${nines}.99999`]) {
      for (const value of both(text)) assert.isUndefined(money(value), text)
    }
    for (const value of both("1.23450")) assert.strictEqual(money(value), "1.2345")
    for (const value of both("1.0000000000000000000000000000000000")) assert.strictEqual(money(value), "1.0000")
  })

  it("may have an exponent", () => {
    const read = {
      "1e23": `1${"0".repeat(23)}.0000`,
      "1E-4": "0.0001",
      "1.5e+3": "1500.0000",
      "-25e-1": "-2.5000",
      "12345678e-4": "1234.5678",
      "0e5": "0.0000"
    }
    for (const [text, canonical] of Object.entries(read)) {
      for (const value of both(text)) assert.strictEqual(money(value), canonical, text)
    }
    for (const text of ["1e24", "1E-5", "12e-5", "1.5e23456"])
      for (const value of both(text)) assert.isUndefined(money(value), text)
  })

  it("is cheap to refuse with any exponent and any length of text", () => {
    const startedAt = performance.now()
    const large = ["1e999999999", "1e-999999999", "-9e9007199254740991", "1e99999999999999999999"]
    for (const text of [...large, "9".repeat(1_000_000), `0.${"1".repeat(1_000_000)}`]) {
      for (const value of both(text)) assert.isUndefined(money(value))
    }
    for (const value of both("0e999999999")) assert.strictEqual(money(value), "0.0000")
    assert.isBelow(performance.now() - startedAt, 2000)
  })

  it("has no negative zero", () => {
    for (const text of ["-0", "-0.0", "-0e7", "-0.00000"])
      for (const value of both(text)) assert.strictEqual(money(value), "0.0000")
  })

  it("is read from strings with a sign or white space around them", () => {
    assert.strictEqual(money(" 12.5\n"), "12.5000")
    assert.strictEqual(money("+12.5"), "12.5000")
  })

  it("is refused if it isn't a decimal number", () => {
    const junk = [
      "",
      " ",
      "abc",
      "1,000.00",
      "1 000",
      "12.3.4",
      "--1",
      "1-",
      "0x10",
      "1_000",
      "NaN",
      "Infinity",
      ".5",
      "1e",
      "1e5.5"
    ]
    for (const value of [...junk, "€5", "5 EUR", "12abc", "١٢", "12e٣", "-", "1e 3", "1\u00005"])
      assert.isUndefined(money(value), value)
    for (const value of [null, undefined, true, [], [1], {}, { rawJSON: "1" }, Number.NaN, Infinity])
      assert.isUndefined(money(value))
  })

  it("agrees with BigInt arithmetic", () => {
    forSeeds(20_000, (random) => {
      const exponent = random.chance(0.5) ? 0 : random.below(40) - 20
      const fraction = random.chance(0.3) ? "" : random.digits(1 + random.below(6)) + "0".repeat(random.below(4))
      const whole = random.chance(0.2) ? "0" : random.digits(1 + random.below(27))
      const sign = random.chance(0.5) ? "-" : ""
      const shift = 4 - fraction.length + exponent
      const unscaled = BigInt(`${sign}${whole}${fraction}`)
      const divisor = 10n ** BigInt(Math.max(0, -shift))
      const units = unscaled * 10n ** BigInt(Math.max(0, shift))
      const limit = 10n ** 28n
      const fits = units % divisor === 0n && units / divisor < limit && units / divisor > -limit
      const text = `${sign}${whole}${fraction === "" ? "" : `.${fraction}`}${exponent === 0 ? "" : `e${exponent}`}`
      for (const value of both(text)) {
        const read = money(value)
        assert.strictEqual(
          read === undefined ? undefined : BigInt(read.replace(".", "")),
          fits ? units / divisor : undefined,
          text
        )
        if (read !== undefined) {
          assert.match(read, /^-?(0|[1-9]\d*)\.\d{4}$/, text)
          assert.strictEqual(money(read), read, text)
        }
      }
    })
  })
})
