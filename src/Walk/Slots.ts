/**
 * When the next request may start: what was sent in the last minute, by this process and by others on the same Store,
 * and what the service said. Pure, and knows nothing of who waits.
 */

export const windowMs = 60_000

/** Spacing for 99 % of the plan: the rest absorbs requests that the network brings closer together. */
const share = 0.99

/** A late timer may be made up for by this much, or the plan would go unused. */
const catchUpMs = 250

const firstBackoffMs = 1_000
const longestBackoffMs = 60_000

/** Requests of a second of the wall clock, as the Store has them. */
export interface Spent {
  readonly second: number
  readonly sent: number
}

/** When the next request may start; knows nothing of who waits. */
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
    /** By others, as they told. */
    sentBefore: sent.push,
    usedSince: sent.since,
    pauseUntil,
    rejected: (now: number, retryAfterMs: number | undefined): void => {
      if (retryAfterMs !== undefined) return pauseUntil(now + retryAfterMs)
      // Requests that were under way together are rejected together: they are one rejection.
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
    /** The time of the nth last request; minus infinity when there were fewer. */
    nth: (n: number): number => (n > count ? Number.NEGATIVE_INFINITY : (times[(count - n) % capacity] ?? 0)),
    since: (time: number): number => times.reduce((sum, each) => (each > time ? sum + 1 : sum), 0)
  }
}

/** What an earlier process or another worker has reserved counts as sent, once, at the end of its second. */
export const makeOthers = (sentAt: (time: number) => void) => {
  const known = new Map<number, number>()
  const mine = (second: number, count: number): void => void known.set(second, (known.get(second) ?? 0) + count)
  const hear = (seconds: ReadonlyArray<Spent>, now: number): void => {
    for (const { second, sent } of seconds) {
      const news = sent - (known.get(second) ?? 0)
      for (let i = 0; i < news; i++) sentAt(Math.min(second * 1000 + 999, now))
      if (news > 0) mine(second, news)
    }
    for (const second of known.keys()) if (second * 1000 < now - 2 * windowMs) known.delete(second)
  }
  return { mine, hear }
}
