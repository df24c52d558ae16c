/**
 * A store is put back to a backup from before some accruals that accounting has: they come into the books with the
 * lines in the accounting system's file, and once the lost events have come again, both have the same on every account.
 */
import { randomUUID } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { unitsOf } from "../../Ledger/Files/Journals.ts"
import { Accounts, entryOf, secret } from "../../Ledger/Outbox/SinkWorld.ts"
import type { RunningWorker } from "../../RunningWorker.ts"
import { World } from "../World.ts"
import { Sender, type Sent } from "./Sender.ts"

class Receiver extends Accounts implements AsyncDisposable {
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** Each key once. */
  get kept() {
    return [...new Map(this.posts.map(({ body, key }) => [key, entryOf(body)])).values()]
  }

  get balances(): Balances {
    const sums = new Map<string, bigint>()
    for (const { account, credit, debit } of this.kept.flatMap(({ lines }) => lines))
      sums.set(account, (sums.get(account) ?? 0n) + unitsOf(debit) - unitsOf(credit))
    return inOrder(sums)
  }
}

type Balances = ReadonlyArray<readonly [account: string, units: bigint]>

const inOrder = (sums: ReadonlyMap<string, bigint>): Balances =>
  [...sums].filter(([, units]) => units !== 0n).toSorted(([a], [b]) => (a < b ? -1 : 1))

const balancesOf = async (world: World): Promise<Balances> => {
  const { stdout } = await world.run("report", "trial-balance", "--json")
  const rows = JSON.parse(stdout) as ReadonlyArray<Readonly<Record<string, string>>>
  return inOrder(new Map(rows.map(({ account = "", balance = "" }) => [account, unitsOf(balance)])))
}

const tell = (type: string, contents: object): Sent => ({
  type,
  id: randomUUID(),
  body: JSON.stringify({ event_timestamp: "2026-10-05T12:00:00Z", ...contents })
})

const certified = (ipc_id: string, amount: string, time: string) =>
  tell("ipc.certified", {
    ipc_id,
    certified_amount: amount,
    certificate_url: `https://c/${ipc_id}`,
    event_timestamp: `2026-10-05T${time}Z`
  })
const paid = (ipc_id: string) => tell("ipc.paid", { ipc_id, payment_reference: `PAY-${ipc_id}` })

const file = JSON.stringify({
  certificates: "each",
  payable: [
    { name: "retention", percent: "-5", account: "retention" },
    { name: "VAT", percent: "20", account: "VAT" }
  ],
  accrual: { account: "revenue", from: "2026-01-01" }
})

const quoted = (value: unknown): string => `"${String(value ?? "").replaceAll('"', '""')}"`

/** What a person exports from accounting, with these columns. */
const exported = (world: World, { kept }: Receiver, ...more: ReadonlyArray<"kind" | "lines">): string => {
  const path = join(world.dataDir, "accounting.csv")
  const columns = ["entry_id", "amount", "currency", "ipc_id", "payment_reference", "sequence", ...more] as const
  const rows = kept.map((entry) =>
    columns
      .map((name) => entry[name as keyof typeof entry])
      .map((value) => quoted(typeof value === "object" ? JSON.stringify(value) : value))
      .join(",")
  )
  writeFileSync(path, [columns.join(","), ...rows].join("\n"))
  return path
}

const sent = (worker: RunningWorker, entries: number) =>
  worker.status(
    `${entries} are posted, and sent`,
    ({ inbox, ledger }) => inbox.pending === 0 && ledger.entries === entries && ledger.sink?.backlog === 0
  )

describe("accruals that the books have lost", () => {
  it("are taken over with their lines only, and then both have the same on every account", async () => {
    await using to = new Receiver()
    await to.open()
    const sink = { SITELEDGER_LEDGER_SINK_URL: to.url.href, SITELEDGER_LEDGER_SINK_SECRET: secret }
    await using world = await World.open({ projects: 3 }, { ...sink, SITELEDGER_LEDGER_CURRENCY: "EUR" }, "duckdb")
    using sender = new Sender(world)
    const settings = { SITELEDGER_LEDGER_FILE: world.file("ledger.json", file) }
    const backup = join(world.dataDir, "backup.sqlite")
    let worker = world.start(settings)
    await worker.live()
    await sender.deliver([certified("A", "1000", "09:00:00")])
    await sender.deliver([paid("A")])
    await sent(worker, 2)
    assert.strictEqual((await world.run("backup", backup)).code, 0)

    // B was accrued, paid, certified again; C was accrued, and a person took it back.
    const lost = [certified("B", "500", "09:00:00"), paid("B"), certified("B", "600", "10:00:00")]
    for (const event of [...lost, certified("C", "80.10", "11:00:00")]) await sender.deliver([event])
    await worker.status("they are sent", ({ inbox, ledger }) => inbox.pending === 0 && ledger.sink?.backlog === 0)
    const ofC = to.kept.find(({ ipc_id, kind }) => ipc_id === "C" && kind === "accrual")
    const by = ["--by", "Ana", "--reason", "not ours"]
    const reversed = await world.run("ledger", "reverse", ofC?.entry_id ?? "", ...by)
    assert.strictEqual(reversed.code, 0, reversed.stderr)
    await worker.status("it is sent", ({ ledger }) => ledger.sink?.backlog === 0)
    assert.deepInclude(to.kept.at(-1), { kind: "reversal", ipc_id: "C", payment_reference: "C" })
    const before = to.balances
    assert.deepStrictEqual(await balancesOf(world), before)
    await worker.stop()
    const restored = await world.run("restore", backup)
    assert.strictEqual(restored.code, 0, restored.stderr)

    worker = world.start(settings)
    await worker.status("it waits", ({ reasons }) => reasons.some((each) => each.startsWith("Nothing is sent")))
    const count = to.posts.length
    const compare = (...more: ReadonlyArray<"kind" | "lines">) =>
      world.run("ledger", "sink", "compare", exported(world, to, ...more), "--by", "Ana", "--yes")
    const bare = await compare()
    assert.strictEqual(bare.code, 1)
    assert.match(bare.stdout, /its payment_reference is its ipc_id, as an accrual's: the file has to say its kind\./)
    const lineless = await compare("kind")
    assert.strictEqual(lineless.code, 1)
    assert.match(lineless.stdout, /is an accrual, or takes one back: the file has to say its lines/)
    assert.match(lineless.stderr, /Nothing was taken over/)
    const whole = await compare("kind", "lines")
    assert.strictEqual(whole.code, 0, whole.stdout + whole.stderr)
    assert.match(whole.stdout, /^only there +\d+ accruals, /m)
    assert.match(whole.stdout, /^only there +\d+ entries, /m)
    // As long as it isn't known what is due, nothing is accrued, and accounting learns of it.
    await worker.status("all is sent", ({ ledger }) => ledger.sink?.backlog === 0)
    assert.deepStrictEqual(await balancesOf(world), to.balances)
    for (const event of lost.toReversed()) await sender.deliver([event])
    await worker.status("all is applied", ({ inbox, ledger }) => inbox.pending === 0 && ledger.sink?.backlog === 0)
    assert.deepStrictEqual([await balancesOf(world), to.balances], [before, before])
    assert.deepStrictEqual(
      to.kept.slice(count).map(({ kind }) => kind),
      ["accrual", "accrual"]
    )
    assert.deepInclude(await worker.verb("ledger-verify"), { differences: [] })
    await worker.stop()
  })
})
