/**
 * Why a posting waits, as a keyword, and what a person's answer does.
 */
export type HoldReason =
  /** Accept with the certified amount. */
  | "awaiting-certified-amount"
  /** Certificates of one instant with different amounts. Accept with the right one; reject to ignore them. */
  | "ambiguous-order"
  /** The certificate's amount is zero or negative. Accept with the amount due; reject to ignore it. */
  | "amount-not-positive"
  /**
   * The project isn't known, or what was certified before in it, and the amount due depends on that. Accept with the
   * amount due.
   */
  | "previous-amount-unknown"
  /** The amount has more decimals than its currency. Accept with the right one; reject to ignore the certificate. */
  | "amount-too-precise"
  /**
   * A certificate with another amount came after the payment. Accept with the cash that it moved; reject if it moved
   * none.
   */
  | "recertified-after-payment"
  /** The event's amount can't be what was paid, or its reports disagree. Accept with what was paid. */
  | "paid-amount-unclear"
  /** With this payment, more is paid than certified. Accept to post it; reject if it isn't a payment of this IPC. */
  | "over-payment"
  /** Accept with the amount of the second payment; reject if it isn't one. */
  | "second-payment-reference"
  /** Accept to post into the open period; reject to post nothing. */
  | "period-closed"
  /** Currencies differ by project and the IPC's project is unknown. Learning the project resolves it; or accept with the currency. */
  | "currency-unknown"
  /** The period is open again. Accept to post at its own date; reject to post nothing. */
  | "period-reopened"
  /** Someone refused or reversed what this changes. Accept to post the difference; reject to post nothing. */
  | "changed-after-refusal"
  /** Posted under one project, but a newer event names another. Accept to move it; reject to leave it. */
  | "project-changed"
  /** What a person added is above the limit. A second person accepts or rejects it. */
  | "second-person"
  /** After a restore, the accounting system has another amount. Accept to post the difference; reject to keep its amount. */
  | "differs-from-accounting"
