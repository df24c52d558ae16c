/**
 * The journal's lines as data, two or more per entry: the lines of the view `ledger_lines` with their entry's columns,
 * in journal order, debits first. DuckDB runs the query with either engine.
 */
const cells = {
  date: "cast(l.posting_date as varchar)",
  entry_id: "e.entry_id",
  sequence: "cast(e.sequence as varchar)",
  ipc_id: "e.ipc_id",
  project_id: "cast(e.project_id as varchar)",
  account: "l.account",
  debit: "cast(l.debit as varchar)",
  credit: "cast(l.credit as varchar)",
  currency: "e.currency",
  payment_reference: "e.payment_reference",
  kind: "e.kind",
  certificate_url: "e.certificate_url",
  known_at: "strftime(e.known_at at time zone 'UTC', '%Y-%m-%dT%H:%M:%S.%fZ')"
} as const

export type JournalColumn = keyof typeof cells

/** In the order of a line's values. */
export const columns = Object.keys(cells) as ReadonlyArray<JournalColumn>

/** The values of one line. */
export type JournalLine = ReadonlyArray<string | null>

export const query = `
  select ${Object.values(cells).join(", ")}
  from construction.ledger_entries e join construction.ledger_lines l on l.entry_id = e.entry_id
  order by e.sequence, l.credit, l.account`

/** The number of the newest entry, a colon and its link (`Ledger/Chain`). For either engine. */
export const head = `
  select cast(sequence as varchar) || ':' || chain as head
  from construction.ledger_entries where chain is not null order by sequence desc limit 1`
