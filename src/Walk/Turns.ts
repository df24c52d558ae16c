/**
 * The slots that this process has reserved, by its own clock, and the turns that it took. Pure; lost with the process,
 * whose reserved slots stay counted.
 */
import type { Recent, Reserved, Turn } from "./Spending.ts"

/** The demand of this recent time is likely to continue. */
const latelyMs = 500

export const makeTurns = (limit: number) => {
  const taken = ring(limit)
  let reserved: ReadonlyArray<Turn> = []
  let recent: Recent = { spent: [], aheadMs: 0 }
  const mine = new Map<number, number>()
  const learn = (latest: Recent): void => {
    recent = latest
  }
  return {
    /** What all processes have reserved. */
    learn,
    add: ({ turns, ...latest }: Reserved): void => {
      reserved = turns
      learn(latest)
      for (const { second } of turns) mine.set(second, (mine.get(second) ?? 0) + 1)
      for (const second of mine.keys()) if (second < (latest.spent[0]?.second ?? 0)) mine.delete(second)
    },
    /** Milliseconds until the next turn (0 or less means now); undefined if none is left. */
    delay: (now: number): number | undefined => {
      reserved = reserved.filter(({ untilMs }) => untilMs >= now)
      const [next] = reserved
      return next && next.fromMs - now
    },
    take: (now: number): void => {
      reserved = reserved.slice(1)
      taken.push(now)
    },
    /** Since the start of the process. */
    takenInAll: (): number => taken.count(),
    takenLately: (now: number): number => taken.since(now - latelyMs),
    /** What others have reserved counts as used. */
    usedSince: (time: number): number =>
      recent.spent
        .filter(({ second }) => second * 1000 > time + recent.aheadMs)
        .reduce((sum, { second, sent }) => sum + sent - (mine.get(second) ?? 0), taken.since(time))
  }
}

/** The times of the last `capacity` requests, in a ring. Time never goes back. */
const ring = (capacity: number) => {
  const times = new Float64Array(capacity)
  let count = 0
  return {
    push: (time: number): void => {
      times[count % capacity] = time
      count++
    },
    count: (): number => count,
    since: (time: number): number => {
      let later = 0
      while (later < Math.min(count, capacity) && (times[(count - 1 - later) % capacity] ?? 0) > time) later++
      return later
    }
  }
}
