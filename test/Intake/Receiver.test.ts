/** The receiver's answers, and that a 2xx never precedes the commit. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { Delivery } from "../../src/Stores/Deliveries.ts"
import * as Sqlite from "../../src/Stores/Sqlite/Store.ts"
import { inboxOf } from "../Stores/Segments/Inbox.ts"
import {
  deliver,
  head,
  keeping,
  path,
  playedStore,
  send,
  sign,
  signedRequest,
  startReceiver,
  until
} from "./Receiver/Running.ts"

describe("a request", () => {
  it("without a well-formed signature is answered 401 before its body has arrived", async () => {
    const kept: Array<Delivery> = []
    await using receiver = await startReceiver(keeping(kept))
    const hex = sign("x")
    for (const signature of [undefined, "", hex.slice(1), `${hex}0`, `${hex.slice(0, 62)}zz`, `sha256=${hex}`]) {
      const headers = signature === undefined ? {} : { "X-Service-Signature": signature }
      const sent = send(receiver.port, head({ ...headers, "Content-Length": 1000 }))
      assert.strictEqual(await sent.status(), 401, signature)
      await sent.closed
    }
    assert.strictEqual(receiver.looked.count, 0)
    assert.deepStrictEqual(kept, [])
  })

  it("signed with another secret is answered 401 and leaves no trace", async () => {
    const kept: Array<Delivery> = []
    await using receiver = await startReceiver(keeping(kept))
    const forged = signedRequest("{}", { "X-Service-Signature": sign("{}", "whsec_unknown") })
    assert.strictEqual(await deliver(receiver.port, forged), 401)
    assert.strictEqual(await deliver(receiver.port, signedRequest("{}").replace(/\{\}$/, "[]")), 401)
    assert.deepStrictEqual(kept, [])
    assert.deepInclude(await receiver.status(), { accepted: 0, rejected: 2, notStored: 0 })
  })

  it("with another path or another method is answered 404 or 405", async () => {
    const kept: Array<Delivery> = []
    await using receiver = await startReceiver(keeping(kept))
    const ask = (line: string, headers = {}) =>
      deliver(receiver.port, head({ "X-Service-Signature": sign("{}"), "Content-Length": 2, ...headers }, line) + "{}")
    assert.strictEqual(await ask("POST / HTTP/1.1"), 404)
    assert.strictEqual(await ask(`POST ${path}/more HTTP/1.1`), 404)
    assert.strictEqual(await ask(`GET ${path} HTTP/1.1`), 405)
    assert.strictEqual(await ask(`PUT ${path} HTTP/1.1`), 405)
    for (const other of [`${path}/more`, "", "?query=1"]) {
      assert.strictEqual(await ask(`POST http://hooks.test${other} HTTP/1.1`), 404, other)
    }
    assert.deepStrictEqual(kept, [])
    assert.strictEqual(await ask(`POST http://hooks.test:8080${path}?any=query HTTP/1.1`), 200)
    assert.strictEqual(await ask(`POST ${path}?any=query HTTP/1.1`, { "Content-Encoding": "Identity" }), 200)
    assert.strictEqual(await ask(`POST ${path} HTTP/1.1`, { "Content-Encoding": "gzip" }), 200)
  })

  it("with a valid signature is accepted with any content", async () => {
    const kept: Array<Delivery> = []
    await using receiver = await startReceiver(keeping(kept))
    for (const body of ["", "{}", "not JSON", "\u0000\u0001", "é".repeat(20_000)]) {
      assert.strictEqual(await deliver(receiver.port, signedRequest(body)), 200)
      const upper = signedRequest(body, { "X-Service-Signature": sign(body).toUpperCase() })
      assert.strictEqual(await deliver(receiver.port, upper), 200)
      assert.strictEqual(String(kept.at(-1)?.body), body)
    }
    assert.strictEqual(kept.length, 10)
  })

  it("without an id gets one made from its body, always the same", async () => {
    const kept: Array<Delivery> = []
    await using receiver = await startReceiver(keeping(kept))
    const own = "0190d1c2-0000-7000-8000-00000000000A"
    for (const id of [undefined, "", "evt_1", own]) {
      const headers = id === undefined ? {} : { "X-Service-Event-Id": id }
      assert.strictEqual(await deliver(receiver.port, signedRequest("{}", headers)), 200)
    }
    // The first 16 bytes of SHA-256("{}").
    const madeUp = "44136fa3-55b3-678a-1146-ad16f7e8649e"
    assert.deepStrictEqual(
      kept.map(({ eventId }) => eventId),
      [madeUp, madeUp, madeUp, own.toLowerCase()]
    )
  })
})

describe("a 2xx", () => {
  it("is never sent before the commit has returned", async () => {
    const commit = Promise.withResolvers<number>()
    await using receiver = await startReceiver(playedStore(() => commit.promise))
    const sent = send(receiver.port, signedRequest("{}"))
    await until(() => receiver.looked.count === 1)
    // After another whole exchange there is still no answer.
    assert.strictEqual(await deliver(receiver.port, head({})), 401)
    assert.deepStrictEqual(sent.statuses, [])
    assert.strictEqual((await receiver.status()).accepted, 0)
    commit.resolve(1)
    assert.strictEqual(await sent.status(), 200)
    sent.socket.destroy()
  })

  it("means that it is in the file", async () => {
    const directory = mkdtempSync(join(tmpdir(), "siteledger-receiver-"))
    const file = join(directory, "store.sqlite")
    {
      await using receiver = await startReceiver(Sqlite.layerAt(file))
      const one = async (n: number) => {
        const body = `{"n":${n % 40}}`
        assert.strictEqual(await deliver(receiver.port, signedRequest(body)), 200)
        return inboxOf(file).find((row) => row.body.equals(Buffer.from(body)))?.deliveries ?? 0
      }
      const seen = await Promise.all(Array.from({ length: 60 }, (_, n) => one(n)))
      assert.isTrue(seen.every((deliveries) => deliveries >= 1))
      const rows = inboxOf(file)
      assert.strictEqual(rows.length, 40)
      assert.strictEqual(
        rows.reduce((sum, { deliveries }) => sum + deliveries, 0),
        60
      )
    }
    rmSync(directory, { recursive: true })
  })
})

describe("deliveries that arrive together", () => {
  it("share one commit", async () => {
    const batches: Array<number> = []
    await using receiver = await startReceiver(playedStore(async (batch) => batches.push(batch.length)))
    const requests = Array.from({ length: 12 }, (_, n) => signedRequest(`{"n":${n}}`))
    const sent = send(receiver.port, requests.join(""))
    assert.deepStrictEqual(
      await sent.answered(12),
      Array.from({ length: 12 }, () => 200)
    )
    assert.deepStrictEqual(batches, [12])
    sent.socket.destroy()
  })

  it("during a commit share the next one", async () => {
    const batches: Array<number> = []
    const commits = [Promise.withResolvers<number>(), Promise.withResolvers<number>()]
    const store = playedStore((batch) => commits[batches.push(batch.length) - 1]?.promise ?? Promise.resolve(0))
    await using receiver = await startReceiver(store)
    const first = deliver(receiver.port, signedRequest("first"))
    await until(() => batches.length === 1)
    const others = Array.from({ length: 20 }, (_, n) => deliver(receiver.port, signedRequest(`${n}`)))
    await until(() => receiver.looked.count === 21)
    assert.deepStrictEqual(batches, [1])
    commits[0]?.resolve(1)
    assert.strictEqual(await first, 200)
    await until(() => batches.length === 2)
    commits[1]?.resolve(1)
    assert.deepStrictEqual([...new Set(await Promise.all(others))], [200])
    assert.deepStrictEqual(batches, [1, 20])
  })

  it("with large bodies don't share a commit of more than 4 MB", async () => {
    const batches: Array<number> = []
    const first = Promise.withResolvers<number>()
    const store = playedStore((batch) => {
      batches.push(batch.reduce((sum, { body }) => sum + body.byteLength, 0))
      return batches.length === 1 ? first.promise : Promise.resolve(0)
    })
    await using receiver = await startReceiver(store, { maximumBytes: 4_000_000 })
    const bodies = ["first", ..."abcd"].map((letter) => letter.repeat(letter === "first" ? 1 : 1_500_000))
    const sent = bodies.map((body) => deliver(receiver.port, signedRequest(body)))
    await until(() => receiver.looked.count === bodies.length)
    first.resolve(1)
    assert.deepStrictEqual([...new Set(await Promise.all(sent))], [200])
    assert.isAtMost(Math.max(...batches), 4 * 1024 * 1024)
    assert.isAtMost(batches.length, 3)
  })
})

describe("a store that fails", () => {
  it("answers 503 to the whole batch, and accepts the next delivery", async () => {
    const kept: Array<Delivery> = []
    const failing = { is: true }
    const store = playedStore(async (batch) => {
      if (failing.is) throw new Error("no space left on device")
      return kept.push(...batch)
    })
    await using receiver = await startReceiver(store)
    const sent = send(receiver.port, signedRequest("a") + signedRequest("b"))
    assert.deepStrictEqual(await sent.answered(2), [503, 503])
    assert.match(sent.answers.text, /retry-after: 5\r\n/i)
    assert.match((await receiver.reasons()).join(), /answered 503 for now: no space left on device/)
    failing.is = false
    sent.write(signedRequest("a"))
    assert.deepStrictEqual(await sent.answered(3), [503, 503, 200])
    assert.deepStrictEqual(
      kept.map(({ body }) => String(body)),
      ["a"]
    )
    assert.deepInclude(await receiver.status(), { accepted: 1, notStored: 2 })
    assert.deepStrictEqual(await receiver.reasons(), [])
    sent.socket.destroy()
  })
})
