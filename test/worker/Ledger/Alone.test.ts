/**
 * The ledger's verbs without a worker, in a shell that knows only where the data is: they use the settings of the
 * newest worker, and if the shell's settings differ, nothing is posted.
 */
import { randomUUID } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import type { Environment } from "../../RunningWorker.ts"
import type { Rows } from "../Place.ts"
import { World } from "../World.ts"
import { Sender } from "./Sender.ts"

const by = ["--by", "Ada", "--reason", "bank statement"]

const paid = (ipc_id: string) => ({
  type: "ipc.paid",
  id: randomUUID(),
  body: JSON.stringify({ ipc_id, payment_reference: `PAY-${ipc_id}`, event_timestamp: "2026-11-20T10:00:00Z" })
})

/** Nothing listens there. */
const sink = { SITELEDGER_LEDGER_SINK_URL: "https://b.invalid/", SITELEDGER_LEDGER_SINK_SECRET: "a-shared-secret" }

/** Leaves two payments on hold by a worker that has ended; returns the id of one hold. */
const held = async (world: World, extra: Environment = {}): Promise<string> => {
  using sender = new Sender(world)
  const worker = world.start(extra)
  await worker.live()
  await sender.deliver([paid("A"), paid("B")])
  await worker.status("it asks", ({ inbox, ledger }) => inbox.pending === 0 && ledger.holds === 2)
  assert.strictEqual((await worker.stop()).code, 0)
  const [hold] = await world.store("select hold_id from ledger_holds order by ipc_id")
  return String(hold?.["hold_id"])
}

const kept = async (world: World) => {
  const tables: Record<string, Rows> = {}
  for (const [name, column] of [
    ["terms", "number"],
    ["facts", "number"],
    ["entries", "sequence"],
    ["outbox", "sequence"]
  ] as const) {
    tables[name] = await world.store(`select * from ledger_${name} order by ${column}`)
  }
  return tables
}

describe("a ledger verb without a worker", () => {
  it("fills the outbox as the worker would, even if the shell knows nothing of the sink", async () => {
    await using world = await World.open({ projects: 3 })
    const meant = { SITELEDGER_LEDGER_FILE: world.file("ledger.json", `{ "certificates": "each" }`) }
    const hold = await held(world, { ...sink, ...meant, SITELEDGER_LEDGER_SINK_STATUS: "posted" })
    const refused = await world.shell({}, "ledger", "accept", hold, "--amount", "100", ...by)
    assert.match(refused.stderr, /\(they differ in what certified amounts are\)/)
    const dry = await world.shell(meant, "ledger", "accept", hold, "--amount", "100", "--dry-run", ...by)
    assert.match(
      dry.stdout,
      /^Would post payment 100\.0000 .*\n.* debit 100\.0000\n.* credit 100\.0000\nWould close hold /,
      dry.stderr
    )
    assert.match(dry.stdout, /\nOpen for the IPC: \(not known\) now, .* afterwards\n$/)
    const denied = await world.shell(meant, "ledger", "reject", hold, "--dry-run", ...by)
    assert.match(denied.stderr, /A payment that was made can't be rejected/)
    assert.deepStrictEqual((await kept(world)).outbox, [])
    const accepted = await world.shell(meant, "ledger", "accept", hold, "--amount", "100", ...by)
    assert.strictEqual(accepted.code, 0, accepted.stderr)
    const { outbox = [] } = await kept(world)
    assert.deepInclude(outbox[0], { sequence: 1, status: "posted", state: "pending" })
  })

  it("puts nothing there if the worker had no sink, and can't send", async () => {
    await using world = await World.open({ projects: 3 })
    const hold = await held(world)
    const accepted = await world.shell(sink, "ledger", "accept", hold, "--amount", "100", ...by)
    assert.strictEqual(accepted.code, 0, accepted.stderr)
    const { entries, outbox } = await kept(world)
    assert.deepStrictEqual([entries?.length, outbox?.length], [1, 0])
    const sent = await world.shell(sink, "ledger", "sink", "send", "--from", "1")
    assert.match(sent.stderr, /No accounting sink is configured/)
  })

  it("posts nothing if the shell's terms differ, changes no terms, and says what differs", async () => {
    await using world = await World.open({ projects: 3 })
    const hold = await held(world)
    const before = await kept(world)
    assert.strictEqual(before["terms"]?.length, 1)
    const other = (...verb: ReadonlyArray<string>) =>
      world.shell({ SITELEDGER_LEDGER_PERSPECTIVE: "employer", SITELEDGER_LEDGER_CURRENCY: "EUR" }, "ledger", ...verb)
    for (const verb of [
      ["accept", hold, "--amount", "100", ...by],
      ["reject", hold, ...by]
    ]) {
      const refused = await other(...verb)
      assert.strictEqual(refused.code, 1)
      assert.match(
        refused.stderr,
        /^siteledger: The settings here are not the worker's .* the account that is debited, the account that is credited, the currency, whose books they are\): [^\n]+\n$/
      )
    }
    for (const verb of [["list"], ["holds"], ["show", hold], ["verify"], ["preview"]]) {
      assert.strictEqual((await other(...verb)).code, 0)
    }
    assert.deepStrictEqual(await kept(world), before)
  })
})
