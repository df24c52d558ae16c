/**
 * What a worker logs on stderr: a line for each thing that it does, when it does it, with the same names and fields in
 * each format; and no secret.
 */
import { assert, describe, it } from "@effect/vitest"
import { version } from "../../src/Runtime/Program.ts"
import { saw } from "../Logged.ts"
import { until } from "../RunningWorker.ts"
import { World } from "./World.ts"

const json = { LOG_FORMAT: "json", LOG_LEVEL: "debug" }

const certified = (id: string, amount: string) => ({
  type: "ipc.certified",
  fields: { ipc_id: id, certified_amount: amount, certificate_url: `https://c/${id}` }
})
const paid = (id: string) => ({ type: "ipc.paid", fields: { ipc_id: id, payment_reference: `PAY-${id}` } })

type Line = Readonly<Record<string, unknown>>

/** The first with these fields. */
const lineOf = (log: string, fields: Line): Line | undefined =>
  log
    .split("\n")
    .filter((line) => line.startsWith("{") && line.endsWith("}"))
    .map((line) => JSON.parse(line) as Line)
    .find((line) => Object.entries(fields).every(([name, value]) => line[name] === value))

describe("the log of a worker", () => {
  it("says what it starts with, and why it stops", async () => {
    await using world = await World.open({ projects: 3 }, { SITELEDGER_WEBHOOK_EVENT: "typo" })
    const worker = world.start(json)
    const { receiver } = await worker.live()
    const { baseUrl } = world.server
    const note = worker.note()
    const { code, stderr } = await worker.stop("SIGINT")
    assert.strictEqual(code, 0)
    const engine = world.database === undefined ? "duckdb" : "postgres"
    assert.deepInclude(saw(stderr, "worker.starting"), { version, engine, data_dir: world.dataDir, pid: note?.pid })
    assert.match(String(saw(stderr, "setting.odd")["why"]), /did you mean SITELEDGER_WEBHOOK_EVENTS\?$/)
    const started = saw(stderr, "worker.started")
    const { SITELEDGER_WEBHOOK_URL: callback } = world.environment
    assert.deepInclude(started, {
      level: "INFO",
      version,
      engine,
      service: baseUrl,
      requests_per_minute: 60_000,
      callback
    })
    assert.deepInclude(started, { receiver: `127.0.0.1:${receiver.port}`, admin: note?.admin })
    assert.match(String(started["warehouse"]), /^(\/.*\/warehouse\.duckdb|postgres:\/\/[\w.:]+\/\w+)$/)
    assert.isAbove(Number(started["seconds"]), 0)
    assert.deepInclude(saw(stderr, "worker.stopping"), { level: "INFO", why: "SIGINT" })
    assert.isAtLeast(Number(saw(stderr, "worker.stopped")["seconds"]), 0)
  })

  it("says that and why it can't start", async () => {
    await using world = await World.open({ projects: 3 })
    const worker = world.start({ ...json, SITELEDGER_CLIENT_SECRET: "another" })
    const ended = await until("it ends", async () => (worker.hasEnded ? worker.stop() : undefined))
    assert.strictEqual(ended.code, 1)
    assert.match(String(saw(ended.stderr, "worker.failed")["why"]), /SITELEDGER_CLIENT_SECRET/)
    assert.notInclude(ended.stderr, "another")
  })

  it("follows a subscription, a walk, deliveries, holds, an export, secrets and reasons", async () => {
    await using world = await World.open({ projects: 300 })
    const worker = world.start(json)
    await worker.live()
    const rows = { resource: "projects", pass: 1, proof: "counts-agree", rows: 300, total: 300 }
    assert.deepInclude(saw(worker.stderr, "walk.finished"), rows)
    const subscribed = saw(worker.stderr, "subscription.created")
    assert.deepInclude(subscribed, { callback: world.environment["SITELEDGER_WEBHOOK_URL"], events: 14 })

    await world.server.deliver(certified("1", "12.50"))
    await world.server.deliver(paid("1"))
    await world.server.deliver(paid("2"))
    await world.server.deliver({ type: "ipc.paid", fields: { ipc_id: undefined, payment_reference: "PAY-3" } })
    await worker.status("applied", ({ inbox, ledger }) => inbox.quarantined === 1 && ledger.holds === 1)
    const quarantined = { event_type: "ipc.paid", why: "no-key", level: "WARN" }
    assert.deepInclude(saw(worker.stderr, "delivery.quarantined"), quarantined)
    await until("each delivery is told", async () => worker.stderr.includes(`"entity_id":"2"`) || undefined)
    assert.deepInclude(saw(worker.stderr, "delivery.applied"), { event_type: "ipc.paid", entity: "ipcs" })
    const posted = { ipc: "1", kind: "payment", reference: "PAY-1", amount: "12.5000" }
    assert.deepInclude(saw(worker.stderr, "entry.posted"), posted)
    const opened = saw(worker.stderr, "hold.opened")
    assert.deepInclude(opened, { ipc: "2", why: "awaiting-certified-amount", reference: "PAY-2", level: "INFO" })
    const answer = ["ledger", "accept", String(opened["hold"]), "--amount", "7", "--by", "Ada", "--reason", "on paper"]
    assert.strictEqual((await world.run(...answer)).code, 0)
    const decided = { hold: opened["hold"], ipc: "2", verdict: "accept", by: "Ada" }
    assert.deepInclude(saw(worker.stderr, "hold.decided"), decided)

    const exported = JSON.parse((await world.run("export", "--json")).stdout) as { rows: number; run: string }
    const { bytes, rows: exportedRows, run, seconds } = saw(worker.stderr, "export.finished")
    assert.deepStrictEqual([run, exportedRows], [exported.run, exported.rows])
    assert.isAbove(Number(bytes), 1000)
    assert.isAbove(Number(seconds), 0)

    const fingerprint = subscribed["fingerprint"]
    await worker.verb("secret-add", { secret: "a-planted-secret" })
    assert.match(String(saw(worker.stderr, "secret.added")["fingerprint"]), /^\w+$/)
    await worker.verb("secret-retire", { fingerprint, in: "1 hour" })
    assert.deepInclude(saw(worker.stderr, "secret.retired"), { fingerprint })
    assert.strictEqual(await world.server.deliver(paid("4")), 200)
    // Other reasons may come and go meanwhile.
    const said = (event: string, level: string) =>
      until(event, async () => lineOf(worker.stderr, { event, level, reason: "ending webhook secrets" }))
    assert.strictEqual((await said("reason.set", "WARN"))["reason_level"], "degraded")
    assert.isString(saw(worker.stderr, "reason.set")["to_do"])
    await worker.verb("secret-retire", { fingerprint })
    assert.strictEqual((await said("reason.cleared", "INFO"))["reason_level"], "degraded")
    assert.isNumber(saw(worker.stderr, "reason.cleared")["seconds"])

    // In PostgreSQL the pipelines go on while the warehouse is rebuilt.
    if (world.database === undefined) {
      await worker.verb("rebuild")
      await until("started again", async () => worker.stderr.split('"event":"worker.started"').length > 2 || undefined)
      assert.strictEqual(saw(worker.stderr, "worker.restarting")["why"], "a person asked for a rebuild")
    }
    const { stderr } = await worker.stop()
    assert.notInclude(stderr, "a-planted-secret")
    for (const each of world.server.subscriptions) assert.notInclude(stderr, each.secret)
  })
})
