/** Reproducible randomness from a seed (mulberry32), so that a failure's message is enough to repeat it. */
export interface Random {
  /** An integer from 0 to `below` - 1. */
  readonly below: (below: number) => number
  readonly chance: (probability: number) => boolean
  readonly pick: <A>(from: ReadonlyArray<A>) => A
  readonly shuffle: <A>(from: ReadonlyArray<A>) => Array<A>
  /** `count` decimal digits, the first of them not 0. */
  readonly digits: (count: number) => string
}

export const seeded = (seed: number): Random => {
  let state = Math.imul(seed, 0x9e3779b1) | 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  const shuffle = <A>(from: ReadonlyArray<A>): Array<A> => {
    const to = [...from]
    for (let last = to.length - 1; last > 0; last--) {
      const other = below(last + 1)
      const kept = to[last] as A
      to[last] = to[other] as A
      to[other] = kept
    }
    return to
  }
  return {
    below,
    chance: (probability) => next() < probability,
    pick: (from) => from[below(from.length)] as (typeof from)[number],
    shuffle,
    digits: (count) => Array.from({ length: count }, (_, index) => (index === 0 ? 1 + below(9) : below(10))).join("")
  }
}

/** Runs a check for each of the seeds 1 to `count`; a failure names its seed. */
export const forSeeds = (count: number, check: (random: Random, seed: number) => void): void => {
  for (let seed = 1; seed <= count; seed++) {
    try {
      check(seeded(seed), seed)
    } catch (cause) {
      throw new Error(`seed ${seed}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
    }
  }
}

/** The same for a check that takes its time. */
export const forSeedsInTurn = async (
  count: number,
  check: (random: Random, seed: number) => Promise<void>
): Promise<void> => {
  for (let seed = 1; seed <= count; seed++) {
    await check(seeded(seed), seed).catch((cause: unknown) => {
      throw new Error(`seed ${seed}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
    })
  }
}
