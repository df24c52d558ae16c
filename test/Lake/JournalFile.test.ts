/** An exported journal compared with the books: where the first difference is. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as JournalFile from "../../src/Lake/JournalFile.ts"
import { columns, type JournalLine } from "../../src/Stores/JournalLines.ts"
import type { TakeLines } from "../../src/Stores/Warehouse.ts"
import { folder } from "../Ledger/Started.ts"

/** Two lines for each entry; one has a name with a line break and a formula. */
const line = (sequence: number, account: string): JournalLine =>
  columns.map((name) => {
    if (name === "sequence") return String(sequence)
    return name === "account" ? account : name === "payment_reference" ? '=1+"2"\nZoë' : null
  })

const books = [1, 2, 3].flatMap((sequence) => [line(sequence, "bank"), line(sequence, "receivable")])

/** In two pieces. */
const journalOf = (lines: ReadonlyArray<JournalLine>) => ({
  readJournal: (take: TakeLines) =>
    Effect.promise(async () => {
      await take(lines.slice(0, 1))
      await take(lines.slice(1))
    })
})

const test = (fact: string, change: (text: string) => string, expected: string | undefined, exported = books) =>
  it.effect(fact, () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "journal.csv")
      yield* JournalFile.write(file, journalOf(exported))
      writeFileSync(file, change(readFileSync(file, "utf8")))
      assert.strictEqual(yield* JournalFile.firstDiffering(file, journalOf(books)), expected)
    }).pipe(Effect.scoped)
  )

describe("a journal that was exported", () => {
  test("equals the books", (text) => text, undefined)
  test("may lack the newest entries", (text) => text, undefined, books.slice(0, 4))
  test("has another account", (text) => text.replace(/receivable(?=[^]*receivable[^]*receivable)/, "receivabel"), "1")
  test("lacks a line in the middle", (text) => text, "2", books.toSpliced(2, 1))
  test("ends in the middle of a line", (text) => text.slice(0, -3), "3")
  test("has a line more", (text) => `${text}x\r\n`, "after the last one")
  test("of another version isn't compared", (text) => text.replace("entry_id", "entry"), undefined)
})
