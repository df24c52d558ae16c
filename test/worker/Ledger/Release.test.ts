/**
 * Drafts for QuickBooks, which has none: a bookkeeper finds them by Status, releases them, and they are posted there; with a
 * worker and without, and the books remember who did it.
 */
import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { lists } from "../../connectors/quickbooks/World.ts"
import { client, mark, realmId, StandIn } from "../../connectors/quickbooks/StandIn.ts"
import { until } from "../../RunningWorker.ts"
import { World } from "../World.ts"
import { Sender, type Sent } from "./Sender.ts"

const tell = (type: string, contents: object): Sent => ({
  type,
  id: randomUUID(),
  body: JSON.stringify({ event_timestamp: "2026-10-05T12:00:00Z", ...contents })
})

const pay = (ipc_id: number) => [
  tell("ipc.certified", { ipc_id, certified_amount: "80.50", certificate_url: "https://c/7" }),
  tell("ipc.paid", { ipc_id, payment_reference: `PAY-${ipc_id}` })
]

const file = JSON.stringify({ company: "Albion", accounts: { bank: "1000", receivable: "4000" } })

const settingsFor = (quickBooks: StandIn) => ({
  SITELEDGER_LEDGER_CURRENCY: "EUR",
  SITELEDGER_QUICKBOOKS_CLIENT_ID: client.id,
  SITELEDGER_QUICKBOOKS_CLIENT_SECRET: client.secret,
  SITELEDGER_QUICKBOOKS_REALM_ID: realmId,
  SITELEDGER_QUICKBOOKS_REFRESH_TOKEN: `${mark}-refresh-0`,
  SITELEDGER_QUICKBOOKS_COMPANY: "Albion",
  SITELEDGER_QUICKBOOKS_CURRENCY: "EUR",
  SITELEDGER_QUICKBOOKS_URL: quickBooks.origin,
  SITELEDGER_QUICKBOOKS_TOKEN_URL: `${quickBooks.origin}/oauth2/v1/tokens/bearer`
})

it("drafts wait for QuickBooks until a bookkeeper releases them, and are posted there", async () => {
  await using quickBooks = await StandIn.start()
  quickBooks.lists = lists()
  await using world = await World.open({ projects: 3 }, settingsFor(quickBooks))
  using sender = new Sender(world)
  const settings = { SITELEDGER_LEDGER_FILE: world.file("ledger.json", file) }
  const worker = world.start(settings)
  await worker.live()
  await sender.deliver([...pay(7), ...pay(8)])
  const { reasons } = await worker.status("both are held", ({ reasons }) =>
    reasons.some((reason) => /^2 entries are drafts.*release --all --reason WHY/.test(reason))
  )
  assert.isFalse(reasons.some((reason) => /refused/.test(reason)))
  assert.match((await world.run("status")).stdout, /ledger sink release --all --reason WHY/)
  const dead = JSON.parse((await world.run("ledger", "sink", "dead", "--json")).stdout) as ReadonlyArray<{
    readonly entry_id: string
    readonly reason: string
  }>
  assert.match(dead[0]?.reason ?? "", /Review it, then release it: `siteledger ledger sink release ENTRY --reason WHY`/)
  const first = dead[0]?.entry_id ?? ""

  const release = (...given: ReadonlyArray<string>) =>
    world.runWith(settings, "ledger", "sink", "release", ...given, "--by", "Ada", "--reason", "reviewed")
  assert.match((await release()).stderr, /Name an entry, or give --all/)
  const one = await release(first.slice(0, 8), "--json")
  assert.deepStrictEqual(JSON.parse(one.stdout), { released: 1, others: null }, one.stderr)
  await until("QuickBooks has it", () => Promise.resolve(quickBooks.entries.length === 1 ? true : undefined))
  await worker.status("it is delivered", ({ ledger }) => ledger.sink?.dead === 1 && ledger.sink.backlog === 0)
  const again = await release(first)
  assert.strictEqual(again.code, 1)
  assert.include(again.stderr, `Entry ${first} isn't a draft.`)
  const shown = JSON.parse((await world.run("ledger", "show", first, "--json")).stdout) as { readonly delivery: object }
  assert.deepInclude(shown.delivery, { status: "posted", state: "delivered" })
  assert.match((await world.run("explain", "7")).stdout, /release {2}entryId \w{32} {2}by Ada {2}reason reviewed/)
  assert.notInclude((await worker.stop()).stderr, mark)

  assert.deepStrictEqual(JSON.parse((await release("--all", "--json")).stdout), { released: 1, others: null })
  const next = world.start(settings)
  await next.status("both are delivered", ({ ledger }) => ledger.sink?.dead === 0 && ledger.sink.backlog === 0)
  assert.deepStrictEqual(
    quickBooks.entries.map(({ entry }) => entry.Line.map(({ Amount }) => Amount)),
    [
      ["80.50", "80.50"],
      ["80.50", "80.50"]
    ]
  )
  // Without a worker, too, what comes is queued as it was for the newest one.
  await sender.deliver(pay(9))
  await next.status("the third is held", ({ ledger }) => ledger.sink?.dead === 1)
  await next.stop()
  const by = ["--by", "Ada", "--reason", "bank fee", "--evidence", "letter 3"]
  const added = await world.runWith(settings, "ledger", "post", "9", "--amount", "3", ...by)
  assert.strictEqual(added.code, 0, added.stderr)
  assert.deepStrictEqual(JSON.parse((await release("--all", "--json")).stdout), { released: 2, others: null })
  const verified = await world.runWith(settings, "ledger", "verify", "--json")
  assert.deepInclude(JSON.parse(verified.stdout), { differences: [] })
  assert.deepStrictEqual(quickBooks.complaints, [])
})
