/**
 * An entry with four lines in a real worker's books: every place that shows, sends, writes or exports it has all four,
 * with a worker and without one. A line that was changed in a copy is found.
 */
import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import { assert, describe, it } from "@effect/vitest"
import { readJournal } from "../../Ledger/Files/JournalReader.ts"
import { Accounts, entryOf, secret } from "../../Ledger/Outbox/SinkWorld.ts"
import type { RunningWorker } from "../../RunningWorker.ts"
import { World } from "../World.ts"
import { Sender, type Sent } from "./Sender.ts"

class Receiver extends Accounts implements AsyncDisposable {
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}

const tell = (type: string, contents: object): Sent => ({
  type,
  id: randomUUID(),
  body: JSON.stringify({ event_timestamp: "2026-10-05T12:00:00Z", ...contents })
})

const certifiedAndPaid: ReadonlyArray<Sent> = [
  tell("ipc.certified", { ipc_id: "A", certified_amount: "1000", certificate_url: "https://c/A" }),
  tell("ipc.paid", { ipc_id: "A", payment_reference: "PAY-A" })
]

/** A certificate posts four lines, on accounts that objects and files take for something else; a tenth of a payment is withheld. */
const file = JSON.stringify({
  certificates: "each",
  payable: [
    { name: "retention", percent: "-5", account: 'retention "5 %", late' },
    { name: "VAT", percent: "20", account: "__proto__" }
  ],
  withheld: [{ name: "tax", percent: "10", account: "withheld" }],
  accrual: { account: "1400", from: "2026-01-01" }
})

const lines = [
  { account: "receivable", debit: "1140.0000", credit: "0.0000" },
  { account: 'retention "5 %", late', debit: "50.0000", credit: "0.0000" },
  { account: "1400", debit: "0.0000", credit: "1000.0000" },
  { account: "__proto__", debit: "0.0000", credit: "190.0000" }
]
const kept =
  '{"1400":"-1000.0000","__proto__":"-190.0000","receivable":"1140.0000","retention \\"5 %\\", late":"50.0000"}'

const sorted = (found: ReadonlyArray<object>) => found.map((line) => JSON.stringify(line)).toSorted()

const shown = async (world: World, id: string): Promise<void> => {
  const show = await world.run("ledger", "show", id, "--json")
  assert.deepInclude(JSON.parse(show.stdout) as object, { kind: "accrual", amount: "1140.0000", lines })
  const explained = await world.run("explain", "A")
  for (const words of [
    'accrual 1140.0000 EUR receivable 1140.0000 + retention "5 %", late 50.0000 / 1400 1000.0000 + __proto__ 190.0000, A ',
    "payment 1140.0000 EUR bank 1026.0000 + withheld 114.0000 / receivable 1140.0000, PAY-A "
  ])
    assert.include(explained.stdout, words)
  const list = await world.run("ledger", "list", "--json")
  const rows = JSON.parse(list.stdout) as ReadonlyArray<Record<string, unknown>>
  assert.deepInclude(
    rows.find((row) => row["entry_id"] === id),
    { kind: "accrual", lines: kept }
  )
  const balance = await world.run("report", "trial-balance", "--json")
  const accounts = JSON.parse(balance.stdout) as ReadonlyArray<Record<string, string>>
  for (const { account, credit, debit } of lines.slice(1))
    assert.deepInclude(
      accounts.find((each) => each["account"] === account),
      { code: account, debit, credit }
    )
}

const written = async (world: World, id: string): Promise<void> => {
  const path = join(world.dataDir, "books.journal")
  const { code, stderr } = await world.run("ledger", "write", "hledger", path, "--force")
  assert.strictEqual(code, 0, stderr)
  const { transactions } = readJournal(readFileSync(path, "utf8"))
  const own = transactions.find(({ tags }) => tags["entry"] === id)
  assert.deepStrictEqual(
    own?.postings.map(({ account, amount }) => [account, amount]),
    [
      ["receivable", "1140.00"],
      ['retention "5 %", late', "50.00"],
      ["1400", "-1000.00"],
      ["__proto__", "-190.00"]
    ]
  )
}

