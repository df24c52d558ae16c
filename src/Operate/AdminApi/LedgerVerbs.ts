/**
 * The verbs of the books. Amounts are text, so that nothing rounds them; rows have the columns of their tables.
 */
import { Schema } from "effect"
import { JournalEntry, Part, PostingDay, Range } from "../../Ledger/Files/JournalEntry.ts"
import { names } from "../../Ledger/Reports/Report.ts"
import { Preview } from "./Preview.ts"
import { nothing, verb } from "./Verb.ts"

export const Text = Schema.NullOr(Schema.String)

const Row = Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Number, Schema.Null]))
export type Row = typeof Row.Type

const listing = {
  needs: "read" as const,
  payload: Schema.Struct({
    /** Absent for all IPCs. */
    ipc: Schema.optionalKey(Schema.String),
    /** Absent for all rows. */
    limit: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)))
  }),
  /** `total` counts all rows, including those beyond the limit. */
  answer: Schema.Struct({ total: Schema.Int, rows: Schema.Array(Row) })
}

const Decision = Schema.Struct({
  /** Its id, or the first characters of it. */
  hold: Schema.String,
  amount: Schema.optionalKey(Schema.String),
  currency: Schema.optionalKey(Schema.String),
  by: Schema.String,
  reason: Schema.String
})

const Hold = Schema.Struct({ hold_id: Schema.String, ipc_id: Schema.String, reason: Schema.String })

export const Posted = Schema.Struct({
  posted: Schema.Array(
    Schema.Struct({
      entry_id: Schema.String,
      ipc_id: Schema.String,
      kind: Schema.String,
      /** Absent if it has more digits than fit. */
      amount: Schema.optional(Schema.String)
    })
  ),
  opened: Schema.Array(Hold),
  closed: Schema.Array(Hold)
})

const Balance = Schema.Struct({ certified: Text, due: Text, paid: Schema.String, open: Text })

const Waiting = Schema.Struct({
  ...Hold.fields,
  payment_reference: Text,
  /** Null if it isn't about one amount. */
  amount: Text,
  currency: Text
})

const Foreseen = Schema.Struct({
  entries: Schema.Array(
    Schema.Struct({
      ipc_id: Schema.String,
      kind: Schema.String,
      amount: Schema.String,
      currency: Text,
      payment_reference: Schema.String,
      posting_date: Text,
      /** Debited lines first; one of debit and credit is zero. */
      lines: Schema.Array(Schema.Struct({ account: Schema.String, debit: Schema.String, credit: Schema.String }))
    })
  ),
  opened: Schema.Array(Waiting),
  closed: Schema.Array(Waiting),
  /** What would then wait in this IPC. */
  held: Schema.Array(Waiting),
  /** The IPC's balance now and afterwards: amounts as decimals; null if it isn't known what is certified. */
  before: Balance,
  after: Balance
})

const Period = {
  needs: "decide" as const,
  payload: Schema.Struct({
    /** Such as 2026-09. */
    month: Schema.String,
    by: Schema.String,
    reason: Schema.optionalKey(Schema.String)
  }),
  answer: Schema.Struct({
    /** The first day of the open period, in the books' time zone; null if nothing is closed. */
    open_from: Text,
    ...Posted.fields
  })
}

const Opening = Schema.Struct({
  ipcId: Schema.NonEmptyString,
  amount: Schema.String,
  certificate: Schema.NonEmptyString
})

const Verified = Schema.Struct({
  ipcs: Schema.Int,
  facts: Schema.Int,
  entries: Schema.Int,
  holds: Schema.Int,
  /**
   * The head of the chain; null if there is no entry. Passed as `since`, it shows whether the books have been changed.
   */
  head: Text,
  /** Signed bodies that were read again. */
  bodies: Schema.Int,
  /** The first hundred, in words. */
  differences: Schema.Array(Schema.String)
})

const Explained = Schema.Struct({
  ipc: Schema.String,
  row: Schema.NullOr(Row),
  events: Schema.Array(Row),
  facts: Schema.Array(Row),
  entries: Schema.Array(Row),
  holds: Schema.Array(Row),
  decisions: Schema.Array(Row),
  /** Amounts as decimals; null if it isn't known what is certified. */
  balance: Balance
})

