/**
 * How the ledger posts: the variables, and the values that combine several of them. The terms of posting are stored
 * with the books.
 */
import { DateTime, Option, Result } from "effect"
import { minorDigits } from "./Currency.ts"
import type { Accrual, Certificates } from "./Certificates.ts"
import { ledgerFile, none } from "./LedgerFile.ts"
import type { Envelope } from "./WireFiles.ts"
import * as Parse from "./Parse.ts"
import { all, bad, type Field, type Fields, optional, orElse, preset } from "./Variable.ts"

export const posting = {
  perspective: preset(
    "SITELEDGER_LEDGER_PERSPECTIVE",
    "Whose books: contractor (debit bank, credit receivable), employer (debit payable, credit bank), or clearing (a contractor's, on accounts that journals may use: debit bank clearing, credit receivable clearing).",
    Parse.perspective,
    "contractor"
  ),
  debitAccount: optional(
    "SITELEDGER_LEDGER_DEBIT_ACCOUNT",
    "Account that a payment debits (if not set, by perspective: bank, payable or bank clearing).",
    Parse.account,
    "1200"
  ),
  creditAccount: optional(
    "SITELEDGER_LEDGER_CREDIT_ACCOUNT",
    "Account that a payment credits (if not set, by perspective: receivable, bank or receivable clearing).",
    Parse.account,
    "1400"
  ),
  currencies: orElse(
    optional(
      "SITELEDGER_LEDGER_CURRENCY",
      "Currency of the entries, and of individual projects where it differs (none if not set).",
      Parse.currencies,
      "EUR 4711=USD"
    ),
    { standard: null, byProject: {} }
  ),
  file: orElse(
    optional(
      "SITELEDGER_LEDGER_FILE",
      "File that says what certified amounts are, and lays out entries, like config/ledger.example.json (if not set, entries are drafts).",
      ledgerFile,
      "config/ledger.json"
    ),
    none
  ),
  openFrom: optional(
    "SITELEDGER_LEDGER_OPEN_FROM",
    "First day of the open accounting period, in the books' time zone (if not set, no period is closed).",
    Parse.day,
    "2026-01-01"
  ),
  inClosedPeriod: preset(
    "SITELEDGER_LEDGER_CLOSED_PERIOD",
    "What happens to an entry that is effective before that day: hold, or post into the open period.",
    Parse.closedPeriod,
    "hold"
  ),
  timezone: optional(
    "SITELEDGER_LEDGER_TIMEZONE",
    "Time zone of posting dates and of the open period's first day (if not set, SITELEDGER_TIMEZONE).",
    Parse.timezone,
    "Europe/London"
  ),
  confirmAbove: optional(
    "SITELEDGER_LEDGER_CONFIRM_ABOVE",
    "Amount above which a second person confirms what `ledger post` and `ledger reverse` add (if not set, no second person is needed).",
    Parse.amount,
    "10000"
  )
}

/**
 * How deliveries are read; stored with the terms, so that an auditor who reads them again knows which names applied.
 */
export interface Reading {
  readonly aliases: Readonly<Record<string, ReadonlyArray<string>>>
  /** Objects that have the contents of a delivery. */
  readonly contentsAt: Envelope["delivery"]
  readonly trustTypeHeader: boolean
}

/** The version of the rules in src/Ledger/Fold/Rules.ts by which this program posts. */
export const rulesVersion = 3

/** When what waits for a person becomes urgent. */
export const waiting = {
  holdCriticalAfter: preset(
    "SITELEDGER_LEDGER_HOLD_CRITICAL_AFTER",
    "Age from which an open hold, or a delivery about money in quarantine, is critical.",
    Parse.duration,
    "3 days"
  )
}

