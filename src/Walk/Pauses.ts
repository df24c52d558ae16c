/** When the service asked for no requests. Pure. */

const firstBackoffMs = 1_000
const longestBackoffMs = 60_000

export const makePauses = () => {
  let pausedUntil = 0
  let backoffMs = firstBackoffMs
  const pauseUntil = (millis: number): void => {
    pausedUntil = Math.max(pausedUntil, millis)
  }
  return {
    /** Milliseconds; 0 or less is none. */
    delay: (now: number): number => pausedUntil - now,
    pauseUntil,
    rejected: (now: number, retryAfterMs: number | undefined): void => {
      if (retryAfterMs !== undefined) return pauseUntil(now + retryAfterMs)
      // Requests that were under way together are rejected together: that counts once.
      if (now < pausedUntil) return
      pauseUntil(now + backoffMs)
      backoffMs = Math.min(backoffMs * 2, longestBackoffMs)
    },
    accepted: (): void => {
      backoffMs = firstBackoffMs
    }
  }
}
