/**
 * A delivery that was refused for its size or encoding is a reason until it comes through, or until a person has dealt
 * with it.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { TestClock } from "effect/testing"
import * as Sqlite from "../../../src/Stores/Sqlite/Store.ts"
import { deliver, keeping, sign, signedRequest, startReceiver } from "./Running.ts"

const small = { maximumBytes: 1000 }
const body = "x".repeat(1001)
const eventId = "0190d1c2-0000-7000-8000-00000000000a"
const large = signedRequest(body, { "X-Service-Event-Id": eventId })
const forged = signedRequest(body, { "X-Service-Signature": sign("x") })

type Started = Awaited<ReturnType<typeof startReceiver>>

const reasons = async (receiver: Started): Promise<string> => (await receiver.reasons()).join()

/** As the service does it: once, and once more a minute later. */
const twice = async (receiver: Started, request: string): Promise<void> => {
  for (const _ of [1, 2]) {
    assert.strictEqual(await deliver(receiver.port, request), 413)
    await receiver.pass("1 minute")
  }
}

describe("a delivery that is refused", () => {
  it("is known to be signed from its second attempt on, and named with its times", async () => {
    await using receiver = await startReceiver(keeping([]), small, TestClock.layer())
    assert.strictEqual(await deliver(receiver.port, large), 413)
    assert.match(await reasons(receiver), /^A request larger than 1000 bytes .*1 time\).*The sender is unknown/)
    await receiver.pass("1 minute")
    assert.strictEqual(await deliver(receiver.port, large), 413)
    await receiver.pass("2 days")
    assert.match(
      await reasons(receiver),
      new RegExp(
        `^A delivery larger than 1000 bytes .* was refused \\(event id ${eventId}; first at 1970-01-01T00:00:00\\.000000Z, ` +
          "last at 1970-01-01T00:01:00\\.000000Z, 2 times\\)\\. .*allow more and replay it.*--refused-seen"
      )
    )
    assert.deepInclude(await receiver.status(), { tooLarge: 2, accepted: 0, rejected: 0 })
  })

  it("in chunks is known to be signed just the same", async () => {
    await using receiver = await startReceiver(keeping([]), small, TestClock.layer())
    const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
    const head = large
      .slice(0, large.indexOf("\r\n\r\n") + 4)
      .replace(/Content-Length: \d+/, "Transfer-Encoding: chunked")
    await twice(receiver, `${head}${chunk(body.slice(0, 600))}${chunk(body.slice(600))}0\r\n\r\n`)
    assert.match(await reasons(receiver), /^A delivery larger/)
  })

  it("with another's signature stays of an unknown sender, and is forgotten", async () => {
    await using receiver = await startReceiver(keeping([]), small, TestClock.layer())
    await twice(receiver, forged)
    await twice(receiver, forged)
    assert.match(await reasons(receiver), /^A request .*4 times/)
    await receiver.pass("1 hour")
    assert.strictEqual(await reasons(receiver), "")
  })

  it("is a reason until a person has seen it", async () => {
    await using receiver = await startReceiver(keeping([]), small, TestClock.layer())
    await twice(receiver, large)
    assert.strictEqual(await deliver(receiver.port, forged), 413)
    const seen = await receiver.seen()
    assert.deepStrictEqual(
      seen.map(({ eventId: id, isSigned, times }) => [id, isSigned, times]),
      [
        [eventId, true, 2],
        [null, false, 1]
      ]
    )
    assert.strictEqual(await reasons(receiver), "")
    assert.deepStrictEqual(await receiver.seen(), [])
  })

  it("survives a restart, until it comes through under its signature or its id", async () => {
    const directory = mkdtempSync(join(tmpdir(), "siteledger-refused-"))
    const store = () => Sqlite.layerAt(join(directory, "store.sqlite"))
    for (const request of [large, signedRequest("{}", { "X-Service-Event-Id": eventId })]) {
      {
        await using receiver = await startReceiver(store(), small)
        for (const _ of [1, 2]) assert.strictEqual(await deliver(receiver.port, large), 413)
      }
      {
        await using receiver = await startReceiver(store())
        assert.match(await reasons(receiver), /^A delivery larger .*2 times/)
        assert.strictEqual(await deliver(receiver.port, signedRequest("another")), 200)
        assert.match(await reasons(receiver), /^A delivery larger/)
        assert.strictEqual(await deliver(receiver.port, request), 200)
        assert.strictEqual(await reasons(receiver), "")
      }
      await using receiver = await startReceiver(store())
      assert.strictEqual(await reasons(receiver), "")
    }
    rmSync(directory, { recursive: true })
  })

  it("in a flood keeps the newest hundred", async () => {
    await using receiver = await startReceiver(keeping([]), small, TestClock.layer())
    await twice(receiver, large)
    for (let n = 0; n < 120; n++) {
      const request = signedRequest(body, { "X-Service-Signature": sign(`${n}`) })
      assert.strictEqual(await deliver(receiver.port, request), 413)
    }
    await receiver.pass("1 minute")
    assert.match(await reasons(receiver), /^A delivery .*,99 requests larger/)
  })
})