const columns = "account, cast(debit as varchar) as debit, cast(credit as varchar) as credit"

/** With nothing but DuckDB. */
const onLake = async (world: World, id: string): Promise<void> => {
  const lake = join(world.dataDir, "lake")
  const connection = await (await DuckDBInstance.create()).connect()
  const ask = async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJson()
  await connection.run(readFileSync(join(lake, "lake.sql"), "utf8"))
  const own = `where entry_id = '${id}'`
  assert.deepStrictEqual(sorted(await ask(`select ${columns} from construction.ledger_lines ${own}`)), sorted(lines))
  const { manifest } = JSON.parse(readFileSync(join(lake, "latest.json"), "utf8")) as { readonly manifest: string }
  const { journal } = JSON.parse(readFileSync(join(lake, manifest), "utf8")) as { readonly journal: string }
  const csv = await ask(`select ${columns} from read_csv('${join(lake, journal)}', all_varchar = true) ${own}`)
  assert.deepStrictEqual(sorted(csv.slice(0, 2)), sorted(lines.slice(0, 2)))
  assert.deepStrictEqual(sorted(csv), sorted(lines))
  connection.closeSync()
}

/** As someone does who wants the copy to say something else. */
const changed = async (path: string, statement: string): Promise<void> => {
  const instance = await DuckDBInstance.create(path)
  const connection = await instance.connect()
  await connection.run(statement)
  connection.closeSync()
  instance.closeSync()
}

const differences = async (worker: RunningWorker): Promise<ReadonlyArray<string>> =>
  ((await worker.verb("ledger-verify")) as { readonly differences: ReadonlyArray<string> }).differences

describe("an entry with four lines", () => {
  it("has all four wherever it is shown, sent, written or exported, and a changed one is found", async () => {
    await using to = new Receiver()
    await to.open()
    const sink = { SITELEDGER_LEDGER_SINK_URL: to.url.href, SITELEDGER_LEDGER_SINK_SECRET: secret }
    await using world = await World.open({ projects: 3 }, { ...sink, SITELEDGER_LEDGER_CURRENCY: "EUR" })
    using sender = new Sender(world)
    const settings = { SITELEDGER_LEDGER_FILE: world.file("ledger.json", file) }
    const worker = world.start(settings)
    await worker.live()
    for (const event of certifiedAndPaid) await sender.deliver([event])
    await worker.status("both are sent", ({ ledger }) => ledger.entries === 2 && ledger.sink?.backlog === 0)
    const [accrual, paid] = to.posts.map(({ body }) => entryOf(body))
    assert.isDefined(accrual)
    assert.deepStrictEqual([accrual.kind, accrual.payment_reference, accrual.lines], ["accrual", "A", lines])
    assert.deepStrictEqual(paid?.lines, [
      { account: "bank", debit: "1026.0000", credit: "0.0000" },
      { account: "withheld", debit: "114.0000", credit: "0.0000" },
      { account: "receivable", debit: "0.0000", credit: "1140.0000" }
    ])
    const id = accrual.entry_id
    await shown(world, id)
    await written(world, id)
    await worker.verb("publish")
    await worker.verb("export")
    const sql = `select ${columns} from construction.ledger_lines where entry_id = '${id}'`
    const asked = await world.run("query", "--json", sql)
    assert.deepStrictEqual(sorted(JSON.parse(asked.stdout) as ReadonlyArray<object>), sorted(lines), asked.stderr)
    await onLake(world, id)
    assert.deepStrictEqual(await differences(worker), [])
    const moved = kept.replace("1140.0000", "1130.0000").replace('"50.0000"', '"60.0000"')
    await changed(
      join(world.dataDir, "analytics.duckdb"),
      `update construction.ledger_entries set lines = '${moved}' where entry_id = '${id}'`
    )
    assert.deepStrictEqual(await differences(worker), [
      `The copy for analysts has lines ${moved} for entry ${accrual.sequence}; in the books it is ${kept}.`
    ])
    await worker.stop()
    await shown(world, id)
    await written(world, id)
    assert.deepStrictEqual(sorted(await world.query(sql)), sorted(lines))
  })
})
