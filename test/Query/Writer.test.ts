import { assert, describe, it } from "@effect/vitest"
import * as Frames from "../../src/Query/Frames.ts"
import { csv, json, type Writer } from "../../src/Query/Writer.ts"

const written = (writer: Writer, names: ReadonlyArray<string>, ...rows: ReadonlyArray<Frames.Row>): string => {
  const columns = names.map((name) => ({ name, isNumber: false }))
  const parts = [writer.columns({ columns, isPlan: false }), ...rows.map((row) => writer.row(row))]
  return [...parts, writer.end("complete")].join("")
}

describe("CSV", () => {
  it("quotes what RFC 4180 asks for and nothing else, and ends each record with CRLF", () => {
    const text = written(
      csv(),
      ["a", 'b "quoted"', "c,d"],
      ["plain text", 'say "hi"', "x,y"],
      ["two\nlines", "\r", "'"]
    )
    assert.strictEqual(text, 'a,"b ""quoted""","c,d"\r\nplain text,"say ""hi""","x,y"\r\n"two\nlines","\r",\'\r\n')
  })

  it("distinguishes NULL from an empty text", () => {
    assert.strictEqual(written(csv(), ["a", "b"], [null, ""]), 'a,b\r\n,""\r\n')
  })

  it("writes nested values as JSON", () => {
    assert.strictEqual(written(csv(), ["a"], [["1.50", null, { b: true }]]), 'a\r\n"[""1.50"",null,{""b"":true}]"\r\n')
  })
})

describe("JSON", () => {
  it("is an array with an object on each line", () => {
    const text = written(json(), ["id", "amount", "done"], ["9007199254740993", "0.1000", null], ["1", "x", true])
    assert.deepStrictEqual(text.split("\n"), [
      "[",
      '{"id":"9007199254740993","amount":"0.1000","done":null},',
      '{"id":"1","amount":"x","done":true}',
      "]",
      ""
    ])
    assert.strictEqual(JSON.parse(text)[0].id, "9007199254740993")
  })

  it("is an empty array for an answer without rows", () => {
    assert.deepStrictEqual(JSON.parse(written(json(), ["a"])), [])
  })

  it("keeps every column of an answer with repeated names, in order", () => {
    const text = written(json(), ["a", "a", "2", "1", "a_2", "a"], [1, 2, 3, 4, 5, 6])
    assert.include(text, '{"a":1,"a_3":2,"2":3,"1":4,"a_2":5,"a_4":6}')
  })

  it("stays open when the answer broke off, so it can't be taken for whole", () => {
    const writer = json()
    const text = writer.columns({ columns: [{ name: "a", isNumber: true }], isPlan: false }) + writer.row([1])
    assert.throws(() => JSON.parse(text + writer.end("failed")))
  })
})

describe("a cell on the wire", () => {
  it("keeps what JSON can't express", () => {
    const cell = Frames.cell([NaN, -Infinity, 2n ** 80n, Uint8Array.of(0, 255), { a: [NaN] }, null, "x", 1.5, false])
    assert.deepStrictEqual(cell, [
      "NaN",
      "-Infinity",
      String(2n ** 80n),
      "\\x00ff",
      { a: ["NaN"] },
      null,
      "x",
      1.5,
      false
    ])
  })
})
