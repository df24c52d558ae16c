/**
 * From a signed HTTP request to a row and to Parquet, with no shortcut: the worker is a separate process, the service an
 * independent reading of the interface document.
 */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { asyncBufferFromFile, parquetReadObjects } from "hyparquet"
import { compressors } from "hyparquet-compressors"
import { until } from "../RunningWorker.ts"
import { World } from "./World.ts"

interface Manifest {
  readonly asOf: { readonly sequence: number }
  readonly tables: Readonly<
    Record<string, { rows: number; files: ReadonlyArray<{ path: string; rows: number; sha256: string }> }>
  >
}

const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex")

const lakeOf = (dataDir: string) => {
  const lake = join(dataDir, "lake")
  const pointer = JSON.parse(readFileSync(join(lake, "latest.json"), "utf8")) as { manifest: string; sha256: string }
  const bytes = readFileSync(join(lake, pointer.manifest))
  assert.strictEqual(sha256(bytes), pointer.sha256)
  return { lake, manifest: JSON.parse(String(bytes)) as Manifest }
}

const amount = "123456789012345678901234.5678"

describe("the worker against the interface document", () => {
  it("takes a signed request to the inbox, the row and the Parquet file, to the last digit", async () => {
    await using world = await World.open({ projects: 237 })
    const { server } = world
    const worker = world.start()
    const live = await worker.live()
    assert.strictEqual(live.backfill["projects"]?.rows, 237)
    assert.strictEqual(server.subscriptions.length, 1)
    const body = `{"ipc_id": 7, "certified_amount": ${amount}, "certificate_url": "https://c/7", "event_timestamp": "2026-11-19T10:00:00.123456Z", "unknown": 1.10}`
    assert.strictEqual(await server.deliver({ type: "ipc.certified", body }), 200)
    await worker.status(
      "the event is applied",
      ({ events, inbox }) => inbox.pending === 0 && (events["applied"] ?? 0) >= 2
    )
    const exported = (await worker.verb("export")) as { run: string }
    assert.isString(exported.run)
    await worker.stop()

    const [row] = await world.query("from construction.ipcs")
    assert.strictEqual(row?.["certified_amount"], amount)
    assert.strictEqual(row?.["status"], "certified")
    assert.strictEqual(row?.["_extra"], '{"unknown":1.10}')

    const { lake, manifest } = lakeOf(world.dataDir)
    for (const [table, { rows, files }] of Object.entries(manifest.tables)) {
      let count = 0
      for (const file of files) {
        const path = join(lake, file.path)
        assert.strictEqual(sha256(readFileSync(path)), file.sha256)
        const read = await parquetReadObjects({ file: await asyncBufferFromFile(path), compressors })
        assert.strictEqual(read.length, file.rows, `${table} ${file.path}`)
        count += read.length
      }
      assert.strictEqual(count, rows, table)
    }
    assert.strictEqual(manifest.tables["projects"]?.rows, 237)
    assert.strictEqual(manifest.tables["ipcs"]?.rows, 1)
  })

  it("answers a forged request with 401 and keeps no trace of it", async () => {
    await using world = await World.open({ projects: 3 })
    const { server } = world
    const worker = world.start()
    await worker.live()
    const event = { type: "ipc.paid", fields: { ipc_id: 1, payment_reference: "P" } }
    assert.strictEqual(await server.deliver(event, { signature: "0".repeat(64) }), 401)
    assert.strictEqual(await server.deliver(event, { signature: null }), 401)
    assert.strictEqual(await server.deliver(event, { signature: "zz" }), 401)
    assert.strictEqual(await server.deliver(event, { upperCaseHex: true }), 200)
    await worker.status("it is applied", ({ inbox, receiver }) => inbox.pending === 0 && receiver.accepted === 2)
    await worker.stop()
    const rows = await world.query("select event_type, outcome from construction.events order by sequence")
    assert.deepStrictEqual(rows, [
      { event_type: "webhook.ping", outcome: "applied" },
      { event_type: "ipc.paid", outcome: "applied" }
    ])
  })

  it("stops within seconds on SIGTERM, with exit code 0, and a second worker is refused with the first one's id", async () => {
    await using world = await World.open({ projects: 3 })
    const worker = world.start()
    await worker.live()
    const second = world.start({ SITELEDGER_WEBHOOK_LISTEN: "127.0.0.1:0" })
    await until("the second worker ends", async () => (second.hasEnded ? true : undefined))
    assert.match(second.stderr, new RegExp(`process id ${worker.note()?.pid}`))
    assert.strictEqual((await second.stop()).code, 1)
    const before = performance.now()
    const { code } = await worker.stop()
    assert.strictEqual(code, 0)
    assert.isBelow(performance.now() - before, 10_000)
  })
})
