/**
 * A worker's machine that vanishes, and a network that is cut for a while: the server keeps the worker's sessions with
 * everything that they hold. On PostgreSQL only.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { Client } from "pg"
import { rounds } from "../../Long.ts"
import { until } from "../../RunningWorker.ts"
import { proxied } from "../../Stores/Postgres/Proxy.ts"
import { applied, deliver, isVerified, storyEvents } from "../Past.ts"
import { model, read, type StoryEvent } from "../Story.ts"
import { World } from "../World.ts"
import { saw } from "../../Logged.ts"

const open = () => World.open({ projects: 20 }, {}, "postgres")

/** The first worker's transactions hold rows of the queue and locks that every worker needs. */
const holding = async (world: World) => {
  const blocker = new Client({ connectionString: world.database?.url })
  await blocker.connect()
  await blocker.query("begin; lock table construction.ipcs in access exclusive mode")
  return blocker
}

const started = async (world: World, network = world.database!.url) => {
  const worker = world.start({ SITELEDGER_WAREHOUSE: network })
  await worker.status("verified", isVerified)
  await worker.live()
  return worker
}

/** Sends each event until it is taken, as the service does. */
const sendUntilTaken = (world: World, events: ReadonlyArray<StoryEvent>) =>
  Promise.all(
    events.map((event) =>
      until("a delivery is taken", async () => ((await world.server.deliver(event)) === 200 ? true : undefined))
    )
  )

const held = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"

const seconds = (from: number): string => `${((performance.now() - from) / 1000).toFixed(1)} s`

describe("a worker whose machine vanishes", () => {
  it("blocks its successor for no longer than ten seconds, and what it held is applied", async () => {
    await using world = await open()
    await using network = await proxied(world.database!.url)
    const events = storyEvents(21, 60)
    const first = await started(world, network.url)
    await deliver(world, events.slice(0, 20))
    await applied(first)
    const blocker = await holding(world)
    await deliver(world, events.slice(20, 40))
    await until("it applies", async () => ((await world.database!.query(held)).length > 0 ? true : undefined))
    network.silence()
    await first.stop("SIGKILL")
    await blocker.end()
    // Its transactions go on to hold what they have claimed.
    const from = performance.now()
    const next = world.start()
    await sendUntilTaken(world, [events[40]!])
    const taken = seconds(from)
    await sendUntilTaken(world, events.slice(41))
    await applied(next)
    assert.isBelow(performance.now() - from, 30_000, `a delivery was taken after ${taken}`)
    assert.isFalse(next.hasEnded)
    assert.deepStrictEqual(await read((sql) => world.query(sql)), model(events))
  })
})

describe("a lock that another session holds", () => {
  it("is awaited by a worker that starts, which says so and doesn't end", async () => {
    await using world = await open()
    await (await started(world)).stop()
    const other = new Client({ connectionString: world.database?.url })
    await other.connect()
    await other.query("begin; lock table siteledger.meta in access exclusive mode")
    const worker = world.start()
    await until("it says that it waits", async () => worker.stderr.includes("The start waits.") || undefined)
    assert.match(String(saw(worker.stderr, "worker.waits")["why"]), /lock/i)
    assert.isFalse(worker.hasEnded)
    await other.end()
    await worker.live()
  })
})

describe("a network that is cut for a while", () => {
  it(
    "leaves nothing behind that keeps deliveries from being applied, and nothing is lost or doubled",
    { timeout: 150_000 },
    async () => {
      await using world = await open()
      await using network = await proxied(world.database!.url)
      const events = storyEvents(22, 60)
      const worker = world.start({ SITELEDGER_WAREHOUSE: network.url })
      await worker.status("verified", isVerified)
      await worker.live()
      const blocker = await holding(world)
      await deliver(world, events.slice(0, 20))
      await until("it applies", async () => ((await world.database!.query(held)).length > 0 ? true : undefined))
      network.silence()
      await blocker.end()
      await sleep(rounds(12_000, 30_000))
      network.heal()
      const from = performance.now()
      await sendUntilTaken(world, [events[20]!])
      const taken = seconds(from)
      await sendUntilTaken(world, events.slice(21))
      await applied(worker)
      assert.isBelow(performance.now() - from, 30_000, `a delivery was taken after ${taken}`)
      assert.isFalse(worker.hasEnded)
      assert.deepStrictEqual(await read((sql) => world.query(sql)), model(events))
    }
  )
})
