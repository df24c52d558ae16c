/**
 * Folds all facts again from the Store and compares the result with the books: every entry to the byte, every open hold.
 * A thousand IPCs at a time, so memory doesn't grow with the books.
 */
import { Effect } from "effect"
import type { Store } from "../Stores/Store.ts"
import * as Agreed from "./Agreed.ts"
import * as Books from "./Books.ts"
import type { Fact, Terms } from "./Fact.ts"
import * as Fold from "./Fold.ts"

export interface Verified {
  readonly ipcs: number
  readonly facts: number
  readonly entries: number
  readonly holds: number
  /** The first hundred, in words. */
  readonly differences: ReadonlyArray<string>
}

const mostDifferences = 100

export const verify = Effect.fn("Ledger.verify")(function* (store: Store["Service"]) {
  const terms = yield* store.run(Agreed.agreed)
  let total: Verified = { ipcs: 0, facts: 0, entries: 0, holds: 0, differences: [] }
  yield* Books.eachIpc(store, (ids) =>
    Effect.map(
      // In one transaction: events keep coming meanwhile.
      store.transaction(async (tx) => [await Books.factsOf(tx, ids), await Books.read(tx, ids)] as const),
      ([facts, books]) => {
        for (const id of ids) total = add(total, compare(books.get(id) ?? Fold.empty(id), facts.get(id) ?? [], terms))
      }
    )
  )
  return total
})

/** The books of an IPC from its facts alone, each under the terms of its time. */
export const folded = (ipcId: string, facts: ReadonlyArray<Fact>, terms: ReadonlyArray<Agreed.Agreed>): Fold.Books =>
  facts.reduce((before, fact) => Fold.fold(before, fact, termsOf(terms, fact)).books, Fold.empty(ipcId))

const compare = (kept: Fold.Books, facts: ReadonlyArray<Fact>, terms: ReadonlyArray<Agreed.Agreed>): Verified => {
  const made = folded(kept.ipcId, facts, terms)
  return {
    ipcs: 1,
    facts: facts.length,
    entries: kept.entries.length,
    holds: kept.holds.size,
    differences: [
      ...differ(kept.ipcId, "entry", entriesOf(kept), entriesOf(made)),
      ...differ(kept.ipcId, "hold", holdsOf(kept), holdsOf(made))
    ]
  }
}

const termsOf = (agreed: ReadonlyArray<Agreed.Agreed>, { number }: Fact): Terms => {
  const found = agreed.findLast(({ fromFact }) => fromFact <= number)
  if (found === undefined) throw new Error(`fact ${number} has no terms`)
  return found.terms
}

type Shown = Readonly<Record<string, unknown>>

const entriesOf = ({ entries }: Fold.Books) =>
  new Map(entries.map((entry) => [entry.entry_id, { ...entry, units: String(entry.units) } satisfies Shown]))

const holdsOf = ({ holds }: Fold.Books) =>
  new Map([...holds].map(([id, hold]) => [id, { ...hold, units: hold.units?.toString() ?? null } satisfies Shown]))

const differ = (
  ipcId: string,
  what: string,
  kept: ReadonlyMap<string, Shown>,
  made: ReadonlyMap<string, Shown>
): ReadonlyArray<string> => [
  ...[...kept].flatMap(([id, inBooks]) => {
    const byFacts = made.get(id)
    if (byFacts === undefined) return [`IPC ${ipcId}: ${what} ${id} is in the books, but no fact leads to it.`]
    return Object.keys(inBooks).flatMap((name) => {
      const [a, b] = [JSON.stringify(inBooks[name]), JSON.stringify(byFacts[name])]
      return a === b ? [] : [`IPC ${ipcId}: ${what} ${id} has ${name} ${a} in the books and ${b} by the facts.`]
    })
  }),
  ...[...made.keys()].flatMap((id) =>
    kept.has(id) ? [] : [`IPC ${ipcId}: ${what} ${id} follows from the facts but is missing in the books.`]
  )
]

const add = (a: Verified, b: Verified): Verified => ({
  ipcs: a.ipcs + b.ipcs,
  facts: a.facts + b.facts,
  entries: a.entries + b.entries,
  holds: a.holds + b.holds,
  differences: [...a.differences, ...b.differences].slice(0, mostDifferences)
})
