/**
 * Facts are the ledger's input, in stored order: signed events, opening certificates, decisions of people. Never the
 * merged row of an IPC.
 *
 * Amounts are whole ten-thousandths (`units`), so sums are exact. A fact's `number` is its place in the stored order of
 * the whole ledger. Entries and holds, the ledger's output, have the shape of their rows.
 */
import type { Instant } from "../Domain/Instant.ts"
import type { StoreTables } from "../Stores/StoreTables.ts"

export type { Terms } from "../../config/Ledger.ts"

interface Common {
  readonly number: number
  readonly ipcId: string
  /** When it was stored; the `known_at` of the entries that it causes. */
  readonly knownAt: Instant
  /** Undefined for a person's facts. */
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

/** Which project the IPC belongs to. */
export interface ProjectFact extends Common {
  readonly kind: "project"
  readonly projectId: string
}

/** A certificate from before the events began, signed off by a person; a later one replaces an earlier one. */
export interface OpeningFact extends Common {
  readonly kind: "opening"
  readonly units: bigint
  readonly certificate: string
  readonly by: string
}

export interface DecisionFact extends Common {
  readonly kind: "decision"
  readonly holdId: string
  /** Its meaning depends on the hold: see Questions. */
  readonly verdict: "accept" | "reject"
  /** The accepted amount. */
  readonly units: bigint | null
  /** The accepted currency, if the hold asks for one. */
  readonly currency?: string
  readonly by: string
  readonly reason: string
}

export type Fact = CertificateFact | PaymentFact | ProjectFact | OpeningFact | DecisionFact

export type HoldReason = StoreTables["ledger_holds"]["reason"]

/** The facts behind an entry or a hold, as JSON for an auditor. */
export type Basis = ReadonlyArray<Readonly<Record<string, string | number | null>>>

/** Its row, with amount and basis as values. `sequence` and `fact` are assigned when it is written. */
export interface Entry extends Readonly<Omit<StoreTables["ledger_entries"], "amount" | "basis" | "fact" | "sequence">> {
  /** Signed. */
  readonly units: bigint
  readonly basis: Basis
}

/** Its row, likewise. `units` follows what is learned while the hold is open; null if it isn't about one amount. */
export interface Hold extends Readonly<Omit<StoreTables["ledger_holds"], "amount" | "basis">> {
  readonly units: bigint | null
  readonly basis: Basis
}
