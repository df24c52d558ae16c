/**
 * `siteledger history` of a worker: the current minute and, after the worker's end, without one and with a later one;
 * and `siteledger walks`.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Answer } from "../../src/Operate/AdminApi.ts"
import { until } from "../RunningWorker.ts"
import { World } from "./World.ts"

const certified = (id: string) => ({
  type: "ipc.certified",
  fields: { ipc_id: id, certified_amount: "12.50", certificate_url: `https://c/${id}` }
})
const paid = (id: string) => ({ type: "ipc.paid", fields: { ipc_id: id, payment_reference: `PAY-${id}` } })

const shown = async (world: World, ...flags: ReadonlyArray<string>) => {
  const { code, stderr, stdout } = await world.run("history", "--json", ...flags)
  assert.deepStrictEqual([code, stderr], [0, ""])
  return JSON.parse(stdout) as Answer<"history">
}

const walks = async (world: World) => {
  const { code, stderr, stdout } = await world.run("walks", "projects", "--json")
  assert.deepStrictEqual([code, stderr], [0, ""])
  return (JSON.parse(stdout) as Answer<"walks">).walks
}

type Point = Answer<"history">["points"][number]

const sum = (points: ReadonlyArray<Point>, name: "deliveries" | "requests"): number =>
  points.reduce((all, point) => all + point[name], 0)

const longest = (points: ReadonlyArray<Point>, name: "visibleP99Ms" | "postedP99Ms"): number =>
  Math.max(...points.map((point) => point[name] ?? 0))

describe("siteledger history", () => {
  it("tells what was delivered, how long it took and what was asked, beside a worker and after it", async () => {
    await using world = await World.open({ projects: 3 })
    assert.match((await world.run("history")).stdout, /^No worker has run in this time\.\n$/)
    const worker = world.start()
    await worker.live()
    for (const event of [certified("1"), paid("1")]) {
      assert.strictEqual(await world.server.deliver(event, world.at(worker)), 200)
    }
    await worker.status("it is posted", ({ inbox, ledger }) => inbox.pending === 0 && ledger.entries === 1)
    const under = await until("it is counted", async () => {
      const { points, stepSeconds } = await shown(world)
      assert.strictEqual(stepSeconds, 60)
      // With the ping.
      return sum(points, "deliveries") === 3 && longest(points, "visibleP99Ms") > 0 ? points : undefined
    })
    assert.isAbove(longest(under, "postedP99Ms"), 0)
    assert.isBelow(longest(under, "visibleP99Ms"), 120_000)
    assert.isAtLeast(sum(under, "requests"), 2)
    assert.isTrue(under.every(({ limit }) => limit === 60_000))
    const [walked] = await walks(world)
    assert.deepInclude(walked, { list: "projects", pass: 1, proof: "counts-agree", rows: 3, total: 3, pages: 1 })
    assert.strictEqual((await worker.stop()).code, 0)
    assert.includeDeepMembers([...(await walks(world))], [walked])
    assert.match((await world.run("walks", "projects")).stdout, /list .*proof .*deleted[^]*projects .*counts-agree/)

    const alone = await shown(world)
    assert.strictEqual(sum(alone.points, "deliveries"), 3)
    assert.isAtLeast(sum(alone.points, "requests"), sum(under, "requests"))
    const again = world.start()
    await again.live()
    assert.strictEqual(await world.server.deliver(certified("2"), world.at(again)), 200)
    const day = await until("it goes on", async () => {
      const found = await shown(world, "--day")
      return sum(found.points, "deliveries") === 4 ? found : undefined
    })
    assert.strictEqual(day.stepSeconds, 600)
    assert.strictEqual(longest(day.points, "postedP99Ms"), longest(under, "postedP99Ms"))
    const { stdout } = await world.run("history", "--day")
    assert.match(stdout, /time .*deliveries .*visible_p50_p99 .*posted_p50_p99 .*requests .*limit/)
  })
})
