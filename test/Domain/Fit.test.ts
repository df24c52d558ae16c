/** Which types hold a value exactly, and hence which type a learned column gets. */
import { assert, describe, it } from "@effect/vitest"
import * as Fit from "../../src/Domain/Fit.ts"
import * as Json from "../../src/Domain/Json.ts"

/** The type for these values, as JSON. */
const typeOf = (...texts: ReadonlyArray<string>): Fit.LearnedType | undefined =>
  Fit.typeFor(texts.flatMap((text) => Fit.kindOf(Json.stringify(Json.parse(text))) ?? []))

describe("a column's type", () => {
  it.each<[Fit.LearnedType | undefined, ReadonlyArray<string>]>([
    [undefined, ["null", "null"]],
    ["BIGINT", ["1", "null", "-9223372036854775808"]],
    ["DECIMAL(28,4)", ["9223372036854775808", "1"]],
    ["DECIMAL(28,4)", ["1", "12.50"]],
    ["DECIMAL(28,4)", ["1e3"]],
    ["VARCHAR", ["12.50001"]],
    ["VARCHAR", ["1e40"]],
    ["VARCHAR", ["1", '"1"']],
    ["VARCHAR", ["true", "1"]],
    ["BOOLEAN", ["true", "false", "null"]],
    ["DATE", ['"2026-02-28"']],
    ["VARCHAR", ['"2026-02-30"']],
    ["VARCHAR", ['"2026-02-28"', '"2026-02-28T10:00:00Z"']],
    ["TIMESTAMPTZ", ['"2026-02-28T10:00:00Z"', '"2026-02-28T10:00:00.123456+02:00"']],
    // Without an offset, finer than a column, a second that isn't there in it, before 1970.
    ["VARCHAR", ['"2026-02-28T10:00:00"']],
    ["VARCHAR", ['"2026-02-28T10:00:00.1234567Z"']],
    ["VARCHAR", ['"2026-06-30T23:59:60Z"']],
    ["VARCHAR", ['"1900-01-01T00:00:00Z"']],
    ["VARCHAR", ['"007"']],
    ["VARCHAR", ['""']],
    ["JSON", ["[1]"]],
    ["JSON", ["1", '{"a":1}', '"x"']],
    // No engine's text holds it.
    ["JSON", ['"a\\u0000b"']]
  ])("is %s for %s", (type, texts) => {
    assert.strictEqual(typeOf(...texts), type)
  })

  it("takes no other value for one that it holds", () => {
    assert.isUndefined(Fit.readExactly("DATE", '"2026-02-28T10:00:00Z"'))
    assert.isUndefined(Fit.readExactly("BIGINT", '"7"'))
    assert.isUndefined(Fit.readExactly("TIMESTAMPTZ", "1764000000"))
    assert.isUndefined(Fit.readExactly("DECIMAL(28,4)", '"12.50"'))
    assert.strictEqual(Fit.readExactly("DECIMAL(28,4)", "12.50"), "12.5000")
    assert.strictEqual(Fit.readExactly("VARCHAR", "12.50"), "12.50")
    assert.isNull(Fit.readExactly("BIGINT", "null"))
  })
})

describe("a value whose kind makes no difference any more", () => {
  const texts = ['"a"', '"2026-02-28"', '"2026-02-28T10:00:00Z"', '"\\u0000"', "1", "1.5", "1e40", "true", "[1]", "{}"]
  const kinds = texts.flatMap((text) => Fit.kindOf(text) ?? [])

  it("leaves the type as it is, whatever came before it", () => {
    let settled = 0
    for (let some = 0; some < 2 ** kinds.length; some++) {
      const before = new Set(kinds.filter((_, place) => (some >> place) % 2 === 1))
      for (const text of texts) {
        if (!Fit.isSettled(before, text)) continue
        settled++
        assert.strictEqual(Fit.typeFor([...before, Fit.kindOf(text)!]), Fit.typeFor(before), `${text} after it`)
      }
    }
    assert.isAbove(settled, 0)
  })
})
