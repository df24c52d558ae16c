/**
 * A day of payments in any order, interrupted by kill -9. The judge knows what was sent and what the rules are; it reads the
 * books from the two files and never asks the product what is right. SEED=n repeats a day.
 */
import { rmSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import type { StatusReport } from "../../../src/Operate/AdminApi/StatusReport.ts"
import { type RunningWorker, until } from "../../RunningWorker.ts"
import { patience, rounds, seed } from "../../Long.ts"
import { type Random, seeded } from "../../Seeded.ts"
import { sha256 } from "../Story.ts"
import { moment } from "../Judge.ts"
import { rebuilt } from "../Past.ts"
import { World } from "../World.ts"
import { netOf, storeBooks, warehouseBooks } from "./Kept.ts"
import { type Day, day, disordered, judge } from "./Lives.ts"
import { refolded } from "./Refolded.ts"
import { Sender } from "./Sender.ts"

const events = rounds(1000, 10_000)
const kills = rounds(2, 12)

/** Kills after random numbers of 2xx, the last time once everything was answered, and once in the middle of a start. */
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
      await moment(random, 1500)
      await again()
    }
  }
  return worker
}

const isApplied = ({ inbox, phase }: StatusReport): boolean => phase === "live" && inbox.pending === 0

/** What an analyst would read now. */
const published = async (world: World, worker: RunningWorker) => {
  await worker.verb("publish")
  return warehouseBooks((sql) => world.published(sql))
}

const assertJudged = async ({ lives }: Day, world: World): Promise<void> => {
  const kept = await storeBooks(world)
  const inbox = await world.inbox()
  const places = new Map(
    inbox.map((row, place) => [Buffer.from(row["body_sha256"] as Uint8Array).toString("hex"), place])
  )
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
  it("ends with each payment's valid certificate, in any order and despite kills", { timeout: patience }, async () => {
    const random = seeded(seed)
    const lived = day(random, events)
    const sent = disordered(random, lived.events)
    await using world = await World.open({ projects: 20 })
    using sender = new Sender(world)
    const delivered = sender.deliver(sent)
    const worker = await killed(world, sender, random, sent.length)
    await delivered
    await worker.status("all is posted", isApplied)

    await assertJudged(lived, world)
    const kept = await storeBooks(world)
    assert.deepStrictEqual(await published(world, worker), kept)
    const counts = { entries: kept.entries.length, holds: kept.holds.length }
    assert.deepInclude(await worker.verb("ledger-verify"), { ...counts, differences: [] })
    await worker.stop()
    assert.deepStrictEqual(await warehouseBooks((sql) => world.query(sql)), kept)

    // There is no file to lose on a server.
    if (world.database === undefined) rmSync(world.warehouse)
    const again = world.start()
    await again.status("the warehouse is made again", isApplied)
    assert.deepStrictEqual(await published(world, again), kept)
    await rebuilt(again, async () => {
      assert.deepStrictEqual(await again.verb("rebuild"), { rebuilding: true })
    })
    assert.deepStrictEqual(await published(world, again), kept)
    assert.strictEqual((await again.stop()).code, 0)
    assert.deepStrictEqual(await storeBooks(world), kept)

    assert.deepStrictEqual(await refolded(world, random), kept)
  })
})
