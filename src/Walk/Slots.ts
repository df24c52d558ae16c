/**
 * When the next request may start, by what this process and others on the same Store sent in the last minute, and by what
 * the service answered. Pure; it knows nothing of the waiters.
 */

export const windowMs = 60_000

/** Spacing for 99 % of the plan: the rest absorbs requests that the network brings closer together. */
const share = 0.99

/** A late timer may be caught up on by this much; otherwise part of the plan would go unused. */
const catchUpMs = 250

const firstBackoffMs = 1_000
const longestBackoffMs = 60_000

/** The requests of one wall-clock second, as in the Store. */
export interface Spent {
  readonly second: number
  readonly sent: number
}

export const makeSlots = (limit: number, sent: ReturnType<typeof ring>) => {
  const interval = windowMs / (limit * share)
  let nextSlot = 0
  let pausedUntil = 0
  let backoffMs = firstBackoffMs
  const pauseUntil = (millis: number): void => {
    pausedUntil = Math.max(pausedUntil, millis)
  }
  return {
    mostPerSecond: Math.floor((1000 + catchUpMs) / interval) + 1,
    /** Milliseconds until the next request may start; 0 is now. */
    delay: (now: number): number => Math.max(nextSlot, pausedUntil, sent.nth(limit) + windowMs + 1, now) - now,
    take: (now: number): void => {
      sent.push(now)
      nextSlot = Math.max(nextSlot, now - catchUpMs) + interval
    },
    /** By others. */
    sentBefore: sent.push,
    usedSince: sent.since,
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

/** The times of the last `capacity` requests, in a ring. */
export const ring = (capacity: number) => {
  const times = new Float64Array(capacity).fill(Number.NEGATIVE_INFINITY)
  let count = 0
  return {
    push: (time: number): void => {
      times[count % capacity] = time
      count++
    },
    /** The time of the nth last request; minus infinity if there were fewer. */
    nth: (n: number): number => (n > count ? Number.NEGATIVE_INFINITY : (times[(count - n) % capacity] ?? 0)),
    since: (time: number): number => times.reduce((sum, each) => (each > time ? sum + 1 : sum), 0)
  }
}

/** What an earlier process or another worker reserved counts as sent, once, at the end of its second. */
export const makeOthers = (sentAt: (time: number) => void) => {
  const known = new Map<number, number>()
  const mine = (second: number, count: number): void => void known.set(second, (known.get(second) ?? 0) + count)
  const learn = (seconds: ReadonlyArray<Spent>, now: number): void => {
    for (const { second, sent } of seconds) {
      const fresh = sent - (known.get(second) ?? 0)
      for (let i = 0; i < fresh; i++) sentAt(Math.min(second * 1000 + 999, now))
      if (fresh > 0) mine(second, fresh)
    }
    for (const second of known.keys()) if (second * 1000 < now - 2 * windowMs) known.delete(second)
  }
  return { mine, learn }
}
