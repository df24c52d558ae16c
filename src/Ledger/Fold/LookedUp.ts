/**
 * Whether a certificate that a look-up found settles the payment that waits for one, and if not, why. Pure.
 *
 * It counts only if all of this holds: the payment still waits, the certificate isn't dated after the payment, its
 * currency is the payment's as far as both are known, and its amount is valid in that currency. Everything else is left
 * to a person.
 */
import * as Amount from "../../Domain/Amount.ts"
import { currencyOf } from "./Account.ts"
import type { LookedUpFact, PaymentFact, Terms } from "../Fact.ts"
import { type Books, learn } from "./Known.ts"
import { fits, isInCurrency, minorUnit } from "./Precision.ts"

/** The payment that waits for a certificate. */
export const waiting = ({ holds, payments }: Books): PaymentFact | undefined => {
  const hold = [...holds.values()].find(({ reason }) => reason === "awaiting-certified-amount")
  return hold && payments.find(({ reference }) => reference === hold.payment_reference)
}

/** In words that continue a sentence after "It found". Undefined if it settles the payment. */
export const objectionTo = (books: Books, fact: LookedUpFact, terms: Terms): string | undefined => {
  const payment = waiting(books)
  if (payment === undefined) return "a certificate, and no payment waits for one any more"
  const { at, units } = fact
  const known = learn(books, [fact])
  const currency = currencyOf(known, payment, terms)
  const amount = [Amount.sumOfUnits(units), fact.currency].filter((part) => part !== null).join(" ")
  if (at > payment.at) return `a certificate of ${at}, which is after the payment (${payment.at})`
  if (units <= 0n) return `a certificate for ${amount}, which isn't above zero`
  if (!isInCurrency(fact, currency))
    return `a certificate for ${amount}, and payments of its project are in ${currency}`
  if (!fits(units, minorUnit(currency ?? fact.currency, terms))) {
    return `a certificate for ${amount}, which has more decimals than ${currency ?? fact.currency} has`
  }
  if (books.certificates.some((each) => each.at === at && each.units === units)) {
    return `a certificate for ${amount} that is known, and doesn't count`
  }
  return undefined
}
