/**
 * What a decision would do, folded over the current books; nothing is written. The actual decision may do something
 * else if an event arrives before it.
 */
import type { Transaction } from "kysely"
import * as Amount from "../../Domain/Amount.ts"
import type { StoreTables } from "../../Stores/StoreTables.ts"
import { type Balance, balanceOf } from "../Balance.ts"
import * as Books from "../Books.ts"
import type { Entry, Hold, Terms } from "../Fact.ts"
import { empty } from "../Fold/Known.ts"
import * as Lines from "../Lines.ts"
import * as StoredBooks from "../StoredBooks.ts"

export interface Foreseen {
  /** Including what each would move on each account, as text. */
  readonly entries: ReadonlyArray<ReturnType<typeof entryOf>>
  readonly opened: ReadonlyArray<ReturnType<typeof holdOf>>
  readonly closed: ReadonlyArray<ReturnType<typeof holdOf>>
  /** What would then wait for a person in this IPC. */
  readonly held: ReadonlyArray<ReturnType<typeof holdOf>>
  /** The IPC's balance now and afterwards. */
  readonly before: Balance
  readonly after: Balance
}

const entryOf = (entry: Entry) => ({
  ipc_id: entry.ipc_id,
  kind: entry.kind,
  amount: Amount.sumOfUnits(entry.units),
  currency: entry.currency,
  payment_reference: entry.payment_reference,
  posting_date: entry.posting_date,
  lines: Lines.inOrder(Lines.of(entry)).map(Lines.sidesOf)
})

const holdOf = ({ currency, hold_id, ipc_id, payment_reference, reason, units }: Hold) => ({
  hold_id,
  ipc_id,
  payment_reference,
  reason,
  amount: units === null ? null : Amount.sumOfUnits(units),
  currency
})

/** Undefined if the decision would say nothing new. */
export const foreseen = async (
  tx: Transaction<StoreTables>,
  fact: Books.NewFact,
  terms: Terms
): Promise<Foreseen | undefined> => {
  const { ipcId } = fact
  const before = (await StoredBooks.read(tx, [ipcId])).get(ipcId) ?? empty(ipcId)
  const { books, turns } = await Books.foreseen(tx, fact, terms)
  if (turns.length === 0) return undefined
  const after = books.get(ipcId) ?? before
  return {
    entries: turns.flatMap(({ entries }) => entries.map(entryOf)),
    opened: turns.flatMap(({ opened }) => opened.map(holdOf)),
    closed: turns.flatMap(({ closed }) => closed.map(holdOf)),
    held: [...after.holds.values()].map(holdOf),
    before: balanceOf(before, terms),
    after: balanceOf(after, terms)
  }
}
