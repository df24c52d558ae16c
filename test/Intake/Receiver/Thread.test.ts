/**
 * The receiver's thread beside the main one: it continues while the main thread is busy, knows what that has said, and
 * is replaced if it ends.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Worker } from "node:worker_threads"
import { assert, describe, it } from "@effect/vitest"
import { Layer, Redacted } from "effect"
import { secret } from "../../../src/Intake/Secrets/Keyring.ts"
import { Postgres } from "../../../src/Stores/Postgres/Postgres.ts"
import * as PostgresStore from "../../../src/Stores/Postgres/Store.ts"
import * as Sqlite from "../../../src/Stores/Sqlite/Store.ts"
import * as Databases from "../../Postgres.ts"
import { inboxOf } from "../../Stores/Segments/Inbox.ts"
import { crash, hang } from "./counting-signing.ts"
import { deliver, keeping, send, sign, signedRequest, startReceiver, until } from "./Running.ts"

const sender = fileURLToPath(new URL("sending-thread.ts", import.meta.url))

const withFile = async (use: (file: string) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "siteledger-thread-"))
  try {
    await use(join(folder, "store.sqlite"))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Waits until this is among the reasons; "": that there is none. */
const saying = async (receiver: Awaited<ReturnType<typeof startReceiver>>, words: string): Promise<void> => {
  for (;;) {
    const reasons = (await receiver.reasons()).join()
    if (words === "" ? reasons === "" : reasons.includes(words)) return
    await new Promise((done) => setImmediate(done))
  }
}

/** The answer to a delivery that another thread sends, while this one stands still. */
const answeredMeanwhile = (port: number): number => {
  const answered = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const client = new Worker(sender, { workerData: { port, request: signedRequest("{}"), answered } })
  assert.notStrictEqual(Atomics.wait(answered, 0, 0, 30_000), "timed-out")
  void client.terminate()
  return Atomics.load(answered, 0)
}

describe("the receiver's thread", () => {
  it("stores and answers deliveries while the main thread is blocked", () =>
    withFile(async (file) => {
      await using receiver = await startReceiver(Sqlite.layerAt(file))
      assert.strictEqual(answeredMeanwhile(receiver.port), 200)
      assert.strictEqual(inboxOf(file).length, 1)
    }))

  it("refuses a secret once its end is told, and not before", async () => {
    await using receiver = await startReceiver(keeping([]))
    const old = secret("whsec_old", { fingerprint: "old" })
    receiver.keyring.hold(old)
    const request = signedRequest("{}", { "X-Service-Signature": sign("{}", "whsec_old") })
    assert.strictEqual(await deliver(receiver.port, request), 200)
    receiver.keyring.end(old, 0, 1)
    await receiver.keyring.told()
    assert.strictEqual(await deliver(receiver.port, request), 401)
    await receiver.status()
    assert.isDefined(old.lastUsedMs)
  })

  it("is a critical reason while it hangs, and holds up nobody who asks for its state", async () => {
    await using receiver = await startReceiver(keeping([]))
    const request = send(receiver.port, signedRequest("1", { "X-Service-Event-Type": hang }))
    await saying(receiver, "The receiver's thread doesn't answer")
    assert.deepInclude(await receiver.status(), { port: receiver.port })
    await receiver.seen()
    receiver.release()
    assert.strictEqual(await request.status(), 200)
    request.socket.destroy()
    await saying(receiver, "")
  })

  it("accepts former paths once they are known", async () => {
    await using receiver = await startReceiver(keeping([]))
    const former = signedRequest("{}").replace(/^POST \S+/, "POST /former")
    assert.strictEqual(await deliver(receiver.port, former), 404)
    receiver.callbacks.addUrl("https://hooks.test/former")
    assert.strictEqual(await deliver(receiver.port, former), 200)
  })
})

describe.each(["of its own", "of the inbox"])("a thread %s that ends by itself", (whose) => {
  it("is a critical reason until another one listens on the same port, and loses nothing it acknowledged", () =>
    withFile(async (file) => {
      await using receiver = await startReceiver(whose === "of its own" ? keeping([]) : Sqlite.layerAt(file))
      assert.strictEqual(await deliver(receiver.port, signedRequest("1")), 200)
      const fatal = signedRequest("2", { "X-Service-Event-Type": crash })
      assert.strictEqual(await deliver(receiver.port, fatal), 200)
      await saying(receiver, "The receiver's thread has ended")
      await saying(receiver, "")
      assert.strictEqual(await deliver(receiver.port, signedRequest("3")), 200)
      assert.deepInclude(await receiver.status(), { port: receiver.port })
      if (whose === "of the inbox") {
        await until(() => inboxOf(file).length === 3)
        assert.deepStrictEqual(
          inboxOf(file).map(({ body }) => String(body)),
          ["1", "2", "3"]
        )
      }
    }))
})

describe.skipIf(Databases.skipped !== undefined)("a thread with its own connections to PostgreSQL", () => {
  it("stores deliveries while the main thread is blocked, and loses nothing it acknowledged if it ends by itself", async () => {
    await using database = await Databases.database()
    const store = Layer.provide(PostgresStore.layer, Postgres.layerAt(Redacted.make(database.url)))
    await using receiver = await startReceiver(store)
    assert.strictEqual(answeredMeanwhile(receiver.port), 200)
    const stored = async () =>
      (await database.query("select convert_from(body, 'UTF8') as body from siteledger.inbox order by sequence")).map(
        ({ body }) => body
      )
    assert.deepStrictEqual(await stored(), ["{}"])
    const fatal = signedRequest("2", { "X-Service-Event-Type": crash })
    assert.strictEqual(await deliver(receiver.port, fatal), 200)
    await saying(receiver, "The receiver's thread has ended")
    await saying(receiver, "")
    assert.strictEqual(await deliver(receiver.port, signedRequest("3")), 200)
    assert.deepStrictEqual(await stored(), ["{}", "2", "3"])
  })
})
