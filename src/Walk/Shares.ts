/**
 * How the requests of a lane are shared among lists if all of them wait. Each list gets what it needs to be in time,
 * but no more than an equal part. What those lists leave is shared by the others, and what then remains is shared by
 * all. So a list that can't be in time takes nothing from those that can. Pure.
 */

/** No list may wait forever, even if it needs nothing for now. */
const leastShare = 1 / 1000

/** The part of the remaining time to aim for: aiming at its very end would make the last request late. */
const aim = 0.75

/** Requests per second needed to send them in time; infinite if the time is over. */
export const needed = (requests: number, leftMs: number): number => requests / Math.max(0, (leftMs * aim) / 1000)

/** By name. `needs` and the result are in requests per second, and `rate` is the total. */
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
