/**
 * Deliveries with valid signatures and bad contents: always 2xx, always kept, quarantined with a reason if they can't be
 * read, and never in the way of what comes after them.
 */
import { assert, describe, it } from "@effect/vitest"
import { type EventInput, exactNumber, type Overrides } from "../../InterfaceServer.ts"
import type { StatusReport } from "../../../src/Operate/AdminApi/StatusReport.ts"
import { type RunningWorker } from "../../RunningWorker.ts"
import { sha256 } from "../Story.ts"
import { World } from "../World.ts"

const at = "2026-11-19T10:00:00Z"
const text = (value: unknown): string => JSON.stringify(value)
const dayAhead = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString()

/** Sends one by one, expects a 200 for each, and waits until everything is applied. */
const tell = async (
  world: World,
  worker: RunningWorker,
  events: ReadonlyArray<EventInput & { readonly overrides?: Overrides }>
) => {
  for (const { overrides = {}, ...event } of events) {
    assert.strictEqual(await world.server.deliver(event, overrides), 200, event.body)
  }
  return worker.status("all is applied", ({ inbox }) => inbox.pending === 0)
}

const stored = (world: World) =>
  world.query(
    `select event_id, event_type, outcome, reason, alarms, deliveries::int as deliveries, payload, body_sha256
     from construction.events where event_type is distinct from 'webhook.ping' order by sequence`
  )

const ofBody = async (world: World, body: string) =>
  (await stored(world)).filter((row) => row["body_sha256"] === sha256(body))

type Rubbish = readonly [body: string | Uint8Array, reason: string, type?: string]

const deep = "[".repeat(200_000) + "]".repeat(200_000)

