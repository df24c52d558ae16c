/**
 * What the ledger would post from all facts under today's configuration; posts nothing.
 *
 * It folds every fact again in memory, so the effect of a changed account or currency shows before it is used. The
 * answer includes the assumptions that it rests on.
 */
import { Effect } from "effect"
import type { Kysely } from "kysely"
import * as Amount from "../Domain/Amount.ts"
import type { Store } from "../Stores/Store.ts"
import type { StoreTables } from "../Stores/StoreTables.ts"
import { newestTerms } from "./Agreed.ts"
import * as CertifiedOrder from "./CertifiedOrder.ts"
import * as StoredBooks from "./StoredBooks.ts"
import type { Entry, Hold, Terms } from "./Fact.ts"
import { fold } from "./Fold.ts"
import { type Books, empty } from "./Fold/Known.ts"
import * as Lines from "./Lines.ts"

export const assumptions: ReadonlyArray<string> = [
  "A payment settles the certified amount of its IPC, unless its event says what was paid.",
  "A certificate says what is due for it alone, unless SITELEDGER_LEDGER_FILE says otherwise for its project.",
  "Entries go to the accounting system as drafts unless configured otherwise, and while nobody has said the former."
]

export interface Preview {
  readonly assumptions: ReadonlyArray<string>
  /** Without the terms that are the same everywhere. */
  readonly terms: Omit<Terms, "minorDigits">
  readonly ipcs: number
  /** By currency, project and account, as if these terms had applied from the beginning. */
  readonly totals: ReadonlyArray<{
    readonly currency: string | null
    readonly project_id: string | null
    readonly account: string
    readonly entries: number
    /** Debits minus credits. */
    readonly amount: string
  }>
  readonly holds: Readonly<Partial<Record<Hold["reason"], number>>>
}

/** Includes what now precedes each IPC, which under other terms it may never have been told. */
const booksUnder = async (
  db: Kysely<StoreTables>,
  ids: ReadonlyArray<string>,
  terms: Terms
): Promise<ReadonlyArray<Books>> => {
  const facts = await StoredBooks.factsOf(db, ids)
  const books = [...facts].map(([ipcId, known]) =>
    known.reduce((before, fact) => fold(before, fact, terms).books, empty(ipcId))
  )
  const precedings = await CertifiedOrder.precedings(db, books, terms)
  return books.map((each) => {
    const [preceding, last] = [precedings.get(each.ipcId), facts.get(each.ipcId)?.at(-1)]
    if (preceding === undefined || last === undefined) return each
    const { ipcId, knownAt, number } = last
    return fold(each, { kind: "preceding", ipcId, knownAt, number: number + 1, preceding }, terms).books
  })
}

interface Total extends Pick<Entry, "currency" | "project_id"> {
  readonly account: string
  readonly entries: number
  readonly units: bigint
}

const add = (totals: Map<string, Total>, entry: Entry): void => {
  const { currency, project_id } = entry
  for (const { account, units } of Lines.of(entry)) {
    const key = JSON.stringify([currency, project_id, account])
    const sum = totals.get(key) ?? { currency, project_id, account, entries: 0, units: 0n }
    totals.set(key, { ...sum, entries: sum.entries + 1, units: sum.units + units })
  }
}

export const preview = Effect.fn("Ledger.preview")(function* (store: Store["Service"], configured: Terms) {
  const closed = (yield* newestTerms(store))?.closed
  const terms: Terms = closed === undefined ? configured : { ...configured, closed }
  const totals = new Map<string, Total>()
  const holds: Partial<Record<Hold["reason"], number>> = {}
  let ipcs = 0
  yield* StoredBooks.eachIpc(store, (ids) =>
    Effect.map(
      store.run((db) => booksUnder(db, ids, terms)),
      (all) => {
        for (const books of all) {
          ipcs++
          for (const { reason } of books.holds.values()) holds[reason] = (holds[reason] ?? 0) + 1
          for (const entry of books.entries) add(totals, entry)
        }
      }
    )
  )
  const { minorDigits: _, ...shown } = terms
  return {
    assumptions,
    terms: shown,
    ipcs,
    totals: [...totals.values()].map(({ units, ...total }) => ({ ...total, amount: Amount.sumOfUnits(units) })),
    holds
  } satisfies Preview
})
