/**
 * How long the last thousand entries took from the delivery of their event to the books, in milliseconds.
 */
import * as Instant from "../Domain/Instant.ts"
import type { Entry } from "./Fact.ts"

export interface Latency {
  readonly posted: (entries: ReadonlyArray<Entry>, nowMillis: number) => void
  /** Null until something was posted. */
  readonly percentiles: () => { readonly p50: number | null; readonly p99: number | null }
}

const kept = 1000

export const make = (): Latency => {
  const last: Array<number> = []
  let next = 0
  return {
    posted: (entries, nowMillis) => {
      for (const { event_id, known_at } of entries) {
        if (event_id === null) continue
        last[next] = Math.max(0, nowMillis - Instant.toMicros(known_at) / 1000)
        next = (next + 1) % kept
      }
    },
    percentiles: () => {
      const sorted = last.toSorted((a, b) => a - b)
      const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null
      return { p50: at(0.5), p99: at(0.99) }
    }
  }
}
