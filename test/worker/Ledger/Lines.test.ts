/**
 * An entry with four lines in a real worker's books: whatever shows, sends, writes or exports it has all four, with a worker and
 * without one.
 */
import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import { assert, describe, it } from "@effect/vitest"
import { accrued, entryNumber, idOf, linesText } from "../../connectors/Entries.ts"
import { readJournal } from "../../Ledger/Files/JournalReader.ts"
import { Accounts, entryOf, secret } from "../../Ledger/Outbox/SinkWorld.ts"
import { until } from "../../RunningWorker.ts"
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

const payment = (ipc_id: string): ReadonlyArray<Sent> => [
  tell("ipc.certified", { ipc_id, certified_amount: "80.50", certificate_url: "https://c/7" }),
  tell("ipc.paid", { ipc_id, payment_reference: `PAY-${ipc_id}` })
]

const lines = linesText(
  ["1400", "1140.0000"],
  ['retention "5 %", late', "50.0000"],
  ["revenue", "-1000.0000"],
  ["__proto__", "-190.0000"]
)

const expected = [
  { account: "1400", debit: "1140.0000", credit: "0.0000" },
  { account: 'retention "5 %", late', debit: "50.0000", credit: "0.0000" },
  { account: "revenue", debit: "0.0000", credit: "1000.0000" },
  { account: "__proto__", debit: "0.0000", credit: "190.0000" }
]

const literal = (value: unknown): string =>
  typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value ?? null)

/** As the fold would post it, and queued for accounting. */
const keep = async (world: World): Promise<void> => {
  const { entry } = entryNumber(2, { ...accrued, lines, ipc_id: "A", fact: 1, queued: "draft" })
  const columns = Object.entries(entry)
  await world.store(
    `insert into ledger_entries (${columns.map(([name]) => `"${name}"`).join(", ")})
     values (${columns.map(([, value]) => literal(value)).join(", ")})`
  )
  const at = "2026-03-01T09:00:00.000000Z"
  await world.store(
    `insert into ledger_outbox (entry_id, sequence, ipc_id, status, queued_at, next_attempt_at)
     values ('${entry.entry_id}', 2, 'A', 'draft', '${at}', '${at}')`
  )
}

const sorted = (found: ReadonlyArray<object>) => found.map((line) => JSON.stringify(line)).toSorted()

const shown = async (world: World): Promise<void> => {
  const show = await world.run("ledger", "show", idOf(2))
  assert.deepInclude(JSON.parse(show.stdout) as object, { kind: "accrual", amount: "1000.0000", lines: expected })
  const explained = await world.run("explain", "A")
  assert.include(
    explained.stdout,
    'accrual 1000.0000 EUR 1400 1140.0000 + retention "5 %", late 50.0000 / revenue 1000.0000 + __proto__ 190.0000, 12 '
  )
  assert.match(explained.stdout, /payment 80\.5000 +bank \/ receivable, PAY-A/)
  const list = await world.run("ledger", "list", "--json")
  const [, row] = JSON.parse(list.stdout) as ReadonlyArray<Record<string, unknown>>
  assert.deepInclude(row, { sequence: 2, kind: "accrual", lines })
  const balance = await world.run("report", "trial-balance", "--json")
  const rows = JSON.parse(balance.stdout) as ReadonlyArray<Record<string, string>>
  for (const { account, credit, debit } of expected)
    assert.deepInclude(
      rows.find((each) => each["account"] === account),
      { code: account, debit, credit }
    )
}

const written = async (world: World): Promise<void> => {
  const file = join(world.dataDir, "books.journal")
  const { code, stderr } = await world.run("ledger", "write", "hledger", file, "--force")
  assert.strictEqual(code, 0, stderr)
  const { transactions } = readJournal(readFileSync(file, "utf8"))
  assert.deepStrictEqual(
    transactions
      .find(({ tags }) => tags["entry"] === idOf(2))
      ?.postings.map(({ account, amount }) => [account, amount]),
    [
      ["1400", "1140.00"],
      ['retention "5 %", late', "50.00"],
      ["revenue", "-1000.00"],
      ["__proto__", "-190.00"]
    ]
  )
}

/** With nothing but DuckDB. */
const onLake = async (world: World): Promise<void> => {
  const lake = join(world.dataDir, "lake")
  const connection = await (await DuckDBInstance.create()).connect()
  const ask = async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJson()
  await connection.run(readFileSync(join(lake, "lake.sql"), "utf8"))
  const columns = "account, cast(debit as varchar) as debit, cast(credit as varchar) as credit"
  const own = `where entry_id = '${idOf(2)}'`
  assert.deepStrictEqual(sorted(await ask(`select ${columns} from construction.ledger_lines ${own}`)), sorted(expected))
  const { manifest } = JSON.parse(readFileSync(join(lake, "latest.json"), "utf8")) as { readonly manifest: string }
  const { journal } = JSON.parse(readFileSync(join(lake, manifest), "utf8")) as { readonly journal: string }
  const csv = await ask(`select ${columns} from read_csv('${join(lake, journal)}', all_varchar = true) ${own}`)
  assert.deepStrictEqual(csv.slice(0, 2), expected.slice(0, 2))
  assert.deepStrictEqual(sorted(csv), sorted(expected))
}

describe("an entry with four lines", () => {
  it("has all four wherever it is shown, sent, written or exported", async () => {
    await using to = new Receiver()
    await to.open()
    const sink = { SITELEDGER_LEDGER_SINK_URL: to.url.href, SITELEDGER_LEDGER_SINK_SECRET: secret }
    await using world = await World.open({ projects: 3 }, sink)
    using sender = new Sender(world)
    const worker = world.start()
    await worker.live()
    await sender.deliver(payment("A"))
    await worker.status("one is posted", ({ inbox, ledger }) => ledger.entries === 1 && inbox.pending === 0)
    await keep(world)
    await sender.deliver(payment("B"))
    await worker.status("all are sent", ({ ledger }) => ledger.entries === 3 && ledger.sink?.backlog === 0)
    const sent = await until("it is sent", () => Promise.resolve(to.posts.find(({ key }) => key === idOf(2))))
    assert.deepStrictEqual(entryOf(sent.body).lines, expected)
    await shown(world)
    await written(world)
    await worker.verb("publish")
    await worker.verb("export")
    const sql = `select account, cast(debit as varchar) as debit, cast(credit as varchar) as credit
      from construction.ledger_lines where entry_id = '${idOf(2)}'`
    const asked = await world.run("query", "--json", sql)
    assert.deepStrictEqual(sorted(JSON.parse(asked.stdout) as ReadonlyArray<object>), sorted(expected), asked.stderr)
    await onLake(world)
    await worker.stop()
    await shown(world)
    await written(world)
    assert.deepStrictEqual(sorted(await world.query(sql)), sorted(expected))
  })
})
