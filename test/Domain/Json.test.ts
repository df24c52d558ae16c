import { assert, describe, it } from "@effect/vitest"
import * as Json from "../../src/Domain/Json.ts"
import { forSeeds, type Random } from "../Seeded.ts"

const again = (text: string): string => Json.stringify(Json.parse(text))

const tokens = [
  "0", "-0", "0.0", "-0.0", "1", "-1", "1.0", "1.10", "12.3400", "100", "1e0", "1E5", "1e+5", "1.5E-7", "1e23", "0e0",
  "1e999999", "-1e-999999", "0.1", "0.000001", "0.0000001", "0.00000012", "-0.0000001", "123456789012345",
  "9007199254740991", "9007199254740993", "12345678901234567890", "999999999999999999999999.9999", "0.12345678901234567",
  "1763600000.123456", "0.30000000000000004", "1000000000000000000000", "99999999999999.5", "-123456789012345.6"
] // prettier-ignore

/** Every context in which a number can occur. */
const shapes = [
  (token: string) => token,
  (token: string) => `[${token}]`,
  (token: string) => `[1,${token},"x"]`,
  (token: string) => `{"a":${token}}`,
  (token: string) => `{"a":{"b":[${token},${token}]},"c":${token}}`
]

const number = (random: Random): string => {
  const sign = random.chance(0.3) ? "-" : ""
  const whole = random.chance(0.3) ? "0" : random.digits(1 + random.below(25))
  const fraction = random.chance(0.5) ? `.${"0".repeat(random.below(9))}${random.digits(1 + random.below(20))}` : ""
  const zeros = fraction !== "" && random.chance(0.3) ? "0".repeat(1 + random.below(5)) : ""
  const sized = `${random.pick(["e", "E"])}${random.pick(["", "+", "-"])}${random.below(400)}`
  return `${sign}${whole}${fraction}${zeros}${random.chance(0.2) ? sized : ""}`
}

const strings = ['"x"', '""', '"1.0"', '",-0,"', '"a\\"b"', '"\\\\"', '"é😀"', '":1e5"', '"[2.50]"']

/** Compact JSON text, as `stringify` writes it. */
const text = (random: Random, depth: number): string => {
  const kind = random.below(depth === 0 ? 4 : 7)
  if (kind < 3) return number(random)
  if (kind === 3) return random.pick(["true", "false", "null", ...strings])
  const inner = Array.from({ length: random.below(5) }, () => text(random, depth - 1))
  if (kind === 4) return `[${inner.join(",")}]`
  return `{${inner.map((value, index) => `"k${index}${random.pick(["", ".0", "e5", "__proto__"])}":${value}`).join(",")}}`
}

describe("numbers", () => {
  it("keep their text at the top level, in arrays and in objects", () => {
    for (const token of tokens) for (const shape of shapes) assert.strictEqual(again(shape(token)), shape(token))
  })

  it("keep their text among white space", () => {
    for (const token of tokens)
      assert.strictEqual(again(` { "a" :\n${token}\t, "b":[ ${token} ] } `), `{"a":${token},"b":[${token}]}`)
  })

  it("keep their text in random documents", () => {
    forSeeds(5000, (random) => {
      const document = text(random, 4)
      assert.strictEqual(again(document), document)
    })
  })

  it("show their text whether or not a double holds them", () => {
    for (const token of tokens) assert.strictEqual(Json.numberText(Json.parse(token)), token)
    for (const value of ["1", true, null, [], {}, undefined]) assert.isUndefined(Json.numberText(value))
  })

  it("are the last of a repeated name", () => {
    assert.strictEqual(again('{"a":1.0,"a":2.50}'), '{"a":2.50}')
    assert.strictEqual(again('{"a":{"b":1.0},"a":2.50,"c":[3.0]}'), '{"a":2.50,"c":[3.0]}')
    assert.strictEqual(again('{"a":2.50,"a":{"b":1.0}}'), '{"a":{"b":1.0}}')
  })
})

