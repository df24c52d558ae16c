/** Texts are mapped to numbers that depend on a key, with the results that the authors of HalfSipHash published. */
import { assert, describe, it } from "@effect/vitest"
import { type Key, KeyedHash, newKey } from "../../../src/Operate/Audit/KeyedHash.ts"

/** Of the published vectors. */
const key = new Uint32Array([0x03020100, 0x07060504])

const hex = ({ high, low }: KeyedHash["halves"]): string => {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt32LE(high, 0)
  bytes.writeUInt32LE(low, 4)
  return bytes.toString("hex")
}

const numberOf = (texts: ReadonlyArray<string>, own: Key = key): number => {
  const hash = new KeyedHash(own)
  for (const text of texts) hash.add(text)
  return hash.number
}

describe("a keyed hash", () => {
  it("is HalfSipHash-2-4 with 64 bits", () => {
    const hash = new KeyedHash(key)
    const found = [hex(hash.halves)]
    for (const word of [0x03020100, 0x07060504]) {
      hash.addWord(word)
      found.push(hex(hash.halves))
    }
    assert.deepStrictEqual(found, ["218d1f59b9b83cc8", "d5e78a175be52ea1", "edfee820bce4858c"])
  })

  it("has a number of 52 bits, as often as one asks, and begins anew", () => {
    const hash = new KeyedHash(key)
    hash.addWord(0x03020100)
    const number = Number(BigInt("0x178ae7d5a12ee55b") >> 12n)
    assert.deepStrictEqual([hash.number, hash.number], [number, number])
    hash.begin()
    hash.addWord(0x03020100)
    assert.strictEqual(hash.number, number)
  })

  it("differs between texts that run into each other, and between characters that share bytes", () => {
    const joined = [["ab", "c"], ["a", "bc"], ["abc"], ["abc", ""], ["ab\u0000c"], ["abcd"], []]
    const wide = ["ā", "ā\u0000", "\u0001\u0001", "Ā\u0000", "Ā\u0001"].map((text) => [text])
    const all = [...joined, ...wide]
    assert.strictEqual(new Set(all.map((texts) => numberOf(texts))).size, all.length)
  })

  it("differs wherever a text has another character, whatever the others are", () => {
    for (const text of ["certificate", "2024-01-01T01:51:19.900000Z", "Zürich", "Škoda 12", "日本"]) {
      const changed = [...text].map((_, at) => `${text.slice(0, at)}ſ${text.slice(at + 1)}`)
      const longer = [`${text}\u0000`, `\u0000${text}`, text.slice(1), text.slice(0, -1)]
      const all = [text, ...changed, ...longer]
      assert.strictEqual(new Set(all.map((each) => numberOf([each]))).size, all.length, text)
    }
  })

  it("differs between keys, which are drawn anew", () => {
    const keys = [newKey(), newKey(), newKey()]
    assert.strictEqual(new Set(keys.map((own) => numberOf(["IPC-1"], own))).size, keys.length)
  })
})
