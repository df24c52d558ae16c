/**
 * Bad input to the ledger's verbs: senseless arguments, and payment references made to move a terminal's cursor. None of it
 * changes the books.
 */
import { randomUUID } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { Finished } from "../../RunningWorker.ts"
import { World } from "../World.ts"
import { storeBooks, warehouseBooks } from "./Kept.ts"
import { Sender } from "./Sender.ts"

const paid = (ipc_id: string, payment_reference: string) => ({
  type: "ipc.paid",
  id: randomUUID(),
  body: JSON.stringify({ ipc_id, payment_reference, event_timestamp: "2026-11-19T10:00:00Z" })
})
const certified = (ipc_id: string) => ({
  type: "ipc.certified",
  id: randomUUID(),
  body: JSON.stringify({
    ipc_id,
    certified_amount: "10",
    certificate_url: "https://c",
    event_timestamp: "2026-11-19T09:00:00Z"
  })
})

interface Wrong {
  readonly verb: ReadonlyArray<string>
  readonly code: 1 | 2
  readonly says: RegExp
}

const wrong = (hold: string, badFile: string): ReadonlyArray<Wrong> => {
  const why = ["--reason", "bank statement"]
  const failed = (says: RegExp, ...verb: ReadonlyArray<string>): Wrong => ({ verb, code: 1, says })
  const misused = (says: RegExp, ...verb: ReadonlyArray<string>): Wrong => ({ verb, code: 2, says })
  return [
    failed(/There is no open hold zz\./, "ledger", "accept", "zz", "--amount", "1", ...why),
    failed(/Say the amount \(--amount\)\./, "ledger", "accept", hold, ...why),
    failed(/isn't a number with at most 24 digits/, "ledger", "accept", hold, "--amount", "1,234.50", ...why),
    failed(/isn't a number with at most 24 digits/, "ledger", "accept", hold, "--amount", "0.00001", ...why),
    failed(/must be more than zero/, "ledger", "accept", hold, "--amount", "-3", ...why),
    failed(/who decides \(--by\)/, "ledger", "accept", hold, "--amount", "3", "--by", " ", ...why),
    failed(/can't be rejected/, "ledger", "reject", hold, ...why),
    failed(/no entry and no open hold zz\./, "ledger", "show", "zz"),
    failed(/No IPC nobody is known\./, "explain", "nobody"),
    failed(/nowhere\.csv can't be read/, "ledger", "opening", "nowhere.csv", "--by", "Ana", "--yes"),
    failed(
      /line 2: .* above zero; line 3: no ipc.* line 4: 7 is in line 2 already; line 5: it holds a NUL; line 6: the ipc is longer than 2000 bytes/,
      "ledger",
      "opening",
      badFile,
      "--yes"
    ),
    misused(/Missing required flag: --reason/, "ledger", "accept", hold, "--amount", "3"),
    misused(/Invalid value for flag --limit: "many"/, "ledger", "list", "--limit", "many"),
    misused(/--limit: .*1 or more/, "ledger", "list", "--limit", "0"),
    misused(/--limit and --all are mutually exclusive/, "ledger", "holds", "--limit", "2", "--all"),
    misused(/Name an entry, or give --all\./, "ledger", "sink", "replay"),
    misused(/Unknown subcommand "everything"/, "ledger", "everything"),
    misused(/explain|sink/, "ledger")
  ]
}

const assertRefused = ({ code, says }: Wrong, found: Finished): void => {
  assert.strictEqual(found.code, code, found.stderr)
  assert.strictEqual(found.stdout, "")
  // Help goes on below in a column of its own.
  const lines = found.stderr
    .trim()
    .replaceAll(/\n {4,}/g, " ")
    .split("\n")
  assert.match(lines.at(-1) ?? "", says)
  if (code === 1) assert.match(found.stderr, /^siteledger: [^\n]+\n$/)
}

const facts = (world: World) => world.store("select * from ledger_facts order by number")

/** Anything that isn't displayed as a character. */
const unseen = /[^\P{Cc}\n]|[\p{Zl}\p{Zp}\p{Bidi_Control}]/u

const reference =
  `P\u001b[31m\u001b]0;owned\u0007\u009b2J\u202e'"; drop table ledger_entries; --\r\n\u2028` + "x".repeat(10_000)

describe("the ledger's verbs", () => {
  it("refuse senseless arguments in one sentence, and post nothing", { timeout: 120_000 }, async () => {
    await using world = await World.open({ projects: 3 })
    using sender = new Sender(world)
    const worker = world.start()
    await worker.live()
    await sender.deliver([paid("7", "PAY-7")])
    await worker.status("it asks", ({ ledger }) => ledger.holds === 1)
    const badFile = join(world.dataDir, "bad.csv")
    writeFileSync(badFile, `ipc,amount,certificate\n7,0,C\n,1,C\n7,5,C\n8,1,C\0\n${"9".repeat(5000)},1,C\n`)
    const before = { books: await storeBooks(world), facts: await facts(world) }
    const cases = wrong(String(before.books.holds[0]?.["hold_id"]), badFile)
    const refuse = async (one: Wrong) => {
      assertRefused(one, await world.run(...one.verb))
    }
    const openings = [{ ipcId: "9".repeat(2001), amount: "1", certificate: "C" }]
    const decision = { hold: String(before.books.holds[0]?.["hold_id"]), amount: "3" }
    for (const [says, verb, argument] of [
      [/ipc of opening certificate 1 is longer than 2000 bytes/, "ledger-opening", { by: "Ana", openings }],
      [/holds a NUL/, "ledger-opening", { by: "Ana\0", openings: [] }],
      [/holds a NUL/, "ledger-accept", { ...decision, by: "Ana", reason: "\0" }],
      [/holds a NUL/, "explain", { ipc: "7\0" }]
    ] as const) {
      assert.match(JSON.stringify(await worker.verb(verb, argument)), says)
    }
    for (let from = 0; from < cases.length; from += 4) await Promise.all(cases.slice(from, from + 4).map(refuse))
    await worker.stop()
    for (const one of cases.slice(0, 2)) await refuse(one)
    assert.deepStrictEqual({ books: await storeBooks(world), facts: await facts(world) }, before)
  })

  it("show a hostile payment reference harmlessly, and treat it like any other", { timeout: 120_000 }, async () => {
    await using world = await World.open({ projects: 3 })
    using sender = new Sender(world)
    const worker = world.start()
    await worker.live()
    await sender.deliver([paid("7", reference)])
    await worker.status("it asks", ({ ledger }) => ledger.holds === 1)
    const [held] = (await storeBooks(world)).holds
    assert.strictEqual(held?.["payment_reference"], reference)
    const shown = await world.run("ledger", "show", String(held?.["hold_id"]), "--json")
    assert.strictEqual((JSON.parse(shown.stdout) as Record<string, unknown>)["payment_reference"], reference)
    const seen = [shown, await world.run("ledger", "holds"), await world.run("explain", "7"), await world.run("status")]
    await sender.deliver([certified("7")])
    await worker.status("it is posted", ({ ledger }) => ledger.entries === 1 && ledger.holds === 0)
    seen.push(await world.run("ledger", "list"))
    for (const { code, stderr, stdout } of seen) {
      assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
      assert.notMatch(stdout, unseen)
    }
    assert.include(seen[1]?.stdout, "P\\x1b[31m\\x1b]0;owned\\x07\\x9b2J\\u202e'\"; drop table")
    const kept = await storeBooks(world)
    assert.strictEqual(kept.entries[0]?.["payment_reference"], reference)
    assert.deepInclude(await worker.verb("ledger-verify"), { entries: 1, differences: [] })
    await worker.verb("publish")
    assert.deepStrictEqual(await warehouseBooks((sql) => world.published(sql)), kept)
  })
})
