/** A gap that only a person can close, as an operator sees it: in Status, in one alert, and until it is closed. */
import { assert, it } from "@effect/vitest"
import { raises } from "../../Raised.ts"
import { until } from "../../RunningWorker.ts"
import { World } from "../World.ts"
import { alertEndpoint } from "./AlertEndpoint.ts"

const hour = 3_600_000

/** As if the receiver had last been up that many hours ago. */
const beDownFor = async (world: World, hours: number): Promise<number> => {
  const fromMs = Date.now() - hours * hour
  await world.store("delete from uptime")
  await world.store(`insert into uptime (from_ms, to_ms) values (${fromMs - hour}, ${fromMs})`)
  return fromMs
}

it("a lost gap is reported once with its exact interval, walked at once, counted, and closed by a person", async () => {
  await using world = await World.open({ projects: 3 })
  await using endpoint = await alertEndpoint()
  const first = world.start()
  await first.live()
  const before = await first.scrape()
  await first.stop()
  const fromMs = await beDownFor(world, 30)
  const walked = world.pagesAsked().get(1) ?? 0
  const worker = world.start({ SITELEDGER_ALERT_URL: endpoint.url })
  const report = await worker.status("the gap is known", ({ gaps }) => gaps.length === 1)
  const [gap] = report.gaps
  const [from, to] = [gap?.from ?? "", gap?.to ?? ""]
  assert.isTrue(gap?.isLost)
  assert.strictEqual(await worker.metric("siteledger_gaps_open"), 1)
  await raises("SiteledgerGap", before, await worker.scrape())
  assert.strictEqual(Date.parse(`${from.slice(0, 23)}Z`), fromMs)
  await until("a walk for the gap", async () => ((world.pagesAsked().get(1) ?? 0) > walked ? true : undefined))
  await endpoint.count(1)
  const [red = assert.fail("no alert")] = endpoint.taken
  assert.strictEqual(red.status, "red")
  assert.strictEqual(red.instance, world.environment["SITELEDGER_WEBHOOK_URL"])
  assert.include(red.reasons.join(), `between ${from} and ${to}`)
  assert.match(red.reasons.join(), /replay the failed deliveries.*siteledger replay --gap-closed/)

  const inside = new Date(fromMs + hour).toISOString()
  const outside = new Date(fromMs - hour).toISOString()
  for (const event_timestamp of [inside, outside]) {
    assert.strictEqual(await world.server.deliver({ type: "ipc.paid", fields: { event_timestamp } }), 200)
  }
  await worker.status("all is applied", ({ inbox }) => inbox.pending === 0)
  await worker.stop()
  const next = world.start({ SITELEDGER_ALERT_URL: endpoint.url })
  const counted = /So far 1 with an event time in this interval/
  await next.status("counted", ({ gaps, reasons }) => gaps[0]?.cameLate === 1 && counted.test(reasons.join()))

  const closed = await world.run("replay", "--gap-closed", from, "--reason", "all replayed")
  assert.strictEqual(closed.code, 0, closed.stderr)
  // The restart left a short gap, which retries heal; it is no reason.
  await next.live()
  await endpoint.count(2)
  assert.deepInclude({ ...endpoint.taken[1] }, { status: "recovered", since: red.since, reasons: [] })
  assert.strictEqual(endpoint.taken.length, 2, "the restart repeated nothing")
  assert.notInclude((await next.stop()).stderr, "MARKED")
})
