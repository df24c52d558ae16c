import { assert, describe, it } from "@effect/vitest"
import * as Instant from "../../src/Domain/Instant.ts"
import * as Json from "../../src/Domain/Json.ts"
import { forSeeds } from "../Seeded.ts"

const read = (value: unknown): string | undefined => {
  const micros = Instant.readMicros(value)
  return micros === undefined ? undefined : Instant.fromMicros(micros)
}

const reads = (expected: Readonly<Record<string, string | undefined>>) => {
  for (const [text, canonical] of Object.entries(expected)) assert.strictEqual(read(text), canonical, text)
}

describe("ISO 8601", () => {
  it("is read with any offset", () => {
    const two = "2026-11-20T02:00:00.000000Z"
    reads({
      "2026-11-20T02:00:00Z": two,
      "2026-11-20T03:00:00+01:00": two,
      "2026-11-20T03:00:00+01": two,
      "2026-11-19T20:30:00-05:30": two,
      "2026-11-19T20:30:00-0530": two,
      "2026-11-20T02:00:00 +00:00": two,
      "2026-11-20T15:59:00+13:59": two,
      "2026-11-20T02:00Z": two,
      " 2026-11-20T02:00:00Z\n": two
    })
  })

  it("is UTC without an offset, and midnight without a time", () => {
    reads({
      "2026-11-20T02:00:00": "2026-11-20T02:00:00.000000Z",
      "2026-11-20 02:00:00.5": "2026-11-20T02:00:00.500000Z",
      "2026-11-20": "2026-11-20T00:00:00.000000Z"
    })
  })

  it("is exact to the microsecond, and cut off below it", () => {
    const digits = "123456789"
    for (let count = 1; count <= 9; count++) {
      const fraction = digits.slice(0, count)
      const canonical = `2026-11-20T02:00:00.${fraction.padEnd(6, "0").slice(0, 6)}Z`
      for (const point of [".", ","]) {
        for (const zone of ["Z", "+00:00", ""])
          assert.strictEqual(read(`2026-11-20T02:00:00${point}${fraction}${zone}`), canonical)
      }
    }
    reads({ "2026-11-20T02:00:00.999999999Z": "2026-11-20T02:00:00.999999Z" })
  })

  it("is read in lower case", () => {
    reads({ "2026-11-20t02:00:00.1z": "2026-11-20T02:00:00.100000Z" })
  })

  it("knows the calendar", () => {
    reads({
      "2024-02-29T00:00:00Z": "2024-02-29T00:00:00.000000Z",
      "2000-02-29": "2000-02-29T00:00:00.000000Z",
      "2026-12-31T23:59:60Z": "2027-01-01T00:00:00.000000Z",
      "2026-11-20T24:00:00Z": "2026-11-21T00:00:00.000000Z"
    })
    for (const day of [
      "2026-02-30",
      "2026-02-29",
      "2100-02-29",
      "2026-00-10",
      "2026-13-01",
      "2026-04-31",
      "2026-01-00"
    ]) {
      assert.isUndefined(read(day), day)
      assert.isUndefined(read(`${day}T10:00:00Z`), day)
    }
  })

  it("is refused with an impossible time or offset", () => {
    for (const time of [
      "25:00:00Z",
      "24:00:01Z",
      "24:30Z",
      "10:60:00Z",
      "10:00:61Z",
      "10:00:00+24:00",
      "10:00:00+10:60"
    ]) {
      assert.isUndefined(read(`2026-11-20T${time}`), time)
    }
  })

  it("is refused when cut off or followed by anything", () => {
    const junk = [
      "",
      "now",
      "2026-11",
      "2026-11-20T",
      "2026-11-20T02",
      "2026-11-20T02:00:00.Z",
      "2026-11-20T02:00:00ZZ",
      "20-11-2026"
    ]
    for (const text of [
      ...junk,
      "2026/11/20",
      "+002026-11-20T00:00:00Z",
      "2026-11-20T02:00:00 CET",
      "x2026-11-20",
      "0050-01-01"
    ]) {
      assert.isUndefined(read(text), text)
    }
  })

  it("is refused before 1970 and after 9999", () => {
    reads({
      "1970-01-01T00:00:00Z": "1970-01-01T00:00:00.000000Z",
      "1969-12-31T23:59:59.999999Z": undefined,
      "1970-01-01T00:00:00+00:01": undefined,
      "9999-12-31T23:59:59.999Z": "9999-12-31T23:59:59.999000Z",
      "9999-12-31T23:59:59.999999Z": undefined,
      "9999-12-31T23:59:59-00:01": undefined
    })
  })
})

