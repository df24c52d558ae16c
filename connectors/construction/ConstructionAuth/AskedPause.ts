/**
 * When the token endpoint asked for no requests (`Retry-After`, RFC 9110 §10.2.3), as src/Walk/Pauses.ts does for the
 * API.
 *
 * In a pause longer than `longest`, one request tests after each `longest` whether it still holds. A pause of more than
 * a minute is reported with its end. Pauses aren't stored: after a restart, one request finds out. Pure.
 */
import { Duration } from "effect"
import * as Instant from "../../../src/Domain/Instant.ts"
import { retryAfterMs } from "../../../src/Runtime/RetryAfter.ts"

/** A shorter pause isn't shown to a person. */
const noticedMs = 60_000

/** A later end is a mistake of the service, not a date. */
const latestMs = Duration.toMillis(Duration.days(3650))

export interface AskedPause {
  /** No request may be sent before this has passed. */
  readonly waitMs: number
  /** Follows the sentence that gives the reason; empty for a short pause. */
  readonly sentence: string
}

/** Undefined if the header asks for no pause. */
export const read = (header: string | undefined, longest: Duration.Duration, nowMs: number): AskedPause | undefined => {
  const askedMs = Math.min(retryAfterMs(header, nowMs) ?? 0, latestMs)
  if (askedMs <= 0) return undefined
  const longestMs = Duration.toMillis(longest)
  const end = Instant.fromMillis(nowMs + askedMs).replace(/\.\d+/, "")
  const again = askedMs > longestMs ? ` One asks again every ${Duration.format(longest)}.` : ""
  return {
    waitMs: Math.min(askedMs, longestMs),
    sentence: askedMs > noticedMs ? ` It asked for no requests until ${end} (Retry-After).${again}` : ""
  }
}

/** Keeps a failure until its pause has passed. */
export const make = <E extends { readonly waitMs?: number | undefined }>() => {
  let last: { readonly failure: E; readonly atMs: number; readonly untilMs: number } | undefined
  return {
    failed: (failure: E, nowMs: number): void => {
      const { waitMs = 0 } = failure
      if (waitMs > 0) last = { failure, atMs: nowMs, untilMs: nowMs + waitMs }
    },
    /** The failure and the remaining pause. Setting the clock back ends the pause. */
    active: (nowMs: number): { readonly failure: E; readonly leftMs: number } | undefined =>
      last !== undefined && nowMs >= last.atMs && nowMs < last.untilMs
        ? { failure: last.failure, leftMs: last.untilMs - nowMs }
        : undefined
  }
}
