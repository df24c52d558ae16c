/**
 * Compares the books with what follows from them. `refolded` folds all facts again: every entry must be the same to the
 * byte and in the same order, and so must every open hold, how each closed hold was closed, the links of the chain, and
 * what look-ups and releases rest on. `joined` checks all numbers, and what was queued for the accounting system. Reads
 * a few hundred facts at a time with what they brought, so memory doesn't grow with the books.
 */
import { Effect } from "effect"
import type { Reader } from "../Stores/Store.ts"
import { broken } from "../Stores/Erasures.ts"
import * as Agreed from "./Agreed.ts"
import * as CertifiedOrder from "./CertifiedOrder.ts"
import type { Fact } from "./Fact.ts"
import { chained, newestHead } from "./Verify/Chained.ts"
import { evidenced } from "./Verify/Evidence.ts"
import { folded } from "./Verify/Folded.ts"
import { linked } from "./Verify/Links.ts"
import { numbered } from "./Verify/Numbers.ts"
import { misplaced, strangers } from "./Verify/Order.ts"
import { queued, unreleased } from "./Verify/Queued.ts"
import * as WholeBooks from "./WholeBooks.ts"
import type { Range } from "./WholeBooks.ts"

/** What is wrong, in words; the first hundred. */
export type Differences = ReadonlyArray<string>

export interface Refolded {
  readonly ipcs: number
  readonly facts: number
  readonly entries: number
  readonly holds: number
  readonly differences: Differences
  /**
   * In the chain; undefined if some fact has no link or not the previous one, so that the chain must be followed
   * (`followed`).
   */
  readonly chain: Differences | undefined
}

export interface Verified extends Omit<Refolded, "chain"> {
  /** The head of the chain: if it is stored elsewhere, a later audit can be given it. */
  readonly head: string | null
}

/** For a caller that compares the facts with something else: gets all of them, those of each IPC in order. */
type OnFacts = (facts: ReadonlyArray<Fact>) => void

export const mostDifferences = 100

const first = (all: Differences): Differences => all.slice(0, mostDifferences)

/** The newest entry that exists before anything else is read: verification reaches at least this far. */
export const begun = (store: Reader) => store.run(newestHead)

type Standings = Awaited<ReturnType<typeof CertifiedOrder.standing>>

/** Only a few facts do. */
const restsOnMore = ({ kind }: Fact): boolean => kind === "looked-up" || kind === "release"

/** Checks the books of each of these IPCs separately. */
export const refolded = Effect.fn("Ledger.refolded")(function* (store: Reader, range: Range, onFacts?: OnFacts) {
  const terms = yield* store.run(Agreed.agreed)
  const newest = terms.at(-1)?.terms
  const total = { ipcs: 0, facts: 0, entries: 0, holds: 0 }
  const differences: Array<string> = []
  const ofLinks: Array<string> = []
  let areLinked = true
  const find = (found: Differences) => differences.push(...found.slice(0, mostDifferences - differences.length))
  const inBooks = (kept: WholeBooks.WholeBooks, standing: Standings) => {
    const { entries, facts, holds } = kept
    const made = folded(kept, terms)
    find(made.differences)
    if (standing !== undefined) find(misplaced(made.books, standing.get(kept.ipcId), newest))
    const links = linked(kept)
    areLinked &&= !links.areMissing
    ofLinks.push(...links.differences.slice(0, mostDifferences - ofLinks.length))
    total.ipcs++
    total.facts += facts.length
    total.entries += entries.length
    total.holds += holds.length
  }
  yield* WholeBooks.each(store, range, async (tx, { books, range: read }) => {
    const standing = await CertifiedOrder.standing(tx, read)
    const beside: Array<Fact> = []
    for (const kept of books) {
      inBooks(kept, standing)
      onFacts?.(kept.facts)
      for (const fact of kept.facts) if (restsOnMore(fact)) beside.push(fact)
    }
    find(await evidenced(tx, beside))
    find(await unreleased(tx, beside))
  })
  return { ...total, differences, chain: areLinked ? ofLinks : undefined } satisfies Refolded
})

/** Joins several ranges. */
export const together = (parts: ReadonlyArray<Refolded>): Refolded => {
  const sum = (count: (part: Refolded) => number) => parts.reduce((total, part) => total + count(part), 0)
  return {
    ipcs: sum(({ ipcs }) => ipcs),
    facts: sum(({ facts }) => facts),
    entries: sum(({ entries }) => entries),
    holds: sum(({ holds }) => holds),
    differences: first(parts.flatMap(({ differences }) => differences)),
    chain: parts.some(({ chain }) => chain === undefined) ? undefined : first(parts.flatMap(({ chain = [] }) => chain))
  }
}

/** Checks what spans IPCs. */
export const joined = Effect.fn("Ledger.joined")(function* (store: Reader) {
  const strange = yield* store.run((db) => strangers(db, mostDifferences))
  const numbers = yield* store.run((db) => numbered(db, mostDifferences))
  const outbox = yield* store.run((db) => queued(db, mostDifferences))
  const tombstones = yield* store.run((db) => broken(db, mostDifferences))
  return first([...strange, ...numbers, ...outbox, ...tombstones])
})

/** Checks the chain in the order of all facts. */
export const followed = (store: Reader) => store.run((db) => chained(db, mostDifferences))

/** Runs all parts. */
export const whole = (
  head: string | null,
  { chain = [], ...books }: Refolded,
  between: Differences,
  follow: Differences
): Verified => ({
  ...books,
  head,
  differences: first([...books.differences, ...between, ...chain, ...follow])
})

export const verify = Effect.fn("Ledger.verify")(function* (store: Reader) {
  const head = yield* begun(store)
  const books = yield* refolded(store, WholeBooks.all)
  const between = yield* joined(store)
  return whole(head, books, between, books.chain === undefined ? yield* followed(store) : [])
})
