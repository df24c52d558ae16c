/**
 * The ledger as a bookkeeper uses it: payments without a known certificate, senseless certificates, decisions, a closed
 * period; by the commands of the manual, with a worker and without one.
 */
import { randomUUID } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { Finished, RunningWorker } from "../../RunningWorker.ts"
import { World } from "../World.ts"
import { storeBooks } from "./Kept.ts"
import { Manual, text } from "./Manual.ts"
import { reported } from "./Reported.ts"
import { Sender, type Sent } from "./Sender.ts"

const at = (day: number): string => `2026-10-${String(day).padStart(2, "0")}T12:00:00Z`
const tell = (type: string, contents: object): Sent => ({ type, id: randomUUID(), body: JSON.stringify(contents) })
const certified = (ipc_id: number, day: number, certified_amount: string) =>
  tell("ipc.certified", { ipc_id, certified_amount, certificate_url: `https://c/${ipc_id}`, event_timestamp: at(day) })
const paid = (ipc_id: number, day: number, payment_reference = `PAY-${ipc_id}`) =>
  tell("ipc.paid", { ipc_id, payment_reference, event_timestamp: at(day) })

const answer = ({ code, stderr, stdout }: Finished): unknown => {
  assert.strictEqual(code, 0, stderr)
  return JSON.parse(stdout)
}

const holding = (worker: RunningWorker, holds: number) =>
  worker.status(`${holds} wait`, ({ inbox, ledger }) => inbox.pending === 0 && ledger.holds === holds)

/** The id of the one open hold of an IPC. */
const holdOf = async (world: World, ipc: number): Promise<string> => {
  const [hold, ...others] = (await storeBooks(world)).holds.filter(({ ipc_id: id }) => id === String(ipc))
  assert.deepStrictEqual(others, [])
  return hold?.["hold_id"] ?? assert.fail(`no hold of IPC ${ipc}`)
}

const postedFor = async (world: World, ipc: number) =>
  (await storeBooks(world)).entries
    .filter(({ ipc_id: id }) => id === String(ipc))
    .map((entry) => `${entry["kind"]} ${entry["amount"]} ${entry["payment_reference"]}`)

/** A payment whose certificate precedes the first event: it waits, and an opening certificate posts it. */
const opened = async (world: World, manual: Manual, worker: RunningWorker, sender: Sender): Promise<void> => {
  await sender.deliver([paid(1, 5)])
  const { ledger } = await holding(worker, 1)
  assert.strictEqual(ledger.oldestHold?.reason, "awaiting-certified-amount")
  const metrics = await worker.scrape()
  assert.match(metrics, /^siteledger_ledger_holds 1$/m)
  assert.match(metrics, /^siteledger_ledger_entries 0$/m)
  assert.match(metrics, /^siteledger_ledger_oldest_hold_seconds\{reason="awaiting-certified-amount"\} 0?\.?\d*[1-9]/m)
  assert.match(metrics, /^siteledger_ledger_oldest_hold_seconds\{reason="period-closed"\} 0$/m)
  assert.match(text(await manual.run("ledger holds")), /^\w{32} +1 +PAY-1 +awaiting-certified-amount +2026-/m)

  const file = join(world.dataDir, "opening.csv")
  writeFileSync(file, 'ipc,amount,certificate\n1,118750.25,"Certificate 12, March"\n')
  const asked = await manual.run("ledger opening FILE.csv --by NAME", { "FILE.csv": file, NAME: "Ana" })
  assert.deepInclude(asked, { code: 2, stdout: "" })
  assert.match(asked.stderr, /118750\.2500 +Certificate 12, March[^]*Nothing was signed off/)
  assert.deepStrictEqual(await postedFor(world, 1), [])

  const signing = { "FILE.csv": file, NAME: "Ana" }
  const signed = await manual.run("ledger opening FILE.csv --by NAME --yes", signing)
  assert.match(text(signed), /^Posted payment 118750\.2500 for IPC 1: entry \w{32}\nClosed hold \w{32} of IPC 1: .*\n$/)
  assert.deepStrictEqual(await postedFor(world, 1), ["payment 118750.2500 PAY-1"])
  assert.deepInclude((await holding(worker, 0)).ledger, { entries: 1, oldestHold: null })
}

/** What only a person can decide. */
const events: ReadonlyArray<Sent> = [
  certified(2, 1, "0.00"),
  paid(2, 5),
  certified(3, 1, "-5.00"),
  paid(3, 5),
  certified(4, 1, "10.00"),
  paid(4, 5),
  paid(4, 6, "PAY-4b"),
  certified(5, 1, "50"),
  paid(5, 5),
  paid(5, 6, "PAY-5b"),
  certified(6, 1, "60"),
  paid(6, 5),
  certified(6, 7, "55.50"),
  certified(7, 1, "7"),
  certified(7, 1, "70"),
  paid(7, 5)
]

