/**
 * A figure of docs/performance.md: where it is in a benchmark's JSON line, of what it is, and its goal.
 */
export interface Figure {
  readonly figure: string
  readonly bench: string
  /** Of the line, separated by dots. */
  readonly at: string
  readonly unit?: string
  /** Beside what, or of what. */
  readonly of: string
  readonly atLeast?: number
  readonly atMost?: number
}
