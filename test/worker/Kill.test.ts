/**
 * kill -9 at random moments, over and over on one data directory. The judge stands outside: it knows what it sent, what
 * was answered 2xx and what was requested of the service, and reads the files afterwards.
 */
import { createHash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { query, type RunningWorker, until } from "../RunningWorker.ts"
import { patience, rounds, seed } from "../Long.ts"
import { seeded } from "../Seeded.ts"
import { assertNothingLost, Judge, moment, pages, pageSize, settle } from "./Judge.ts"
import { World } from "./World.ts"

type Kind = "start" | "backfill" | "burst" | "retries" | "apply" | "export"

const planned: Readonly<Record<Kind, number>> = {
  start: rounds(1, 12),
  backfill: rounds(1, 20),
  burst: rounds(1, 16),
  retries: rounds(1, 12),
  apply: rounds(1, 12),
  export: rounds(1, 12)
}

/** Deliveries all at once, the kill after some of them were answered. */
const burst = async (judge: Judge, worker: RunningWorker, count: number, killAfter: number, withinMs: number) => {
  const events = [...judge.tell(count), ...judge.owed.slice(0, 50), judge.random.pick(judge.sent)]
  const reached = Promise.withResolvers<void>()
  let taken = 0
  const all = Promise.all(
    events.map(async (event) => {
      if ((await judge.deliver(event)) && ++taken >= killAfter) reached.resolve()
    })
  )
  await Promise.race([reached.promise, all])
  if (withinMs > 0) await moment(judge.random, withinMs)
  await judge.kill(worker)
  await all
}

const moments: Readonly<Record<Kind, (judge: Judge, worker: RunningWorker) => Promise<void>>> = {
  start: async (judge, worker) => {
    await moment(judge.random, 1500)
    await judge.kill(worker)
  },
  backfill: async (judge, worker) => {
    const asked = () => [...judge.world.pagesAsked().values()].reduce((sum, each) => sum + each, 0)
    const enough = asked() + 5 + judge.random.below(25)
    await judge.look(
      worker,
      "more pages",
      ({ backfill }) => asked() >= enough || backfill["projects"]?.proof !== "running"
    )
    await moment(judge.random, 40)
    await judge.kill(worker)
  },
  burst: async (judge, worker) => {
    await judge.look(worker)
    await burst(judge, worker, 200, 1 + judge.random.below(200), 0)
  },
  retries: async (judge, worker) => {
    const { server } = judge.world
    const published = judge.tell(40).flatMap((event) => server.publish(event))
    await judge.look(worker)
    const enough = 1 + judge.random.below(40)
    await until("deliveries", async () =>
      published.filter(({ state }) => state === "delivered").length >= enough ? true : undefined
    )
    await judge.kill(worker)
  },
  apply: async (judge, worker) => {
    await judge.look(worker)
    await burst(judge, worker, 600, Number.POSITIVE_INFINITY, 150)
  },
  export: async (judge, worker) => {
    await judge.look(worker)
    for (const event of judge.tell(30)) await judge.deliver(event)
    const verb = judge.random.pick(["export", "publish"])
    const asked = worker.verb(verb).catch(() => undefined)
    await moment(judge.random, 250)
    await judge.kill(worker)
    await asked
  }
}

/** What a reader finds is complete at any time. */
const assertReadable = async (dataDir: string): Promise<void> => {
  const copy = join(dataDir, "analytics.duckdb")
  if (existsSync(copy)) await query(copy, "select count(*) from construction.projects")
  const lake = join(dataDir, "lake")
  if (!existsSync(join(lake, "latest.json"))) return
  const hash = (path: string) =>
    createHash("sha256")
      .update(readFileSync(join(lake, path)))
      .digest("hex")
  const latest = JSON.parse(readFileSync(join(lake, "latest.json"), "utf8")) as { manifest: string; sha256: string }
  assert.strictEqual(hash(latest.manifest), latest.sha256)
  const { tables } = JSON.parse(readFileSync(join(lake, latest.manifest), "utf8")) as {
    tables: Record<string, { files: ReadonlyArray<{ path: string; sha256: string }> }>
  }
  for (const { path, sha256 } of Object.values(tables).flatMap(({ files }) => files)) {
    assert.strictEqual(hash(path), sha256, path)
  }
}

describe(`kill -9, seed ${seed}`, () => {
  it("loses nothing, doubles nothing, subscribes once and walks no page twice", { timeout: patience }, async () => {
    const random = seeded(seed)
    await using world = await World.open(
      { projects: pages * pageSize, maxPerPage: pageSize, timeScale: 6000 },
      { SITELEDGER_REQUESTS_PER_MINUTE: "1500" }
    )
    const judge = new Judge(world, random)
    const first = world.start()
    await judge.look(first, "the ping has come", ({ subscription }) => subscription.verifiedAt !== null)
    await judge.kill(first)
    const kinds = Object.entries(planned).flatMap(([kind, count]) => Array<Kind>(count).fill(kind as Kind))
    for (const kind of random.shuffle(kinds)) {
      await moments[kind](judge, world.start())
      await assertReadable(world.dataDir)
    }
    const last = world.start()
    await settle(judge, last)
    const report = await last.status("the end")
    assert.deepInclude(report.inbox, { pending: 0, quarantined: 0 })
    assert.isDefined(((await last.verb("export")) as { run?: string }).run)
    assert.strictEqual((await last.stop()).code, 0)
    await assertReadable(world.dataDir)
    await assertNothingLost(judge)
    judge.assertNoPageTwice()
    assert.strictEqual(world.server.subscriptions.length, 1)
  })

  it("starts from what kills left of its files during the very first start", { timeout: patience }, async () => {
    const random = seeded(seed + 1)
    await using world = await World.open({ projects: 45, maxPerPage: pageSize })
    for (let kill = 0; kill < rounds(3, 32); kill++) {
      const worker = world.start()
      await moment(random, 1600)
      await worker.stop("SIGKILL")
    }
    const worker = world.start()
    await worker.live()
    assert.strictEqual(await world.server.deliver({ type: "ipc.paid" }), 200)
    await worker.status("it is applied", ({ inbox }) => inbox.pending === 0)
    await worker.stop()
    const [counted] = await world.query("select count(*)::int as projects from construction.projects")
    assert.deepStrictEqual(counted, { projects: 45 })
  })
})
