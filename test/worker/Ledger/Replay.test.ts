/**
 * An attacker with one captured delivery can replay it under any number of ids, because ids aren't signed: it is counted and
 * raises one alarm, and it moves nothing.
 */
import { randomUUID } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { rounds } from "../../Long.ts"
import { until } from "../../RunningWorker.ts"
import { World } from "../World.ts"
import { storeBooks } from "./Kept.ts"
import { Sender } from "./Sender.ts"

const replays = rounds(1000, 10_000)
const captured = "8f14e45f-ceea-467f-9634-0f21c9d4ad0e"

const event = (type: string, contents: object) => ({ type, id: randomUUID(), body: JSON.stringify(contents) })

const certified = event("ipc.certified", {
  ipc_id: 7,
  certified_amount: "118750.25",
  certificate_url: "https://c/7",
  event_timestamp: "2026-11-19T09:00:00Z"
})
const payment = { ipc_id: 7, payment_reference: "PAY-7", event_timestamp: "2026-11-19T10:00:00Z" }
const paid = { ...event("ipc.paid", payment), id: captured }

const events = (world: World) =>
  world.query(
    `select event_id, outcome, deliveries::int as deliveries, alarms from construction.events
     where event_type = 'ipc.paid' order by sequence`
  )

describe("a captured ipc.paid", () => {
  it(`adds no entry under ${replays} new ids, and raises one alarm`, { timeout: 120_000 }, async () => {
    await using world = await World.open({ projects: 3 })
    using sender = new Sender(world)
    const worker = world.start()
    await worker.live()
    await sender.deliver([certified, paid])
    await worker.status("it is posted", ({ ledger }) => ledger.entries === 1)
    const before = await storeBooks(world)
    await sender.deliver(Array.from({ length: replays }, () => ({ ...paid, id: randomUUID() })))
    assert.strictEqual(sender.taken, replays + 2)
    await until("all is counted", async () => ((await world.unseen()).length === 0 ? true : undefined))
    const report = await worker.status("all is applied", ({ inbox }) => inbox.pending === 0)
    assert.deepInclude(report, { phase: "live", reasons: [] })
    assert.deepInclude(report.events, { applied: 3, replayed: 1 })
    assert.deepInclude(report.inbox, { pending: 0, quarantined: 0 })
    assert.deepInclude(report.ledger, { entries: 1, holds: 0, oldestHold: null })
    assert.deepInclude(await worker.verb("ledger-verify"), { facts: 2, entries: 1, holds: 0, differences: [] })
    await worker.stop()
    assert.deepStrictEqual(await storeBooks(world), before)
    assert.deepStrictEqual(await events(world), [
      { event_id: captured, outcome: "applied", deliveries: replays + 1, alarms: '["replayed"]' }
    ])
  })

  it("is distinguished from another body that comes under its id", async () => {
    await using world = await World.open({ projects: 3 })
    using sender = new Sender(world)
    const worker = world.start()
    await worker.live()
    await sender.deliver([certified, paid])
    await worker.status("it is posted", ({ ledger }) => ledger.entries === 1)
    const before = await storeBooks(world)

    const respelled = { ...paid, body: JSON.stringify(payment, null, 2) }
    await sender.deliver([respelled])
    await worker.status("it is applied", ({ events, inbox }) => events["id-reused"] === 1 && inbox.pending === 0)
    assert.deepStrictEqual(await storeBooks(world), before)

    const other = { ...paid, body: JSON.stringify({ ...payment, payment_reference: "PAY-7b" }) }
    await sender.deliver([other])
    const report = await worker.status("it asks", ({ ledger }) => ledger.holds === 1)
    assert.strictEqual(report.ledger.entries, 1)
    assert.strictEqual(report.ledger.oldestHold?.reason, "second-payment-reference")
    await worker.stop()
    const alarmed = { event_id: captured, outcome: "applied", deliveries: 1, alarms: '["id-reused"]' }
    assert.deepStrictEqual(await events(world), [{ ...alarmed, alarms: "[]" }, alarmed, alarmed])
  })
})
