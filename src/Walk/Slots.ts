/**
 * The plan as a row of slots: evenly spaced times at which one request may start, each granted to one process. Pure;
 * the Spending stores what is granted.
 *
 * A slot is used within `lateMs` of its time or never. The spacing allows for that, so no sliding 60 seconds contain
 * more than the limit, whichever processes use the slots. An unused slot is lost.
 */

export const windowMs = 60_000

/**
 * The part of the plan that is used. Slots that are up to `lateMs` late need 0.992; the rest absorbs requests that the
 * network bunches together.
 */
const share = 0.988

/** How long after its time a slot may be used. */
export const lateMs = 500

/** Slots are granted this far back; otherwise the time that a reservation takes would be lost. */
const catchUpMs = 250

/** No more than the slots of this time are granted at once: a crash loses them, and other workers wait for them. */
const blockMs = 500

/** Slots this far ahead come from a worker of version 0.1 whose clock was ahead. */
const farMs = 2 * windowMs

/** The requests of one second of the plan's clock, as in the Store. */
export interface Spent {
  readonly second: number
  readonly sent: number
}

/** Granted to all processes. */
export interface Granted {
  /** No slot before this time is free. */
  readonly nextMs: number
  /** Those of the last minute and those to come, oldest first. */
  readonly spent: ReadonlyArray<Spent>
}

export const nothingGranted: Granted = { nextMs: 0, spent: [] }

const intervalMs = (limit: number): number => windowMs / (limit * share)

/** The most slots in one reservation. */
export const mostAtOnce = (limit: number): number => Math.ceil(blockMs / intervalMs(limit))

export interface Ask {
  readonly limit: number
  /** How many slots. */
  readonly count: number
  /** How long it will probably take until the slots can be used. */
  readonly leadMs: number
}

/** The next slots. */
export const grant = (
  before: Granted,
  { count, leadMs, limit }: Ask,
  nowMs: number
): Granted & { readonly slots: ReadonlyArray<number> } => {
  const { nextMs, spent } = withoutFar(before, nowMs)
  const interval = intervalMs(limit)
  const sent = new Map(spent.map((each) => [each.second, each.sent]))
  const slots: Array<number> = []
  let next = Math.max(nextMs, nowMs + leadMs - catchUpMs)
  for (let n = 0; n < count; n++) {
    const slot = Math.max(next, freeAt(spent, limit, limit - n))
    slots.push(slot)
    const second = Math.floor(slot / 1000)
    sent.set(second, (sent.get(second) ?? 0) + 1)
    next = slot + interval
  }
  const oldest = Math.floor((nowMs - windowMs) / 1000) - 1
  return {
    slots,
    nextMs: next,
    spent: [...sent]
      .filter(([second]) => second >= oldest)
      .map(([second, count]) => ({ second, sent: count }))
      .toSorted((a, b) => a.second - b.second)
  }
}

/** Slots that are far ahead count as sent now: they were sent within the last minute. */
const withoutFar = ({ nextMs, spent }: Granted, nowMs: number): Granted => {
  const isFar = ({ second }: Spent) => second * 1000 > nowMs + farMs
  const far = spent.filter(isFar)
  if (far.length === 0 && nextMs <= nowMs + farMs) return { nextMs, spent }
  const second = Math.floor(nowMs / 1000)
  const sum = far.reduce((all, { sent }) => all + sent, 0)
  return {
    nextMs: nowMs,
    spent: [
      ...spent.filter((each) => !isFar(each) && each.second < second),
      { second, sent: sum + (spent.find((each) => each.second === second)?.sent ?? 0) },
      ...spent.filter((each) => !isFar(each) && each.second > second)
    ]
  }
}

/**
 * When the nth last request leaves the window. Slots of our own spacing never wait for it. It enforces the plan where
 * the seconds hold more: after the limit was lowered, or with requests of an earlier version.
 */
const freeAt = (spent: ReadonlyArray<Spent>, limit: number, n: number): number => {
  const perSecond = Math.ceil(1000 / intervalMs(limit)) + 1
  let after = 0
  for (const { second, sent } of spent.toReversed()) {
    after += sent
    if (after < n) continue
    const place = after - n + 1
    // The exact time is known only for slots: at the latest, the end of their part of the second.
    const within = sent > perSecond ? 1000 + lateMs : (1000 * place) / sent
    return second * 1000 + within + windowMs
  }
  return Number.NEGATIVE_INFINITY
}
