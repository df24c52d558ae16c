/** Entries reach the accounting system that the settings name, laid out by the ledger's file: here Xero, by its stand-in. */
import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { StandIn } from "../../connectors/xero/StandIn.ts"
import { raises } from "../../Raised.ts"
import { until } from "../../RunningWorker.ts"
import { World } from "../World.ts"
import { Sender, type Sent } from "./Sender.ts"

const tell = (type: string, contents: object): Sent => ({
  type,
  id: randomUUID(),
  body: JSON.stringify({ event_timestamp: "2026-10-05T12:00:00Z", ...contents })
})

const file = JSON.stringify({
  certificates: "each",
  company: "North Ltd",
  projects: { "12": { company: "South Ltd" } },
  accounts: { bank: "880", receivable: "200" }
})

it("a payment becomes one journal in Xero, and one of another company waits for a person", async () => {
  const xero = new StandIn()
  await xero.open()
  try {
    await using world = await World.open({ projects: 3 }, { SITELEDGER_LEDGER_CURRENCY: "EUR" })
    using sender = new Sender(world)
    const worker = world.start({
      SITELEDGER_LEDGER_FILE: world.file("ledger.json", file),
      SITELEDGER_LEDGER_SINK_STATUS: "posted",
      SITELEDGER_XERO_CLIENT_ID: xero.clientId,
      SITELEDGER_XERO_CLIENT_SECRET: xero.clientSecret,
      SITELEDGER_XERO_TENANT_ID: xero.tenantId,
      SITELEDGER_XERO_COMPANY: "North Ltd",
      SITELEDGER_XERO_CURRENCY: "EUR",
      SITELEDGER_XERO_URL: `${xero.origin}/api.xro/2.0`,
      SITELEDGER_XERO_TOKEN_URL: `${xero.origin}/connect/token`
    })
    await worker.live()
    const before = await worker.scrape()
    for (const [ipc_id, project] of [
      [7, 11],
      [8, 12]
    ]) {
      await sender.deliver([
        tell("ipc.created", { ipc_id, project, draft_amount: "80" }),
        tell("ipc.certified", { ipc_id, certified_amount: "80.50", certificate_url: "https://c/7" }),
        tell("ipc.paid", { ipc_id, payment_reference: `PAY-${ipc_id}` })
      ])
    }
    await worker.status(
      "one is there, and one is dead",
      ({ ledger }) => ledger.entries === 2 && ledger.sink?.backlog === 0 && ledger.sink.dead === 1
    )
    assert.strictEqual(await worker.metric("siteledger_ledger_sink_dead"), 1)
    await raises("SiteledgerSinkRefuses", before, await worker.scrape())
    await until("the journal", () => Promise.resolve(xero.puts.length === 1 ? true : undefined))
    const put = JSON.parse(String(xero.puts[0]?.body)) as { ManualJournals: ReadonlyArray<Record<string, unknown>> }
    const [journal] = put.ManualJournals
    assert.match(String(journal?.["Narration"]), /^IPC 7, PAY-7 \[siteledger [0-9a-f]{32}\]$/)
    assert.strictEqual(journal?.["Status"], "POSTED")
    const dead = await world.run("ledger", "sink", "dead")
    assert.match(dead.stdout, /South Ltd/)
    assert.deepStrictEqual(xero.complaints, [])
    assert.notInclude((await worker.stop()).stderr, xero.clientSecret)
  } finally {
    await xero.close()
  }
})
