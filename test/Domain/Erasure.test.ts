/** What an erasure removes from a body, and what it keeps. */
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { keepsAt } from "../../src/Domain/ErasedRecord.ts"
import * as Erasure from "../../src/Domain/Erasure.ts"
import * as Json from "../../src/Domain/Json.ts"
import { forSeeds } from "../Seeded.ts"

const read: Erasure.Read = {
  isKept: (name, path) => name === path && ["id", "event_type"].includes(name),
  records: (value) => {
    const id = Json.isObject(value) ? value["id"] : undefined
    return typeof id === "number" ? [{ table: "things", id: String(id) }] : []
  },
  keeps: keepsAt({ kept: ["id", "in.amount", "at"], shown: ["count"] })
}

const asked = (value: string, more: Partial<Erasure.AskedValue> = {}): Erasure.AskedValue => ({
  value,
  field: null,
  isWithin: false,
  ...more
})

const left = (body: string | Uint8Array, ...all: ReadonlyArray<Erasure.Erased>): string | undefined => {
  const redact = Erasure.redactor(all)
  if (redact === undefined) return undefined
  const bytes = Erasure.redactBody(typeof body === "string" ? Buffer.from(body) : body, 1 << 20, redact, read)
  return bytes === undefined ? undefined : String(bytes)
}

const ada = Erasure.erased(asked("Ada Lovelace"), "salt")

describe("a value that is erased", () => {
  it("goes wherever it is a whole text: in objects, lists, names, and a compressed body", () => {
    const body = '{"id":"Ada Lovelace","amount":1.50,"a":{"b":["Ada Lovelace","Ada"]},"Ada Lovelace":1}'
    const expected = '{"id":"Ada Lovelace","amount":1.50,"a":{"b":["[erased]","Ada"]},"[erased]":1}'
    assert.strictEqual(left(body, ada), expected)
    assert.strictEqual(left(gzipSync(body), ada), expected)
    assert.strictEqual(left(`\ufeff${body}`, ada), expected)
    assert.strictEqual(left('"Ada Lovelace"', ada), '"[erased]"')
  })

  it("is found however its text was written", () => {
    assert.strictEqual(left(String.raw`{"a":"\u0041da Lovelace"}`, ada), '{"a":"[erased]"}')
    const composed = Erasure.erased(asked("Zoë"), "salt")
    assert.strictEqual(left(JSON.stringify({ a: "Zoe\u0308" }), composed), '{"a":"[erased]"}')
  })

  it("keeps what is needed to read the body, but nothing of the same name further down", () => {
    const body = '{"event_type":"Ada Lovelace","id":{"id":"Ada Lovelace"}}'
    assert.strictEqual(left(body, ada), '{"event_type":"Ada Lovelace","id":{"id":"[erased]"}}')
  })

  it("changes nothing of a body without it", () => {
    for (const body of ['{"a":"Ada"}', '{"a":"Ada Lovelace King"}', '{"a":"ada lovelace"}', "", "[1.50]", "\xff"]) {
      assert.isUndefined(left(body, ada), body)
    }
    assert.isUndefined(Erasure.redactor([]))
  })

  it("goes from longer texts, as whole words, if that is asked for", () => {
    const within = Erasure.erased(asked("Ada Lovelace", { isWithin: true }), "salt")
    const body = JSON.stringify({ a: "by Ada Lovelace, and Ada Lovelace", b: "Ada Lovelaces", c: "Ada Lovelace" })
    assert.strictEqual(left(body, within), '{"a":"by [erased], and [erased]","b":"Ada Lovelaces","c":"[erased]"}')
    assert.strictEqual(left("not JSON: Ada Lovelace", ada), "not JSON: [erased]")
  })

  it("goes only from fields of a name, if one is given; there also as a number", () => {
    const phone = Erasure.erased(asked("4915112345", { field: "phone" }), "salt")
    const body = '{"phone":4915112345,"other":4915112345,"a":{"phone":"4915112345"},"b":[{"phone":["4915112345"]}]}'
    const expected = '{"phone":null,"other":4915112345,"a":{"phone":"[erased]"},"b":[{"phone":["[erased]"]}]}'
    assert.strictEqual(left(body, phone), expected)
    assert.isUndefined(left('{"phone":"1"}', phone))
  })

  it("is known with others, under other salts, and its rule doesn't tell it", () => {
    const other = Erasure.erased(asked("Charles Babbage"), "pepper")
    assert.strictEqual(left('["Ada Lovelace","Charles Babbage"]', ada, other), '["[erased]","[erased]"]')
    assert.notInclude(JSON.stringify([ada, other]), "Lovelace")
    assert.notStrictEqual(ada.sha256, Erasure.erased(asked("Ada Lovelace"), "pepper").sha256)
  })

  it("lets names that become the same stand side by side, and a body be erased twice", () => {
    const both = [ada, Erasure.erased(asked("Babbage"), "salt")]
    const once = left('{"Ada Lovelace":1,"Babbage":2,"__proto__":"Babbage"}', ...both)
    assert.strictEqual(once, '{"[erased]":1,"[erased] 2":2,"__proto__":"[erased]"}')
    assert.isUndefined(left(once ?? "", ...both))
  })
})

