/**
 * The warehouse's file is a projection: if it is lost or damaged, the next start makes the same tables again from the
 * store and a fresh walk, and keeps the damaged file.
 */
import { copyFileSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { applied, deliver, dump, live, storyEvents } from "../Past.ts"
import { model, read } from "../Story.ts"
import { World } from "../World.ts"
import { saw } from "../../Logged.ts"

const events = storyEvents(4, 300)

/** A worker that starts now must end with the same tables. */
const startsWith = async (world: World, expected: Awaited<ReturnType<typeof dump>>): Promise<string> => {
  const worker = world.start()
  await worker.live()
  const { stderr } = await worker.stop()
  assert.deepStrictEqual(await dump(world), expected)
  assert.strictEqual(world.server.subscriptions.length, 1)
  return stderr
}

/** Of the files that were set aside. */
const newest = (world: World): string => join(world.dataDir, world.setAside.toSorted().at(-1) ?? "none")

describe("the warehouse", () => {
  it("is the same again after its file is deleted, replaced by an old one, or garbled", async () => {
    await using world = await World.open({ projects: 90, maxPerPage: 20 })
    const first = world.start()
    await live(world, first, events.slice(0, 150))
    await first.stop()
    const old = join(world.dataDir, "old.duckdb")
    copyFileSync(world.warehouse, old)
    const second = world.start()
    await second.live()
    await deliver(world, events.slice(150))
    await applied(second)
    await second.stop()
    const expected = await dump(world)
    assert.deepStrictEqual(await read((sql) => world.query(sql)), model(events))

    rmSync(world.warehouse)
    const missing = await startsWith(world, expected)
    assert.match(String(saw(missing, "warehouse.mismatched")["why"]), /missing or belongs/)
    assert.deepStrictEqual(world.setAside, [])

    copyFileSync(old, world.warehouse)
    const older = await startsWith(world, expected)
    assert.match(older, /missing or belongs to another store|older than the store/)
    assert.strictEqual(saw(older, "warehouse.kept")["kept"], newest(world))
    assert.strictEqual(world.setAside.length, 1)

    writeFileSync(world.warehouse, Buffer.alloc(100_000, "rubbish"))
    const garbled = await startsWith(world, expected)
    const rubbish = newest(world)
    assert.strictEqual(saw(garbled, "warehouse.replaced")["kept"], rubbish)
    assert.match(String(readFileSync(rubbish)), /^rubbish/)

    truncateSync(world.warehouse, Math.floor(statSync(world.warehouse).size / 2))
    await startsWith(world, expected)
    assert.notStrictEqual(newest(world), rubbish)

    const last = world.start()
    const kept = newest(world)
    await last.status("only the newest is kept, and named", ({ reasonDetails }) => {
      const sentence = reasonDetails.find(({ level }) => level === "notice")?.sentence ?? ""
      return world.setAside.length === 1 && sentence.includes(`kept: ${kept} (`) && !sentence.includes(", ")
    })
    await last.stop()
  })

  it("is made again if it has the store's id but is older", async () => {
    await using world = await World.open({ projects: 30 })
    const first = world.start()
    await live(world, first, events.slice(0, 100))
    await first.stop()
    const old = readFileSync(world.warehouse)
    const second = world.start()
    await second.live()
    await deliver(world, events.slice(100, 200))
    await applied(second)
    await second.stop()
    const expected = await dump(world)
    writeFileSync(world.warehouse, old)
    assert.match(await startsWith(world, expected), /older than the store/)
  })

  it("is set aside and made again when a power cut left zeros in its log", async () => {
    await using world = await World.open({ projects: 30 })
    const worker = world.start()
    await live(world, worker, events)
    await worker.stop("SIGKILL")
    const log = `${world.warehouse}.wal`
    const bytes = readFileSync(log)
    assert.isAbove(bytes.length, 1000)
    writeFileSync(log, bytes.fill(0, Math.floor(bytes.length / 2)))
    const again = world.start()
    await again.live()
    const { stderr } = await again.stop()
    assert.match(stderr, /is rebuilt/)
    assert.strictEqual(world.setAside.length, 1)
    assert.deepStrictEqual(await read((sql) => world.query(sql)), model(events))
  })
})
