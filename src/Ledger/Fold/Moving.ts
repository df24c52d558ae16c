/**
 * What a change of the project leaves behind. Pure.
 */
import type { Move } from "./Account.ts"
import type { Entry, PaymentFact } from "../Fact.ts"
import type { Books } from "./Known.ts"
import { baseOf, isOfPayment, markOf } from "./Parts.ts"
import type { Target } from "./Posted.ts"

/** Whether nothing is left where the payment was before. */
export const isMoved = ({ entries }: Books, { reference }: PaymentFact, { mark }: Move): boolean => {
  const others = entries.filter(
    ({ part, payment_reference }) => payment_reference === reference && isOfPayment(part) && markOf(part) !== mark
  )
  const nets = Map.groupBy(others, ({ part }) => part).values()
  return [...nets].every((each) => each.reduce((sum, { units }) => sum + units, 0n) === 0n)
}

/** It is reversed, as was agreed with the move. */
export function* left({ entries }: Books, payment: PaymentFact, { decision, mark }: Move): Generator<Target> {
  const firsts = new Map<string, Entry>()
  for (const entry of entries) {
    const { part, payment_reference } = entry
    if (payment_reference !== payment.reference || !isOfPayment(part) || markOf(part) === mark) continue
    if (!firsts.has(part)) firsts.set(part, entry)
  }
  for (const [part, { certificate_url, effective_at }] of firsts) {
    yield {
      base: baseOf(part),
      move: { mark: markOf(part), projectId: null, decision: undefined },
      units: 0n,
      counts: "nothing",
      first: "adjustment",
      payment,
      effective_at,
      certificate_url,
      basis: decision === undefined ? [payment] : [payment, decision],
      consent: decision
    }
  }
}
