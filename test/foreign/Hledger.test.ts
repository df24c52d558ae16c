/** hledger accepts the journals that are written for it, and finds errors in others. */
import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { hledger } from "../../src/Ledger/Files/Hledger.ts"
import { laidOut } from "../../src/Ledger/Files/PostingDays.ts"
import { temporaryFolder } from "../Folders.ts"
import * as Journals from "../Ledger/Files/Journals.ts"
import { forSeeds, seeded } from "../Seeded.ts"

const isMissing = spawnSync("hledger", ["--version"]).error !== undefined
if (isMissing) process.stderr.write("skipped: hledger isn't installed\n")

const run = (text: string, ...options: ReadonlyArray<string>) => {
  const path = join(temporaryFolder(), "books.journal")
  writeFileSync(path, text)
  const env = { PATH: process.env["PATH"], LANG: "C.UTF-8" }
  return spawnSync("hledger", ["-f", path, ...options], { encoding: "utf8", env })
}

const textOf = (all: ReadonlyArray<Journals.Row>): string =>
  Journals.fileOf(
    hledger,
    all.map((row) => laidOut(row, Journals.chart()))
  ).bytes.toString()

const journalOf = (seed: number, made: Parameters<typeof Journals.rows>[1]) =>
  Journals.inOrder(Journals.rows(seeded(seed), made))

describe("hledger", () => {
  it.skipIf(isMissing)("accepts journals with any texts, amounts and currencies, strictly", () => {
    forSeeds(6, (_, seed) => {
      const { status, stderr } = run(textOf(journalOf(seed, { count: 200 })), "check", "-s", "ordereddates")
      assert.strictEqual(stderr, "")
      assert.strictEqual(status, 0)
    })
    assert.deepInclude(run(textOf([]), "check", "-s"), { status: 0, stderr: "" })
  })

  it.skipIf(isMissing)("finds the same balances, and the entries by their tags", () => {
    const all = journalOf(1, { count: 80, currencies: ["EUR"], accounts: ["bank", "receivable", "a:b"] })
    const { stdout } = run(textOf(all), "balance", "--flat", "--no-total", "--empty", "-O", "csv")
    const found = [...stdout.matchAll(/^"([^"]+)","(-?[\d.]+) EUR"$/gm)].map(
      ([, account = "", amount = ""]) => [Journals.key(account, "EUR"), Journals.unitsOf(amount)] as const
    )
    assert.deepStrictEqual(new Map(found.toSorted()), new Map([...Journals.sumsOf(all)].toSorted()))
    const [entry] = all
    const tagged = run(textOf(all), "print", `tag:entry=${entry?.entry_id}`).stdout
    assert.match(tagged, new RegExp(`^${entry?.effective_at.slice(0, 10)} \\(${entry?.sequence}\\) `))
  })

  it.skipIf(isMissing)("refuses a journal whose entry is missing, or whose account isn't declared", () => {
    const all = journalOf(2, { count: 40, currencies: ["EUR"], accounts: ["bank", "receivable"] })
    const text = textOf(all.filter(({ credit_account, debit_account }) => credit_account !== debit_account))
    const parts = text.split("\n\n")
    const first = parts.findIndex((part) => part.startsWith("2026"))
    const without = parts.toSpliced(first, 1).join("\n\n")
    for (const broken of [without, text.replace("account bank", "account bench")]) {
      assert.notStrictEqual(broken, text)
      assert.notStrictEqual(run(broken, "check", "-s").status, 0)
    }
  })
})
