/**
 * A figure of docs/performance.md: where it is in a benchmark's JSON line, of what it is, and its goal.
 */
import type { engines } from "./Engine.ts"

export interface Figure {
  readonly figure: string
  readonly bench: string
  /** Of the line, separated by dots. */
  readonly at: string
  readonly unit?: string
  /** Beside what, or of what. */
  readonly of: string
  /** One for each engine, if they differ. */
  readonly atLeast?: number | Readonly<Record<(typeof engines)[number], number>>
  readonly atMost?: number
}
