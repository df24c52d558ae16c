/**
 * Random facts in random orders, with a random person's answers at random times: the same net in every order, nothing
 * lost or guessed at any step, and the same books when they are folded again.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Hold, Terms } from "../../src/Ledger/Fact.ts"
import { type Books, empty } from "../../src/Ledger/Fold/Known.ts"
import { entryRow } from "../../src/Ledger/Rows.ts"
import * as SinkEntry from "../../src/Ledger/Outbox/SinkEntry.ts"
import { forSeeds, type Random } from "../Seeded.ts"
import { type Answer, Clerk } from "./Clerk.ts"
import { contractor } from "./Contractor.ts"
import {
  anyOrder,
  certificate,
  minute,
  opening,
  payment,
  project,
  record,
  type ShortFact,
  written
} from "./Histories.ts"

const amounts = [100n, 200n, 300n, 100n, 200n, 300n, 0n, -40n]

const randomFacts = ({ below, chance, pick }: Random): ReadonlyArray<ShortFact> => [
  ...Array.from({ length: 1 + below(6) }, () =>
    certificate(1 + below(9), pick(amounts), pick(["https://c/a", "https://c/b"]))
  ),
  ...(chance(0.3) ? [payment(1 + below(9), "Q")] : []),
  ...(chance(0.3) ? [opening(BigInt(50 + below(3) * 50))] : []),
  ...(chance(0.6) ? [project(pick(["7", "8"]), 1)] : []),
  ...(chance(0.3) ? [project(pick(["7", "8", "9"]), 2)] : [])
]

const randomTerms = ({ chance, below, pick }: Random): Terms => ({
  ...contractor,
  ...(chance(0.5) ? {} : { debitAccount: "payable", creditAccount: "bank" }),
  currency: pick(["EUR", "CHF", null]),
  currencies: chance(0.6) ? { "7": "USD", "9": "GBP" } : {},
  openFrom: chance(0.6) ? minute(2 + below(9)) : null,
  inClosedPeriod: chance(0.2) ? "post" : "hold"
})

interface Recorded {
  readonly fact: ShortFact
  readonly under: Terms
}

/** Records facts one by one, and answers some of the open holds after each; all of them at the end. */
class Recording {
  readonly recorded: Array<Recorded> = []
  readonly #random: Random
  readonly #clerk: Clerk
  readonly #terms: () => Terms
  books = empty("IPC-1")

  constructor(random: Random, clerk: Clerk, terms: () => Terms) {
    this.#random = random
    this.#clerk = clerk
    this.#terms = terms
  }

  recordAll(facts: ReadonlyArray<ShortFact>): Books {
    for (const fact of facts) {
      this.#record(fact)
      while (this.books.holds.size > 0 && this.#random.chance(0.6)) this.#answerOne()
    }
    while (this.books.holds.size > 0) this.#answerOne()
    return this.books
  }

  #answerOne(): void {
    assert.isBelow(this.recorded.length, 300, "the questions don't end")
    const hold = this.#random.pick([...this.books.holds.values()])
    this.#record(this.#clerk.answer(hold))
  }

  #record(fact: ShortFact): void {
    const under = this.#terms()
    const before = this.books.entries.length
    this.recorded.push({ fact, under })
    this.books = record(this.books, fact, this.recorded.length, under)
    const { openFrom } = under
    for (const { effective_at } of this.books.entries.slice(before)) {
      assert.isTrue(openFrom === null || effective_at >= openFrom, "nothing goes into a closed period")
    }
    this.#check()
  }

  #check(): void {
    const { books } = this
    const holds = [...books.holds.values()]
    for (const { part, reference, text } of this.#clerk.lacking(books)) {
      const isAsked = holds.some((hold) =>
        isDated(hold)
          ? this.#clerk.partOf(hold) === part
          : hold.reason === "currency-unknown" && hold.payment_reference === reference
      )
      assert.isTrue(isAsked, `neither posted nor asked: ${text}`)
    }
    for (const entries of Map.groupBy(books.entries, (entry) => entry.payment_reference).values()) {
      for (const together of Map.groupBy(entries, ({ part }) => part.split("@")[1]).values()) {
        const accounts = together.map((entry) => [entry.currency, entry.debit_account, entry.credit_account])
        assert.strictEqual(
          new Set(accounts.map(written)).size,
          1,
          "one payment in one currency on one pair of accounts"
        )
      }
    }
    assert.deepStrictEqual(balances(books), [])
    const ids = books.entries.map(({ entry_id }) => entry_id)
    assert.strictEqual(new Set(ids).size, ids.length)
  }
}

