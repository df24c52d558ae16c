/**
 * When a service may be asked again: from the header `Retry-After` (RFC 9110 §10.2.3: seconds, possibly with a
 * fraction, or an HTTP date), and from the reset in the rate headers.
 */

/** In milliseconds from now; undefined if the value can't be read. */
export const retryAfterMs = (value: string | undefined, nowMs: number): number | undefined => {
  if (value === undefined) return undefined
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs)
}

/** The time in milliseconds, given as seconds from now, or as Unix seconds or milliseconds. */
export const resetMs = (value: string | undefined, nowMs: number): number | undefined => {
  const seconds = Number(value)
  if (value === undefined || !Number.isFinite(seconds)) return undefined
  if (seconds > 100_000_000_000) return seconds
  return seconds > 1_000_000_000 ? seconds * 1000 : nowMs + seconds * 1000
}
