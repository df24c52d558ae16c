import { assert, describe, it } from "@effect/vitest"
import * as Events from "../../sandbox/Events.ts"
import { eventTypes } from "../../sandbox/Lifecycles.ts"
import * as Truth from "../../sandbox/Truth.ts"

const startAtMillis = Date.UTC(2026, 0, 5, 8)
const usual = { identity: "test", startAtMillis, microsPerStep: 200_000, ipcs: 6, projects: 50 }
const events = (seed: number, ipcs = usual.ipcs) => Events.make({ ...usual, seed, ipcs })

const steps = (count: number) => Array.from({ length: count }, (_, step) => step)

describe("Events", () => {
  it("are the same for the same seed, in any order of access", () => {
    const first = events(42)
    const second = events(42)
    const forwards = steps(3000).map((step) => `${first.id(step)} ${first.body(step)}`)
    const backwards = steps(3000)
      .toReversed()
      .map((step) => `${second.id(step)} ${second.body(step)}`)
    assert.deepStrictEqual(backwards.toReversed(), forwards)
    assert.notStrictEqual(events(43).body(0), first.body(0))
  })

  it("show all 14 types in every block, even of one IPC", () => {
    for (const ipcs of [1, 6, 40]) {
      const made = events(7, ipcs)
      for (const block of [0, 1, 17]) {
        const types = new Set(made.block(block).map(({ type }) => type))
        assert.deepStrictEqual([...types].toSorted(), [...eventTypes].toSorted())
        assert.strictEqual(made.block(block).length, made.blockLength)
      }
    }
  })

  it("have unique ids and ascending times", () => {
    const made = events(3)
    const count = 20_000
    assert.strictEqual(new Set(steps(count).map(made.id)).size, count)
    assert.match(made.id(0), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    const times = steps(count).map(made.timestamp)
    assert.isTrue(times.every((time, step) => step === 0 || time > (times[step - 1] ?? "")))
    assert.match(times[0] ?? "", /^2026-01-05T08:00:00\.\d{6}Z$/)
  })

  it("carry the contents that the interface document names, and nothing else", () => {
    const made = events(1)
    const names = new Map<string, string>()
    for (const step of steps(made.blockLength)) {
      const body: { event_type: string; data: object } = JSON.parse(made.body(step))
      names.set(body.event_type, Object.keys(body.data).join(" "))
    }
    assert.deepStrictEqual(Object.fromEntries([...names].toSorted()), {
      "dms.transmittal.sent": "transmittal_id recipients document_count",
      "hse.incident.reported": "incident_id classification",
      "ipc.certified": "ipc_id certified_amount certificate_url",
      "ipc.created": "ipc_id project_id draft_amount",
      "ipc.paid": "ipc_id payment_reference",
      "ipc.submitted": "ipc_id submitter amount",
      "ncr.closed": "ncr_id closure_date",
      "ncr.created": "ncr_id project_id severity",
      "permit.expiring": "permit_id hours_until_expiry",
      "permit.issued": "permit_id type validity",
      "vo.absorbed": "vo_id boq_revision",
      "vo.agreed": "vo_id final_amount time_impact",
      "vo.created": "vo_id project_id description",
      "vo.priced": "vo_id total_cost_impact"
    })
  })

  const amountsOf = (made: Events.Events) =>
    steps(5000).flatMap((step) => made.body(step).match(/(?<=amount":)-?[\d.]+/g) ?? [])

  it("have amounts of less than ten million", () => {
    const amounts = amountsOf(events(5))
    assert.isAbove(amounts.length, 1000)
    for (const amount of amounts) assert.isBelow(Math.abs(Number(amount)), 1.1e7)
  })

  it("keep every digit of an amount that no double holds, within DECIMAL(28,4)", () => {
    const amounts = amountsOf(Events.make({ ...usual, seed: 5, largeAmounts: true }))
    assert.isTrue(amounts.every((amount) => /^-?\d{1,24}(\.\d{1,4})?$/.test(amount)))
    assert.isTrue(amounts.some((amount) => amount.length > 20 && String(Number(amount)) !== amount))
  })
})

describe("Truth", () => {
  it("is what the last event of each stage said", () => {
    const made = events(9)
    const count = made.blockLength * 3 + 20
    const truths = [...Truth.entities(made, count)]
    assert.strictEqual(new Set(truths.map(({ id }) => id)).size, truths.length)
    const seen = new Set(steps(count).map((step) => made.at(step).id))
    assert.deepStrictEqual(new Set(truths.map(({ id }) => id)), seen)
    const recertified = truths.find(({ id }) => id === "IPC-2026-000001")
    assert.isTrue(recertified?.fields["certificate_url"]?.endsWith("/2.pdf"))
    assert.strictEqual(recertified?.status, "paid")
    assert.match(recertified?.fields["submitted_amount"] ?? "", /^\d+\.\d{4}$/)
    const sizes = Object.keys(recertified?.fields ?? {}).toSorted()
    assert.deepStrictEqual(sizes, [
      "certificate_url",
      "certified_amount",
      "certified_at",
      "created_at",
      "draft_amount",
      "paid_at",
      "payment_reference",
      "project_id",
      "submitted_amount",
      "submitted_at",
      "submitter"
    ])
  })

  it("includes lives that haven't ended", () => {
    const made = events(9, 40)
    const statuses = new Set([...Truth.entities(made, made.blockLength * 4)].map((t) => `${t.entity} ${t.status}`))
    for (const status of ["ipcs created", "ipcs certified", "ipcs paid", "ncrs open", "vos priced", "permits issued"]) {
      assert.isTrue(statuses.has(status), status)
    }
  })
})