describe("a record that is erased", () => {
  const thing = Erasure.erased({ table: "things", id: "7" }, "salt")

  it("loses all but what is kept: texts and what is nested by a mark, numbers, times and truths by null", () => {
    const body = {
      id: 7,
      by: "Ada Lovelace",
      empty: "",
      none: null,
      nested: { at: "2026-11-20T08:00:00Z", by: "Ada" },
      list: [1, 2],
      in: { amount: "1.50", at: "here", deeper: { amount: "Ada" } },
      at: "2026-11-20T08:00:00Z",
      day: "2026-11-20",
      hours: 1.5,
      digits: "0151",
      isOpen: true,
      count: 4
    }
    const expected = {
      id: 7,
      by: "[erased]",
      empty: "[erased]",
      none: null,
      nested: "[erased]",
      list: "[erased]",
      in: { amount: "1.50", at: "[erased]", deeper: "[erased]" },
      at: "2026-11-20T08:00:00Z",
      day: null,
      hours: null,
      digits: null,
      isOpen: null,
      count: "[erased]"
    }
    const once = left(JSON.stringify(body), thing)
    assert.deepStrictEqual(JSON.parse(once ?? ""), expected)
    assert.strictEqual(left(gzipSync(JSON.stringify(body)), thing), once)
    assert.isUndefined(left(once ?? "", thing), "it has nothing more to lose")
  })

  it("is known by a hash of its own, with its table, and no other record loses anything", () => {
    const body = (id: number) => JSON.stringify({ id, by: "Ada Lovelace" })
    for (const other of [body(8), body(77), JSON.stringify({ by: "7" }), "7", "not JSON, of 7"])
      assert.isUndefined(left(other, thing), other)
    assert.isUndefined(left(body(7), Erasure.erased({ table: "others", id: "7" }, "salt")))
    assert.notInclude(JSON.stringify(thing), '"7"')
    assert.isUndefined(left(body(7), Erasure.erased(asked('record","things'), "salt")))
  })

  it("goes beside values, also under another salt", () => {
    const body = '{"id":7,"at":"Ada Lovelace","by":"Charles Babbage"}'
    assert.strictEqual(left(body, thing, ada), '{"id":7,"at":"[erased]","by":"[erased]"}')
    const [other, peppered] = [
      { table: "things", id: "8" },
      { table: "things", id: "7" }
    ]
    const rules = [Erasure.erased(other, "salt"), Erasure.erased(peppered, "pepper"), ada]
    assert.strictEqual(left(body, ...rules), '{"id":7,"at":"[erased]","by":"[erased]"}')
  })
})

it("of random bodies, nothing is left of the value, and all else is as it was", () => {
  forSeeds(200, ({ below, pick }) => {
    const make = (depth: number): unknown => {
      const kind = below(depth > 4 ? 3 : 5)
      if (kind < 2) return pick(["Ada Lovelace", "x", "1.50", 'é"\\', "Ada"])
      if (kind === 2) return below(1000) / 8
      const items = Array.from({ length: below(4) }, () => make(depth + 1))
      return kind === 3 ? items : Object.fromEntries(items.map((item, n) => [`f${n}`, item]))
    }
    const value = { top: make(0) }
    const expected = JSON.stringify(value).replaceAll('"Ada Lovelace"', '"[erased]"')
    assert.strictEqual(left(JSON.stringify(value), ada) ?? Json.stringify(value), expected)
  })
})

it("by itself a value is found where its hash finds it, and so is a record", () => {
  const plain = ["a", "b", " ", "-", "1", "a b"]
  const all = [...plain, "e\u0308", "ë", "\u{1f600}"]
  let found = 0
  forSeeds(2000, ({ below, chance, pick }) => {
    const letters = chance(0.5) ? plain : all
    const text = (most: number): string => Array.from({ length: 1 + below(most) }, () => pick(letters)).join("")
    const body = {
      id: below(3),
      name: text(8),
      list: [text(3), below(3)],
      [text(2)]: { name: text(3), count: below(3) }
    }
    const given = chance(0.2)
      ? { table: pick(["things", "others"]), id: String(below(3)) }
      : asked(pick([text(3), "1"]), { field: pick([null, null, "name", "count"]), isWithin: chance(0.5) })
    const json = JSON.stringify(body)
    const escaped = chance(0.5) ? json.replaceAll("a", "\\u0061") : json
    const written = chance(0.2) ? escaped.slice(1) : escaped
    const [hashed, known] = [Erasure.redactor([Erasure.erased(given, "salt")])!, Erasure.redactorOf(given)]
    const left = Erasure.redactText(written, known, read)
    assert.strictEqual(left, Erasure.redactText(written, hashed, read))
    assert.strictEqual(known.hasErased("things"), hashed.hasErased("things"))
    if (left !== undefined) found++
  })
  assert.isAbove(found, 400)
})
