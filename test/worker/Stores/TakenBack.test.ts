/**
 * Deliveries that both files of the inbox have lost come back from the warehouse's copy, under their old numbers; and
 * nothing that this worker didn't write does.
 */
import { existsSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { zstdCompressSync, zstdDecompressSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { DuckDBBlobValue, DuckDBInstance, blobValue } from "@duckdb/node-api"
import { type RunningWorker, until } from "../../RunningWorker.ts"
import { inboxOf } from "../../Stores/Segments/Inbox.ts"
import { World } from "../World.ts"
import { saw } from "../../Logged.ts"

const pay = async (world: World, id: string): Promise<void> => {
  await world.server.deliver({
    type: "ipc.certified",
    fields: { ipc_id: id, certified_amount: "12.5", certificate_url: `https://c/${id}` }
  })
  await world.server.deliver({ type: "ipc.paid", fields: { ipc_id: id, payment_reference: `PAY-${id}` } })
}

const posted = (worker: RunningWorker, entries: number) =>
  worker.status(`${entries} are posted`, ({ inbox, ledger }) => inbox.pending === 0 && ledger.entries === entries)

const loseInbox = (world: World): void => rmSync(join(world.dataDir, "inbox"), { recursive: true })

const inbox = (world: World) => inboxOf(join(world.dataDir, "store.sqlite"))

/** The last number of which the lake has a copy. */
const copiedThrough = (lake: string): number => {
  const folder = join(lake, "_deliveries")
  if (!existsSync(folder)) return 0
  const names = readdirSync(folder, { recursive: true }).map(String)
  return Math.max(0, ...names.map((name) => Number(/-(\d+)\.zst$/.exec(name)?.[1] ?? 0)))
}

/** Changes all chunks in the warehouse's copy. */
const plant = async (world: World, change: (frames: Buffer) => Buffer): Promise<void> => {
  const instance = await DuckDBInstance.create(world.warehouse)
  const connection = await instance.connect()
  const rows = (await connection.runAndReadAll("select first, frames from siteledger.inbox")).getRows()
  for (const [first, frames] of rows) {
    assert(frames instanceof DuckDBBlobValue)
    const changed = blobValue(zstdCompressSync(change(zstdDecompressSync(frames.bytes))))
    await connection.run("update siteledger.inbox set frames = $1 where first = $2", [changed, first as bigint])
  }
  connection.disconnectSync()
  instance.closeSync()
}

describe("a worker whose inbox is gone", () => {
  it("takes everything back from the warehouse, under the same numbers", async () => {
    await using world = await World.open({ projects: 3 }, {}, "duckdb")
    const first = world.start()
    await first.live()
    for (const id of ["A", "B", "C"]) await pay(world, id)
    await posted(first, 3)
    await first.stop()
    const before = inbox(world)
    loseInbox(world)
    const second = world.start()
    await second.live()
    await pay(world, "C")
    await pay(world, "D")
    const { reasons } = await posted(second, 4)
    assert.deepStrictEqual(reasons, [])
    await second.stop()
    assert.deepStrictEqual(inbox(world).slice(0, before.length), before)
    assert.deepStrictEqual(world.setAside, [])
  })

  it("takes it back from the lake, if the warehouse is gone, too", async () => {
    await using world = await World.open({ projects: 3 }, {}, "duckdb")
    const first = world.start()
    await first.live()
    for (const id of ["A", "B"]) await pay(world, id)
    await posted(first, 2)
    await first.stop()
    // A start copies at once.
    const copying = world.start()
    await copying.live()
    const before = inbox(world)
    await until("all is in the lake", async () => {
      return copiedThrough(join(world.dataDir, "lake")) >= Number(before.at(-1)?.sequence) || undefined
    })
    await copying.stop()
    loseInbox(world)
    for (const suffix of ["", ".wal"]) rmSync(world.warehouse + suffix, { force: true })
    const second = world.start()
    await second.live()
    await pay(world, "C")
    await posted(second, 3)
    const { reasons } = await second.status("nothing is lost", (report) => report.reasons.length === 0)
    assert.deepStrictEqual(reasons, [])
    assert.match(String(saw(second.stderr, "deliveries.restored")["copy"]), /lake/)
    await second.stop()
    assert.deepStrictEqual(inbox(world).slice(0, before.length), before)
  })

  it("takes nothing back that it didn't write, names it, and names what is lost", async () => {
    await using world = await World.open({ projects: 3 }, {}, "duckdb")
    const first = world.start()
    await first.live()
    for (const id of ["A", "B"]) await pay(world, id)
    await posted(first, 2)
    await first.stop()
    const before = inbox(world)
    loseInbox(world)
    // A payment of a hundred times as much, with a checksum of its own making. The ping may lie in a chunk of its own.
    let changed = 0
    await plant(world, (frames) => {
      const at = frames.indexOf("12.5")
      if (at >= 0) changed += frames.write("99.5", at)
      return frames
    })
    assert.isAbove(changed, 0)
    const second = world.start()
    const { reasons } = await second.status("it says so", (report) => report.reasons.length > 1)
    assert.match(reasons.join("\n"), /kept in the warehouse can't be taken back: this worker didn't write them/)
    assert.match(reasons.join("\n"), /has lost deliveries .*no copy holds them/)
    await second.stop()
    const planted = inbox(world).filter(({ body }) => body.includes("99.5"))
    assert.deepStrictEqual(planted, [])
    const events = new Set(before.map(({ event_id }) => event_id))
    for (const { event_id } of inbox(world)) assert.isTrue(events.has(event_id))
    assert.isAtLeast(inbox(world).length, before.length - 1)
  })
})
