/** Equal to the library's HMAC, for every length of key and message. */
import { createHmac, createSecretKey } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import * as Hmac from "../../src/Runtime/Hmac.ts"
import { seeded } from "../Seeded.ts"

const bytes = (length: number): Buffer => {
  const random = seeded(length)
  return Buffer.from(Array.from({ length }, () => random.below(256)))
}

const lengths = [0, 1, 31, 32, 63, 64, 65, 600, 65_535, 65_536, 65_537]

describe("an HMAC", () => {
  it("is the library's, for keys and messages of any length", () => {
    for (const keyLength of [1, 16, 32, 63, 64, 65, 200]) {
      const key = createSecretKey(bytes(keyLength))
      for (const length of lengths) {
        const content = bytes(length)
        const expected = createHmac("sha256", key).update(content).digest()
        const target = Buffer.alloc(40)
        Hmac.write(key, content, target, 5)
        assert.deepStrictEqual(target.subarray(5, 37), expected, `${keyLength} ${length}`)
        assert.isTrue(Hmac.isOf(key, content, expected))
      }
    }
  })

  it("of another message, by another key or with one other bit is refused", () => {
    const [key, other] = [createSecretKey(bytes(32)), createSecretKey(bytes(31))]
    const hmac = createHmac("sha256", key).update("message").digest()
    const content = Buffer.from("message")
    assert.isFalse(Hmac.isOf(key, Buffer.from("massage"), hmac))
    assert.isFalse(Hmac.isOf(other, content, hmac))
    for (let bit = 0; bit < 256; bit++) {
      const changed = Buffer.from(hmac)
      changed[bit >>> 3]! ^= 1 << (bit & 7)
      assert.isFalse(Hmac.isOf(key, content, changed))
    }
    assert.isTrue(Hmac.isOf(key, content, hmac))
  })
})
