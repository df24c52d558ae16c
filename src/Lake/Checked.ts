/**
 * What `lake verify` reports about one thing that it has read.
 */
export interface Checked {
  /** A table, the journal, the archives or the Delta logs. */
  readonly name: string
  readonly files: number
  readonly rows: number
  readonly bytes: number
  /** Sentences that name the file. */
  readonly faults: ReadonlyArray<string>
}
