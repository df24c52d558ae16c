/**
 * The books of an IPC from its facts alone, each folded under the terms of its time. Pure.
 */
import type { Agreed } from "./Agreed.ts"
import type { Fact, Terms } from "./Fact.ts"
import { fold, type Turn } from "./Fold.ts"
import { type Books, empty } from "./Fold/Known.ts"

export interface Step {
  readonly fact: Fact
  readonly turn: Turn
}

/** One fact at a time. */
export function* steps(ipcId: string, facts: ReadonlyArray<Fact>, terms: ReadonlyArray<Agreed>): Generator<Step> {
  let books = empty(ipcId)
  for (const fact of facts) {
    const turn = fold(books, fact, termsOf(terms, fact))
    ;({ books } = turn)
    yield { fact, turn }
  }
}

export const folded = (ipcId: string, facts: ReadonlyArray<Fact>, terms: ReadonlyArray<Agreed>): Books => {
  let books = empty(ipcId)
  for (const { turn } of steps(ipcId, facts, terms)) ({ books } = turn)
  return books
}

const termsOf = (agreed: ReadonlyArray<Agreed>, { number }: Fact): Terms => {
  const found = agreed.findLast(({ fromFact }) => fromFact <= number)
  if (found === undefined) throw new Error(`fact ${number} has no terms`)
  return found.terms
}

/** Before version 2 of the rules, decisions didn't say what they were about, and holds didn't say which part. */
export const isOfFirstRules = (facts: ReadonlyArray<Fact>, { holds }: Books): boolean =>
  facts.some((fact) => fact.kind === "decision" && fact.about === undefined) ||
  [...holds.values()].some(({ part }) => part === "")

/** These books, with the fields that were added later. */
export const recovered = (books: Books, facts: ReadonlyArray<Fact>, terms: ReadonlyArray<Agreed>): Books => {
  const { decisions, holds } = folded(books.ipcId, facts, terms)
  return {
    ...books,
    decisions,
    holds: new Map([...books.holds].map(([id, hold]) => [id, { ...hold, part: holds.get(id)?.part ?? hold.part }]))
  }
}
