/**
 * A day of payments in any order, with kill -9 between. The judge knows what was said and what the rules are; it reads
 * the books from the two files and never asks the product what is right. SEED=n gives a day again.
 */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { StatusReport } from "../../../src/Status.ts"
import { type RunningWorker, until } from "../../RunningWorker.ts"
import { type Random, seeded } from "../../Seeded.ts"
import { sha256 } from "../Story.ts"
import { World } from "../World.ts"
import { inStore, netOf, storeBooks, warehouseBooks } from "./Kept.ts"
import { type Day, day, disordered, judge } from "./Lives.ts"
import { refolded } from "./Refolded.ts"
import { Sender } from "./Sender.ts"

const seed = Number(process.env["SEED"] ?? 20261120)
const events = 10_000
const kills = 3

/** Kills after a random number of 2xx, the last one as soon as all was answered; also one in the middle of a start. */
const killed = async (world: World, sender: Sender, random: Random, all: number): Promise<RunningWorker> => {
  let worker = world.start()
  const again = async () => {
    await worker.stop("SIGKILL")
    worker = world.start()
  }
  const after = [...Array.from({ length: kills - 1 }, () => 1 + random.below(all - 1)).toSorted((a, b) => a - b), all]
  for (const taken of after) {
    await worker.status("the worker is up")
    await until(`${taken} are taken`, async () => (sender.taken >= taken ? true : undefined))
    await again()
    if (taken === after[1]) {
      await new Promise((done) => setTimeout(done, random.below(1500)))
      await again()
    }
  }
  return worker
}

const isApplied = ({ inbox, phase }: StatusReport): boolean => phase === "live" && inbox.pending === 0

/** What an analyst would read now. */
const published = async (world: World, worker: RunningWorker) => {
  await worker.verb("publish")
  return warehouseBooks(join(world.dataDir, "analytics.duckdb"))
}

const assertJudged = ({ lives }: Day, dataDir: string): void => {
  const kept = storeBooks(dataDir)
  const inbox = inStore(dataDir, "select lower(hex(body_sha256)) as hash from inbox order by sequence")
  const places = new Map(inbox.map(({ hash }, place) => [hash, place]))
  const net = netOf(kept)
  const holds = Map.groupBy(kept.holds, (hold) => hold["ipc_id"])
  let paid = 0
  for (const life of lives) {
    const expected = judge(life, (body) => places.get(sha256(body)) ?? assert.fail(`not stored: ${body}`))
    const found = {
      net: net.get(life.ipcId) ?? (expected.net === undefined ? undefined : 0n),
      holds: (holds.get(life.ipcId) ?? []).map((hold) => `${hold["reason"]} ${hold["payment_reference"]}`).toSorted()
    }
    assert.deepStrictEqual(found, expected, `seed ${seed}, ${life.ipcId}`)
    if (expected.net !== undefined) paid++
  }
  assert.isAbove(paid, lives.length / 2)
}

describe(`a day of ${events} events, seed ${seed}`, () => {
  it("ends with each payment's valid certificate, whatever the order and the kills", { timeout: 180_000 }, async () => {
    const random = seeded(seed)
    const told = day(random, events)
    const sent = disordered(random, told.events)
    await using world = await World.open({ projects: 20 })
    using sender = new Sender(world)
    const delivered = sender.deliver(sent)
    const worker = await killed(world, sender, random, sent.length)
    await delivered
    await worker.status("all is posted", isApplied)

    assertJudged(told, world.dataDir)
    const kept = storeBooks(world.dataDir)
    assert.deepStrictEqual(await published(world, worker), kept)
    const counts = { entries: kept.entries.length, holds: kept.holds.length }
    assert.deepInclude(await worker.verb("ledger-verify"), { ...counts, differences: [] })
    await worker.stop()
    assert.deepStrictEqual(await warehouseBooks(world.warehouse), kept)

    rmSync(world.warehouse)
    const anew = world.start()
    await anew.status("the warehouse is made again", isApplied)
    assert.deepStrictEqual(await published(world, anew), kept)
    const { token } = anew.note() ?? {}
    assert.deepStrictEqual(await anew.verb("rebuild"), { rebuilding: true })
    await until("it starts again", async () => (/Starting again/.test(anew.stderr) ? true : undefined))
    await anew.status("it is rebuilt", (report) => anew.note()?.token !== token && isApplied(report))
    assert.deepStrictEqual(await published(world, anew), kept)
    assert.strictEqual((await anew.stop()).code, 0)
    assert.deepStrictEqual(storeBooks(world.dataDir), kept)

    assert.deepStrictEqual(await refolded(world.dataDir, random), kept)
  })
})
