/**
 * Folds all facts again from the Store and compares the result with the books: every entry to the byte and in its order,
 * every open hold, how each other hold was closed, all numbers, and what was queued for the accounting system. A thousand
 * IPCs at a time, so memory doesn't grow with the books.
 */
import { Effect } from "effect"
import type { Kysely, Selectable } from "kysely"
import * as Amount from "../Domain/Amount.ts"
import type { Store } from "../Stores/Store.ts"
import { isAmong, oneAtATime } from "../Stores/Sql.ts"
import type { StoreTables } from "../Stores/StoreTables.ts"
import * as Agreed from "./Agreed.ts"
import { eachIpc, factsOf, read } from "./StoredBooks.ts"
import type { Fact } from "./Fact.ts"
import { type Books, empty } from "./Fold/Known.ts"
import { steps } from "./Refold.ts"
import * as Rows from "./Rows.ts"
import { chained, type Head } from "./Verify/Chained.ts"
import { numbered } from "./Verify/Numbers.ts"
import { places, preceding } from "./Verify/Order.ts"
import { queued } from "./Verify/Queued.ts"

export interface Verified {
  readonly ipcs: number
  readonly facts: number
  readonly entries: number
  readonly holds: number
  /** Of the chain: kept elsewhere, it can be given to a later verify. */
  readonly head: string | null
  /** The books aren't those of `since`; undefined: they are, or it wasn't given. */
  readonly others: string | undefined
  /** The first hundred, in words. */
  readonly differences: ReadonlyArray<string>
}

type Compared = Omit<Verified, "head" | "others">

export const mostDifferences = 100

/** `since`: what someone has kept of the books as they were. */
export const verify = Effect.fn("Ledger.verify")(function* (store: Store["Service"], since: Head | undefined) {
  const terms = yield* store.run(Agreed.agreed)
  let total: Compared = { ipcs: 0, facts: 0, entries: 0, holds: 0, differences: [] }
  yield* eachIpc(store, (ids) =>
    Effect.map(
      // In one turn at the books: events keep coming meanwhile, and a server shows each statement what is new by then.
      store.transaction(async (tx) => {
        await oneAtATime(tx, "ledger")
        const kept = await keptOf(tx, ids)
        const books = kept.map((each) => each.books)
        return { kept, places: await places(tx, books) }
      }),
      ({ kept, places }) => {
        for (const each of kept) total = add(total, compare(each, terms))
        total = { ...total, differences: [...total.differences, ...places].slice(0, mostDifferences) }
      }
    )
  )
  const order = yield* preceding(store, mostDifferences)
  const numbers = yield* store.run((db) => numbered(db, mostDifferences))
  const outbox = yield* store.run((db) => queued(db, mostDifferences))
  const chain = yield* store.run((db) => chained(db, since, mostDifferences))
  const differences = [...total.differences, ...order, ...numbers, ...outbox, ...chain.differences]
  const { head, others } = chain
  return { ...total, head, others, differences: differences.slice(0, mostDifferences) } satisfies Verified
})

/** What the Store holds about an IPC. */
interface Kept {
  readonly books: Books
  readonly facts: ReadonlyArray<Fact>
  /** By entry id, in the order of the journal: the number of the fact that caused it. */
  readonly causes: ReadonlyMap<string, number>
  readonly decisions: ReadonlyArray<Selectable<StoreTables["ledger_hold_decisions"]>>
}

const keptOf = async (db: Kysely<StoreTables>, ids: ReadonlyArray<string>): Promise<ReadonlyArray<Kept>> => {
  const among = isAmong(db, "ipc_id", ids)
  const facts = await factsOf(db, ids)
  const books = await read(db, ids)
  const causes = await db
    .selectFrom("ledger_entries")
    .select(["entry_id", "fact", "ipc_id"])
    .where(among)
    .orderBy("sequence")
    .execute()
  const decisions = await db.selectFrom("ledger_hold_decisions").selectAll().where(among).orderBy("number").execute()
  const causesOf = Map.groupBy(causes, (row) => row.ipc_id)
  const decisionsOf = Map.groupBy(decisions, (row) => row.ipc_id)
  return ids.map((id) => ({
    books: books.get(id) ?? empty(id),
    facts: facts.get(id) ?? [],
    causes: new Map(causesOf.get(id)?.map(({ entry_id, fact }) => [entry_id, Number(fact)])),
    decisions: decisionsOf.get(id) ?? []
  }))
}

const compare = ({ books, causes, decisions, facts }: Kept, terms: ReadonlyArray<Agreed.Agreed>): Compared => {
  const { ipcId } = books
  const made = [...steps(ipcId, facts, terms)]
  const last = made.at(-1)?.turn.books ?? empty(ipcId)
  const madeCauses = new Map(
    made.flatMap(({ fact, turn }) => turn.entries.map((entry) => [entry.entry_id, fact.number] as const))
  )
  const closed = made.flatMap(({ fact, turn }) => turn.closed.map((hold) => Rows.decisionRow(hold, fact)))
  const inOrder = JSON.stringify([...causes.keys()]) === JSON.stringify([...madeCauses.keys()])
  const entries = differ(ipcId, "entry", entriesOf(books, causes), entriesOf(last, madeCauses))
  return {
    ipcs: 1,
    facts: facts.length,
    entries: books.entries.length,
    holds: books.holds.size,
    differences: [
      ...entries,
      ...(inOrder || entries.length > 0
        ? []
        : [`IPC ${ipcId}: its entries aren't in the order that its facts lead to.`]),
      ...differ(ipcId, "hold", holdsOf(books), holdsOf(last)),
      ...differ(ipcId, "decision on hold", decisionsOf(decisions), decisionsOf(closed))
    ]
  }
}

type Shown = Readonly<Record<string, unknown>>

const entriesOf = ({ entries }: Books, causes: ReadonlyMap<string, number>) =>
  new Map(
    entries.map((entry) => {
      const { entry_id, lines, units } = entry
      const shown: Shown = {
        ...entry,
        units: String(units),
        lines: lines?.map((line) => `${line.account} ${Amount.sumOfUnits(line.units)}`) ?? null,
        fact: causes.get(entry_id)
      }
      return [entry_id, shown]
    })
  )

const holdsOf = ({ holds }: Books) =>
  new Map([...holds].map(([id, hold]) => [id, { ...hold, units: hold.units?.toString() ?? null } satisfies Shown]))

/** A hold is closed once by a fact, but may be opened again. Their numbers may have gaps. */
const decisionsOf = (rows: ReadonlyArray<ReturnType<typeof Rows.decisionRow> & { readonly number?: number }>) =>
  new Map(
    rows.map(({ number: _number, ...row }) => {
      const shown: Shown = { ...row, fact: Number(row.fact) }
      return [`${row.hold_id} by fact ${row.fact}`, shown]
    })
  )

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

const add = (a: Compared, b: Compared): Compared => ({
  ipcs: a.ipcs + b.ipcs,
  facts: a.facts + b.facts,
  entries: a.entries + b.entries,
  holds: a.holds + b.holds,
  differences: [...a.differences, ...b.differences].slice(0, mostDifferences)
})
