/**
 * The links of the chain, IPC by IPC: each fact's link must follow from the previous link, the fact and what it
 * brought. If this is true for all IPCs, the chain holds. Pure.
 */
import * as Chain from "../Chain.ts"
import type { WholeBooks } from "../WholeBooks.ts"
import { broken, unlinked } from "./Chained.ts"

export interface Links {
  /**
   * A fact lacks its own link or the previous one. Then only following all facts in order shows whether the chain
   * holds.
   */
  readonly areMissing: boolean
  /** In words. */
  readonly differences: ReadonlyArray<string>
}

const whole: Links = { areMissing: false, differences: [] }

export const linked = ({ decisions, entries, stored }: WholeBooks): Links => {
  const differences: Array<string> = []
  const entriesOf = byFact(entries)
  const decisionsOf = byFact(decisions)
  for (const fact of stored) {
    const { chain, number } = fact
    const before = number === 1 ? Chain.start : fact.before
    if (chain === null || before === null) return { areMissing: true, differences: [] }
    const brought = entriesOf.get(number) ?? []
    const expected = Chain.next(before, { fact, entries: brought, decisions: decisionsOf.get(number) ?? [] })
    if (chain !== expected) differences.push(broken(number))
    for (const entry of brought) if (entry.chain !== chain) differences.push(unlinked(entry))
  }
  return differences.length === 0 ? whole : { areMissing: false, differences }
}

const byFact = <A extends { readonly fact: number }>(rows: ReadonlyArray<A>): ReadonlyMap<number, ReadonlyArray<A>> =>
  Map.groupBy(rows, ({ fact }) => fact)
