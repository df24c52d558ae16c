/**
 * Facts are the ledger's input, in stored order: signed events, answers of look-ups, opening certificates, acts of
 * people. They never come from the merged row of an IPC.
 *
 * Amounts are whole ten-thousandths (`units`), so sums are exact. A fact's `number` is its place in the stored order of
 * the whole ledger. Entries and holds, the ledger's output, have the shape of their rows.
 */
import type { CertificatePlaces } from "../Domain/Certificate.ts"
import type { Instant } from "../Domain/Instant.ts"
import type { Version } from "../Domain/Version.ts"
import type { StoreTables } from "../Stores/StoreTables.ts"

export type { Terms } from "../../config/Ledger.ts"
export type { CertifiedAs } from "../Stores/Tables/Ledger.ts"

interface Common {
  readonly number: number
  readonly ipcId: string
  /** When it was stored; the `known_at` of the entries that it causes. */
  readonly knownAt: Instant
  /** Undefined for facts from people. */
  readonly eventId?: string
  /** Set where certificates are cumulative and different IPCs precede this one than before. */
  readonly preceding?: Preceding
}

/** The IPC that was certified before this one in its project. */
export interface Preceding {
  /** Null if this IPC is the first. */
  readonly ipcId: string | null
  /** Those of its certificates that count. */
  readonly certificates: ReadonlyArray<Pick<CertificateFact, "at" | "units">>
}

interface Signed extends Common {
  /** Only a note: anyone with the principal's token may write any name. */
  readonly by: string
  /** As whom the worker knew them; absent in facts from before it was stored. */
  readonly principal?: string
}

interface ByPerson extends Signed {
  readonly reason: string
}

export interface CertificateFact extends Common {
  readonly kind: "certificate"
  readonly at: Instant
  readonly units: bigint
  readonly url: string | null
}

/** A certificate that a look-up found for a waiting payment: it comes from the service's own record of the IPC. */
export interface LookedUpFact extends Common {
  readonly kind: "looked-up"
  readonly at: Instant
  readonly units: bigint
  readonly url: string | null
  /** Null if the record wasn't asked for one. */
  readonly currency: string | null
  /** Absent if the record wasn't asked for it or doesn't say. */
  readonly projectId?: string
  /** The version as of the request. */
  readonly version: Version
  /** The path of the request. */
  readonly path: string
  /** Of the answer's body, which is stored (`ledger_evidence`), and where in it the rest was read. */
  readonly sha256: string
  readonly places: CertificatePlaces
}

export type AnyCertificate = CertificateFact | LookedUpFact

export interface PaymentFact extends Common {
  readonly kind: "payment"
  readonly at: Instant
  readonly reference: string
  /** The amount paid; absent if the event doesn't say, or came before version 3 of the rules. */
  readonly units?: bigint
}

/** Which project the IPC belongs to. */
export interface ProjectFact extends Common {
  readonly kind: "project"
  readonly projectId: string
  /** The greatest version is valid. Absent before version 2 of the rules. */
  readonly version?: Version
}

/** A certificate from before the events began, signed off by a person. A later one replaces an earlier one. */
export interface OpeningFact extends Signed {
  readonly kind: "opening"
  readonly units: bigint
  readonly certificate: string
}

export interface DecisionFact extends ByPerson {
  readonly kind: "decision"
  readonly holdId: string
  /** Its meaning depends on the hold: see Questions. */
  readonly verdict: "accept" | "reject"
  /** The accepted amount. */
  readonly units: bigint | null
  /** The accepted currency, if the hold asked for one. */
  readonly currency?: string
  /** Absent when the fact comes in, and in facts from before version 2 of the rules: the fold adds it. */
  readonly about?: About
}

/** What the hold of a decision asked, stored because the hold is gone once it is decided. */
export interface About {
  readonly reason: HoldReason
  readonly reference: string
  /** See Hold. */
  readonly part: string
  readonly units: bigint | null
  /** The certificates that a rejection disregards. */
  readonly certificates: ReadonlyArray<{ readonly at: Instant; readonly units: bigint }>
  /** The project that an acceptance moves the payment to. */
  readonly projectId: string | null
}

