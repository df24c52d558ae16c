/** The difference between our clock and the service's is measured and shown, and a large one is a reason. */
import { assert, describe, it } from "@effect/vitest"
import type { ProjectSource } from "../../InterfaceServer.ts"
import { raises } from "../../Raised.ts"
import { provenWith } from "../Past.ts"
import { World } from "../World.ts"

const seconds = (ms: number): string => `${Math.floor((Date.now() + ms) / 1000)}`

describe("the clocks", () => {
  it("are compared by answers, deliveries and events", async () => {
    await using world = await World.open({ projects: 3, clockAheadMs: -60_000, ping: "never" })
    const worker = world.start()
    await worker.live()
    for (const [n, ahead] of [-40_000, -20_000, -30_000].entries()) {
      const body = JSON.stringify({
        ipc_id: n,
        payment_reference: "P",
        event_timestamp: Number(seconds(ahead - 20_000))
      })
      const event = { type: "ipc.paid", body, timestamp: Number(seconds(ahead)) }
      assert.strictEqual(await world.server.deliver(event), 200)
      // A later header of a known body proves nothing.
      assert.strictEqual(await world.server.deliver({ ...event, timestamp: Number(seconds(3_600_000)) }), 200)
    }
    const isAbout = (found: number | null, ms: number) => found !== null && Math.abs(found - ms) <= 5000
    // The second one is the least late.
    const { clockSkewMs, reasons } = await worker.status(
      "all three are measured",
      ({ clockSkewMs: { deliveries, events } }) => isAbout(deliveries, 20_000) && isAbout(events, 40_000)
    )
    assert.closeTo(clockSkewMs.answers ?? 0, 60_000, 5000)
    assert.deepStrictEqual(reasons, [])
    const shown = (await world.run("status")).stdout
    assert.match(
      shown,
      /clock +\d+\.\d s ahead of the service's\n  deliveries come at least \d+\.\d s after they are sent, \d/
    )
    const metrics = await worker.scrape()
    for (const by of ["answers", "deliveries", "events"]) {
      assert.match(metrics, new RegExp(`siteledger_clock_skew_seconds\\{by="${by}"\\} [2-6]\\d`))
    }
  })

  it("that differ by more than five minutes are a reason, until they agree", async () => {
    const walks = { SITELEDGER_WALK_EVERY: "300 millis" }
    await using world = await World.open({ projects: 3, clockAheadMs: 3_600_000 }, walks)
    const worker = world.start()
    const behind = /clock is 3(600|59\d|60\d) s behind the service's/
    const report = await worker.status("it is a reason", ({ reasons }) => behind.test(reasons.join()))
    assert.strictEqual(report.phase, "degraded")
    const apart = await worker.scrape()
    world.server.settings.clockAheadMs = 0
    await worker.live()
    const together = await worker.scrape()
    await raises("SiteledgerClock", together, apart)
    await raises("SiteledgerDegraded", together, apart)
  })

  for (const [where, clockAheadMs] of Object.entries({ ahead: 3_600_000, behind: -3_600_000 })) {
    it(`may be an hour apart, the service's ${where}: walks prove, the last state wins, tokens are renewed in time`, async () => {
      const walks = { SITELEDGER_WALK_EVERY: "300 millis" }
      await using world = await World.open({ projects: 4, clockAheadMs, tokenLifetimeSeconds: 3 }, walks)
      const { server } = world
      const worker = world.start()
      const shown = new RegExp(
        `clock is 3(600|59\\d|60\\d) s ${where === "ahead" ? "behind" : "ahead of"} the service's`
      )
      await worker.status("the clocks are compared", ({ reasons }) => shown.test(reasons.join()))
      await provenWith(worker, 4)
      const at = (seconds: number) => new Date(Date.now() + clockAheadMs + seconds * 1000).toISOString()
      const event = (type: string, fields: object, seconds: number) =>
        server.deliver({ type, fields: { ipc_id: 5, ...fields, event_timestamp: at(seconds) } })
      assert.strictEqual(await event("ipc.certified", { certified_amount: 80 }, -10), 200)
      assert.strictEqual(await event("ipc.certified", { certified_amount: 70 }, -20), 200)
      const [first, second, ...others] = server.projects
      // A record that is gone, and one that the service has changed since.
      server.projects.splice(0, 4, { ...(first as object), name: "renamed" } as ProjectSource, ...others)
      await provenWith(worker, 3)
      server.projects.push(second as ProjectSource)
      await provenWith(worker, 4)
      const tokens = () => server.requests.filter(({ path }) => path.endsWith("/oauth/token")).length
      const before = tokens()
      await server.waitFor(() => tokens() > before + 1)
      assert.isFalse(server.requests.some(({ status }) => status === 401))
      await worker.stop()
      const names = await world.query("select name from construction.projects where _deleted_at is null order by id")
      assert.deepStrictEqual(
        names.map(({ name }) => name),
        ["renamed", "Project 2", "Project 3", "Project 4"]
      )
      const amounts = await world.query("select certified_amount::text as amount from construction.ipcs where id = 5")
      assert.deepStrictEqual(amounts, [{ amount: "80.0000" }])
    })
  }
})
