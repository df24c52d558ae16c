import { assert, it } from "@effect/vitest"
import { indented } from "../../dashboard/Body.ts"

it("a body is laid out without being changed", () => {
  const body = '{"amount":12345678901234567890.123400,"a\\u0041":"x\\"{,}:[]","list":[1,[],{}],"b":null,"b":true}'
  const laidOut = indented(body)
  assert.strictEqual(
    laidOut,
    [
      "{",
      '  "amount": 12345678901234567890.123400,',
      '  "a\\u0041": "x\\"{,}:[]",',
      '  "list": [',
      "    1,",
      "    [],",
      "    {}",
      "  ],",
      '  "b": null,',
      '  "b": true',
      "}"
    ].join("\n")
  )
})

it("is the same, whatever space was between its tokens", () => {
  assert.strictEqual(indented('{ "a" : [ 1 ,\n2 ] }'), indented('{"a":[1,2]}'))
  assert.strictEqual(indented('  "only a text" '), '"only a text"')
})

it("what is no JSON isn't laid out", () => {
  for (const body of ["", "{", "<b>", "{'a':1}"]) assert.isUndefined(indented(body))
})
