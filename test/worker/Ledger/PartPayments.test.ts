/**
 * A service whose `ipc.paid` states an amount, under a name that an alias maps: a payment in two parts, and one that is
 * too high, with a real worker on each engine.
 */
import { randomUUID } from "node:crypto"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { removeFolder } from "../../Folders.ts"
import { World } from "../World.ts"

const at = (hour: number): string => `2026-11-19T${hour}:00:00Z`

const certified = {
  type: "ipc.certified",
  body: { ipc_id: 7, certified_amount: "100.00", certificate_url: "https://c/7", event_timestamp: at(10) }
}

const paid = (hour: number, reference: string, amount: string) => ({
  type: "ipc.paid",
  body: { ipc_id: 7, payment_reference: reference, amount, event_timestamp: at(hour) }
})

it("what each payment's event says is posted; what is too much waits for a person", async () => {
  const folder = mkdtempSync(join(tmpdir(), "aliases-"))
  const aliases = join(folder, "aliases.json")
  writeFileSync(aliases, JSON.stringify({ paid_amount: "amount" }))
  await using world = await World.open({ projects: 3 }, { SITELEDGER_FIELD_ALIASES: aliases })
  const worker = world.start({ SITELEDGER_LEDGER_CURRENCY: "EUR" })
  await worker.live()
  for (const { body, type } of [certified, paid(11, "A", "60.50"), paid(12, "B", "30"), paid(13, "C", "9.51")]) {
    assert.strictEqual(await world.server.deliver({ type, body: JSON.stringify(body), id: randomUUID() }), 200)
  }
  const report = await worker.status("two are posted", ({ inbox, ledger }) => ledger.holds === 1 && inbox.pending === 0)
  assert.strictEqual(report.ledger.entries, 2)
  assert.deepInclude(report.ledger.oldestHold, { reason: "over-payment", amount: "9.5100", currency: "EUR" })
  assert.match(
    (await world.run("explain", "7")).stdout,
    /^ {2}certified 100\.0000, due 100\.0000, paid 90\.5000, open 9\.5000$/m
  )
  const [hold] = JSON.parse((await world.run("ledger", "holds", "--json")).stdout) as ReadonlyArray<{ hold_id: string }>
  const decided = ["ledger", "accept", hold?.hold_id ?? "", "--reason", "rounded up", "--by", "Ana"]
  assert.strictEqual((await world.run(...decided)).code, 0)
  const { balance } = JSON.parse((await world.run("explain", "7", "--json")).stdout) as { balance: object }
  assert.deepStrictEqual(balance, { certified: "100.0000", due: "100.0000", paid: "100.0100", open: "-0.0100" })
  assert.deepInclude(await worker.verb("ledger-verify"), { entries: 3, differences: [] })
  await worker.stop()
  assert.deepStrictEqual(await world.query("select paid_amount::varchar as paid_amount from construction.ipcs"), [
    { paid_amount: "9.5100" }
  ])
  removeFolder(folder)
})
