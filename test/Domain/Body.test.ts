/** How the bytes of a body are read: plain or compressed, never further than a limit. */
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { unpack } from "../../src/Domain/Body.ts"
import { forSeeds } from "../Seeded.ts"

const most = 1 << 20
const bytes = (text: string): Uint8Array => Buffer.from(text)
const methods = { gzipSync, deflateSync, brotliCompressSync }

describe("a compressed body", () => {
  it("is unpacked, in each format, at each size", () => {
    for (const size of [0, 1, 10, 300, 5000, 70_000, 900_000]) {
      for (const lead of ["", "\ufeff", " \r\n\t"]) {
        const plain = bytes(`${lead}{"a":"${"as measured on site; ".repeat(size / 20)}"}`)
        for (const [name, compress] of Object.entries(methods)) {
          assert.isTrue(Buffer.from(plain).equals(Buffer.from(unpack(compress(plain), most))), `${name} ${size}`)
        }
      }
    }
  })

  it("with a checksum is unpacked whatever it says", () => {
    for (const text of ["", "[]", "not JSON"]) {
      for (const compress of [gzipSync, deflateSync]) {
        assert.strictEqual(String(unpack(compress(bytes(text)), most)), text)
      }
    }
  })

  it("that is cut off, damaged or in another format stays as it is", () => {
    const plain = bytes(`{"a":"${"as measured on site; ".repeat(50)}"}`)
    const damaged = gzipSync(plain)
    damaged[20] = (damaged[20] ?? 0) ^ 0xff
    for (const body of [
      gzipSync(plain).subarray(0, -9),
      deflateSync(plain).subarray(0, -4),
      damaged,
      zstdCompressSync(plain)
    ]) {
      assert.strictEqual(unpack(body, most), body)
    }
  })

  it("is unpacked up to the limit and no further", () => {
    const plain = bytes(`{"a":"${"0".repeat(most - 8)}"}`)
    assert.strictEqual(plain.length, most)
    for (const [name, compress] of Object.entries(methods)) {
      assert.strictEqual(unpack(compress(plain), most).length, most, name)
      assert.strictEqual(unpack(compress(plain), most - 1), "too-large", name)
    }
  })
})

describe("a plain body", () => {
  it("stays as it is", () => {
    for (const text of ["", "{", '{"a":1}', '\ufeff{"a":1}', "[1]", "x", "x^", "8 ", "not JSON", "é", "\u001f"]) {
      const body = bytes(text)
      assert.strictEqual(unpack(body, most), body, text)
    }
    forSeeds(2000, (random) => {
      const body = bytes(`{"n":${random.below(1_000_000)}}`)
      body[1 + random.below(body.length - 1)] = random.below(256)
      assert.strictEqual(unpack(body, most), body)
    })
  })
})
