/**
 * One history of an IPC: facts recorded one by one, and what must be true of the books after each, whatever the facts are.
 * Each fact is also a short line, for the message of a failure.
 */
import { assert } from "@effect/vitest"
import type { Entry, Fact, Hold, Terms } from "../../../src/Ledger/Fact.ts"
import { fold, type Turn } from "../../../src/Ledger/Fold.ts"
import { endedByTerms } from "../../../src/Ledger/NewTerms.ts"
import { type Books, empty } from "../../../src/Ledger/Fold/Known.ts"
import * as SinkEntry from "../../../src/Ledger/Outbox/SinkEntry.ts"
import { isKnown } from "../../../src/Ledger/Fold/Parts.ts"
import { entryRow } from "../../../src/Ledger/Rows.ts"
import { minute, type ShortFact, written } from "../Histories.ts"

interface Kept {
  readonly fact: Fact
  readonly terms: Terms
}

/** Called with each recorded fact, the hold that it decides, and the books after it. */
type Compare = (fact: Fact, terms: Terms, hold: Hold | undefined, books: Books) => void

export class Recording {
  readonly lines: Array<string> = []
  readonly kept: Array<Kept> = []
  /** Entries that aren't to be sent. */
  readonly settled = new Set<string>()
  readonly #compare: Compare
  #number = 0
  #start = 10_000
  #terms: Terms
  books: Books = empty("IPC-1")

  constructor(terms: Terms, compare: Compare = () => undefined) {
    this.#terms = terms
    this.#compare = compare
    this.lines.push(`terms ${short(terms)}`)
  }

  get terms(): Terms {
    return this.#terms
  }

  get holds(): ReadonlyArray<Hold> {
    return [...this.books.holds.values()]
  }

  /** As at a start of the worker with other settings. */
  change(terms: Terms): void {
    this.#terms = terms
    this.lines.push(`terms ${short(terms)}`)
    if (this.holds.some(({ reason }) => endedByTerms.includes(reason))) this.record({ kind: "terms" })
  }

  /** The first of these facts again, as after a restore; what follows comes later than all that was recorded. */
  restore(kept: ReadonlyArray<Kept>): void {
    for (const { fact, terms } of kept) {
      this.#terms = terms
      this.#number = fact.number
      this.#learn(fact)
    }
    this.#start += 10_000
  }

  record(given: ShortFact): void {
    const number = ++this.#number
    this.#learn({ ...given, number, ipcId: "IPC-1", knownAt: minute(this.#start + number) })
  }

  #learn(fact: Fact): void {
    const before = this.books
    const hold = fact.kind === "decision" ? before.holds.get(fact.holdId) : undefined
    const turn = fold(before, fact, this.#terms)
    this.books = turn.books
    if (turn.fact !== undefined) this.kept.push({ fact: turn.fact, terms: this.#terms })
    for (const id of turn.settled) this.settled.add(id)
    this.lines.push(...linesOf(fact, hold, turn))
    this.#check(before, turn)
    this.#compare(fact, this.#terms, hold, this.books)
  }

  #check(before: Books, { entries }: Turn): void {
    const { openFrom } = this.#terms
    for (const { effective_at, part } of entries) {
      // What the accounting system posted keeps its date.
      assert.isTrue(openFrom === null || isKnown(part) || effective_at >= openFrom, "nothing goes into a closed period")
    }
    const all = this.books.entries
    assert.strictEqual(all.length, before.entries.length + entries.length)
    assert.isTrue(
      before.entries.every((entry, index) => entry === all[index] || written(entry) === written(all[index])),
      "entries never change"
    )
    const payments = all.filter(({ kind }) => kind === "payment").map((entry) => entry.payment_reference)
    assert.strictEqual(new Set(payments).size, payments.length, "one payment for each reference")
    assert.strictEqual(new Set(all.map(({ entry_id }) => entry_id)).size, all.length, "ids are unique")
  }

  /** Of the whole history, once. */
  end(): void {
    const again = this.kept.reduce((books, { fact, terms }) => fold(books, fact, terms).books, empty("IPC-1"))
    assert.strictEqual(written(again.entries), written(this.books.entries), "the same facts, the same entries")
    assert.strictEqual(written([...again.holds]), written([...this.books.holds]), "the same facts, the same holds")
    for (const [index, entry] of this.books.entries.entries()) {
      const { lines } = SinkEntry.of(
        { ...entryRow(entry, index + 1, { number: 1 }, { epoch: 1, queued: "draft" }), chain: null },
        "draft"
      )
      const sums = lines.map(({ credit, debit }) => BigInt(debit.replace(".", "")) - BigInt(credit.replace(".", "")))
      assert.strictEqual(
        sums.reduce((sum, units) => sum + units, 0n),
        0n,
        "debits equal credits"
      )
    }
  }
}

/** Times of the first hour as minutes. */
export const short = (value: unknown): string =>
  written(value).replaceAll("2026-11-20T00:", "").replaceAll(":00.000000Z", "")

const linesOf = (fact: Fact, hold: Hold | undefined, turn: Turn): ReadonlyArray<string> => {
  const { ipcId: _, knownAt: __, number, ...said } = fact
  return [
    `${number} ${hold === undefined ? "" : `(${holdLine(hold)}) `}${short(said)}`,
    ...turn.entries.map((entry) => `    posted ${entryLine(entry)}`),
    ...turn.opened.map((opened) => `    asked ${holdLine(opened)}`),
    ...turn.closed.map((closed) => `    closed ${holdLine(closed)}`)
  ]
}

const holdLine = ({ part, payment_reference, reason, units }: Hold): string =>
  `${reason} ${payment_reference} ${units} ${part.slice(0, 12)}`

const entryLine = ({
  currency,
  effective_at,
  entry_id,
  kind,
  part,
  payment_reference,
  project_id,
  units
}: Entry): string =>
  `${kind} ${payment_reference} ${units} ${currency} ${project_id} ${part.slice(0, 12)} ${entry_id.slice(0, 6)} ${short(effective_at)}`
