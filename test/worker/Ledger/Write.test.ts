/** `ledger write` as a bookkeeper uses it: the same file with a worker and without one, by the chart, of a month, or refused. */
import { randomUUID } from "node:crypto"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readJournal } from "../../Ledger/Files/JournalReader.ts"
import { readWorkbook } from "../../Ledger/Files/WorkbookReader.ts"
import type { Environment } from "../../RunningWorker.ts"
import { World } from "../World.ts"
import { Sender, type Sent } from "./Sender.ts"

const tell = (type: string, contents: object): Sent => ({ type, id: randomUUID(), body: JSON.stringify(contents) })

const payment = (ipc_id: number, month: number): ReadonlyArray<Sent> => [
  tell("ipc.certified", {
    ipc_id,
    certified_amount: `${ipc_id}00.50`,
    certificate_url: `https://c/${ipc_id}`,
    event_timestamp: `2026-0${month}-01T12:00:00Z`
  }),
  tell("ipc.paid", { ipc_id, payment_reference: `PAY-${ipc_id}`, event_timestamp: `2026-0${month}-05T12:00:00Z` })
]

/** Entry 1 is of September, 2 of July, 3 of August. */
const events = [...payment(1, 9), ...payment(2, 7), ...payment(3, 8)]

const chart = {
  certificates: "each",
  accounts: { bank: "1200", receivable: "1100" },
  narration: "Certificate {ipc}"
}

/** In a shell that knows only where the data are, and perhaps more. */
const writing =
  (world: World, extra: Environment = {}) =>
  (...words: ReadonlyArray<string>) =>
    world.shell(extra, "ledger", "write", ...words)

const wholeJournal = async (world: World, file: string): Promise<string> => {
  const { code, stderr, stdout } = await writing(world)("hledger", file, "--json")
  assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
  assert.deepStrictEqual(JSON.parse(stdout), { path: file, format: "hledger", entries: 3 })
  assert.strictEqual(statSync(file).mode & 0o777, 0o600)
  const text = readFileSync(file, "utf8")
  const { balances, transactions } = readJournal(text)
  assert.deepStrictEqual(
    transactions.map(({ code, date, description }) => [date, code, description]),
    [
      ["2026-07-05", "2", "Certificate 2"],
      ["2026-08-05", "3", "Certificate 3"],
      ["2026-09-05", "1", "Certificate 1"]
    ]
  )
  assert.deepStrictEqual([...balances].toSorted(), [
    ["GBP 1100", -6_015_000n],
    ["GBP 1200", 6_015_000n]
  ])
  return text
}

const twoMonths = async (world: World, file: string): Promise<void> => {
  const { stdout } = await writing(world)("xlsx", file, "--from", "2026-07-05", "--to", "2026-08-05", "--json")
  assert.deepInclude(JSON.parse(stdout), { entries: 2 })
  const [journal] = await Effect.runPromise(readWorkbook(readFileSync(file)))
  assert.deepStrictEqual(
    journal?.rows.map(({ account, sequence }) => [sequence?.value, account?.value]),
    [
      ["2", "1200"],
      ["2", "1100"],
      ["3", "1200"],
      ["3", "1100"]
    ]
  )
}

/** Nothing is written, and what is there stays. */
const refused = async (world: World, there: string, file: string): Promise<void> => {
  const before = readFileSync(there)
  const write = writing(world)
  const again = await write("sage", there)
  assert.deepInclude(again, { code: 1, stdout: "" })
  assert.match(again.stderr, /already exists and is left as it is: --force replaces it/)
  assert.isTrue(readFileSync(there).equals(before))
  const unfit = await write("sap", file)
  assert.deepInclude(unfit, { code: 1, stdout: "" })
  assert.match(unfit.stderr, /Entry 2 doesn't fit SAP: its company is no company code/)
  const backwards = await write("sage", file, "--from", "2026-02-01", "--to", "2026-01-31")
  assert.deepInclude(backwards, { code: 2, stdout: "" })
  assert.strictEqual((await write("sage", file, "--from", "soon")).code, 2)
  assert.strictEqual((await write("csv", file)).code, 2)
}

describe("ledger write", () => {
  it("writes the journal by posting date, with a worker and without one", async () => {
    await using world = await World.open({ projects: 3 })
    using sender = new Sender(world)
    const settings = {
      SITELEDGER_LEDGER_FILE: world.file("ledger.json", JSON.stringify(chart)),
      SITELEDGER_LEDGER_CURRENCY: "GBP"
    }
    const worker = world.start(settings)
    await worker.live()
    for (const event of events) await sender.deliver([event])
    await worker.status("all are posted", ({ inbox, ledger }) => inbox.pending === 0 && ledger.entries === 3)
    const file = (name: string): string => join(world.dataDir, name)
    const text = await wholeJournal(world, file("books.journal"))
    await twoMonths(world, file("books.xlsx"))
    await refused(world, file("books.xlsx"), file("books.csv"))
    assert.deepStrictEqual(
      readdirSync(world.dataDir).filter((name) => /^books|write/.test(name)),
      ["books.journal", "books.xlsx"]
    )
    // It leaves its note behind.
    await worker.stop("SIGKILL")

    const write = writing(world, settings)
    const replaced = await write("hledger", file("books.xlsx"), "--force")
    assert.strictEqual(replaced.code, 0, replaced.stderr)
    assert.strictEqual(readFileSync(file("books.xlsx"), "utf8"), text)
    assert.strictEqual((await write("sage", file("books.csv"))).code, 0)
    const line = /\r\nJD,,1200,0,05\/07\/2026,PAY-2,Certificate 2,200\.50,T9,0\.00,1,1-2\r\n/
    assert.match(readFileSync(file("books.csv"), "utf8"), line)
  })
})
