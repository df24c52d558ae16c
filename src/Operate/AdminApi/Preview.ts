/**
 * What `ledger-preview` answers: what the books would be by the configured terms.
 */
import { Schema } from "effect"

const Text = Schema.NullOr(Schema.String)

const Amounts = Schema.NullOr(Schema.Literals(["each", "cumulative"]))

const PayableRule = Schema.Struct({
  name: Schema.String,
  /** In ten-thousandths of a percent. */
  percent: Text,
  amount: Text,
  of: Schema.Literals(["certified", "payable"]),
  cap: Text,
  account: Schema.optionalKey(Schema.String)
})

const PayableRules = Schema.Array(PayableRule)

export const Preview = Schema.Struct({
  assumptions: Schema.Array(Schema.String),
  terms: Schema.Struct({
    rules: Schema.Int,
    debitAccount: Schema.String,
    creditAccount: Schema.String,
    currency: Text,
    /** By project id. */
    currencies: Schema.Record(Schema.String, Schema.String),
    certificates: Schema.Struct({
      standard: Amounts,
      payable: PayableRules,
      withheld: Schema.optionalKey(PayableRules),
      /** By project id. */
      byProject: Schema.Record(
        Schema.String,
        Schema.Struct({
          amounts: Amounts,
          certifiedBefore: Text,
          payable: Schema.NullOr(PayableRules),
          withheld: Schema.optionalKey(PayableRules)
        })
      )
    }),
    /** Absent if certificates aren't posted. */
    accrual: Schema.optionalKey(Schema.Struct({ account: Schema.String, from: Schema.String })),
    settles: Schema.optionalKey(Schema.Literal("debit")),
    openFrom: Text,
    /** What people have closed; absent if nothing is. */
    closed: Schema.optionalKey(
      Schema.Struct({
        openFrom: Schema.String,
        by: Schema.String,
        principal: Schema.optionalKey(Schema.String),
        at: Schema.String,
        reason: Schema.String
      })
    ),
    inClosedPeriod: Schema.Literals(["hold", "post"]),
    timezone: Schema.String,
    confirmAbove: Text,
    reading: Schema.NullOr(
      Schema.Struct({
        aliases: Schema.Record(Schema.String, Schema.Array(Schema.String)),
        contentsAt: Schema.Array(Schema.String),
        trustTypeHeader: Schema.Boolean
      })
    )
  }),
  ipcs: Schema.Int,
  totals: Schema.Array(
    Schema.Struct({
      currency: Text,
      project_id: Text,
      account: Schema.String,
      entries: Schema.Int,
      /** Debits minus credits. */
      amount: Schema.String
    })
  ),
  /** How many there would be, by reason. */
  holds: Schema.Record(Schema.String, Schema.Int)
})