describe("Unix time", () => {
  it("is read in seconds and in milliseconds, as number and as text", () => {
    const expected = {
      "0": "1970-01-01T00:00:00.000000Z",
      "1763600000": "2025-11-20T00:53:20.000000Z",
      "1763600000.5": "2025-11-20T00:53:20.500000Z",
      "1763600000.123456": "2025-11-20T00:53:20.123456Z",
      "1763600000.1234569": "2025-11-20T00:53:20.123456Z",
      "1763600000123": "2025-11-20T00:53:20.123000Z",
      "1763600000123.456": "2025-11-20T00:53:20.123456Z",
      "1763600000000": "2025-11-20T00:53:20.000000Z",
      "1763600000.0": "2025-11-20T00:53:20.000000Z",
      "1.7636E9": "2025-11-20T00:53:20.000000Z",
      "1.763600000123456e9": "2025-11-20T00:53:20.123456Z",
      "1.7636e12": "2025-11-20T00:53:20.000000Z"
    }
    reads(expected)
    for (const [text, canonical] of Object.entries(expected))
      assert.strictEqual(read(Json.parse(text)), canonical, text)
  })

  it("changes from seconds (up to the year 5138) to milliseconds (from 1973)", () => {
    reads({ "99999999999": "5138-11-16T09:46:39.000000Z", "100000000000": "1973-03-03T09:46:40.000000Z" })
  })

  it("is refused if it is negative, too large or not a number", () => {
    for (const text of [
      "-1",
      "-1763600000",
      "1763600000123456",
      "1e30",
      "-1e9",
      "1e-99",
      "999999999999999",
      "1763600000."
    ]) {
      assert.isUndefined(read(text), text)
      assert.isUndefined(read(Json.parse(text)), text)
    }
    for (const value of [null, undefined, true, [], {}, [1_763_600_000]]) assert.isUndefined(read(value))
  })
})

describe("canonical text", () => {
  it("is read back to the microsecond, and sorts like time", () => {
    forSeeds(20_000, (random) => {
      const until2255 = random.below(2 ** 31) * 2 ** 22 + random.below(2 ** 22)
      const micros = random.chance(0.5) ? until2255 : 1_763_600_000_000_000 + random.below(2_000_000)
      const text = Instant.fromMicros(micros)
      assert.match(text, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
      assert.strictEqual(Instant.toMicros(text), micros)
      assert.strictEqual(Instant.readMicros(text), micros)
      const later = Instant.fromMicros(micros + 1 + random.below(3))
      assert.isTrue(later > text, `${text} ${later}`)
      assert.strictEqual(Instant.fromMillis(Math.floor(micros / 1000)), `${text.slice(0, 23)}000Z`)
    })
  })

  it("is canonical for every input, up to the last year", () => {
    forSeeds(5000, (random) => {
      const text = read(`9999-12-31T23:59:59.${random.digits(3)}${random.chance(0.5) ? random.digits(3) : ""}`)
      if (text !== undefined) assert.match(text, /^9999-12-31T23:59:59\.\d{6}Z$/)
    })
  })
})

describe("dates", () => {
  it("are the day as written, with any offset", () => {
    assert.strictEqual(Instant.readDate("2026-11-20"), "2026-11-20")
    assert.strictEqual(Instant.readDate(" 2026-11-20T23:30:00-05:00"), "2026-11-20")
    assert.strictEqual(Instant.readDate("1955-05-05"), "1955-05-05")
  })

  it("lose nothing of a time at midnight", () => {
    const whole = [
      "2026-11-20",
      " 2026-11-20 ",
      "2026-11-20T00:00Z",
      "2026-11-20 00:00:00.000+05:30",
      "20261120T000000",
      7
    ]
    assert.deepStrictEqual(whole.map(Instant.isOnlyDay), [true, true, true, true, false, true])
    const parts = ["2026-11-20T00:00:01Z", "2026-11-20T12:00:00Z", "2026-11-20T00:00:00.5Z"]
    assert.deepStrictEqual(parts.map(Instant.isOnlyDay), [false, false, false])
  })

  it("are refused if they aren't a calendar day or aren't text", () => {
    for (const value of [
      "2026-02-30",
      "20261120",
      "2026-11-20T25:00",
      "soon",
      "",
      1_763_600_000,
      null,
      undefined,
      {}
    ]) {
      assert.isUndefined(Instant.readDate(value))
    }
  })
})
