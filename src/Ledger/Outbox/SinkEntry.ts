/**
 * An entry as the accounting sink gets it: the JSON document of `docs/accounting-sink.md`, whose JSON Schema and table
 * of fields are made from the schema here.
 *
 * The same entry gives the same bytes, whenever and however often it is sent. Amounts are text, so that no reader
 * makes a float of them.
 */
import { Schema } from "effect"
import * as Amount from "../../Domain/Amount.ts"
import type { StoreTables } from "../../Stores/StoreTables.ts"

const said = (description: string) => ({ description })

const time = Schema.String.check(Schema.isPattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/))
const notNegative = Schema.String.check(Schema.isPattern(/^\d{1,24}\.\d{4}$/))
const entryId = Schema.String.check(Schema.isPattern(/^[0-9a-f]{32}$/))

const Line = Schema.Struct({
  account: Schema.NonEmptyString.annotate(said("The account, as configured.")),
  debit: notNegative.annotate(said("With four decimals, never below zero; zero on the line that is credited.")),
  credit: notNegative.annotate(said("With four decimals, never below zero; zero on the line that is debited."))
}).annotate(said("One side of the entry."))

export const SinkEntry = Schema.Struct({
  version: Schema.Literal(1).annotate(
    said("Of this document. It is raised when a field goes or changes its meaning; a new field doesn't raise it.")
  ),
  entry_id: entryId.annotate(said("Identifies the entry for ever; the same text as the Idempotency-Key header.")),
  sequence: Schema.Int.check(Schema.isGreaterThan(0)).annotate(
    said("The entry's number in the journal: 1, 2, 3, … without a gap.")
  ),
  status: Schema.Literals(["draft", "posted"]).annotate(
    said("draft: for a person to look at and release in the accounting system. posted: to be booked as it is.")
  ),
  kind: Schema.Literals(["payment", "adjustment", "reversal"]).annotate(
    said(
      "payment: an IPC was paid. adjustment: the amount of a payment turned out to be another. reversal: takes an entry back."
    )
  ),
  ipc_id: Schema.String.annotate(said("The interim payment certificate that was paid.")),
  project_id: Schema.NullOr(Schema.String.check(Schema.isPattern(/^-?\d+$/))).annotate(
    said("Its project, a whole number as text; null where no event has said it.")
  ),
  amount: Schema.String.check(Schema.isPattern(/^-?\d{1,24}\.\d{4}$/)).annotate(
    said("What the entry moves, with four decimals; below zero where it takes money back. The lines say the same.")
  ),
  currency: Schema.NullOr(Schema.String.check(Schema.isPattern(/^[A-Z]{3}$/))).annotate(
    said("ISO 4217; null where none is configured.")
  ),
  payment_reference: Schema.String.annotate(said("The payment's reference, verbatim.")),
  certificate_url: Schema.NullOr(Schema.String).annotate(
    said("Where the certificate lies that the payment settles; null where it isn't known.")
  ),
  effective_at: time.annotate(said("When the money moved, in UTC, or the first instant of the open period after it.")),
  known_at: time.annotate(said("When the fact that caused the entry was received, in UTC.")),
  event_id: Schema.NullOr(Schema.String).annotate(
    said("The service's id of the event that caused it; null where a person did.")
  ),
  reverses: Schema.NullOr(entryId).annotate(said("The entry that a reversal takes back; null for the other kinds.")),
  lines: Schema.Tuple([Line, Line]).annotate(
    said("The entry as two balanced lines. Where the amount is below zero, the accounts have changed sides.")
  )
}).annotate({
  title: "Entry",
  description: "One entry of the ledger, as it is posted to the accounting sink."
})
export type SinkEntry = typeof SinkEntry.Type

type Row = StoreTables["ledger_entries"]

export const of = (row: Row, status: SinkEntry["status"]): SinkEntry => ({
  version: 1,
  entry_id: row.entry_id,
  sequence: row.sequence,
  status,
  kind: row.kind,
  ipc_id: row.ipc_id,
  project_id: row.project_id,
  amount: row.amount,
  currency: row.currency,
  payment_reference: row.payment_reference,
  certificate_url: row.certificate_url,
  effective_at: row.effective_at,
  known_at: row.known_at,
  event_id: row.event_id,
  reverses: row.reverses,
  lines: linesOf(row)
})

/** As the view `ledger_lines` has it: a negative amount is written on the other side. */
const linesOf = ({ amount, credit_account, debit_account }: Row): SinkEntry["lines"] => {
  const isNegative = Amount.toUnits(amount) < 0n
  const size = amount.replace("-", "")
  const line = (account: string, isDebit: boolean) =>
    isDebit ? { account, debit: size, credit: zero } : { account, debit: zero, credit: size }
  return [line(debit_account, !isNegative), line(credit_account, isNegative)]
}

const zero = "0.0000"

export const encode = (entry: SinkEntry): Uint8Array => new TextEncoder().encode(JSON.stringify(entry))
