/**
 * An entry as the accounting sink receives it: the JSON document of `docs/accounting-sink.md`. Its JSON Schema and its
 * table of fields are generated from the schema here, which in turn comes from the description of the entries' table.
 *
 * The same entry gives the same bytes whenever it is sent. Amounts are text, so no reader turns them into floats.
 */
import { Schema } from "effect"
import type { StoreTables } from "../../Stores/StoreTables.ts"
import type { Column } from "../../Stores/Table.ts"
import { ledger } from "../../Stores/Tables/Ledger.ts"
import * as Lines from "../Lines.ts"

type Row = StoreTables["ledger_entries"]

/**
 * Columns of its row. A later version's column isn't sent unless named here, so an entry that is sent again has the
 * same bytes.
 */
const always = [
  "entry_id",
  "sequence",
  "ipc_id",
  "project_id",
  "kind",
  "amount",
  "currency",
  "payment_reference",
  "certificate_url",
  "effective_at",
  "known_at",
  "event_id",
  "reverses"
] as const satisfies ReadonlyArray<keyof Row>

/** Left out if null: entries of 0.1 have none of these, and are sent again unchanged. */
const later = ["posting_date", "certified_as", "epoch", "chain"] as const satisfies ReadonlyArray<keyof Row>

type Always = (typeof always)[number]
type Later = (typeof later)[number]

/** With the type and the description of its column. */
const valueOf = ({ type }: Column) => {
  const written = type.pattern === undefined ? Schema.String : Schema.String.check(Schema.isPattern(type.pattern))
  const text = type.words === undefined ? written : Schema.Literals(type.words)
  return type.sqlite === "integer" ? Schema.Int.check(Schema.isGreaterThan(0)) : text
}

const required = (column: Column) => valueOf(column).annotate({ description: column.says })

const field = (column: Column) =>
  column.isNullable === true ? Schema.NullOr(valueOf(column)).annotate({ description: column.says }) : required(column)

const { columns } = ledger.ledger_entries

const fields = Object.fromEntries([
  ...always.map((name) => [name, field(columns[name])]),
  ...later.map((name) => [name, Schema.optionalKey(required(columns[name]))])
]) as unknown as { readonly [Name in Always]: Schema.Codec<Row[Name]> } & {
  readonly [Name in Later]: Schema.optionalKey<Schema.Codec<NonNullable<Row[Name]>>>
}

const status = field(ledger.ledger_outbox.columns.status) as unknown as Schema.Codec<
  StoreTables["ledger_outbox"]["status"]
>

const described = (description: string) => ({ description })

const notNegative = Schema.String.check(Schema.isPattern(/^\d{1,24}\.\d{4}$/))

const Line = Schema.Struct({
  account: Schema.NonEmptyString.annotate(described("The account, as configured.")),
  debit: notNegative.annotate(described("With four decimals, never below zero; zero on a credited line.")),
  credit: notNegative.annotate(described("With four decimals, never below zero; zero on a debited line."))
}).annotate(described("What the entry debits or credits to one account."))

export const SinkEntry = Schema.Struct({
  version: Schema.Literal(1).annotate(
    described(
      "The version of this document. It rises when a field is removed or changes its meaning, not for a new field."
    )
  ),
  status,
  ...fields,
  lines: Schema.Array(Line)
    .check(Schema.isMinLength(2))
    .annotate(
      described(
        "What the entry moves, as two balanced lines or more, each on an account of its own. The amount alone doesn't say it: book the lines."
      )
    )
}).annotate({
  title: "Entry",
  description:
    "One entry of the ledger, as it is posted to the accounting sink. Payments say that money moved; an accrual says what became due when an IPC was certified, before it is paid."
})
export type SinkEntry = typeof SinkEntry.Type

type LaterFields = { readonly [Name in Later]?: NonNullable<Row[Name]> }

export const of = (row: Row, status: SinkEntry["status"]): SinkEntry => ({
  version: 1,
  status,
  ...(Object.fromEntries(always.map((name) => [name, row[name]])) as Pick<Row, Always>),
  ...(Object.fromEntries(later.flatMap((name) => (row[name] === null ? [] : [[name, row[name]]]))) as LaterFields),
  lines: linesOf(row)
})

/** As in the view `ledger_lines`: a negative amount swaps the sides. */
const linesOf = (row: Row): SinkEntry["lines"] => {
  const lines = Lines.inRow(row)
  // If there are two lines, the account that a positive amount debits comes first regardless of the sign, as it always
  // did.
  return (row.lines === null ? lines : Lines.inOrder(lines)).map(Lines.sidesOf)
}

export const encode = (entry: SinkEntry): Uint8Array => new TextEncoder().encode(JSON.stringify(entry))
