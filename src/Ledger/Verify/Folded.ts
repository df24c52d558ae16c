/**
 * Compares the books of one IPC with what its facts lead to: entries in order, open holds, and how each closed hold was
 * closed. Pure.
 */
import type { Selectable } from "kysely"
import * as Amount from "../../Domain/Amount.ts"
import type { StoreTables } from "../../Stores/StoreTables.ts"
import type { Agreed } from "../Agreed.ts"
import type { Entry, Hold } from "../Fact.ts"
import { type Books, empty } from "../Fold/Known.ts"
import { steps } from "../Refold.ts"
import * as Rows from "../Rows.ts"
import type { WholeBooks } from "../WholeBooks.ts"

type EntryRow = Selectable<StoreTables["ledger_entries"]>

export interface Folded {
  /** From the facts alone. */
  readonly books: Books
  /** In words. */
  readonly differences: ReadonlyArray<string>
}

export const folded = (kept: WholeBooks, terms: ReadonlyArray<Agreed>): Folded => {
  const { entries, facts, ipcId } = kept
  const posted: Array<Posted> = []
  const closed: Array<ReturnType<typeof Rows.decisionRow>> = []
  let books = empty(ipcId)
  for (const { fact, turn } of steps(ipcId, facts, terms)) {
    ;({ books } = turn)
    for (const entry of turn.entries) posted.push({ entry, fact: fact.number })
    for (const hold of turn.closed) closed.push(Rows.decisionRow(hold, fact))
  }
  const isSame = entries.length === posted.length && entries.every((row, n) => isAsPosted(row, posted[n]!))
  return {
    books,
    differences: [
      ...(isSame ? [] : entriesThatDiffer(ipcId, entries, posted)),
      ...(kept.holds.length === 0 && books.holds.size === 0
        ? []
        : differ(
            ipcId,
            "hold",
            holdsOf(kept.holds.map(Rows.toHold), books),
            holdsOf([...books.holds.values()], books)
          )),
      ...(kept.decisions.length === 0 && closed.length === 0
        ? []
        : differ(ipcId, "decision on hold", decisionsOf(kept.decisions), decisionsOf(closed)))
    ]
  }
}

interface Posted {
  readonly entry: Entry
  /** The number of the fact that caused it. */
  readonly fact: number
}

/** Compared to the byte, because decoding each row took longer than everything else. */
const isAsPosted = (row: EntryRow, { entry, fact }: Posted): boolean => Rows.isEntryRow(row, entry, { number: fact })

const entriesThatDiffer = (ipcId: string, rows: ReadonlyArray<EntryRow>, posted: ReadonlyArray<Posted>) => {
  const kept = rows.map((row): Posted => ({ entry: Rows.toEntry(row), fact: row.fact }))
  const found = differ(ipcId, "entry", entriesOf(kept), entriesOf(posted))
  const inOrder = JSON.stringify(kept.map(idOf)) === JSON.stringify(posted.map(idOf))
  return inOrder || found.length > 0 ? found : [`IPC ${ipcId}: its entries aren't in the order that its facts lead to.`]
}

const idOf = ({ entry }: Posted): string => entry.entry_id

type Shown = Readonly<Record<string, unknown>>

const entriesOf = (all: ReadonlyArray<Posted>) =>
  new Map(
    all.map(({ entry, fact }) => {
      const lines = entry.lines?.map((line) => `${line.account} ${Amount.sumOfUnits(line.units)}`) ?? null
      const shown: Shown = { ...entry, units: String(entry.units), lines, fact }
      return [entry.entry_id, shown]
    })
  )

/** Holds of the first version of the rules have no part of their own. */
const holdsOf = (all: ReadonlyArray<Hold>, { holds }: Books) =>
  new Map(
    all.map((hold) => {
      const part = hold.part === "" ? (holds.get(hold.hold_id)?.part ?? "") : hold.part
      const shown: Shown = { ...hold, part, units: hold.units?.toString() ?? null }
      return [hold.hold_id, shown]
    })
  )

/** A fact closes a hold once, but the hold may be opened again. The numbers may have gaps. */
const decisionsOf = (rows: ReadonlyArray<ReturnType<typeof Rows.decisionRow> & { readonly number?: number }>) =>
  new Map(
    rows.map(({ number: _number, ...row }) => {
      const shown: Shown = { ...row, fact: row.fact }
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