/** What a person has closed: everything before a day. Stored with the terms, and carried over by later ones. */
export interface Closed {
  /** The first open day, in the books' time zone. */
  readonly openFrom: string
  readonly by: string
  /** The principal as whom the worker knew them; absent if it was closed before this was stored. */
  readonly principal?: string
  readonly at: string
  /** Empty if none was given. */
  readonly reason: string
}

/** How entries are posted; part of the stored order, so that folding again gives the same result. */
export interface Terms {
  /** See Rules. */
  readonly rules: number
  readonly debitAccount: string
  readonly creditAccount: string
  /** Three letters; null for none. */
  readonly currency: string | null
  /** By project id, where it differs. If any is given, no payment is posted before its project is known. */
  readonly currencies: Readonly<Record<string, string>>
  /**
   * How many decimals amounts have, by currency, where it isn't two. Null, meaning four, in terms from before this was
   * stored.
   */
  readonly minorDigits: Readonly<Record<string, number>> | null
  /** How certified amounts are interpreted; not given in terms from before this was stored. */
  readonly certificates: Certificates
  /** Absent if only payments are posted, not certificates. */
  readonly accrual?: Accrual
  /**
   * The side on which a payment has the receivable or payable that it settles; absent for credit. The other side is the
   * bank.
   */
  readonly settles?: "debit"
  /** The first instant of the open period; null if the configuration closes no period. */
  readonly openFrom: string | null
  /** Absent if people have closed nothing. */
  readonly closed?: Closed
  /** What happens to an entry that takes effect in a closed period. */
  readonly inClosedPeriod: "hold" | "post"
  /** The zone of posting dates. */
  readonly timezone: string
  /** A canonical amount; null if one person is enough for any amount. */
  readonly confirmAbove: string | null
  /** Null in terms from before this was stored. */
  readonly reading: Reading | null
}

const accounts = {
  contractor: { debit: "bank", credit: "receivable" },
  employer: { debit: "payable", credit: "bank" },
  clearing: { debit: "bank clearing", credit: "receivable clearing" }
} as const

/** `standardZone`: for books that have no zone of their own. */
export const termsOf = (
  fields: Fields<typeof posting>,
  standardZone: Field<DateTime.TimeZone>,
  reading: Field<Reading>
): Field<Terms> =>
  Result.flatMap(all({ own: all(fields), reading, standardZone }), ({ own, reading, standardZone }) => {
    const { confirmAbove, currencies, inClosedPeriod, openFrom, perspective } = own
    const zone = Option.getOrElse(own.timezone, () => standardZone)
    const { credit, debit } = accounts[perspective]
    const debitAccount = Option.getOrElse(own.debitAccount, () => debit)
    const creditAccount = Option.getOrElse(own.creditAccount, () => credit)
    if (debitAccount === creditAccount) {
      return bad(posting.creditAccount.name, "is also the account that is debited; an entry needs two.")
    }
    const { accrual, certificates } = own.file
    if (accrual !== null && [debitAccount, creditAccount].includes(accrual.account)) {
      return bad(posting.file.name, "names a file whose accrual.account is also an account of payments.")
    }
    return Result.succeed({
      rules: rulesVersion,
      debitAccount,
      creditAccount,
      currency: currencies.standard,
      currencies: currencies.byProject,
      minorDigits,
      certificates,
      ...(accrual === null ? {} : { accrual }),
      ...(perspective === "employer" ? { settles: "debit" as const } : {}),
      openFrom: Option.getOrNull(Option.map(openFrom, (day) => midnight(day, zone))),
      inClosedPeriod,
      timezone: Parse.zoneName(zone),
      confirmAbove: Option.getOrNull(confirmAbove),
      reading
    })
  })

/** The first instant of a day, to the microsecond in UTC. */
const midnight = (day: string, timeZone: DateTime.TimeZone): string => {
  const start = DateTime.makeZonedUnsafe(`${day}T00:00:00`, { timeZone, adjustForTimeZone: true })
  return DateTime.formatIso(DateTime.toUtc(start)).replace("Z", "000Z")
}
