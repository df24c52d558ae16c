/** The subscription: made once, verified by its ping at any time, made again only if it must be. */
import { assert, describe, it } from "@effect/vitest"
import { applied, isVerified } from "./Past.ts"
import { World } from "./World.ts"

const creations = (world: World): number =>
  world.server.requests.filter(({ method, path }) => method === "POST" && path.endsWith("/webhooks")).length

describe("a subscription", () => {
  it("is verified by a ping that comes before the answer that brings its secret", async () => {
    await using world = await World.open({ projects: 30, ping: "before", timeScale: 60 })
    const worker = world.start()
    await worker.status("verified", isVerified)
    const [ping] = world.server.deliveries
    assert.strictEqual(ping?.state, "delivered")
    // Held back for up to 5 seconds, in case its secret arrives; after that the service tries again.
    assert.includeDeepMembers([[200], [401, 200]], [ping?.attempts.map(({ status }) => status)])
    await worker.live()
    assert.strictEqual(creations(world), 1)
    assert.strictEqual((await worker.stop()).code, 0)
    assert.deepStrictEqual(await world.query("select event_type, outcome from construction.events"), [
      { event_type: "webhook.ping", outcome: "applied" }
    ])
  })

  it("is not made again by a second start, even if no ping has ever come", async () => {
    await using world = await World.open({ projects: 30, ping: "never" })
    for (let start = 0; start < 2; start++) {
      const worker = world.start()
      assert.isFalse(isVerified(await worker.live()))
      assert.strictEqual(await world.server.deliver({ type: "ipc.paid" }), 200)
      await worker.stop(start === 0 ? "SIGKILL" : "SIGTERM")
    }
    assert.strictEqual(creations(world), 1)
  })

  it("is made again for another list of events; the old secret stays valid, and Status asks to delete the old one", async () => {
    await using world = await World.open({ projects: 30 })
    const { server } = world
    const first = world.start()
    await first.status("verified", isVerified)
    await first.stop()
    const fewer = { SITELEDGER_WEBHOOK_EVENTS: "ipc.paid, ipc.certified" }
    const second = world.start(fewer)
    await second.status("verified", isVerified)
    assert.strictEqual(creations(world), 2)
    const [old, current] = server.subscriptions
    assert.deepStrictEqual(current?.events.toSorted(), ["ipc.certified", "ipc.paid"])
    assert.notStrictEqual(old?.secret, current?.secret)
    for (const subscription of server.subscriptions) {
      assert.strictEqual(await server.deliver({ type: "ipc.paid" }, { subscription }), 200)
    }
    const report = await applied(second)
    assert.deepStrictEqual(report.subscription.obsolete, [world.environment["SITELEDGER_WEBHOOK_URL"] as string])
    await second.stop()

    const third = world.start({ SITELEDGER_WEBHOOK_EVENTS: "ipc.certified ipc.paid" })
    await third.status("still verified", isVerified)
    await third.live()
    for (const subscription of server.subscriptions) {
      assert.strictEqual(await server.deliver({ type: "ipc.certified" }, { subscription }), 200)
    }
    assert.strictEqual(creations(world), 2)
  })

  it("is made again for another path; what is still sent to the old one is accepted", async () => {
    await using world = await World.open({ projects: 3 })
    const { server } = world
    const first = world.start()
    await first.status("verified", isVerified)
    await first.stop()
    const moved = new URL("/moved", world.environment["SITELEDGER_WEBHOOK_URL"]).href
    const second = world.start({ SITELEDGER_WEBHOOK_URL: moved })
    await second.status("verified", isVerified)
    assert.deepStrictEqual(
      server.subscriptions.map(({ url }) => url),
      [world.environment["SITELEDGER_WEBHOOK_URL"], moved]
    )
    for (const subscription of server.subscriptions) {
      assert.strictEqual(await server.deliver({ type: "ipc.paid" }, { subscription }), 200)
    }
    assert.strictEqual((await fetch(new URL("/elsewhere", moved), { method: "POST" })).status, 404)
  })

  it("made by hand is used as it is, with all its secrets, and none is created", async () => {
    const secrets = ["one made by hand", "another made by hand"]
    await using world = await World.open({ projects: 30 }, { SITELEDGER_WEBHOOK_SECRET: secrets.join(", ") })
    const { server } = world
    const worker = world.start()
    assert.isFalse(isVerified(await worker.live()))
    const url = world.environment["SITELEDGER_WEBHOOK_URL"] as string
    for (const secret of secrets) {
      const subscription = { url, secret, events: ["ipc.paid"] }
      assert.strictEqual(await server.deliver({ type: "ipc.paid" }, { subscription }), 200)
    }
    const unknown = { url, secret: "never made at all", events: [] }
    assert.strictEqual(await server.deliver({ type: "ipc.paid" }, { subscription: unknown }), 401)
    assert.isTrue(isVerified(await applied(worker)))
    assert.strictEqual(creations(world), 0)
  })
})
