/**
 * The answers that people can give to each kind of hold, and the words of its form. Pure. The worker decides which
 * answers it accepts; this only keeps the form from offering an answer that the worker would refuse.
 */
import type { HoldReason } from "../src/Stores/Tables/HoldReason.ts"

interface Answerable {
  /** What happened, in a few words. */
  readonly title: string
  /** The amount that an acceptance needs; absent: none. */
  readonly amount?: "positive" | "any"
  readonly takesCurrency?: true
  /** The effect of accepting. `$` stands for the given amount, or the currency. */
  readonly accepted: string
  /** The effect of rejecting; absent: a payment that was made can't be rejected. */
  readonly rejected?: string
}

const due = "$ is posted as what is due for this payment."
const nothing = "Nothing is posted."

const answerable: Readonly<Record<HoldReason, Answerable>> = {
  "awaiting-certified-amount": { title: "Paid, but no certificate is known", amount: "positive", accepted: due },
  "amount-not-positive": {
    title: "Paid, but nothing is due by its certificate",
    amount: "any",
    accepted: due,
    rejected: "This certificate is disregarded."
  },
  "amount-too-precise": {
    title: "More decimals than its currency has",
    amount: "any",
    accepted: "$ takes the place of the amount with too many decimals.",
    rejected: "The certificate that says the amount is disregarded."
  },
  "ambiguous-order": {
    title: "Certificates of the same instant disagree",
    amount: "positive",
    accepted: due,
    rejected: "All certificates of that instant are disregarded."
  },
  "previous-amount-unknown": {
    title: "What was certified before isn't known",
    amount: "positive",
    accepted: due
  },
  "recertified-after-payment": {
    title: "Certified again after the payment",
    amount: "any",
    accepted: "$ is posted in addition to what was posted before.",
    rejected: "No money moved: nothing more is posted."
  },
  "second-payment-reference": {
    title: "Paid again under another reference",
    amount: "positive",
    accepted: "$ is posted as a second payment.",
    rejected: "There was no second payment: nothing is posted."
  },
  "paid-amount-unclear": {
    title: "What was paid isn't clear",
    amount: "any",
    accepted: "$ is recorded as what was paid."
  },
  "over-payment": {
    title: "More is paid than was certified",
    accepted: "The payment is posted as it is, or stays posted.",
    rejected: "It isn't a payment of this IPC: its entries are taken back."
  },
  "period-closed": {
    title: "Falls in a closed period",
    accepted: "It is posted on the first open day.",
    rejected: nothing
  },
  "currency-unknown": {
    title: "The currency isn't known",
    takesCurrency: true,
    accepted: "The payment is posted in $."
  },
  "period-reopened": {
    title: "Its period is open again",
    accepted: "It is posted at its own date.",
    rejected: nothing
  },
  "changed-after-refusal": {
    title: "Changed since a person refused it",
    accepted: "The difference is posted.",
    rejected: nothing
  },
  "project-changed": {
    title: "Its IPC has moved to another project",
    accepted: "What was posted is taken back, and posted under the new project in its currency.",
    rejected: "What was posted stays under its project."
  },
  "second-person": {
    title: "Needs a second person",
    accepted: "It is posted, with you as the second person.",
    rejected: nothing
  },
  "differs-from-accounting": {
    title: "Accounting has another amount",
    accepted: "The difference is posted.",
    rejected: "The accounting system's amount is kept."
  }
}

/** Undefined for a reason that only a newer worker knows. */
export const answerableOf = (reason: string): Answerable | undefined =>
  Object.hasOwn(answerable, reason) ? answerable[reason as HoldReason] : undefined

export const titleOf = (reason: string): string => answerableOf(reason)?.title ?? reason

export const reasons = Object.keys(answerable) as ReadonlyArray<HoldReason>

/** The question without the command-line options. */
export const onPage = (question: string): string =>
  question
    .replace("`siteledger explain IPC` shows", "the IPC's own page shows")
    .replace(/\(--\w+[;,] /g, "(")
    .replace(/ \(--\w+\)/g, "")
    .replace(/--(\w+), /g, "")

/** Why a typed amount can't be read, in a sentence; undefined: it can be. */
export const problemOf = (amount: string, kind: "positive" | "any"): string | undefined => {
  if (!/^-?\d{1,24}(\.\d{1,4})?$/.test(amount)) {
    return "Write the amount like 1234.50: with a decimal point, at most four decimals, and no commas."
  }
  return kind === "positive" && !/^[^-]*[1-9]/.test(amount) ? "The amount must be more than zero." : undefined
}
