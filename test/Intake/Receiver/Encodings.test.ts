/** Compressed deliveries: the signature decides, the signed bytes are stored, and unpacking is bounded. */
import { createHmac } from "node:crypto"
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import type { Delivery } from "../../../src/Stores/Deliveries.ts"
import { secret as newSecret } from "../../../src/Intake/Secrets/Keyring.ts"
import { keeping, path, playedStore, secret, startReceiver, until } from "./Running.ts"

const body = Buffer.from(JSON.stringify({ ipc_id: 7, payment_reference: "PAY-7", note: "as measured ".repeat(40) }))

/** Posts these bytes with the signature of `signed`; the status of the answer. */
const post = async (
  port: number,
  bytes: Uint8Array<ArrayBuffer>,
  encoding: string,
  signed: Uint8Array = bytes,
  by = secret
) => {
  const signature = createHmac("sha256", by).update(signed).digest("hex")
  const headers = { "X-Service-Signature": signature, "Content-Encoding": encoding }
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", headers, body: bytes })
  return answer.status
}

const bodies = (kept: ReadonlyArray<Delivery>): ReadonlyArray<Buffer> => kept.map((each) => Buffer.from(each.body))

const encodings = [
  ["gzip", gzipSync(body)],
  ["deflate", deflateSync(body)],
  ["br", brotliCompressSync(body)]
] as const

describe("a compressed delivery", () => {
  it("is stored byte for byte if those bytes were signed, in any encoding", async () => {
    const kept: Array<Delivery> = []
    await using receiver = await startReceiver(keeping(kept))
    const all = [
      ...encodings,
      ["zstd", zstdCompressSync(body)],
      ["gzip, br", brotliCompressSync(gzipSync(body))]
    ] as const
    for (const [encoding, bytes] of all) assert.strictEqual(await post(receiver.port, bytes, encoding), 200, encoding)
    assert.deepStrictEqual(
      bodies(kept),
      all.map(([, bytes]) => bytes)
    )
    assert.deepInclude(await receiver.status(), { accepted: all.length, encoded: 0, rejected: 0 })
    assert.deepStrictEqual(await receiver.reasons(), [])
  })

  it("is stored unpacked if it was signed before something on the way compressed it", async () => {
    const kept: Array<Delivery> = []
    await using receiver = await startReceiver(keeping(kept))
    for (const [encoding, bytes] of encodings) {
      assert.strictEqual(await post(receiver.port, bytes, encoding, body), 200, encoding)
      assert.deepStrictEqual(Buffer.from(kept.at(-1)?.body ?? []), body)
    }
    const [first, ...others] = kept.map(({ bodySha256 }) => Buffer.from(bodySha256).toString("hex"))
    assert.deepStrictEqual(others, [first, first])
  })

  it("waits for the secret of a new subscription like any other", async () => {
    const kept: Array<Delivery> = []
    await using receiver = await startReceiver(keeping(kept))
    receiver.callbacks.creating()
    const sent = post(receiver.port, gzipSync(body), "gzip", body, "whsec_new")
    await until(() => receiver.looked.count === 2)
    receiver.keyring.hold(newSecret("whsec_new", { fingerprint: "new" }))
    receiver.callbacks.settled()
    assert.strictEqual(await sent, 200)
    assert.deepStrictEqual(bodies(kept), [body])
  })

  it("is answered 401 if the signature fits neither what was sent nor what it unpacks to", async () => {
    const kept: Array<Delivery> = []
    await using receiver = await startReceiver(keeping(kept))
    const other = Buffer.from("{}")
    for (const [encoding, bytes] of encodings)
      assert.strictEqual(await post(receiver.port, bytes, encoding, other), 401)
    // Without the header nothing is unpacked.
    assert.strictEqual(await post(receiver.port, gzipSync(body), "identity", body), 401)
    assert.deepStrictEqual(kept, [])
    assert.deepInclude(await receiver.status(), { accepted: 0, encoded: 0, rejected: 4 })
  })

  it("is answered 415 if its signature may fit what can't be unpacked", async () => {
    await using receiver = await startReceiver(keeping([]))
    assert.strictEqual(await post(receiver.port, zstdCompressSync(body), "zstd", body), 415)
    assert.strictEqual(await post(receiver.port, gzipSync(body).subarray(0, -9), "gzip", body), 415)
    assert.deepInclude(await receiver.status(), { accepted: 0, encoded: 2, rejected: 0 })
    assert.match((await receiver.reasons()).join(), /Content-Encoding.*can't unpack/)
  })
})

describe("a compression bomb", () => {
  const zeros = gzipSync(Buffer.alloc(64 * 1024 * 1024))

  it("that was signed as it is, is stored as it is", async () => {
    const kept: Array<Delivery> = []
    await using receiver = await startReceiver(keeping(kept))
    assert.strictEqual(await post(receiver.port, zeros, "gzip"), 200)
    assert.deepStrictEqual(bodies(kept), [zeros])
  })

  it("of an unknown sender is unpacked no further than in proportion to its size", async () => {
    await using receiver = await startReceiver(
      playedStore(() => Promise.reject(new Error("nothing was signed"))),
      {
        maximumBytes: 4 * 1024 * 1024
      }
    )
    const small = gzipSync(Buffer.alloc(256 * 1024))
    const before = process.memoryUsage().arrayBuffers
    for (const bytes of [zeros, small]) {
      assert.strictEqual(await post(receiver.port, bytes, "gzip", body), 413)
    }
    assert.isBelow(process.memoryUsage().arrayBuffers - before, 16 * 1024 * 1024)
    assert.deepInclude(await receiver.status(), { tooLarge: 2, accepted: 0 })
    assert.match((await receiver.reasons()).join(), /larger than 4194304 bytes .*, as sent or unpacked/)
  })
})
