/**
 * The `Retry-After` header (RFC 9110 §10.2.3): seconds, also with a fraction, or an HTTP date.
 */

/** In milliseconds from now; undefined if the value can't be read. */
export const retryAfterMs = (value: string | undefined, nowMs: number): number | undefined => {
  if (value === undefined) return undefined
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs)
}
