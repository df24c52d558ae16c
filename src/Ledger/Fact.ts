/**
 * Facts are what the ledger rests on, in the order in which they were stored: signed events, opening certificates,
 * decisions of people. Never the merged row of an IPC.
 *
 * Amounts are whole ten-thousandths (`units`), so that adding them up is exact; a fact's `number` is its place in the
 * stored order of the whole ledger. Entries and holds, which facts lead to, are the rows that they are written as.
 */
import type { Instant } from "../Domain/Instant.ts"
import type { StoreTables } from "../Stores/StoreTables.ts"

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

export type HoldReason = StoreTables["ledger_holds"]["reason"]

/** The facts that something rests on, as JSON: what an auditor reads. */
export type Basis = ReadonlyArray<Readonly<Record<string, string | number | null>>>

/** Its row, with the amount and the basis as values; what a row has besides is known when it is written. */
export interface Entry extends Readonly<Omit<StoreTables["ledger_entries"], "amount" | "basis" | "fact" | "sequence">> {
  /** Signed. */
  readonly units: bigint
  readonly basis: Basis
}

/**
 * Its row, likewise. What it is about follows what is learned while it is open; where it isn't one amount, `units` is
 * null.
 */
export interface Hold extends Readonly<Omit<StoreTables["ledger_holds"], "amount" | "basis">> {
  readonly units: bigint | null
  readonly basis: Basis
}
