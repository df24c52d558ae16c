/**
 * How the requests of a lane are shared among lists, if all of them wait: each has what it needs to be in time, as far as that is
 * no more than an equal part; what those leave is shared by the others, and what is left then by all. So a list that can't be
 * in time takes nothing from those that can. Pure.
 */

/** Nothing may wait for ever, even if it needs nothing for now. */
const leastShare = 1 / 1000

/** Of the time that is left: who aims at its very end is late with the last request. */
const aim = 0.75

/** Requests per second, to send so many in time; infinite if it is over. */
export const needed = (requests: number, leftMs: number): number => requests / Math.max(0, (leftMs * aim) / 1000)

/** By name: `needs` and the result in requests per second, of `rate` in all. */
export const shared = (needs: ReadonlyMap<string, number>, rate: number): ReadonlyMap<string, number> => {
  const shares = new Map<string, number>()
  let [left, waiting] = [rate, needs.size]
  for (const [name, need] of [...needs].toSorted(([, a], [, b]) => a - b || 0)) {
    const share = Math.min(need, left / waiting--)
    shares.set(name, share)
    left -= share
  }
  const more = Math.max(left, rate * leastShare) / Math.max(1, needs.size)
  for (const [name, share] of shares) shares.set(name, share + more)
  return shares
}
