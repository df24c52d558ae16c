/**
 * A decision together with what its hold asked. This is stored with the decision, because the hold is gone once it is
 * decided. Pure.
 */
import { aboutOf } from "./Ask.ts"
import type { Fact } from "../Fact.ts"
import type { Books } from "./Known.ts"

export const completed = ({ holds }: Pick<Books, "holds">, fact: Fact): Fact => {
  if (fact.kind !== "decision" || fact.about !== undefined) return fact
  const hold = holds.get(fact.holdId)
  return hold === undefined ? fact : { ...fact, about: aboutOf(hold) }
}
