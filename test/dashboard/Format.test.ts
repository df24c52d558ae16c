import { assert, describe, it } from "@effect/vitest"
import {
  ago,
  ahead,
  counted,
  digits,
  fullTime,
  money,
  ofUnits,
  shortTime,
  size,
  span,
  took,
  utc
} from "../../dashboard/Format.ts"

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

describe("an age", () => {
  it("is exact to the second below a minute, and to the minute below a day", () => {
    const written = [
      0,
      999,
      12 * second,
      59_999,
      minute,
      61 * minute,
      2 * hour + 5 * minute,
      day - 1,
      3 * day + 4 * hour
    ]
    assert.deepStrictEqual(written.map(span), [
      "0 s",
      "0 s",
      "12 s",
      "59 s",
      "1 min",
      "1 h 1 min",
      "2 h 5 min",
      "23 h 59 min",
      "3 d 4 h"
    ])
  })

  it("says nothing of a part that is zero", () => {
    assert.deepStrictEqual([hour, 2 * day].map(span), ["1 h", "2 d"])
  })

  it("is just now at first, and may lie ahead", () => {
    assert.deepStrictEqual(
      [ago(400), ago(1000), ahead(400), ahead(2 * minute)],
      ["just now", "1 s ago", "now", "in 2 min"]
    )
  })
})

it("what something took has fractions only where they matter", () => {
  assert.deepStrictEqual([0.42, 9.96, 85.4, 999, 1234, 48_200, 200_000, 2 * hour].map(took), [
    "0.4 ms",
    "10 ms",
    "85 ms",
    "999 ms",
    "1.2 s",
    "48 s",
    "3 min 20 s",
    "2 h"
  ])
})

describe("a time", () => {
  const at = Date.parse("2026-11-27T22:30:05.123456Z")

  it("is written in the zone of the reader", () => {
    assert.strictEqual(fullTime(at, "UTC"), "2026-11-27 22:30:05")
    assert.strictEqual(fullTime(at, "Europe/Berlin"), "2026-11-27 23:30:05")
  })

  it("leaves out the day that is today there", () => {
    const later = at + 2 * hour
    assert.strictEqual(shortTime(at, later, "America/New_York"), "17:30:05")
    assert.strictEqual(shortTime(at, later, "UTC"), "2026-11-27 22:30")
  })

  it("keeps all its digits in UTC", () => {
    assert.strictEqual(utc("2026-11-27T22:30:05.123456Z"), "2026-11-27 22:30:05.123456 UTC")
  })
})

describe("an amount", () => {
  it("keeps every digit, however many there are", () => {
    const longest = "123456789012345678901234.5678"
    assert.strictEqual(money(longest, "EUR"), "123,456,789,012,345,678,901,234.5678 EUR")
  })

  it("has as many decimals as its currency at the least, and zeros beyond them are left out", () => {
    assert.strictEqual(money("1234.5000", "EUR"), "1,234.50 EUR")
    assert.strictEqual(money("1234.0000", "JPY"), "1,234 JPY")
    assert.strictEqual(money("1234.0000", "KWD"), "1,234.000 KWD")
    assert.strictEqual(money("0.0001", null), "0.0001")
    assert.strictEqual(money("12", null), "12.00")
  })

  it("below zero has a minus before it", () => {
    assert.deepStrictEqual(digits("-1000.1000", "EUR"), { sign: "−", whole: "1,000", fraction: ".10" })
  })

  it("that is no decimal stays as it came", () => {
    assert.strictEqual(money("<b>1</b>", "EUR"), "<b>1</b> EUR")
    assert.isUndefined(digits("1e5", "EUR"))
  })

  it("in ten-thousandths becomes a decimal", () => {
    assert.deepStrictEqual(["0", "5", "-12345", "120000"].map(ofUnits), ["0.0000", "0.0005", "-1.2345", "12.0000"])
    assert.isUndefined(ofUnits("1.5"))
  })
})

it("counts and sizes are in words", () => {
  assert.deepStrictEqual(
    [counted(1, "row"), counted(12_345, "row"), counted(2, "entry", "entries")],
    ["1 row", "12,345 rows", "2 entries"]
  )
  assert.deepStrictEqual([size(512), size(1400), size(2_500_000)], ["512 bytes", "1.4 kB", "2.5 MB"])
})
