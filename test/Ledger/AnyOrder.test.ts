/**
 * Random facts in random orders, answered by a random person at random times: the same net in every order, nothing lost
 * and nothing guessed at any step, and the same books when folded again.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Terms } from "../../src/Ledger/Fact.ts"
import { type Books, empty } from "../../src/Ledger/Fold.ts"
import { entryRow } from "../../src/Ledger/Rows.ts"
import * as SinkEntry from "../../src/Ledger/Outbox/SinkEntry.ts"
import { forSeeds, type Random } from "../Seeded.ts"
import { type Answer, Clerk } from "./Clerk.ts"
import { contractor } from "./Contractor.ts"
import { certificate, minute, opening, payment, project, type Said, tell, written } from "./Histories.ts"

const amounts = [100n, 200n, 300n, 100n, 200n, 300n, 0n, -40n]

const randomFacts = ({ below, chance, pick }: Random): ReadonlyArray<Said> => [
  ...Array.from({ length: 1 + below(6) }, () =>
    certificate(1 + below(9), pick(amounts), pick(["https://c/a", "https://c/b"]))
  ),
  ...(chance(0.3) ? [payment(1 + below(9), "Q")] : []),
  ...(chance(0.3) ? [opening(BigInt(50 + below(3) * 50))] : []),
  ...(chance(0.6) ? [project(pick(["7", "8"]))] : [])
]

/** Which payment came first decides which one is *the* payment; all else comes in any order, some of it twice. */
const anyOrder = (facts: ReadonlyArray<Said>, { below, pick, shuffle }: Random): ReadonlyArray<Said> => {
  const others = shuffle(facts.filter(({ kind }) => kind !== "payment"))
  const at = below(others.length + 1)
  const later = facts.filter(({ kind }) => kind === "payment")
  return [...others.slice(0, at), payment(5), ...shuffle([...others.slice(at), ...later, pick(facts)])]
}

const randomTerms = ({ chance, below, pick }: Random): Terms => ({
  ...contractor,
  ...(chance(0.5) ? {} : { debitAccount: "payable", creditAccount: "bank" }),
  currency: pick(["EUR", "CHF", null]),
  currencies: chance(0.6) ? { "7": "USD", "9": "GBP" } : {},
  openFrom: chance(0.6) ? minute(2 + below(9)) : null,
  inClosedPeriod: chance(0.2) ? "post" : "hold"
})

interface Told {
  readonly said: Said
  readonly under: Terms
}

/** Tells facts one by one, and answers some of the open holds after each; in the end all of them. */
class Telling {
  readonly told: Array<Told> = []
  readonly #random: Random
  readonly #clerk: Clerk
  readonly #terms: () => Terms
  books = empty("IPC-1")

  constructor(random: Random, clerk: Clerk, terms: () => Terms) {
    this.#random = random
    this.#clerk = clerk
    this.#terms = terms
  }

  tellAll(facts: ReadonlyArray<Said>): Books {
    for (const said of facts) {
      this.#tell(said)
      while (this.books.holds.size > 0 && this.#random.chance(0.6)) this.#answerOne()
    }
    while (this.books.holds.size > 0) this.#answerOne()
    return this.books
  }

  #answerOne(): void {
    assert.isBelow(this.told.length, 300, "the questions don't end")
    const hold = this.#random.pick([...this.books.holds.values()])
    this.#tell(this.#clerk.answer(hold, this.books))
  }

  #tell(said: Said): void {
    const under = this.#terms()
    const before = this.books.entries.length
    this.told.push({ said, under })
    this.books = tell(this.books, said, this.told.length, under)
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
        hold.reason === "period-closed"
          ? this.#clerk.partOf(hold) === part
          : hold.reason === "currency-unknown" && hold.payment_reference === reference
      )
      assert.isTrue(isAsked, `neither posted nor asked: ${text}`)
    }
    for (const entries of Map.groupBy(books.entries, (entry) => entry.payment_reference).values()) {
      const accounts = entries.map((entry) => [entry.currency, entry.debit_account, entry.credit_account])
      assert.strictEqual(new Set(accounts.map(written)).size, 1, "one payment in one currency on one pair of accounts")
    }
    assert.deepStrictEqual(balances(books), [])
    const ids = books.entries.map(({ entry_id }) => entry_id)
    assert.strictEqual(new Set(ids).size, ids.length)
  }
}

/** What debits and credits of a currency differ by, as the accounting system gets them. */
const balances = (books: Books): ReadonlyArray<bigint> => {
  const documents = books.entries.map((entry, index) =>
    SinkEntry.of(entryRow(entry, index + 1, { number: 1 } as Parameters<typeof entryRow>[2]), "draft")
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

/** Where the project is told in the end, the person who is asked before says the same. */
const currencyOf = (facts: ReadonlyArray<Said>, { currencies, currency }: Terms): string => {
  const told = facts.find((said) => said.kind === "project")
  return told?.kind === "project" ? (currencies[told.projectId] ?? currency ?? "") : "USD"
}

const refolded = (told: ReadonlyArray<Told>): Books =>
  told.reduce((books, { said, under }, index) => tell(books, said, index + 1, under), empty("IPC-1"))

describe("over random facts, terms and answers", () => {
  it("the net in each currency is the same in every order, and every step is posted, asked or rejected", () => {
    forSeeds(400, (random) => {
      const facts = randomFacts(random)
      const drawn = randomTerms(random)
      // Without a standard currency nobody can say the same as a project without one of its own.
      const terms = { ...drawn, currency: drawn.currency ?? (facts.some(isOfOther) ? "EUR" : null) }
      const intentions = new Map<string, Answer>()
      const ends = Array.from({ length: 8 }, () => {
        const clerk = new Clerk(random, currencyOf(facts, terms), intentions)
        return nets(new Telling(random, clerk, () => terms).tellAll(anyOrder(facts, random)))
      })
      assert.strictEqual(new Set(ends).size, 1, `${ends.join(" ")} of ${written([facts, terms])}`)
    })
  })

  it("while the terms change: nothing is lost, no payment in two currencies, and folded again it is the same", () => {
    forSeeds(400, (random) => {
      let terms = randomTerms(random)
      const changing = () => (terms = random.chance(0.2) ? randomTerms(random) : terms)
      const telling = new Telling(random, new Clerk(random, "SEK"), changing)
      const books = telling.tellAll(anyOrder(randomFacts(random), random))
      assert.strictEqual(written(refolded(telling.told).entries), written(books.entries))
    })
  })

  it("each step into the open period has an answer of its own", () => {
    forSeeds(400, (random) => {
      const terms: Terms = { ...contractor, openFrom: minute(100) }
      const telling = new Telling(random, new Clerk(random, "EUR"), () => terms)
      const { entries } = telling.tellAll(anyOrder(randomFacts(random), random))
      const answers = entries.map(({ basis }) => basis.findLast(({ kind }) => kind === "decision")?.["number"])
      assert.strictEqual(new Set(answers).size, entries.length, written(telling.told))
    })
  })
})

const isOfOther = (said: Said): boolean => said.kind === "project" && said.projectId === "8"
