/**
 * Above a configured amount, what a person adds or reverses counts only after a second, different person has confirmed
 * it. Pure.
 */
import { ask, type Question } from "./Ask.ts"
import type { ByHandFact, Entry, ReversalFact } from "../Fact.ts"
import type { Books } from "./Known.ts"
import { byHand } from "./Parts.ts"

type Acts = Pick<Books, "byHand" | "decisions">

export const confirmation = (fact: ByHandFact): Question =>
  ask("second-person", fact, [String(fact.number)], [], { part: byHand(fact.number), units: fact.units })

const answerTo = ({ decisions }: Acts, fact: ByHandFact) => decisions.get(confirmation(fact).holdId)?.verdict

export const isInForce = (acts: Acts, fact: ByHandFact): boolean =>
  !fact.needsSecond || answerTo(acts, fact) === "accept"

/** What waits for a second person, unless nothing is left to reverse. */
export const unconfirmed = (books: Acts & Pick<Books, "entries">): ReadonlyArray<Question> =>
  books.byHand
    .filter((fact) => fact.needsSecond && answerTo(books, fact) === undefined)
    .filter((fact) => fact.kind !== "reversal" || !isGone(books, fact.entryId))
    .map((fact) => confirmation(fact))

/** Its part is back at zero: it was corrected, or the payment was moved. */
export const isGone = ({ entries }: Pick<Books, "entries">, entryId: string): boolean => {
  const entry = entries.find(({ entry_id }) => entry_id === entryId)
  if (entry === undefined) return true
  const net = entries.filter(({ part }) => part === entry.part).reduce((sum, { units }) => sum + units, 0n)
  return entry.kind !== "reversal" && net === 0n
}

const reversals = ({ byHand }: Acts): ReadonlyArray<ReversalFact> =>
  byHand.filter((fact): fact is ReversalFact => fact.kind === "reversal")

/** The entries that people have reversed. */
export const takenBack = (books: Acts & Pick<Books, "entries">): ReadonlyArray<Entry> =>
  reversals(books)
    .filter((fact) => isInForce(books, fact))
    .flatMap(({ entryId }) => books.entries.find(({ entry_id }) => entry_id === entryId) ?? [])

/** Also true if the reversal still has to be confirmed. */
export const isBeingTakenBack = (acts: Acts, entryId: string): boolean =>
  reversals(acts).some((fact) => fact.entryId === entryId && answerTo(acts, fact) !== "reject")