/** By how much debits and credits of a currency differ, as the accounting system gets them. */
const balances = (books: Books): ReadonlyArray<bigint> => {
  const documents = books.entries.map((entry, index) =>
    SinkEntry.of({ ...entryRow(entry, index + 1, { number: 1 }, { epoch: 1, queued: "draft" }), chain: null }, "draft")
  )
  return [...Map.groupBy(documents, ({ currency }) => currency).values()]
    .map((of) =>
      of
        .flatMap(({ lines }) => lines)
        .reduce((sum, { credit, debit }) => sum + BigInt(debit.replace(".", "")) - BigInt(credit.replace(".", "")), 0n)
    )
    .filter((difference) => difference !== 0n)
}

const nets = (books: Books): string => {
  const byCurrency = Map.groupBy(books.entries, ({ currency }) => String(currency))
  return written(
    [...byCurrency]
      .map(([currency, entries]) => [currency, entries.reduce((sum, { units }) => sum + units, 0n)])
      .filter(([, units]) => units !== 0n)
      .toSorted()
  )
}

/** The person gives the currency of the project, if an event names that later. */
const currencyOf = (facts: ReadonlyArray<ShortFact>, { currencies, currency }: Terms): string => {
  const named = facts.findLast((fact) => fact.kind === "project")
  return named?.kind === "project" ? (currencies[named.projectId] ?? currency ?? "") : "USD"
}

const refolded = (recorded: ReadonlyArray<Recorded>): Books =>
  recorded.reduce((books, { fact, under }, index) => record(books, fact, index + 1, under), empty("IPC-1"))

describe("over random facts, terms and answers", () => {
  it("the net in each currency is the same in every order, and every step is posted, asked or rejected", () => {
    forSeeds(400, (random) => {
      const facts = randomFacts(random)
      const drawn = randomTerms(random)
      // Without a default currency, no answer agrees with a project that has none configured.
      const terms = { ...drawn, currency: drawn.currency ?? (facts.some(isOfOther) ? "EUR" : null) }
      const intentions = new Map<string, Answer>()
      const ends = Array.from({ length: 8 }, () => {
        const clerk = new Clerk(random, currencyOf(facts, terms), facts, intentions)
        return nets(new Recording(random, clerk, () => terms).recordAll(anyOrder(facts, random)))
      })
      assert.strictEqual(new Set(ends).size, 1, `${ends.join(" ")} of ${written([facts, terms])}`)
    })
  })

  it("while the terms change: nothing is lost, no payment has two currencies, and folding again gives the same", () => {
    forSeeds(400, (random) => {
      let terms = randomTerms(random)
      const changing = () => (terms = random.chance(0.2) ? randomTerms(random) : terms)
      const facts = randomFacts(random)
      const recording = new Recording(random, new Clerk(random, "SEK", facts), changing)
      const books = recording.recordAll(anyOrder(facts, random))
      assert.strictEqual(written(refolded(recording.recorded).entries), written(books.entries))
    })
  })

  it("each step into the open period has its own answer", () => {
    forSeeds(400, (random) => {
      const terms: Terms = { ...contractor, openFrom: minute(100) }
      // One acceptance of another project covers two steps.
      const facts = randomFacts(random).filter(({ kind }) => kind !== "project")
      const recording = new Recording(random, new Clerk(random, "EUR", facts), () => terms)
      const { entries } = recording.recordAll(anyOrder(facts, random))
      const answers = entries.map(({ basis }) => basis.findLast(({ kind }) => kind === "decision")?.["number"])
      assert.strictEqual(new Set(answers).size, entries.length, written(recording.recorded))
    })
  })
})

const isOfOther = (fact: ShortFact): boolean => fact.kind === "project" && fact.projectId === "8"

const isDated = ({ reason }: Hold): boolean => reason.startsWith("period-") || reason === "changed-after-refusal"
