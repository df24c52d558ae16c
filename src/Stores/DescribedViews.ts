/**
 * The meaning of each view for analysts (`Views`) and of each of its columns. The databases store the sentences as
 * comments, and docs/tables.md and the dbt package contain them too. Comments are updated at every start, so no table
 * version depends on wording.
 */
import { columnComments, comment, seen } from "./Ddl.ts"
import type { views } from "./Views.ts"

interface Column {
  /** As in DuckDB; PostgreSQL's `numeric` of a sum has no limit. */
  readonly type: string
  readonly says: string
}

interface Described {
  readonly says: string
  readonly columns: Readonly<Record<string, Column>>
}

const text = (says: string): Column => ({ type: "VARCHAR", says })
const count = (says: string): Column => ({ type: "BIGINT", says })
const time = (says: string): Column => ({ type: "TIMESTAMPTZ", says })
const day = (says: string): Column => ({ type: "DATE", says })
const money = (says: string): Column => ({ type: "DECIMAL(28,4)", says })
const sum = (says: string): Column => ({ type: "DECIMAL(38,4)", says })

const project = count("The project (projects.id); null if nothing has named it.")
const ofRecord = "The currency that the books have for it, otherwise the configured one; null if neither is known."
const ofEntry = text("ISO 4217; null if none is configured.")

const described = {
  ipc_ageing: {
    says: "How long each interim payment certificate took or waits: a row for each that is listed.",
    columns: {
      ipc_id: text("The certificate (ipcs.id)."),
      project_id: project,
      status: text("Its status."),
      certified_amount: money("The certified amount; null if it isn't known."),
      submitted_at: time("When it was submitted."),
      certified_at: time("When it was certified."),
      paid_at: time("When it was paid."),
      days_submitted_to_certified: count("Days between the UTC dates of submission and certification."),
      days_certified_to_paid: count("Days between the UTC dates of certification and payment."),
      days_waiting: count("Days since it was submitted, while it is unpaid; otherwise null."),
      is_paid: { type: "BOOLEAN", says: "Whether it was paid." },
      currency: text(ofRecord)
    }
  },
  vo_exposure: {
    says: "What variation orders cost or may cost: a row for each project, status and currency.",
    columns: {
      project_id: project,
      status: text("The status of these variation orders."),
      vos: count("How many there are."),
      total_cost_impact: sum("The sum of the amounts they were priced at."),
      final_amount: sum("The sum of the amounts that were agreed; null if none was."),
      exposure: sum("The sum of the agreed amounts, or of the priced amounts for those without one."),
      currency: text("The configured currency; null if none is.")
    }
  },
  open_ncrs: {
    says: "Non-conformance reports that are open: a row for each.",
    columns: {
      ncr_id: text("The report (ncrs.id)."),
      project_id: project,
      severity: text("Its severity."),
      created_at: time("When it was created."),
      days_open: count("Days between the UTC dates of its creation and today.")
    }
  },
  expiring_permits: {
    says: "Permits that the service has warned of, because they expire soon: a row for each.",
    columns: {
      permit_id: text("The permit (permits.id)."),
      permit_type: text("Its type."),
      validity: text("Its validity, as the service says it."),
      hours_until_expiry: { type: "DECIMAL(10,2)", says: "Hours left when the service warned that it expires." },
      expiring_at: time("When the service warned."),
      expires_at: time("When it expires: those hours later.")
    }
  },
  cashflow_by_month: {
    says: "What was certified for the certificates that were paid: a row for each month, project and currency.",
    columns: {
      month: day("The first day of the month of payment, in UTC."),
      project_id: project,
      ipcs_paid: count("How many certificates were paid."),
      certified_amount: sum("The sum of their certified amounts that are known."),
      without_amount: count("How many of them have no known amount, and so are missing from the sum."),
      currency: text(ofRecord)
    }
  },
  ledger_lines: {
    says: "The lines of the ledger's entries: a row for each account of an entry. Debits and credits of an entry are equal.",
    columns: {
      entry_id: text("The entry (ledger_entries.entry_id)."),
      account: text("The account."),
      debit: money("The amount on the debit side; 0 if it is on the other."),
      credit: money("The amount on the credit side; 0 if it is on the other."),
      currency: ofEntry,
      posting_date: day("The day on which it is posted, in the books' time zone; for entries of 0.1, in UTC.")
    }
  },
  ledger_trial_balance: {
    says: "What each day moves on each account: add up the days up to one for the trial balance as of that day.",
    columns: {
      project_id: project,
      currency: ofEntry,
      account: text("The account."),
      posting_date: day("The day."),
      debit: sum("The sum of the debits of that day."),
      credit: sum("The sum of the credits of that day."),
      balance: sum("Debits less credits.")
    }
  },
  ledger_unposted: {
    says: "Payments that wait for an answer: a row for each reason and currency.",
    columns: {
      reason: text("Why they aren't posted (ledger_holds.reason)."),
      currency: text("The currency of their amounts; null if it isn't known."),
      holds: count("How many there are."),
      amount: sum("The sum of their amounts that are known."),
      unknown: count("How many of them have no known amount, and so are missing from the sum."),
      oldest: time("Since when the oldest one waits.")
    }
  }
} as const satisfies { readonly [Name in keyof typeof views]: Described }

export interface DescribedView {
  readonly name: string
  readonly says: string
  readonly columns: ReadonlyArray<Column & { readonly name: string }>
}

export const describedViews: ReadonlyArray<DescribedView> = Object.entries(described).map(
  ([name, { columns, says }]) => ({
    name,
    says,
    columns: Object.entries(columns).map(([column, each]) => ({ ...each, name: column }))
  })
)

export interface Comment {
  readonly view: string
  /** Null for the view itself. */
  readonly column: string | null
  /** Null if there is none yet. */
  readonly says: string | null
}

/** The statements that update these comments. A database of an older version may lack a view or a column. */
export const outdatedComments = (found: ReadonlyArray<Comment>): ReadonlyArray<string> =>
  describedViews.flatMap((view) => {
    const outdated = (column: string | null, wanted: string) =>
      found.some((each) => each.view === view.name && each.column === column && each.says !== wanted)
    const name = seen(view.name)
    return [
      ...(outdated(null, view.says) ? [comment(`view ${name}`, view)] : []),
      ...columnComments(
        name,
        view.columns.filter((column) => outdated(column.name, column.says))
      )
    ]
  })