const rubbish: ReadonlyArray<Rubbish> = [
  ["", "not-json"],
  ["not JSON", "not-json"],
  ["<html></html>", "not-json"],
  ['{"ipc_id": 1', "not-json"],
  ['{"ipc_id": 1, "payment_reference": "P", "event_timestamp": NaN}', "not-json"],
  ["\0", "not-json"],
  ["[]", "not-an-object"],
  ['[{"ipc_id": 1, "payment_reference": "P"}]', "not-an-object"],
  ["null", "not-an-object"],
  ["7", "not-an-object"],
  ['"text"', "not-an-object"],
  ["{}", "type-not-provable"],
  [new Uint8Array([0xff, 0xfe, 0x00]), "not-utf8"],
  [Buffer.concat([Buffer.from('{"a": "'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]), "not-utf8"],
  [`{"ipc_id": 1, "event_timestamp": "${at}"}`, "type-not-provable"],
  [`{"ipc_id": 1, "payment_reference": null, "event_timestamp": "${at}"}`, "type-not-provable"],
  [
    `{"ipc_id": 1, "draft_amount": 1, "vo_id": 2, "description": "x", "event_timestamp": "${at}"}`,
    "type-not-provable",
    "ipc.created"
  ],
  [`{"event_type": "rfi.created", "rfi_id": 1, "event_timestamp": "${at}"}`, "unknown-type", "rfi.created"],
  [`{"payment_reference": "P", "event_timestamp": "${at}"}`, "no-key"],
  [`{"ipc_id": "", "payment_reference": "P", "event_timestamp": "${at}"}`, "no-key"],
  [`{"ipc_id": {}, "payment_reference": "P", "event_timestamp": "${at}"}`, "no-key"],
  ['{"ipc_id": 1, "payment_reference": "no time"}', "no-event-time"],
  ['{"ipc_id": 1, "payment_reference": "P", "event_timestamp": "yesterday"}', "no-event-time"],
  [`{"ipc_id": 1, "payment_reference": "P", "event_timestamp": "${dayAhead(25)}"}`, "event-time-ahead"],
  [`{"ipc_id": 1, "payment_reference": "P", "event_timestamp": "9999-01-01T00:00:00Z"}`, "event-time-ahead"],
  [`{"ipc_id": 1, "certified_amount": 1.00001, "event_timestamp": "${at}"}`, "amount-does-not-fit"],
  [`{"ipc_id": 1, "certified_amount": 1${"0".repeat(24)}, "event_timestamp": "${at}"}`, "amount-does-not-fit"],
  [`{"ipc_id": 1, "certified_amount": 1e300, "event_timestamp": "${at}"}`, "amount-does-not-fit"],
  [`{"ipc_id": 1, "certified_amount": "12,50", "event_timestamp": "${at}"}`, "amount-does-not-fit"],
  [`{"ipc_id": 1, "certified_amount": "NaN", "event_timestamp": "${at}"}`, "amount-does-not-fit"],
  [`{"ipc_id": 1, "certified_amount": {"value": 1}, "event_timestamp": "${at}"}`, "amount-does-not-fit"],
  [deep, "not-json"],
  [`{"a": ${deep}}`, "not-json"]
]

/** No text with a NUL is shown: the Store has the bytes. */
const isShown = (body: string | Uint8Array): boolean => !Buffer.from(body).includes(0)

const good = text({ ipc_id: 1, certified_amount: exactNumber("1.5000"), certificate_url: "u", event_timestamp: at })

describe("a signed body", () => {
  it("that can't be read or applied is kept with its reason, and what follows is applied", async () => {
    await using world = await World.open({ projects: 3 })
    const worker = world.start()
    await worker.live()
    const events = rubbish.map(([body, , type = "ipc.paid"]) => ({ type, overrides: { body } }))
    const report = await tell(world, worker, [...events, { type: "ipc.certified", body: good }])
    assert.strictEqual(report.inbox.quarantined, rubbish.length)
    assert.strictEqual(report.phase, "live", report.reasons.join())
    await worker.stop()
    const rows = await stored(world)
    assert.strictEqual(rows.length, rubbish.length + 1)
    rubbish.forEach(([body, reason, type = "ipc.paid"], index) => {
      const { payload, ...row } = rows[index] ?? {}
      const what = String(body).slice(0, 80)
      const event_type = reason === "amount-does-not-fit" ? "ipc.certified" : type
      assert.deepInclude(row, { event_type, outcome: "quarantined", reason }, what)
      // The text, character for character, if it is one.
      const isText = reason !== "not-utf8" && isShown(body)
      assert.isTrue(payload === (isText ? String(Buffer.from(body)) : null), what)
    })
    assert.deepInclude(rows.at(-1), { event_type: "ipc.certified", outcome: "applied", payload: good })
    const ipcs = await world.query("select id, status, certified_amount, payment_reference from construction.ipcs")
    assert.deepStrictEqual(ipcs, [
      { id: "1", status: "certified", certified_amount: "1.5000", payment_reference: null }
    ])
  })

  it.each([
    ["a NUL in a value", "5", "P\0"],
    ["a key longer than a page", "5".repeat(3000), "P"]
  ])("with %s, which an engine can't hold, is kept in quarantine on both", async (_, id, reference) => {
    await using world = await World.open({ projects: 3 })
    const worker = world.start()
    await worker.live()
    const body = text({ ipc_id: id, payment_reference: reference, event_timestamp: at })
    await tell(world, worker, [
      { type: "ipc.paid", body },
      { type: "ipc.certified", body: good }
    ])
    await worker.stop()
    const [event] = await ofBody(world, body)
    const ipcs = await world.query("select id, payment_reference from construction.ipcs order by id desc")
    assert.deepInclude(event, { outcome: "quarantined", reason: "not-storable", payload: null })
    assert.deepStrictEqual(ipcs, [{ id: "1", payment_reference: null }])
    const stored = await world.inbox()
    assert.isTrue(stored.some((row) => String(Buffer.from(row["body"] as Uint8Array)) === body))
  })

  it("is one event under any id, and another body under a known id is another event", async () => {
    await using world = await World.open({ projects: 3 })
    const worker = world.start()
    await worker.live()
    const id = "11111111-1111-4111-8111-111111111111"
    const other = "22222222-2222-4222-8222-222222222222"
    const corrected = good.replace("1.5000", "2.5000").replace("10:00", "11:00")
    await tell(world, worker, [
      { type: "ipc.certified", body: good, id },
      { type: "ipc.certified", body: good, id },
      { type: "ipc.certified", body: good, id: other },
      { type: "ipc.certified", body: corrected, id },
      { type: "ipc.certified", body: good.replace("1.5", "3.5"), overrides: { id: null } },
      { type: "ipc.certified", body: good.replace("1.5", "4.5"), overrides: { id: "no uuid" } }
    ])
    const areRaised = ({ events }: StatusReport) => (events["replayed"] ?? 0) > 0 && (events["id-reused"] ?? 0) > 0
    const report = await worker.status("alarms", areRaised)
    assert.strictEqual(report.inbox.quarantined, 0)
    await worker.stop()
    const [first, second, ...unnamed] = await stored(world)
    assert.deepInclude(first, { event_id: id, deliveries: 3, alarms: '["replayed"]', outcome: "applied" })
    assert.deepInclude(second, { event_id: id, deliveries: 1, alarms: '["id-reused"]', outcome: "applied" })
    assert.strictEqual(new Set(unnamed.map((row) => row["event_id"])).size, 2)
    for (const row of unnamed) assert.match(String(row["event_id"]), /^[0-9a-f-]{36}$/)
    assert.deepStrictEqual(await world.query("select certified_amount from construction.ipcs"), [
      { certified_amount: "2.5000" }
    ])
  })
})

describe("a forged type header before the honest delivery of the same body", () => {
  /** A whole record, as some services send it: it proves all stages, and only the header says which one. */
  const whole = text({
    ipc_id: 2,
    draft_amount: 10,
    submitter: "S",
    amount: 11,
    certified_amount: 12,
    payment_reference: "P-2",
    event_timestamp: at
  })
  /** In words that only SITELEDGER_FIELD_ALIASES could define. */
  const foreign = [3, 4].map((id) => text({ ipc_id: id, reference_of_payment: `P-${id}`, event_timestamp: at }))

  it("doesn't lose the event", async () => {
    await using world = await World.open({ projects: 3 })
    const worker = world.start()
    await worker.live()
    for (const type of ["webhook.ping", "vo.created", "nonsense", null]) {
      const forged = good.replace("}", `, "forged": ${text(type)}}`)
      await tell(world, worker, [
        { type: "ipc.certified", body: forged, overrides: { type } },
        { type: "ipc.certified", body: forged }
      ])
    }
    const honest = [whole, ...foreign].map((body) => ({ type: "ipc.paid", body }))
    await tell(
      world,
      worker,
      honest.map((event) => ({ ...event, overrides: { type: "webhook.ping" } }))
    )
    await tell(world, worker, honest)
    await worker.status(
      "the honest headers are read",
      ({ inbox }) => inbox.quarantined === foreign.length + inbox.unposted
    )
    await worker.stop()
    for (const row of (await stored(world)).filter(({ payload }) => String(payload).includes("forged"))) {
      assert.deepInclude(row, { event_type: "ipc.certified", outcome: "applied", deliveries: 2 })
    }
    const released = { event_type: "ipc.paid", outcome: "applied", reason: "label-only" }
    assert.deepInclude((await ofBody(world, whole))[0], released)
    for (const body of foreign) {
      const quarantined = { event_type: "ipc.paid", outcome: "quarantined", reason: "type-not-provable" }
      assert.deepInclude((await ofBody(world, body))[0], quarantined)
    }
    assert.deepStrictEqual(await world.query("select id, status from construction.ipcs order by id"), [
      { id: "1", status: "certified" },
      { id: "2", status: "paid" }
    ])
  })
})
