/**
 * Several workers on one database: exactly one leads, all accept and apply, and a killed one loses nothing.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import type { StatusReport } from "../../src/Operate/AdminApi/StatusReport.ts"
import { Client } from "pg"
import * as Postgres from "../Postgres.ts"
import { type RunningWorker, until } from "../RunningWorker.ts"
import { patience, rounds, seed } from "../Long.ts"
import { seeded } from "../Seeded.ts"
import { assertNothingLost, Judge, moment, settle } from "./Judge.ts"
import { World } from "./World.ts"

const leaders = ({ workers }: StatusReport) => workers.filter(({ isLeader, isUp }) => isLeader && isUp)

const waiting = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"

/** Workers that only send requests, each in its own process. */
class Asking implements Disposable {
  readonly #children: Array<ChildProcess> = []

  start(env: Readonly<Record<string, string>>): void {
    this.#children.push(
      spawn(process.execPath, ["--disable-warning=ExperimentalWarning", program], { env, stdio: "inherit" })
    )
  }

  /** Exit codes; none while they run. */
  get ended(): ReadonlyArray<number> {
    return this.#children.flatMap(({ exitCode }) => exitCode ?? [])
  }

  [Symbol.dispose](): void {
    for (const child of this.#children) child.kill("SIGKILL")
  }
}

const program = fileURLToPath(new URL("Plan/asking-child.ts", import.meta.url))

const pidOf = (worker: RunningWorker): number => worker.note()?.pid ?? 0

describe.skipIf(Postgres.skipped !== undefined)(`many workers on one database, seed ${seed}`, () => {
  it("started at once they have exactly one leader, and another within seconds when it is killed", async () => {
    await using world = await World.open({ projects: 300, maxPerPage: 20 }, {}, "postgres")
    const workers = [world.start(), ...(await Promise.all([1, 2, 3].map(() => world.startAnother())))]
    for (const worker of workers) {
      await worker.status("all are known", (report) => report.workers.length === 4 && leaders(report).length === 1)
    }
    // One that dies while it creates the subscription leaves a second one behind: Live/Creation.test.ts.
    await workers[0]!.status("verified", ({ subscription }) => subscription.verifiedAt !== null)
    const [leading] = leaders(await workers[0]!.status("a leader"))
    const [first, ...others] = workers.toSorted((a) => (pidOf(a) === leading?.pid ? -1 : 1))
    assert.strictEqual(pidOf(first!), leading?.pid)
    await first!.stop("SIGKILL")
    const killedAt = Date.now()
    const next = await others[0]!.status("another leads", (report) =>
      leaders(report).some(({ pid }) => pid !== leading?.pid)
    )
    assert.isBelow(Date.now() - killedAt, 10_000)
    await others[1]!.status("the killed one is shown as gone", (report) => leaders(report).length === 1)
    assert.notStrictEqual(leaders(next).at(-1)?.pid, leading?.pid)
    await others[0]!.status("the walk goes on", ({ backfill }) => backfill["projects"]?.proof === "counts-agree")
    assert.strictEqual(world.server.subscriptions.length, 1)
    const [counted] = await world.query("select count(*)::int as projects from construction.projects")
    assert.deepStrictEqual(counted, { projects: 300 })
  })

  it("a batch that a worker dies in the middle of is applied by another within seconds", async () => {
    await using world = await World.open({ projects: 5 }, {}, "postgres")
    const first = world.start()
    await first.live()
    const other = await world.startAnother()
    await other.status("it is up")
    // Both wait for this row, so that the killed one holds its claims.
    const blocker = new Client({ connectionString: world.database?.url })
    await blocker.connect()
    await blocker.query("begin; lock table construction.ipcs in access exclusive mode")
    for (let sent = 0; sent < 20; sent++) assert.strictEqual(await world.server.deliver({ type: "ipc.paid" }), 200)
    await until("the first has claimed them", async () =>
      (await world.database!.query(waiting)).length > 0 ? true : undefined
    )
    await first.stop("SIGKILL")
    const killedAt = Date.now()
    await blocker.end()
    await other.status("applied", ({ inbox }) => inbox.pending === 0)
    assert.isBelow(Date.now() - killedAt, 10_000)
    const [counted] = await world.query(
      "select count(*)::int as paid from construction.events where event_type = 'ipc.paid'"
    )
    assert.deepStrictEqual(counted, { paid: 20 })
  })

  it(
    "three of them, one killed again and again, lose nothing, double nothing and keep the rate",
    { timeout: patience },
    async () => {
      const random = seeded(seed)
      const requestsPerMinute = 600
      await using world = await World.open(
        { projects: 260 * 20, maxPerPage: 20, timeScale: 6000, requestsPerMinute },
        { SITELEDGER_REQUESTS_PER_MINUTE: String(requestsPerMinute) },
        "postgres"
      )
      const judge = new Judge(world, random)
      const workers = [world.start(), await world.startAnother(), await world.startAnother()]
      await workers[0]!.status("verified", ({ subscription }) => subscription.verifiedAt !== null)
      for (let kill = 0; kill < rounds(2, 40); kill++) {
        const events = judge.tell(60)
        const all = Promise.all(events.map((event) => judge.deliver(event, random.pick(workers))))
        const place = random.below(3)
        await moment(random, 400)
        await workers[place]!.stop("SIGKILL")
        await all
        for (const event of judge.owed.slice(0, 50)) await judge.deliver(event)
        workers[place] = world.start(workers[place]!.environment)
        await workers[place]!.status("it is up")
      }
      await settle(judge, workers[0]!)
      for (const worker of workers) assert.strictEqual((await worker.stop()).code, 0)
      await assertNothingLost(judge)
      assert.strictEqual(world.server.subscriptions.length, 1)
      // A sixth of a minute's, and what late requests may catch up on.
      assert.isAtMost(world.server.mostRequestsWithin(10_000), requestsPerMinute / 6 + 5)
    }
  )

  for (const count of rounds(0, 1) === 1 ? [1, 2, 3] : [3]) {
    it(
      `${count} that ask at the same time use 97 % of the plan and never exceed it`,
      { timeout: patience },
      async () => {
        const requestsPerMinute = 600
        await using world = await World.open(
          { projects: 20, requestsPerMinute },
          { SITELEDGER_REQUESTS_PER_MINUTE: String(requestsPerMinute) },
          "postgres"
        )
        using asking = new Asking()
        for (let n = 0; n < count; n++) asking.start(world.environment)
        const lists = () => world.server.requests.filter(({ path }) => path.endsWith("/projects"))
        await until("all ask", async () => (lists().length > 50 ? true : undefined))
        const from = Date.now()
        await sleep(rounds(20_000, 130_000))
        const to = Date.now()
        const used = lists().filter(({ at }) => at >= from && at < to).length
        assert.isAtLeast(used / ((to - from) / 60_000), 0.97 * requestsPerMinute)
        assert.isAtMost(world.server.mostRequestsWithin(60_000), requestsPerMinute)
        assert.isAtMost(world.server.mostRequestsWithin(10_000), requestsPerMinute / 6 + 5)
        assert.deepStrictEqual(asking.ended, [])
      }
    )
  }
})