const decided = async (world: World, manual: Manual, worker: RunningWorker): Promise<void> => {
  const decide = async (verdict: string, ipc: number, amount?: string) =>
    worker.verb(`ledger-${verdict}`, {
      hold: await holdOf(world, ipc),
      by: "Ana",
      reason: "bank statement",
      ...(amount === undefined ? {} : { amount })
    })
  const second = await holdOf(world, 4)
  const shown = text(await manual.run("ledger show HOLD", { HOLD: second.slice(0, 12) }))
  assert.match(shown, new RegExp(`^hold_id +${second}$`, "m"))
  assert.match(shown, /^payment_reference +PAY-4b$/m)
  const words = { HOLD: second.slice(0, 12), AMOUNT: "4.00", WHY: "paid twice, says the bank", NAME: "Ana" }
  const accepted = await manual.run("ledger accept HOLD --amount AMOUNT --reason WHY --by NAME", words)
  assert.match(text(accepted), /^Posted payment 4\.0000 for IPC 4: entry \w+\nClosed hold .* IPC 4: second-payment-/)
  assert.deepStrictEqual(await postedFor(world, 4), ["payment 10.0000 PAY-4", "payment 4.0000 PAY-4b"])

  await decide("accept", 2, "40")
  assert.deepStrictEqual(await postedFor(world, 2), ["payment 40.0000 PAY-2"])
  const disregarded = (await decide("reject", 3)) as { opened: ReadonlyArray<{ reason: string }> }
  assert.deepStrictEqual(
    disregarded.opened.map(({ reason }) => reason),
    ["awaiting-certified-amount"]
  )
  assert.deepStrictEqual(await postedFor(world, 3), [])
  await decide("accept", 6, "-4.5")
  assert.deepStrictEqual(await postedFor(world, 6), ["payment 60.0000 PAY-6", "adjustment -4.5000 PAY-6"])
  await decide("accept", 7, "70")
  assert.deepStrictEqual(await postedFor(world, 7), ["payment 70.0000 PAY-7"])
}

/** What is left out is counted, with how to see it. */
const listed = async (world: World): Promise<void> => {
  const some = await world.run("ledger", "holds", "--limit", "2", "--json")
  assert.strictEqual(some.stderr, "2 of 6 holds (the oldest): --all shows all.\n")
  assert.lengthOf(answer(some) as ReadonlyArray<unknown>, 2)
  const all = await world.run("ledger", "holds", "--all", "--json")
  assert.strictEqual(all.stderr, "")
  assert.lengthOf(answer(all) as ReadonlyArray<unknown>, 6)
  const one = await world.run("ledger", "holds", "--limit", "1", "--ipc", "4")
  assert.strictEqual(one.stderr, "")
  const entries = await world.run("ledger", "list", "--limit", "1")
  assert.match(entries.stderr, /^1 of [3-9] entries \(the newest\): --all shows all\.\n$/)
}

const looked = async (manual: Manual): Promise<void> => {
  const journal = text(await manual.run("ledger list --ipc IPC", { IPC: "4" }))
  assert.match(journal, / 4\.0000 [^]* 10\.0000 /)
  const page = text(await manual.run("explain IPC", { IPC: "4" }))
  assert.match(page, /^IPC 4\n/)
  assert.match(page, /^Posted\n.*payment 10\.0000 .*PAY-4 .*\n.*payment 4\.0000 .*PAY-4b /m)
  assert.match(page, /second-payment-reference accepted by Ana \(os:[^)]+\): paid twice, says the bank \(4\.0000\)/)
  const known = answer(await manual.run("explain IPC --json", { IPC: "4" })) as Record<string, ReadonlyArray<unknown>>
  const sizes = Object.entries(known).flatMap(([name, rows]) => (Array.isArray(rows) ? [[name, rows.length]] : []))
  assert.deepStrictEqual(Object.fromEntries(sizes), { events: 3, facts: 4, entries: 2, holds: 0, decisions: 1 })
  const preview = text(await manual.run("ledger preview"))
  assert.match(preview, /^ipcs +7\n[^]*\nholds\n( +awaiting-certified-amount +1| +second-payment-reference +1|\n){4}/)
}

