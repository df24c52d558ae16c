/**
 * Facts are what the ledger rests on, in the order in which they were stored: signed events, opening certificates,
 * decisions of people. Never the merged row of an IPC.
 *
 * Amounts are whole ten-thousandths (`units`), so that adding them up is exact; a fact's `number` is its place in the
 * stored order of the whole ledger.
 */
import type { Instant } from "../Domain/Instant.ts"

export type { Terms } from "../../config/Ledger.ts"

interface Common {
  readonly number: number
  readonly ipcId: string
  /** When it was stored: an entry that it causes is known from then on. */
  readonly knownAt: Instant
  /** Of the event; undefined for what people say. */
  readonly eventId?: string
}

export interface CertificateFact extends Common {
  readonly kind: "certificate"
  readonly at: Instant
  readonly units: bigint
  readonly url: string | null
}

export interface PaymentFact extends Common {
  readonly kind: "payment"
  readonly at: Instant
  readonly reference: string
}

/** An event that says to which project the IPC belongs. */
export interface ProjectFact extends Common {
  readonly kind: "project"
  readonly projectId: string
}

/** A certificate from before the events began, signed off by a person; a later one takes the place of an earlier. */
export interface OpeningFact extends Common {
  readonly kind: "opening"
  readonly units: bigint
  readonly certificate: string
  readonly by: string
}

export interface DecisionFact extends Common {
  readonly kind: "decision"
  readonly holdId: string
  /** What accepting means is the hold's: see HoldReason. */
  readonly verdict: "accept" | "reject"
  /** Of the acceptance. */
  readonly units: bigint | null
  /** Of the acceptance, where the hold asks for it. */
  readonly currency?: string
  readonly by: string
  readonly reason: string
}

export type Fact = CertificateFact | PaymentFact | ProjectFact | OpeningFact | DecisionFact

export type HoldReason =
  /** Accept with the certified amount. */
  | "awaiting-certified-amount"
  /** Certificates of one instant with different amounts. Accept with the right one; reject to disregard them. */
  | "ambiguous-order"
  /** The certificate's amount is zero or negative. Accept with what was paid; reject to disregard it. */
  | "amount-not-positive"
  /** A certificate of another amount after the payment. Accept with the cash that it moved; reject: none. */
  | "recertified-after-payment"
  /** Accept with the amount of the second payment; reject: it is none. */
  | "second-payment-reference"
  /** Accept to post into the open period; reject to post nothing. */
  | "period-closed"
  /** Currencies differ by project, and the IPC's is unknown. The project answers it; or accept with the currency. */
  | "currency-unknown"

export interface Hold {
  readonly holdId: string
  readonly ipcId: string
  readonly paymentReference: string
  readonly reason: HoldReason
  /** Its last fact was stored then. */
  readonly since: Instant
  readonly basis: Basis
  /**
   * What it is about, where that is one amount: what the certificate in question says, or what would be posted. It
   * follows what is learned while the hold is open.
   */
  readonly units: bigint | null
  /** Of the amount, where it is known. */
  readonly currency: string | null
}

/** The facts that something rests on, as JSON: what an auditor reads. */
export type Basis = ReadonlyArray<Readonly<Record<string, string | number | null>>>

export interface Entry {
  readonly entryId: string
  readonly ipcId: string
  readonly projectId: string | null
  readonly kind: "payment" | "adjustment" | "reversal"
  /** Signed. */
  readonly units: bigint
  readonly currency: string | null
  readonly paymentReference: string
  readonly certificateUrl: string | null
  readonly debitAccount: string
  readonly creditAccount: string
  readonly effectiveAt: Instant
  readonly knownAt: Instant
  readonly eventId: string | null
  /** The entry that a reversal takes back. */
  readonly reverses: string | null
  /** What it is a part of: the settlement of the payment, or the decision of a hold by its id. */
  readonly part: string
  readonly basis: Basis
}