/** An entry that a person adds. */
export interface PostingFact extends ByPerson {
  readonly kind: "posting"
  readonly units: bigint
  readonly currency: string | null
  readonly reference: string
  /** Absent for the configured account. */
  readonly debit?: string
  readonly credit?: string
  /** What proves it, as the person named it. */
  readonly evidence: string
  /** Its amount is above the configured limit, so a second person has to confirm it. */
  readonly needsSecond: boolean
}

/** A person reverses an entry. */
export interface ReversalFact extends ByPerson {
  readonly kind: "reversal"
  readonly entryId: string
  /** As in the entry. */
  readonly units: bigint
  readonly currency: string | null
  readonly reference: string
  readonly needsSecond: boolean
}

/** The entries that the accounting system has, from a comparison that a person signed off. */
export interface AccountingFact extends ByPerson {
  readonly kind: "accounting"
  /** Its entries that these books lack, because an older backup was restored. */
  readonly has: ReadonlyArray<AccountingEntry>
  /** Entries of these books that it doesn't have and won't get. */
  readonly cancels: ReadonlyArray<string>
}

export interface AccountingEntry {
  readonly entryId: string
  readonly units: bigint
  readonly currency: string | null
  readonly reference: string
  readonly effectiveAt: Instant | null
  /** Absent for a payment or its correction. Accruals and their reversals have lines. */
  readonly kind?: "accrual"
  /** As `Lines.summed` gives them; absent if the accounting system doesn't say. */
  readonly lines?: ReadonlyArray<Line>
}

/** A person releases an entry that was queued as a draft and never sent, so that it goes out as posted. */
export interface ReleaseFact extends ByPerson {
  readonly kind: "release"
  readonly entryId: string
}

/** Another IPC precedes this one, or it has other certificates: follows from what was learned about that one. */
export interface PrecedingFact extends Common {
  readonly kind: "preceding"
  /** In the basis of an entry or a hold: the certificate that counts, and its IPC. */
  readonly of?: string
  readonly at?: Instant
  readonly units?: bigint
}

/** In the basis of a payment's first entry, or of an accrual: how certified amounts were interpreted. Not a fact. */
export interface PayableGround {
  readonly kind: "payable"
  readonly ipcId: string
  /** The rules for what was payable of them, as JSON. */
  readonly rules: string
  /** What was certified before the first IPC of the project, as a canonical amount; null if not given. */
  readonly before: string | null
  /** What was withheld from payments, as JSON; absent if nothing was. */
  readonly withheld?: string
  /** For an accrual: only IPCs first certified on or after this day are accrued. */
  readonly from?: string
}

/** Other terms apply from here on. Recorded for each IPC whose holds or entries they change. */
export interface TermsFact extends Common {
  readonly kind: "terms"
}

export type ByHandFact = PostingFact | ReversalFact

export type Fact =
  | AnyCertificate
  | PaymentFact
  | ProjectFact
  | OpeningFact
  | DecisionFact
  | ByHandFact
  | AccountingFact
  | ReleaseFact
  | PrecedingFact
  | TermsFact

export type HoldReason = StoreTables["ledger_holds"]["reason"]

/** The facts behind an entry or a hold, as JSON for an auditor. */
export type Basis = ReadonlyArray<Readonly<Record<string, string | number | null>>>

/** What an entry moves on an account: debited above zero, credited below zero. */
export interface Line {
  readonly account: string
  readonly units: bigint
}

/**
 * An entry's row, with amount, lines and basis as values. Writing assigns `sequence`, `epoch`, `fact`, `queued`,
 * `chain`.
 */
export interface Entry extends Readonly<
  Omit<StoreTables["ledger_entries"], "amount" | "basis" | "chain" | "epoch" | "fact" | "lines" | "queued" | "sequence">
> {
  /** Signed. */
  readonly units: bigint
  /** Null if its amount is simply debited and credited to its two accounts. See `Lines`. */
  readonly lines: ReadonlyArray<Line> | null
  readonly basis: Basis
}

/** A hold's row, likewise. `units` follows what is learned; null if the hold isn't about one amount. */
export interface Hold extends Readonly<Omit<StoreTables["ledger_holds"], "amount" | "basis" | "part">> {
  readonly units: bigint | null
  readonly basis: Basis
  /** The part of the books that the hold is about. */
  readonly part: string
}