describe("what isn't JSON", () => {
  it("is undefined", () => {
    const texts = [
      "",
      " ",
      "{",
      "[1,]",
      "{'a':1}",
      "01",
      "1.",
      ".5",
      "+1",
      "NaN",
      "1e",
      "[1.0",
      '"\\u12"',
      '"\\ud8"',
      "nul"
    ]
    for (const each of [...texts, "<html>", '"a\nb"', "\ufeff{}", "[1] 2"]) assert.isUndefined(Json.parse(each), each)
  })

  it("is a value nested deeper than 500 levels, with any content", () => {
    for (const inner of ["", "1", "1.0", '"\\ud800"']) {
      const nested = (depth: number) => `${"[".repeat(depth)}${inner}${"]".repeat(depth)}`
      assert.isArray(Json.parse(nested(500)))
      for (const depth of [501, 3000, 100_000]) assert.isUndefined(Json.parse(nested(depth)))
    }
    assert.isUndefined(Json.parse(`${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`))
    assert.isUndefined(Json.parse(`{"a":1,"b":[2,${"[".repeat(500)}${"]".repeat(500)}]}`))
    assert.isUndefined(Json.parse("[".repeat(100_000)))
  })

  it("is detected fast, however hostile", () => {
    const startedAt = performance.now()
    for (const unit of ["1", ".", "0.", " ", ",1", "-0", "e5", '"', "\\ud800", "\\", "0.0000000"]) {
      Json.parse(`[${unit.repeat(1_000_000 / unit.length)}x`)
    }
    assert.isBelow(performance.now() - startedAt, 5000)
  })
})

describe("strings", () => {
  it("have no lone surrogates, neither in values nor in names", () => {
    assert.strictEqual(
      again('{"\\ud800":"\\udfff","a\\uDBFFb":["x\\uD83D"]}'),
      '{"\ufffd":"\ufffd","a\ufffdb":["x\ufffd"]}'
    )
    assert.strictEqual(again('"\\ud800\\ud83d\\ude00\\ude00"'), '"\ufffd😀\ufffd"')
    assert.strictEqual(again('["\\ud800",1.0]'), '["\ufffd",1.0]')
    assert.strictEqual(Json.stringify({ a: "\ud800" }), '{"a":"\ufffd"}')
  })

  it("keep surrogate pairs, and escaped backslashes before text that looks like a surrogate", () => {
    for (const kept of [
      '"\\ud83d\\ude00"',
      '"\\\\ud800"',
      '"\\\\\\\\ud800"',
      '"\\"\\\\ud800\\n"',
      '"\\u0041\\u0000"'
    ]) {
      assert.deepStrictEqual(Json.parse(kept), JSON.parse(kept))
      assert.deepStrictEqual(Json.parse(`[${kept},"\\ud800"]`), [JSON.parse(kept), "\ufffd"])
    }
    assert.deepStrictEqual(Json.parse('"\\\\\\ud800"'), "\\\ufffd")
  })
})

describe("objects", () => {
  it("hold __proto__ as a name like any other", () => {
    for (const document of ['{"__proto__":{"x":1}}', '{"__proto__":1.0,"a":{"__proto__":{"constructor":2.50}}}']) {
      assert.strictEqual(again(document), document)
    }
    assert.isUndefined(({} as Record<string, unknown>)["x"])
    assert.strictEqual(Object.getPrototypeOf(Json.parse('{"__proto__":{"x":1.0}}')), Object.prototype)
  })

  it("are neither null, nor arrays, nor numbers", () => {
    for (const document of ["null", "[]", "1", "1.0", "1e5", '"{}"', "true"])
      assert.isFalse(Json.isObject(Json.parse(document)))
    assert.isTrue(Json.isObject(Json.parse('{"rawJSON":"1"}')))
    assert.isFalse(Json.isObject(undefined))
  })
})
