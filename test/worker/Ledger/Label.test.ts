/**
 * Labels aren't signed: a body that proves several types and waited in quarantine may be released into rows by the label of
 * a later delivery, but its money waits until a person trusts the labels.
 */
import { randomUUID } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { raises } from "../../Raised.ts"
import { type RunningWorker, until } from "../../RunningWorker.ts"
import { World } from "../World.ts"

const at = (hour: number): string => `2026-11-19T${hour}:00:00Z`

const certified = JSON.stringify({
  ipc_id: 7,
  certified_amount: "118750.25",
  certificate_url: "https://c/7",
  event_timestamp: at(10)
})

/** As some services send them: the whole record, with only the label to say what happened. */
const whole = (more: object): string =>
  JSON.stringify({ ipc_id: 7, draft_amount: 1, submitter: "S", amount: 2, event_timestamp: at(11), ...more })

const wholePaid = whole({ certified_amount: "118750.25", payment_reference: "PAY-7" })

/** The same body under each label in turn, each applied before the next. */
const deliver = async (world: World, worker: RunningWorker, body: string, ...labels: ReadonlyArray<string>) => {
  for (const type of labels) {
    assert.strictEqual(await world.server.deliver({ type, body, id: randomUUID() }), 200)
    await worker.status("it is applied", ({ inbox }) => inbox.pending === 0)
    await until("it is counted", async () => ((await world.unseen()).length === 0 ? true : undefined))
  }
  return worker.status("all is applied", ({ inbox }) => inbox.pending === 0)
}

const ipcs = (world: World) => world.query("select status, payment_reference from construction.ipcs")

const event = async (world: World, body: string) =>
  (await world.query("select event_type, outcome, reason, alarms, payload from construction.events")).find(
    ({ payload }) => payload === body
  )

describe("the label of a later delivery", () => {
  it("releases a body with several types into rows, but posts no payment", async () => {
    await using world = await World.open({ projects: 3 })
    const worker = world.start()
    await worker.live()
    await deliver(world, worker, certified, "ipc.certified")
    const waiting = await deliver(world, worker, wholePaid, "ipc.certified")
    assert.deepInclude(waiting.inbox, { quarantined: 1, unposted: 0 })
    const before = await worker.scrape()
    const report = await deliver(world, worker, wholePaid, "ipc.paid")
    assert.deepInclude(report, { phase: "live", reasons: [] })
    assert.deepInclude(report.inbox, { quarantined: 1, unposted: 1 })
    await raises("SiteledgerMoneyUnposted", before, await worker.scrape())
    assert.deepInclude(report.ledger, { entries: 0, holds: 0 })
    assert.match((await world.run("status")).stdout, / 1 event .*posted nothing.*SITELEDGER_TRUST_TYPE_HEADER=true/)
    assert.match((await world.run("explain", "7")).stdout, /ipc\.paid .*posted nothing/)
    assert.deepInclude(await worker.verb("ledger-verify"), { facts: 1, entries: 0, differences: [] })
    await worker.stop()
    assert.deepStrictEqual(await ipcs(world), [{ status: "paid", payment_reference: "PAY-7" }])
    assert.deepInclude(await event(world, wholePaid), {
      event_type: "ipc.paid",
      outcome: "applied",
      reason: "label-only",
      alarms: '["replayed","relabelled"]'
    })
  })

  it("doesn't turn a body into a certificate either", async () => {
    await using world = await World.open({ projects: 3 })
    const worker = world.start()
    await worker.live()
    const body = whole({ certified_amount: "999999.99", certificate_url: "https://c/8" })
    assert.strictEqual((await deliver(world, worker, body, "ipc.created", "ipc.certified")).inbox.unposted, 1)
    const paid = JSON.stringify({ ipc_id: 7, payment_reference: "PAY-7", event_timestamp: at(12) })
    const { ledger } = await deliver(world, worker, paid, "ipc.paid")
    assert.deepInclude(ledger, { entries: 0, holds: 1 })
    assert.strictEqual(ledger.oldestHold?.reason, "awaiting-certified-amount")
  })

  it("posts once a person replays with SITELEDGER_TRUST_TYPE_HEADER", async () => {
    await using world = await World.open({ projects: 3 })
    const worker = world.start()
    await worker.live()
    await deliver(world, worker, certified, "ipc.certified")
    const report = await deliver(world, worker, wholePaid, "webhook.ping", "ipc.paid")
    assert.deepInclude(report.ledger, { entries: 0, holds: 0 })
    await worker.stop()
    assert.deepInclude(JSON.parse((await world.run("replay", "--json")).stdout), { read: 1, applied: 0 })
    const replayed = await world.runWith({ SITELEDGER_TRUST_TYPE_HEADER: "true" }, "replay", "--json")
    assert.deepInclude(JSON.parse(replayed.stdout), { read: 1, applied: 1 })
    const entries = "select kind, amount, payment_reference from construction.ledger_entries"
    assert.deepStrictEqual(await world.query(entries), [
      { kind: "payment", amount: "118750.2500", payment_reference: "PAY-7" }
    ])
    assert.deepInclude(await event(world, wholePaid), { outcome: "applied", reason: null })
  })

  it("isn't needed for an honest first one: its money is posted at once", async () => {
    await using world = await World.open({ projects: 3 })
    const worker = world.start()
    await worker.live()
    await deliver(world, worker, certified, "ipc.certified")
    const report = await deliver(world, worker, wholePaid, "ipc.paid", "ipc.certified")
    assert.deepInclude(report.ledger, { entries: 1, holds: 0 })
    assert.deepInclude(report.inbox, { quarantined: 0, unposted: 0 })
  })
})
