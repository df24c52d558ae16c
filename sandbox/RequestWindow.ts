/**
 * The plan's limit as the service counts it: at most `plan` requests in any sliding 60 seconds. A refused request
 * doesn't count, so a client that keeps trying is admitted again. `timeScale` doesn't apply: the limit is a promise
 * about real time.
 */
export interface RequestWindow {
  /** 0: the request is admitted. Otherwise the milliseconds until the next one would be. */
  readonly admit: (nowMillis: number) => number
  /** Requests admitted in the 60 seconds up to this instant. */
  readonly used: (nowMillis: number) => number
  /** Milliseconds until the oldest of them no longer counts; 0: there is none. */
  readonly untilFewer: (nowMillis: number) => number
}

const windowMillis = 60_000

/** `plan`: requests per 60 seconds, at most a million or so; Infinity = no limit. */
export const make = (plan: number): RequestWindow => {
  if (!Number.isFinite(plan)) return { admit: () => 0, used: () => 0, untilFewer: () => 0 }
  const admittedAt = new Float64Array(Math.max(1, plan))
  let oldest = 0
  let size = 0
  const expire = (nowMillis: number) => {
    while (size > 0 && (admittedAt[oldest] ?? 0) <= nowMillis - windowMillis) {
      oldest = (oldest + 1) % admittedAt.length
      size--
    }
  }
  return {
    admit: (nowMillis) => {
      expire(nowMillis)
      if (size === admittedAt.length) return (admittedAt[oldest] ?? 0) + windowMillis - nowMillis
      admittedAt[(oldest + size) % admittedAt.length] = nowMillis
      size++
      return 0
    },
    used: (nowMillis) => {
      expire(nowMillis)
      return size
    },
    untilFewer: (nowMillis) => {
      expire(nowMillis)
      return size === 0 ? 0 : (admittedAt[oldest] ?? 0) + windowMillis - nowMillis
    }
  }
}
