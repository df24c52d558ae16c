/**
 * Above a configured amount, what a person adds or takes back counts only when a second, different person has confirmed it.
 * Pure.
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

export const unconfirmed = (acts: Acts): ReadonlyArray<Question> =>
  acts.byHand.filter((fact) => fact.needsSecond && answerTo(acts, fact) === undefined).map((fact) => confirmation(fact))

const reversals = ({ byHand }: Acts): ReadonlyArray<ReversalFact> =>
  byHand.filter((fact): fact is ReversalFact => fact.kind === "reversal")

/** The entries that people have taken back. */
export const takenBack = (books: Acts & Pick<Books, "entries">): ReadonlyArray<Entry> =>
  reversals(books)
    .filter((fact) => isInForce(books, fact))
    .flatMap(({ entryId }) => books.entries.find(({ entry_id }) => entry_id === entryId) ?? [])

/** Also if it still has to be confirmed. */
export const isBeingTakenBack = (acts: Acts, entryId: string): boolean =>
  reversals(acts).some((fact) => fact.entryId === entryId && answerTo(acts, fact) !== "reject")