/** The rejection was a mistake: it is posted by hand. The first amount was mistyped: it is taken back. */
const corrected = async (world: World, manual: Manual): Promise<void> => {
  const missing = { IPC: "5", AMOUNT: "12.5", NAME: "Ana", WHY: "rejected by mistake", WHAT: "bank statement 14" }
  const added = await manual.run("ledger post IPC --amount AMOUNT --by NAME --reason WHY --evidence WHAT", missing)
  assert.match(text(added), /^Posted adjustment 12\.5000 for IPC 5: entry \w+\n$/)
  assert.deepStrictEqual(await postedFor(world, 5), ["payment 50.0000 PAY-5", "adjustment 12.5000 PAY-5"])
  const why = ["--by", "Ana", "--reason", "retention released", "--evidence", "letter 3"]
  const released = (...accounts: ReadonlyArray<string>) =>
    world.run("ledger", "post", "5", "--amount", "3", ...accounts, ...why)
  assert.match(text(await released("--credit", "retention")), /^Posted adjustment 3\.0000 for IPC 5/)
  const last = (await storeBooks(world)).entries.at(-1)
  assert.deepInclude(last, { amount: "3.0000", debit_account: "bank", credit_account: "retention" })
  assert.match((await released("--debit", "receivable")).stderr, /An entry needs two different accounts/)
  assert.match((await released("--debit", "a\tb")).stderr, /An account has up to 64 characters/)
  const first = (await storeBooks(world)).entries.find((entry) => entry["ipc_id"] === "2")
  const mistyped = { ENTRY: String(first?.["entry_id"]).slice(0, 12), NAME: "Ana", WHY: "mistyped" }
  const reversed = await manual.run("ledger reverse ENTRY --by NAME --reason WHY", mistyped)
  assert.match(text(reversed), /^Posted reversal -40\.0000 for IPC 2/)
  assert.deepStrictEqual(await postedFor(world, 2), ["payment 40.0000 PAY-2", "reversal -40.0000 PAY-2"])
  const again = await manual.run("ledger reverse ENTRY --by NAME --reason WHY", mistyped)
  assert.strictEqual(again.code, 1)
  assert.match(again.stderr, /is taken back already/)
}

describe("a bookkeeper", () => {
  it("answers the ledger's questions, by the manual, with a worker and without", { timeout: 180_000 }, async () => {
    await using world = await World.open({ projects: 3 })
    using sender = new Sender(world)
    const manual = new Manual(world)
    const worker = world.start()
    await worker.live()
    await opened(world, manual, worker, sender)
    for (const event of events) await sender.deliver([event])
    await holding(worker, 6)
    await listed(world)
    await decided(world, manual, worker)
    await holding(worker, 2)
    await looked(manual)
    await reported(world, manual)
    await worker.stop()

    const third = await holdOf(world, 5)
    const words = { HOLD: third, WHY: "typed twice", NAME: "Ana" }
    const rejected = await manual.run("ledger reject HOLD --reason WHY --by NAME", words)
    assert.match(text(rejected), new RegExp(`^Closed hold ${third} of IPC 5: .*\n$`))
    assert.deepStrictEqual(await postedFor(world, 5), ["payment 50.0000 PAY-5"])
    await corrected(world, manual)
    const month = { MONTH: "2026-10", NAME: "Ana" }
    const closed = text(await manual.run("ledger close MONTH --by NAME", month))
    assert.strictEqual(closed, "The books are closed before 2026-11-01.\n")
    assert.match(text(await manual.run("ledger open MONTH --by NAME", month)), / closed before 2026-10-01\.\n$/)
    assert.match((await manual.run("ledger open MONTH --by NAME", month)).stderr, /2026-10 is open already/)
    const verified = text(await manual.run("ledger verify"))
    assert.match(
      verified,
      /, 11 entries, 1 open hold\.\nEverything agrees\.\nHead of the chain, for --since: 11:\w{64}\n$/
    )
    assert.deepStrictEqual(manual.unused, [])
  })

  it("closes a period, and posts late payments into the open one", async () => {
    await using world = await World.open({ projects: 3 })
    using sender = new Sender(world)
    const worker = world.start({
      SITELEDGER_LEDGER_PERSPECTIVE: "employer",
      SITELEDGER_LEDGER_CURRENCY: "EUR 4711=USD",
      SITELEDGER_LEDGER_OPEN_FROM: "2026-10-10"
    })
    await worker.live()
    for (const [ipc_id, project] of [
      [8, 4711],
      [9, 12]
    ]) {
      await sender.deliver([tell("ipc.created", { ipc_id, project, draft_amount: "80", event_timestamp: at(1) })])
    }
    for (const event of [certified(8, 1, "80"), paid(8, 9), certified(9, 1, "90"), paid(9, 10)]) {
      await sender.deliver([event])
    }
    const { ledger } = await holding(worker, 1)
    assert.deepInclude(ledger, { entries: 1 })
    assert.deepInclude(ledger.oldestHold, { reason: "period-closed", ipcId: "8", amount: "80.0000", currency: "USD" })
    const metrics = await worker.scrape()
    assert.match(metrics, /^siteledger_ledger_entries 1$/m)
    assert.match(metrics, /^siteledger_ledger_posted_seconds_count 1$/m)
    await worker.verb("ledger-accept", { hold: await holdOf(world, 8), by: "Ana", reason: "bank statement" })
    assert.deepStrictEqual(
      (await storeBooks(world)).entries.map((entry) => [
        entry["amount"],
        entry["currency"],
        entry["debit_account"],
        entry["credit_account"],
        entry["effective_at"]
      ]),
      [
        ["90.0000", "EUR", "payable", "bank", "2026-10-10T12:00:00.000000Z"],
        ["80.0000", "USD", "payable", "bank", "2026-10-10T00:00:00.000000Z"]
      ]
    )
  })
})