export const ledgerVerbs = [
  /** The journal, newest first. */
  verb("ledger-list", listing),
  /** The posting dates of the journal, oldest first, as of now. */
  verb("ledger-days", { needs: "read", payload: Range, answer: Schema.Struct({ days: Schema.Array(PostingDay) }) }),
  /** The first entries of a part of a posting date, as the chart lays them out. */
  verb("ledger-entries", {
    needs: "read",
    payload: Part,
    answer: Schema.Struct({ entries: Schema.Array(JournalEntry) })
  }),
  /** What waits for a decision. `total` counts everything that matches these filters. */
  verb("ledger-holds", {
    ...listing,
    payload: Schema.Struct({
      ...listing.payload.fields,
      reason: Schema.optionalKey(Schema.String),
      /** Absent for oldest first. */
      order: Schema.optionalKey(Schema.Literals(["oldest", "largest"])),
      /** Those after this hold, the last one seen, whether it is still open or not: fields of its row. */
      after: Schema.optionalKey(Schema.Struct({ hold_id: Schema.String, since: Schema.String, amount: Text }))
    })
  }),
  /**
   * An entry or a hold, by its id or the first characters of it: its row with its `lines`, its `basis` and the events
   * behind it.
   */
  verb("ledger-show", {
    needs: "read",
    payload: Schema.Struct({ id: Schema.String }),
    answer: Schema.Record(Schema.String, Schema.Json)
  }),
  verb("ledger-accept", { needs: "decide", payload: Decision, answer: Posted }),
  verb("ledger-reject", { needs: "decide", payload: Decision, answer: Posted }),
  /** What such a decision would do to the books as they are now; writes nothing. */
  verb("ledger-foresee", {
    needs: "read",
    payload: Schema.Struct({
      hold: Schema.String,
      verdict: Schema.Literals(["accept", "reject"]),
      amount: Schema.optionalKey(Schema.String),
      currency: Schema.optionalKey(Schema.String),
      /** Who would decide: some holds need a second person. */
      by: Schema.optionalKey(Schema.String)
    }),
    answer: Foreseen
  }),
  /** Amounts from before the first event, signed off by a named person. */
  verb("ledger-opening", {
    needs: "decide",
    payload: Schema.Struct({ openings: Schema.Array(Opening), by: Schema.String }),
    answer: Posted
  }),
  /** Adds an entry that no event reports. */
  verb("ledger-post", {
    needs: "decide",
    payload: Schema.Struct({
      ipc: Schema.String,
      amount: Schema.String,
      /** Absent for the payment's currency. */
      currency: Schema.optionalKey(Schema.String),
      /** Absent for the IPC's payment. */
      reference: Schema.optionalKey(Schema.String),
      /** Absent for the configured account. */
      debit: Schema.optionalKey(Schema.String),
      credit: Schema.optionalKey(Schema.String),
      by: Schema.String,
      reason: Schema.String,
      evidence: Schema.String
    }),
    answer: Posted
  }),
  /** Reverses an entry, given its id or the first characters of it. */
  verb("ledger-reverse", {
    needs: "decide",
    payload: Schema.Struct({ entry: Schema.String, by: Schema.String, reason: Schema.String }),
    answer: Posted
  }),
  /** Closes the books up to the end of a month. */
  verb("ledger-close", Period),
  /** Opens them again from the beginning of a month. */
  verb("ledger-open", Period),
  verb("ledger-verify", {
    needs: "read",
    payload: Schema.Struct({ since: Schema.optionalKey(Schema.String) }),
    answer: Verified
  }),
  verb("ledger-preview", { needs: "read", payload: nothing, answer: Preview }),
  verb("report", {
    needs: "read",
    payload: Schema.Struct({
      name: Schema.Literals(names),
      /** The last day that counts, such as 2026-09-30; absent for today. */
      asOf: Schema.optionalKey(Schema.String),
      /** Limits `balances` to these; an account by its name or its code, a month such as 2026-09. */
      project: Schema.optionalKey(Schema.String),
      account: Schema.optionalKey(Schema.String),
      month: Schema.optionalKey(Schema.String)
    }),
    answer: Schema.Struct({ columns: Schema.Array(Schema.String), rows: Schema.Array(Row) })
  }),
  verb("explain", { needs: "read", payload: Schema.Struct({ ipc: Schema.String }), answer: Explained })
] as const
