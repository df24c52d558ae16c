/** Slow requests, large ones and too many of them are cut off, and leave nothing behind. */
import { assert, describe, it } from "@effect/vitest"
import { TestClock } from "effect/testing"
import { defaultLimits } from "../../../src/Intake/Receiver/Limits.ts"
import type { Delivery } from "../../../src/Stores/Deliveries.ts"
import { deliver, head, keeping, playedStore, send, sign, signedRequest, startReceiver, until } from "./Running.ts"

const signature = { "X-Service-Signature": sign("") }

describe("a large body", () => {
  it("is refused at its declared size, before it has arrived, and is a reason", async () => {
    await using receiver = await startReceiver(keeping([]), { maximumBytes: 1000 })
    const sent = send(receiver.port, head({ ...signature, "Content-Length": 1001 }))
    assert.strictEqual(await sent.status(), 413)
    await sent.closed
    assert.match((await receiver.reasons()).join(), /1000 bytes .*SITELEDGER_WEBHOOK_MAX_BYTES/)
    assert.deepInclude(await receiver.status(), { tooLarge: 1, accepted: 0 })
  })

  it("in chunks is refused as soon as it passes the limit", async () => {
    const kept: Array<Delivery> = []
    await using receiver = await startReceiver(keeping(kept), { maximumBytes: 1000 })
    const chunked = { "Transfer-Encoding": "chunked", "X-Service-Signature": sign("x".repeat(1000)) }
    const whole = send(receiver.port, `${head(chunked)}3e8\r\n${"x".repeat(1000)}\r\n`)
    const over = send(receiver.port, `${head(chunked)}3e8\r\n${"x".repeat(1000)}\r\n1\r\nx`)
    assert.strictEqual(await over.status(), 413)
    await over.closed
    whole.write("0\r\n\r\n")
    assert.strictEqual(await whole.status(), 200)
    assert.strictEqual(kept.length, 1)
    assert.strictEqual((await receiver.status()).tooLarge, 1)
    whole.socket.destroy()
  })

  it("of headers is refused with 431", async () => {
    await using receiver = await startReceiver(keeping([]))
    assert.strictEqual(await deliver(receiver.port, head({ ...signature, "X-Long": "x".repeat(9_000) })), 431)
  })
})

describe("a refused request without proof of its sender", () => {
  it("is a reason until an hour has passed without another one, and is counted", async () => {
    await using receiver = await startReceiver(keeping([]), { maximumBytes: 1000 }, TestClock.layer())
    const large = signedRequest("x".repeat(1001), signature)
    const encoded = signedRequest("{}", { "X-Service-Signature": sign("[]"), "Content-Encoding": "gzip" })
    for (const request of [large, encoded]) {
      await deliver(receiver.port, request)
      await receiver.pass("59 minutes")
      await deliver(receiver.port, request)
      await receiver.pass("59 minutes")
      assert.match((await receiver.reasons()).join(), /^A request .*The sender is unknown/)
      await receiver.pass("1 minute")
      assert.deepStrictEqual(await receiver.reasons(), [])
    }
    assert.deepInclude(await receiver.status(), { tooLarge: 2, encoded: 2, accepted: 0, rejected: 0 })
  })
})

describe("a slow request", () => {
  const limits = { headersMs: 300, requestMs: 900, checkEveryMs: 50 }
  const timed = async (sent: ReturnType<typeof send>): Promise<number> => {
    const from = performance.now()
    await sent.closed
    return performance.now() - from
  }

  it("is cut off if its headers or its body don't end in time", async () => {
    const kept: Array<Delivery> = []
    await using receiver = await startReceiver(keeping(kept), { limits })
    const headers = send(receiver.port, `POST / HTTP/1.1\r\nHost: localhost\r\n`)
    const body = send(receiver.port, head({ ...signature, "Content-Length": 100 }))
    const trickle = setInterval(() => {
      headers.write("X-More: x\r\n")
      body.write("x")
    }, 50)
    const [headersMs, bodyMs] = await Promise.all([timed(headers), timed(body)])
    clearInterval(trickle)
    assert.isAtLeast(headersMs, limits.headersMs - limits.checkEveryMs)
    assert.isBelow(headersMs, limits.requestMs)
    assert.isAtLeast(bodyMs, limits.requestMs - limits.checkEveryMs)
    assert.deepStrictEqual([await headers.status(), await body.status()], [408, 408])
    assert.deepStrictEqual(kept, [])
    assert.strictEqual(await deliver(receiver.port, signedRequest("{}")), 200)
  })

  it("has 5 s for its headers and 10 s in total, enforced within a second", () => {
    const { headersMs, requestMs, checkEveryMs } = defaultLimits
    assert.deepStrictEqual(
      { headersMs, requestMs, checkEveryMs },
      { headersMs: 5_000, requestMs: 10_000, checkEveryMs: 1_000 }
    )
  })
})

describe("the bodies in flight", () => {
  const limits = { inFlightBytes: 4000, smallBytes: 100, tickMs: 20 }

  it("wait for one of a few places if they are large, until those are answered", async () => {
    const commits: Array<() => void> = []
    const store = playedStore(({ length }) => new Promise((done) => commits.push(() => done(length))))
    await using receiver = await startReceiver(store, { limits, maximumBytes: 1000 })
    const large = [1, 2, 3, 4].map((n) => deliver(receiver.port, signedRequest(`${n}`.repeat(900))))
    await until(() => receiver.looked.count === 2 && commits.length === 1)
    // A small one is read meanwhile.
    const small = deliver(receiver.port, signedRequest("small"))
    await until(() => receiver.looked.count === 3)
    assert.deepInclude(await receiver.status(), { accepted: 0, tooLarge: 0 })
    const released = setInterval(() => commits.splice(0).forEach((commit) => commit()), 5)
    assert.deepStrictEqual(await Promise.all([...large, small]), [200, 200, 200, 200, 200])
    clearInterval(released)
    assert.strictEqual(receiver.looked.count, 5)
  })

  it("that break off release their share", async () => {
    await using receiver = await startReceiver(keeping([]), {
      limits: { inFlightBytes: 2000, smallBytes: 100 },
      maximumBytes: 1000
    })
    for (let n = 0; n < 5; n++) {
      const sent = send(receiver.port, signedRequest("x".repeat(800)).slice(0, -1))
      await until(() => sent.socket.bytesWritten > 800)
      assert.strictEqual(await deliver(receiver.port, head({})), 401)
      sent.socket.destroy()
      await sent.closed
      assert.strictEqual(await deliver(receiver.port, head({})), 401)
    }
    assert.strictEqual(await deliver(receiver.port, signedRequest("x".repeat(1000))), 200)
  })
})
