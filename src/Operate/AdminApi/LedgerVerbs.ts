/**
 * What can be asked of the books, and of the way from there to the accounting system. Amounts are text, as nothing may
 * round them; rows have the columns of their tables.
 */
import { Schema } from "effect"
import { nothing, verb } from "./Verb.ts"

const Text = Schema.NullOr(Schema.String)

const Row = Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Number, Schema.Null]))
export type Row = typeof Row.Type

const some = {
  payload: Schema.Struct({
    /** All IPCs without it. */
    ipc: Schema.optionalKey(Schema.String),
    /** All rows without it. */
    limit: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)))
  }),
  /** `total`: how many there are, be they among the rows or not. */
  answer: Schema.Struct({ total: Schema.Int, rows: Schema.Array(Row) })
}

const Decision = Schema.Struct({
  /** Its id, or how that begins. */
  hold: Schema.String,
  amount: Schema.optionalKey(Schema.String),
  currency: Schema.optionalKey(Schema.String),
  by: Schema.String,
  reason: Schema.String
})

const Hold = Schema.Struct({ hold_id: Schema.String, ipc_id: Schema.String, reason: Schema.String })

const Posted = Schema.Struct({
  posted: Schema.Array(
    Schema.Struct({
      entry_id: Schema.String,
      ipc_id: Schema.String,
      kind: Schema.String,
      /** Absent where there are more digits than fit. */
      amount: Schema.optional(Schema.String)
    })
  ),
  opened: Schema.Array(Hold),
  closed: Schema.Array(Hold)
})

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
  /** The first hundred, in words. */
  differences: Schema.Array(Schema.String)
})

const Preview = Schema.Struct({
  assumptions: Schema.Array(Schema.String),
  terms: Schema.Struct({
    debitAccount: Schema.String,
    creditAccount: Schema.String,
    currency: Text,
    /** By project id. */
    currencies: Schema.Record(Schema.String, Schema.String),
    openFrom: Text,
    inClosedPeriod: Schema.Literals(["hold", "post"])
  }),
  ipcs: Schema.Int,
  totals: Schema.Array(
    Schema.Struct({
      currency: Text,
      project_id: Text,
      debit_account: Schema.String,
      credit_account: Schema.String,
      entries: Schema.Int,
      amount: Schema.String
    })
  ),
  /** How many there would be, by reason. */
  holds: Schema.Record(Schema.String, Schema.Int)
})

const Explained = Schema.Struct({
  ipc: Schema.String,
  row: Schema.NullOr(Row),
  events: Schema.Array(Row),
  facts: Schema.Array(Row),
  entries: Schema.Array(Row),
  holds: Schema.Array(Row),
  decisions: Schema.Array(Row)
})

const DeadMessage = Schema.Struct({
  sequence: Schema.Int,
  entry_id: Schema.String,
  ipc_id: Schema.String,
  queued_at: Schema.String,
  /** Later entries of the IPC, which don't overtake it. */
  waiting_behind: Schema.Int,
  reason: Schema.String
})

export const ledgerVerbs = [
  /** The journal, newest first. */
  verb("ledger-list", some),
  /** What waits for a decision, the oldest first. */
  verb("ledger-holds", some),
  /** An entry or a hold, by its id or how that begins: its row with its `basis` and the events that it rests on. */
  verb("ledger-show", {
    payload: Schema.Struct({ id: Schema.String }),
    answer: Schema.Record(Schema.String, Schema.Json)
  }),
  verb("ledger-accept", { payload: Decision, answer: Posted }),
  verb("ledger-reject", { payload: Decision, answer: Posted }),
  /** Amounts from before the events began, signed off by name. */
  verb("ledger-opening", {
    payload: Schema.Struct({ openings: Schema.Array(Opening), by: Schema.String }),
    answer: Posted
  }),
  verb("ledger-verify", { payload: nothing, answer: Verified }),
  verb("ledger-preview", { payload: nothing, answer: Preview }),
  verb("explain", { payload: Schema.Struct({ ipc: Schema.String }), answer: Explained }),
  /** What the accounting system refused for good. */
  verb("sink-dead", { payload: nothing, answer: Schema.Array(DeadMessage) }),
  verb("sink-replay", {
    /** All of them without it. */
    payload: Schema.Struct({ entry: Schema.optionalKey(Schema.String) }),
    answer: Schema.Struct({ replayed: Schema.Int })
  }),
  verb("sink-settle", {
    payload: Schema.Struct({ entry: Schema.String, by: Schema.String, reason: Schema.String }),
    answer: Schema.Struct({ settled: Schema.String })
  }),
  /** From this number of the journal on. */
  verb("sink-send", {
    payload: Schema.Struct({ from: Schema.Int }),
    answer: Schema.Struct({ queued: Schema.Int })
  })
] as const
