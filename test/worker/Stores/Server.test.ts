/**
 * Failures that only a server has: it is unavailable for a while, its disk is full, or its secrets were sealed with another
 * key. On PostgreSQL only.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Postgres from "../../Postgres.ts"
import { raises } from "../../Raised.ts"
import { until } from "../../RunningWorker.ts"
import { applied, deliver, dump, isVerified, storyEvents } from "../Past.ts"
import { model, read } from "../Story.ts"
import { Browsing } from "../Browsing.ts"
import { certified } from "../Dashboard/Acts.ts"
import { World } from "../World.ts"

const open = (options: Parameters<typeof World.open>[0]) => World.open(options, {}, "postgres")

/** Refuses new connections to the database and ends the present ones. */
const goAway = async ({ database }: World): Promise<void> => {
  const { name, query } = database ?? assert.fail("no server")
  const admin = Postgres.postgresUrl()
  await Postgres.query(admin, `alter database ${name} with allow_connections false`)
  await Postgres.query(admin, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
  assert.match(await query("select 1").then(String, String), /not currently accepting connections/)
}

const comeBack = async ({ database }: World): Promise<void> => {
  await Postgres.query(Postgres.postgresUrl(), `alter database ${database?.name} with allow_connections true`)
}

describe("a server that is gone for a while", () => {
  it("answers deliveries with 503 within two seconds; everything resumes by itself when it is back", async () => {
    await using world = await open({ projects: 90, maxPerPage: 20 })
    const { server } = world
    const events = storyEvents(11, 120)
    const worker = world.start()
    await worker.status("verified", isVerified)
    await worker.live()
    await deliver(world, events.slice(0, 40))
    const before = await worker.scrape()
    await goAway(world)
    for (const event of events.slice(40, 45)) {
      const from = performance.now()
      assert.strictEqual(await server.deliver(event), 503)
      assert.isBelow(performance.now() - from, 2_000)
    }
    const refused = () => worker.metric("siteledger_receiver_deliveries_total", '{outcome="not_stored"}')
    await until("they are counted", async () => (await refused()) === 5 || undefined)
    await until("the worker says that it isn't ready", async () =>
      (await worker.fetch("/health/ready"))?.status === 503 ? true : undefined
    )
    assert.isFalse(worker.hasEnded)
    const away = await worker.scrape()
    await raises("SiteledgerDeliveriesNotStored", before, away)
    await raises("SiteledgerStatusUnreadable", before, away)
    await comeBack(world)
    await until("a delivery is taken", async () => ((await server.deliver(events[40]!)) === 200 ? true : undefined))
    await deliver(world, events.slice(40))
    await worker.live()
    await applied(worker)
    assert.strictEqual((await worker.stop()).code, 0)
    assert.deepStrictEqual(await read((sql) => world.query(sql)), model(events))
    assert.strictEqual((await dump(world))["projects"]?.length, 90)
    assert.strictEqual(server.subscriptions.length, 1)
  })
})

/** Longer than a stream goes on without asking whose session it is: one a second. */
const looks = 20

describe("an open dashboard", () => {
  it("outlives a database that is away, says so meanwhile, and goes on in the same stream", async () => {
    await using world = await open({ projects: 3 })
    const worker = world.start()
    await worker.live()
    const browser = new Browsing(worker)
    await browser.signIn({ token: worker.note()?.token ?? "" })
    const stream = await browser.open("GET", "/stream")
    let told = ""
    let isOver = false
    stream.setEncoding("utf8").on("data", (part: string) => (told += part))
    stream.on("close", () => (isOver = true))
    const tells = (what: string, pattern: RegExp) => until(what, async () => pattern.test(told) || undefined)
    assert.strictEqual(await world.server.deliver(certified("BEFORE")), 200)
    await tells("the first event", /"entity_id":"BEFORE"/)

    await goAway(world)
    await tells("that it is away", /event: trouble\ndata: .*not currently accepting connections/)
    const since = told.length
    await until(
      "it was looked often",
      async () => told.slice(since).split(/^:$|^event: /m).length > looks || isOver || undefined
    )
    assert.isFalse(isOver, "the stream goes on")

    await comeBack(world)
    await until(
      "a delivery is taken",
      async () => (await world.server.deliver(certified("AFTER"))) === 200 || undefined
    )
    told = told.slice(since)
    await tells("Status", /event: status\n/)
    await tells("the next event", /"entity_id":"AFTER"/)
    assert.isFalse(isOver)
    assert.notInclude(told, '"entity_id":"BEFORE"', "each event once")
    stream.destroy()
  })
})

describe("a server whose disk is full", () => {
  /** PostgreSQL's error for a full disk, at every insert into the inbox. */
  const fill = `
    create function siteledger.is_full() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
    create trigger full_disk before insert on siteledger.inbox execute function siteledger.is_full()`

  it("is named in one sentence, deliveries get 503, and everything resumes by itself when there is room again", async () => {
    await using world = await open({ projects: 20 })
    const worker = world.start()
    await worker.status("verified", isVerified)
    await worker.live()
    const [first, ...others] = storyEvents(12, 30)
    await world.database?.query(fill)
    assert.strictEqual(await world.server.deliver(first!), 503)
    const { reasons } = await worker.status("it says why", ({ phase }) => phase === "degraded")
    assert.match(
      reasons.join(),
      /answered 503 for now: PostgreSQL at .*No space left on device; free space on the server's disk/
    )
    await world.database?.query("drop trigger full_disk on siteledger.inbox")
    await deliver(world, [first!, ...others])
    await worker.live()
    await applied(worker)
    await worker.stop()
    assert.deepStrictEqual(await read((sql) => world.query(sql)), model([first!, ...others]))
  })
})

describe("a worker with another key than the database's secrets", () => {
  it("is refused in one sentence, and changes nothing", async () => {
    await using world = await open({ projects: 3 })
    const first = world.start()
    await first.status("verified", isVerified)
    await first.stop()
    const secrets = await world.store("select * from webhook_secrets order by id")
    const asked = world.server.subscriptions.length
    const refused = await world.runWith({ SITELEDGER_KEY: "f".repeat(64) }, "start")
    assert.strictEqual(refused.code, 1)
    assert.match(refused.stderr, /^siteledger: [^\n]*sealed with another key[^\n]*the same SITELEDGER_KEY[^\n]*\n$/m)
    assert.strictEqual(world.server.subscriptions.length, asked)
    assert.deepStrictEqual(await world.store("select * from webhook_secrets order by id"), secrets)
    const again = world.start()
    assert.isTrue(isVerified(await again.live()))
    assert.strictEqual(world.server.subscriptions.length, 1)
  })
})
