/**
 * Facts are the ledger's input, in stored order: signed events, answers of look-ups, opening certificates, acts of people. Never
 * the merged row of an IPC.
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
  /** Undefined for a person's facts. */
  readonly eventId?: string
  /** Where certificates are cumulative, and the IPC has others before it than it had. */
  readonly preceding?: Preceding
}

/** The IPC that was certified before this one in its project. */
export interface Preceding {
  /** Null: this one is the first. */
  readonly ipcId: string | null
  /** Those of its certificates that count. */
  readonly certificates: ReadonlyArray<Pick<CertificateFact, "at" | "units">>
}

interface Signed extends Common {
  /** A note: whoever has the principal's token may write any name. */
  readonly by: string
  /** As whom the worker knew them; absent in facts from before it was kept. */
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

/** A certificate that a look-up found for a payment that waited for one: the service's own record of the IPC says it. */
export interface LookedUpFact extends Common {
  readonly kind: "looked-up"
  readonly at: Instant
  readonly units: bigint
  readonly url: string | null
  /** Null: the record wasn't asked for one. */
  readonly currency: string | null
  /** Absent: the record wasn't asked for it, or doesn't say. */
  readonly projectId?: string
  /** As of the request. */
  readonly version: Version
  /** Of the request. */
  readonly path: string
  /** Of the answer's body, which is kept (`ledger_evidence`), and where in it the rest was read. */
  readonly sha256: string
  readonly places: CertificatePlaces
}

export type AnyCertificate = CertificateFact | LookedUpFact

export interface PaymentFact extends Common {
  readonly kind: "payment"
  readonly at: Instant
  readonly reference: string
  /** What was paid; absent if the event doesn't say, or came before version 3 of the rules. */
  readonly units?: bigint
}

/** Which project the IPC belongs to. */
export interface ProjectFact extends Common {
  readonly kind: "project"
  readonly projectId: string
  /** The greatest is valid. Absent before version 2 of the rules. */
  readonly version?: Version
}

/** A certificate from before the events began, signed off by a person; a later one replaces an earlier one. */
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
  /** The accepted currency, if the hold asks for one. */
  readonly currency?: string
  /** Absent as it comes in, and in facts from before version 2 of the rules: the fold adds it. */
  readonly about?: About
}

/** What the hold of a decision asked. Kept, because the hold is gone once it is decided. */
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
  /** Absent: the configured account. */
  readonly debit?: string
  readonly credit?: string
  /** What proves it, as the person named it. */
  readonly evidence: string
  /** It is above the configured amount, so a second person has to confirm it. */
  readonly needsSecond: boolean
}

/** A person takes back an entry. */
export interface ReversalFact extends ByPerson {
  readonly kind: "reversal"
  readonly entryId: string
  /** As the entry has them. */
  readonly units: bigint
  readonly currency: string | null
  readonly reference: string
  readonly needsSecond: boolean
}

/** What the accounting system has, by a comparison that a person signed off. */
export interface AccountingFact extends ByPerson {
  readonly kind: "accounting"
  /** Its entries that these books lack: an older backup was restored. */
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
  /** Absent: a payment, or what corrects one. Accruals, and what takes one back, have their lines. */
  readonly kind?: "accrual"
  /** As `Lines.summed` puts them; absent: the accounting system doesn't say. */
  readonly lines?: ReadonlyArray<Line>
}

/** A person lets an entry go to the accounting system as posted, which was queued as a draft and never sent. */
export interface ReleaseFact extends ByPerson {
  readonly kind: "release"
  readonly entryId: string
}

/** Another IPC precedes this one, or has other certificates: told by what was learned of that one. */
export interface PrecedingFact extends Common {
  readonly kind: "preceding"
  /** In the basis of an entry or a hold: the certificate that counts, and its IPC. */
  readonly of?: string
  readonly at?: Instant
  readonly units?: bigint
}

/** In the basis of the first entry of a payment, or of an accrual: what certified amounts were taken for. No fact of the books. */
export interface PayableGround {
  readonly kind: "payable"
  readonly ipcId: string
  /** What was payable of them, as JSON. */
  readonly rules: string
  /** What was certified before the first IPC of the project, as a canonical amount; null: not said. */
  readonly before: string | null
  /** What was kept back of payments, as JSON; absent: nothing. */
  readonly withheld?: string
  /** Of an accrual: the first day on which IPCs had to be certified for the first time. */
  readonly from?: string
}

/** Other terms apply from here on; recorded for an IPC whose holds or entries they change. */
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

/** What an entry moves on an account: above zero it is debited, below zero it is credited. */
export interface Line {
  readonly account: string
  readonly units: bigint
}

/**
 * Its row, with amount, lines and basis as values. `sequence`, `epoch`, `fact`, `queued` and `chain` are assigned when it is
 * written.
 */
export interface Entry extends Readonly<
  Omit<StoreTables["ledger_entries"], "amount" | "basis" | "chain" | "epoch" | "fact" | "lines" | "queued" | "sequence">
> {
  /** Signed. */
  readonly units: bigint
  /** Null: its amount, debited and credited to its two accounts. See `Lines`. */
  readonly lines: ReadonlyArray<Line> | null
  readonly basis: Basis
}

/** Its row, likewise. `units` follows what is learned while the hold is open; null if it isn't about one amount. */
export interface Hold extends Readonly<Omit<StoreTables["ledger_holds"], "amount" | "basis" | "part">> {
  readonly units: bigint | null
  readonly basis: Basis
  /** The part of the books that it is about. */
  readonly part: string
}
