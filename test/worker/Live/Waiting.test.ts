/**
 * Money that waits, as an operator sees it: in Status and `siteledger status` as a notice that changes neither phase nor
 * exit code, and from a configured age on as critical, with an alert.
 */
import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { raises } from "../../Raised.ts"
import { Sender } from "../Ledger/Sender.ts"
import { World } from "../World.ts"
import { alertEndpoint } from "./AlertEndpoint.ts"

const event = (type: string, ipc_id: number, hour: number, fields: object) => ({
  type,
  id: randomUUID(),
  body: JSON.stringify({ ipc_id, event_timestamp: `2026-11-19T${hour}:00:00Z`, ...fields })
})

const paid = (ipc: number, reference = `PAY-${ipc}`) => event("ipc.paid", ipc, 12, { payment_reference: reference })
const certified = (ipc: number, certified_amount: string, hour = 10) =>
  event("ipc.certified", ipc, hour, { certified_amount, certificate_url: `https://c/${ipc}/${hour}` })

/** 25 payments without a certificate, 2 certificates that changed after the payment, and 1 that doesn't fit. */
const events = [
  ...Array.from({ length: 25 }, (_, index) => paid(100 + index)),
  ...[7, 8].flatMap((ipc) => [certified(ipc, "1000.10"), paid(ipc), certified(ipc, "1000.25", 13)]),
  certified(9, "12.34567")
]

it("is a notice with exact sums at once, and critical, with an alert, from the configured age on", async () => {
  await using world = await World.open({ projects: 3 }, { SITELEDGER_LEDGER_CURRENCY: "EUR" })
  await using endpoint = await alertEndpoint()
  using sender = new Sender(world)
  const worker = world.start()
  await worker.live()
  await sender.deliver(events)
  const report = await worker.status("what waits is known", ({ reasonDetails }) =>
    /^27 holds.*1 delivery about/.test(reasonDetails.map(({ sentence }) => sentence).join(" "))
  )
  assert.deepInclude(report, { phase: "live", reasons: [] })
  assert.deepStrictEqual(
    report.reasonDetails.map(({ key, level }) => [key, level]),
    [
      ["open holds", "notice"],
      ["quarantined money", "notice"]
    ]
  )
  const [holds, quarantined] = report.reasonDetails
  assert.match(holds?.sentence ?? "", /: 2000\.5000 EUR \(2\) and 25 without a known amount\. The oldest .*: IPC \d+, /)
  assert.match(quarantined?.sentence ?? "", /: ipc\.certified, amount-does-not-fit, event id /)
  const shown = await world.run("status")
  assert.deepInclude(shown, { code: 0, stderr: "" })
  assert.match(
    shown.stdout,
    /^phase {9}live\n {2}notice {6}27 holds wait .* \(active since 2.*Z\)\n {2}to do {7}Answer .*\n {2}notice {6}1 delivery /
  )
  const metrics = await worker.scrape()
  assert.match(metrics, /^siteledger_reasons 0$/m)
  assert.match(metrics, /^siteledger_reasons_by_level\{level="notice"\} 2$/m)
  await worker.stop()

  const next = world.start({
    SITELEDGER_LEDGER_HOLD_CRITICAL_AFTER: "1 second",
    SITELEDGER_ALERT_URL: endpoint.url
  })
  const critical = await next.status("it is too old", ({ reasons }) => reasons.length === 2)
  assert.strictEqual(critical.phase, "degraded")
  assert.match(
    critical.reasons.join(),
    /^27 holds .* longer than 1s \(SITELEDGER_LEDGER_HOLD_CRITICAL_AFTER\): .*,1 delivery/
  )
  const red = await world.run("status")
  assert.deepInclude(red, { code: 1, stderr: "" })
  assert.match(red.stdout, /^phase {9}degraded\n {2}critical {4}27 holds .*\n {2}to do .*\n {2}critical {4}1 delivery /)
  const document = await world.run("status", "--json")
  assert.strictEqual(document.code, 1)
  assert.strictEqual((JSON.parse(document.stdout) as { phase: string }).phase, "degraded")
  await raises("SiteledgerCritical", metrics, await next.scrape())
  await endpoint.count(1)
  assert.deepInclude({ ...endpoint.taken[0] }, { status: "red", level: "critical", reasons: critical.reasons })
  await next.stop()
})
