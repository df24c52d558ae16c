/**
 * What a report is: named columns, and rows in their order. Pure.
 */
export const names = ["trial-balance", "balances", "statement", "aged", "unposted", "repaired"] as const
export type ReportName = (typeof names)[number]

export type Row = Readonly<Record<string, string | number | null>>

export interface Report {
  /** In the order of the columns. */
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<Row>
}
