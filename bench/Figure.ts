/**
 * A figure of docs/performance.md: where it is in a benchmark's JSON line, what it is compared with, and its goal.
 */
import type { engines } from "./Engine.ts"

export interface Figure {
  readonly figure: string
  readonly bench: string
  /** The path in the line, separated by dots. */
  readonly at: string
  readonly unit?: string
  /** What it is compared with, or what it measures. */
  readonly of: string
  /** One goal for each engine, if they differ. */
  readonly atLeast?: number | Readonly<Record<(typeof engines)[number], number>>
  readonly atMost?: number
}
