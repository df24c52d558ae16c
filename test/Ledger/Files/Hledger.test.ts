/** A journal for hledger, read by its grammar: the entries in order, the exact balances, and names that stay apart. */
import { assert, describe, it } from "@effect/vitest"
import { hledger } from "../../../src/Ledger/Files/Hledger.ts"
import { laidOut } from "../../../src/Ledger/Files/PostingDays.ts"
import { forSeeds } from "../../Seeded.ts"
import { readJournal } from "./JournalReader.ts"
import * as Journals from "./Journals.ts"

const textOf = (all: ReadonlyArray<Journals.Row>, chart = Journals.chart()): string =>
  Journals.fileOf(
    hledger,
    all.map((row) => laidOut(row, chart))
  ).bytes.toString()

const decimals: Readonly<Record<string, number>> = { XXX: 4, EUR: 2, USD: 2, JPY: 0, KWD: 3, CLF: 4 }

const rowOf = (row: Partial<Journals.Row>): Journals.Row => ({
  entry_id: "a".repeat(32),
  epoch: 1,
  sequence: 1,
  ipc_id: "4711",
  project_id: "7",
  kind: "payment",
  amount: "12.5000",
  currency: "EUR",
  payment_reference: "PAY-1",
  certificate_url: null,
  debit_account: "bank",
  credit_account: "receivable",
  lines: null,
  effective_at: "2026-10-05T12:00:00.000000Z",
  posting_date: "2026-10-05",
  known_at: "2026-10-05T12:00:01.000000Z",
  ...row
})

describe("a journal for hledger", () => {
  it("has the entries in order, balanced, with the exact balances of every account", () => {
    forSeeds(40, (random) => {
      const all = Journals.inOrder(Journals.rows(random, { count: 60 }))
      const { balances, transactions } = readJournal(textOf(all))
      assert.deepStrictEqual(
        transactions.map(({ code, date, postings }) => [code, date, postings.length]),
        all.map((row) => [String(row.sequence), row.effective_at.slice(0, 10), Journals.linesOf(row).length])
      )
      const names = new Map<string, string>()
      for (const [index, { postings }] of transactions.entries()) {
        for (const [place, { account, units }] of Journals.linesOf(all[index] ?? assert.fail()).entries()) {
          const name = postings[place]?.account ?? assert.fail()
          assert.strictEqual(postings[place]?.units, units)
          assert.strictEqual(names.get(account) ?? name, name)
          names.set(account, name)
        }
      }
      assert.strictEqual(new Set(names.values()).size, names.size)
      const sums = Journals.sumsOf(all, (account) => names.get(account) ?? assert.fail())
      assert.deepStrictEqual(
        new Map([...balances].map(([name, units]) => [name, units] as const).toSorted()),
        new Map(
          [...sums]
            .map(([name, units]) => {
              const [account, currency] = JSON.parse(name) as [string, string | null]
              return [`${currency ?? "XXX"} ${account}`, units] as const
            })
            .toSorted()
        )
      )
      for (const { amount, commodity } of transactions.flatMap(({ postings }) => postings)) {
        assert.strictEqual(amount.split(".")[1]?.length ?? 0, decimals[commodity])
      }
    })
  })

  it("says what an entry is, by the chart", () => {
    const chart = { ...Journals.chart({ bank: "Assets:Bank", receivable: "1400" }), narration: "{ipc}: {reference}" }
    const { transactions } = readJournal(textOf([rowOf({ amount: "-12.5000" }), rowOf({ sequence: 2 })], chart))
    assert.deepStrictEqual(transactions[0], {
      date: "2026-10-05",
      code: "1",
      description: "4711: PAY-1",
      tags: { entry: "a".repeat(32), kind: "payment", ipc: "4711", project: "7", reference: "PAY-1" },
      postings: [
        { account: "1400", amount: "12.50", units: 125000n, commodity: "EUR" },
        { account: "Assets:Bank", amount: "-12.50", units: -125000n, commodity: "EUR" }
      ]
    })
  })

  it("keeps more decimals than a currency has, as old entries may have them", () => {
    const { transactions } = readJournal(
      textOf([rowOf({ amount: "0.0050" }), rowOf({ currency: "JPY", amount: "1.5000" })])
    )
    assert.deepStrictEqual(
      transactions.map(({ postings }) => postings[0]?.amount),
      ["0.005", "1.5"]
    )
  })

  it("shows when a line was lost, doubled or changed", () => {
    const text = textOf([rowOf({}), rowOf({ sequence: 2 }), rowOf({ sequence: 3 })])
    const second = /\n2026-10-05 \(2\)[^]*?(?=\n\n)/.exec(text)?.[0] ?? assert.fail()
    for (const broken of [
      text.replace(second, ""),
      text.replace(second, `${second}\n${second}`),
      text.replace(second, second.replaceAll("12.50 EUR =", "12.60 EUR =")),
      text.replace("account bank", "account bench")
    ]) {
      assert.notStrictEqual(broken, text)
      assert.throws(() => readJournal(broken))
    }
  })
})
