/**
 * What a hold asks, in words for a bookkeeper: what happened, and what accepting and rejecting mean.
 */
import type { HoldReason } from "../Fact.ts"

export const questions: Readonly<Record<HoldReason, string>> = {
  "awaiting-certified-amount":
    "The IPC was paid, but none of its certificates is known (`siteledger explain IPC` shows one that came but can't be " +
    "read). Accept with the amount due for this payment (--amount; not the total, where certificates are cumulative), or wait " +
    "for the certificate. If it makes another amount due, the difference is posted. A payment that was made can't be rejected.",
  "amount-not-positive":
    "The IPC was paid, but by its certificate nothing is due: it says zero or less, or no more than was certified before. " +
    "Accept with the amount due for this payment (--amount), or reject to disregard this certificate.",
  "amount-too-precise":
    "The amount has more decimals than its currency. Accept with the right one (--amount), or reject to disregard the " +
    "certificate that says it. An amount that a person gave can't be rejected.",
  "ambiguous-order":
    "The IPC was paid, but its certificates of the same instant have different amounts. Accept with the amount due for this " +
    "payment (--amount; not the total, where certificates are cumulative), or reject to disregard all of them.",
  "previous-amount-unknown":
    "It isn't clear what is due for this payment: the IPC's project isn't known, or its certificates are cumulative, and this " +
    "is the first one here, or those of the IPC before it disagree. Accept with the amount due (--amount), or state once for the " +
    "project what was certified before (certifiedBefore in the ledger's file). A payment that was made can't be rejected.",
  "recertified-after-payment":
    "A certificate dated after the payment has a different amount from the one posted. Accept with the money " +
    "that moved in addition, not the new total (--amount, below zero if money came back), or reject if none did.",
  "second-payment-reference":
    "The IPC was paid before, under another reference. Accept with the amount of this second payment (--amount), or " +
    "reject if there was none.",
  "paid-amount-unclear":
    "What was paid isn't clear: reports of the payment say different amounts, or one says zero or less, or more decimals " +
    "than its currency has. Accept with the amount paid (--amount), 0 if nothing was. A payment that was made can't be rejected.",
  "over-payment":
    "With this payment, more is paid than was certified. Accept to post it as it is, or to leave it posted. Reject if it " +
    "isn't a payment of this IPC: its entries are then taken back.",
  "period-closed":
    "The entry falls in a closed period. Accept to post it on the first open day, or reject to post nothing.",
  "currency-unknown":
    "Projects have different currencies, and no event has named the project of this IPC. Accept with the currency " +
    "(--currency), or wait for such an event. A payment that was made can't be rejected.",
  "period-reopened":
    "The entry waited for a closed period, which is open now. Accept to post it at its own date, or reject to post " +
    "nothing.",
  "changed-after-refusal":
    "You refused to post an amount, or took it back, and since then it has turned out to be different. Accept to post this " +
    "difference, or reject to post nothing, also if you have already posted the right amount by hand.",
  "project-changed":
    "The payment is posted under one project, and a newer event names another. Accept to take back what was posted and " +
    "post it under the new project, in its currency, or reject to leave it.",
  "second-person":
    "An entry that a person added or took back is above the limit. Accept as a second, different person to post it, or " +
    "reject to post nothing.",
  "differs-from-accounting":
    "The books were restored, and the accounting system has another amount for this payment. Accept to post the " +
    "difference, or reject to keep the accounting system's amount. It closes by itself if the missing events arrive."
}
