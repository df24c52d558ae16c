/**
 * A service that compresses its bodies, and one that begins them with a byte order mark: the bytes are stored as they were
 * signed and read as what they say. A body that unpacks to more than the limit waits in quarantine.
 */
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import type { RunningWorker } from "../../RunningWorker.ts"
import { sha256 } from "../Story.ts"
import { World } from "../World.ts"

const paid = (ipc: number, more: object = {}): string =>
  JSON.stringify({
    ipc_id: ipc,
    payment_reference: `PAY-${ipc}`,
    event_timestamp: "2026-11-19T10:00:00Z",
    note: "as measured on site, ".repeat(20),
    ...more
  })

const deliver = async (world: World, body: Uint8Array, encoding: string): Promise<void> => {
  const overrides = { body, headers: { "Content-Encoding": encoding } }
  assert.strictEqual(await world.server.deliver({ type: "ipc.paid" }, overrides), 200, encoding)
}

const applied = (worker: RunningWorker) => worker.status("all is applied", ({ inbox }) => inbox.pending === 0)

const ipcs = (world: World) => world.query("select id, status, payment_reference from construction.ipcs order by id")

const events = (world: World) =>
  world.query(
    `select outcome, reason, payload, body_sha256 from construction.events
     where event_type = 'ipc.paid' order by sequence`
  )

const row = (ipc: number) => ({ id: String(ipc), status: "paid", payment_reference: `PAY-${ipc}` })

describe("a compressed body", () => {
  it("is applied, kept byte for byte, and shown as its text", async () => {
    await using world = await World.open({ projects: 3 })
    const worker = world.start()
    await worker.live()
    const sent = [
      [gzipSync(paid(1)), "gzip"],
      [deflateSync(paid(2)), "deflate"],
      [brotliCompressSync(paid(3)), "br"]
    ] as const
    for (const [body, encoding] of sent) await deliver(world, body, encoding)
    const { inbox, reasons, receiver } = await applied(worker)
    assert.deepStrictEqual(reasons, [])
    assert.strictEqual(inbox.quarantined, 0)
    assert.deepInclude(receiver, { accepted: 4, encoded: 0 })
    await worker.stop()
    assert.deepStrictEqual(await ipcs(world), [row(1), row(2), row(3)])
    assert.deepStrictEqual(
      await events(world),
      sent.map(([body], n) => ({
        outcome: "applied",
        reason: null,
        payload: paid(n + 1),
        body_sha256: sha256(body)
      }))
    )
    const stored = await world.inbox()
    for (const [body] of sent)
      assert.isTrue(stored.some((each) => Buffer.from(each["body"] as Uint8Array).equals(body)))
  })

  it("in an unknown encoding waits in quarantine with its bytes", async () => {
    await using world = await World.open({ projects: 3 })
    const worker = world.start()
    await worker.live()
    const body = zstdCompressSync(paid(1))
    await deliver(world, body, "zstd")
    assert.strictEqual((await applied(worker)).inbox.quarantined, 1)
    await worker.stop()
    const [event] = await events(world)
    assert.deepInclude(event, { outcome: "quarantined", reason: "not-utf8", payload: null, body_sha256: sha256(body) })
  })

  it("that unpacks to more than the limit waits in quarantine, until the limit is raised", async () => {
    const limit = { SITELEDGER_WEBHOOK_MAX_BYTES: "2000" }
    await using world = await World.open({ projects: 3 })
    const worker = world.start(limit)
    await worker.live()
    await deliver(world, gzipSync(paid(1, { more: "0".repeat(2000) })), "gzip")
    await deliver(world, gzipSync(paid(2)), "gzip")
    const report = await applied(worker)
    assert.deepInclude(report, { phase: "live", reasons: [] })
    assert.strictEqual(report.inbox.quarantined, 1)
    await worker.stop()
    assert.deepStrictEqual(await ipcs(world), [row(2)])
    assert.deepInclude((await events(world))[0], { outcome: "quarantined", reason: "too-large", payload: null })
    const replayed = await world.run("replay", "--json")
    assert.deepInclude(JSON.parse(replayed.stdout), { read: 1, applied: 1 })
    assert.deepStrictEqual(await ipcs(world), [row(1), row(2)])
  })

  it("holds up no delivery when many are bombs", async () => {
    await using world = await World.open({ projects: 3 })
    const worker = world.start()
    await worker.live()
    const zeros = "0".repeat(8 * 1024 * 1024)
    const bombs = Array.from({ length: 60 }, (_, n) => gzipSync(`{"n":${n},"a":"${zeros}"}`, { level: 1 }))
    for (const bomb of bombs) await deliver(world, bomb, "gzip")
    await deliver(world, Buffer.from(paid(1)), "identity")
    const report = await applied(worker)
    assert.deepInclude(report, { phase: "live", reasons: [] })
    assert.strictEqual(report.inbox.quarantined, bombs.length)
    await worker.stop()
    assert.deepStrictEqual(await ipcs(world), [row(1)])
  })
})

describe("a byte order mark", () => {
  it("is kept and not read, also in a compressed body", async () => {
    await using world = await World.open({ projects: 3 })
    const worker = world.start()
    await worker.live()
    const marked = [1, 2].map((ipc) => Buffer.from(`\ufeff${paid(ipc)}`))
    const [plain = Buffer.of(), packed = Buffer.of()] = [marked[0], gzipSync(marked[1] ?? "")]
    await deliver(world, plain, "identity")
    await deliver(world, packed, "gzip")
    assert.strictEqual((await applied(worker)).inbox.quarantined, 0)
    await worker.stop()
    assert.deepStrictEqual(await ipcs(world), [row(1), row(2)])
    // In SQL, because decoding a text in JavaScript drops the mark.
    const shown = await world.query(
      `select body_sha256, ascii(payload) as first, substr(payload, 2) as others from construction.events
       where event_type = 'ipc.paid' order by sequence`
    )
    assert.deepStrictEqual(shown, [
      { body_sha256: sha256(plain), first: 0xfeff, others: paid(1) },
      { body_sha256: sha256(packed), first: 0xfeff, others: paid(2) }
    ])
    const stored = await world.inbox()
    assert.isTrue(stored.some((each) => Buffer.from(each["body"] as Uint8Array).equals(plain)))
  })
})
