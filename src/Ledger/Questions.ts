/**
 * What a hold asks, in words for whoever keeps the books: what happened, and what accepting and rejecting mean.
 */
import type { HoldReason } from "./Fact.ts"

export const questions: Readonly<Record<HoldReason, string>> = {
  "awaiting-certified-amount":
    "The IPC was paid, and no certificate of it is known (`siteledger explain IPC` shows one that came and can't be " +
    "read). Accept with the certified amount (--amount), or wait for the certificate. It can't be rejected, as the " +
    "payment was made.",
  "amount-not-positive":
    "The IPC was paid, and its certificate says zero or less. Accept with what was paid (--amount), or reject to " +
    "disregard this certificate.",
  "ambiguous-order":
    "The IPC was paid, and certificates of one instant say different amounts. Accept with the right one (--amount), or " +
    "reject to disregard all of them.",
  "recertified-after-payment":
    "A certificate dated after the payment says another amount than was posted. Accept with the cash that it moved " +
    "(--amount, below zero where money came back), or reject where it moved none.",
  "second-payment-reference":
    "The IPC was paid before, under another reference. Accept with the amount of this second payment (--amount), or " +
    "reject where there was none.",
  "period-closed":
    "The entry falls in a closed period. Accept to post it on the first open day, or reject to post nothing.",
  "currency-unknown":
    "Projects have different currencies, and no event has told the project of this IPC. Accept with the currency " +
    "(--currency), or wait for that event. It can't be rejected, as the payment was made."
}
