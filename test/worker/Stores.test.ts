/**
 * The warehouse is a projection, rebuilt while deliveries come in; a store belongs to one service; and quarantined
 * deliveries are read again once they are readable.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { until } from "../RunningWorker.ts"
import { applied, dump, live, rebuilt, storyEvents } from "./Past.ts"
import { model, read } from "./Story.ts"
import { World } from "./World.ts"

describe("the warehouse", () => {
  it("is rebuilt under the running worker, which keeps accepting deliveries", async () => {
    await using world = await World.open(
      { projects: 90, maxPerPage: 20, timeScale: 6000 },
      { SITELEDGER_LEDGER_CURRENCY: "EUR 7=USD" }
    )
    const events = storyEvents(4, 300)
    const worker = world.start()
    await live(world, worker, events)
    const more = storyEvents(5, 50)
    await rebuilt(worker, async () => {
      assert.strictEqual((await world.run("rebuild")).code, 0)
      for (const event of more) world.server.publish(event)
    })
    await until("all is delivered", async () =>
      world.server.deliveries.every(({ state }) => state === "delivered") ? true : undefined
    )
    await applied(worker)
    await worker.stop()
    assert.deepStrictEqual(await read((sql) => world.query(sql)), model([...events, ...more]))
    const expected = await dump(world)
    assert.strictEqual(expected["projects"]?.length, 90)
    const again = world.start()
    await rebuilt(again, async () => {
      const waited = await world.run("rebuild", "--wait", "--json")
      assert.deepStrictEqual([waited.code, JSON.parse(waited.stdout)], [0, { rebuilding: true }], waited.stderr)
      const { inbox, tasks } = await again.status("it has waited")
      assert.deepStrictEqual([inbox.pending, tasks.filter(({ name }) => name === "rebuild")], [0, []])
    })
    // The older one goes with the first copy of the new warehouse.
    const kept = world.database === undefined ? 1 : 0
    await until("one old warehouse is kept", async () => world.setAside.length === kept || undefined)
    await again.stop()
    assert.deepStrictEqual(await dump(world), expected)
    assert.deepStrictEqual(await world.query("select id, currency from construction.project_currencies order by id"), [
      { id: "7", currency: "USD" },
      { id: "default", currency: "EUR" }
    ])
    assert.strictEqual(world.server.subscriptions.length, 1)
  })
})

describe("the store", () => {
  it("of another service is refused, naming the variable and before any request", async () => {
    await using world = await World.open({ projects: 3 })
    const worker = world.start()
    await worker.live()
    await worker.stop()
    const asked = world.server.requests.length
    const elsewhere = world.environment["SITELEDGER_BASE_URL"]?.replace("/api/", "/other/") ?? ""
    for (const other of [{ SITELEDGER_CLIENT_ID: "another" }, { SITELEDGER_BASE_URL: elsewhere }]) {
      const refused = await world.runWith(other, "start")
      assert.strictEqual(refused.code, 1)
      const variable = world.database === undefined ? "SITELEDGER_DATA_DIR" : "SITELEDGER_WAREHOUSE"
      assert.match(refused.stderr, new RegExp(`${variable} holds another service's records`))
    }
    assert.strictEqual(world.server.requests.length, asked)
  })
})

describe("the quarantine", () => {
  it("is read again by replay, once aliases define its words", async () => {
    await using world = await World.open({ projects: 3 })
    const strange = '{"ipc_ref": 9, "sum_certified": 5.50, "link": "u", "event_timestamp": "2026-11-19T10:00:00Z"}'
    const first = world.start()
    await first.live()
    assert.strictEqual(await world.server.deliver({ type: "ipc.certified", body: strange }), 200)
    await first.status("in quarantine", ({ inbox }) => inbox.quarantined === 1)
    await first.stop()
    const file = join(world.dataDir, "aliases.json")
    writeFileSync(file, JSON.stringify({ ipc_id: "ipc_ref", certified_amount: ["sum", "sum_certified"] }))
    const aliases = { SITELEDGER_FIELD_ALIASES: file }
    const second = world.start(aliases)
    await second.status("still there", ({ inbox, phase }) => phase === "live" && inbox.quarantined === 1)
    const replayed = await world.run("replay", "--json")
    assert.deepStrictEqual(JSON.parse(replayed.stdout), { read: 1, applied: 1 })
    await second.status("applied", ({ inbox }) => inbox.quarantined === 0)
    await second.stop()
    const columns = "id, status, certified_amount, certificate_url, _extra"
    assert.deepStrictEqual(await world.query(`select ${columns} from construction.ipcs`), [
      { id: "9", status: "certified", certified_amount: "5.5000", certificate_url: null, _extra: '{"link":"u"}' }
    ])
    const [event] = await world.query("select outcome, reason from construction.events where entity = 'ipcs'")
    assert.deepStrictEqual(event, { outcome: "applied", reason: null })
    const alone = await world.runWith(aliases, "replay", "--json")
    assert.deepStrictEqual(JSON.parse(alone.stdout), { read: 0, applied: 0 })
  })
})
