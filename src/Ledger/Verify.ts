/**
 * Folds all facts again from the Store and compares the result with the books: every entry to the byte, every open hold.
 * A thousand IPCs at a time, so memory doesn't grow with the books.
 */
import { Effect } from "effect"
import type { Store } from "../Stores/Store.ts"
import * as Agreed from "./Agreed.ts"
import { eachIpc, factsOf, read } from "./StoredBooks.ts"
import type { Fact } from "./Fact.ts"
import { type Books, empty } from "./Fold/Known.ts"
import { folded } from "./Refold.ts"

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
  yield* eachIpc(store, (ids) =>
    Effect.map(
      // In one transaction: events keep coming meanwhile.
      store.transaction(async (tx) => [await factsOf(tx, ids), await read(tx, ids)] as const),
      ([facts, books]) => {
        for (const id of ids) total = add(total, compare(books.get(id) ?? empty(id), facts.get(id) ?? [], terms))
      }
    )
  )
  return total
})

const compare = (kept: Books, facts: ReadonlyArray<Fact>, terms: ReadonlyArray<Agreed.Agreed>): Verified => {
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

type Shown = Readonly<Record<string, unknown>>

const entriesOf = ({ entries }: Books) =>
  new Map(entries.map((entry) => [entry.entry_id, { ...entry, units: String(entry.units) } satisfies Shown]))

const holdsOf = ({ holds }: Books) =>
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
