/**
 * The sandbox's source of chance, except for ids and secrets (`Identity.ts`): a hash of (seed, purpose, number) and a small generator that starts from such a
 * hash (sfc32). Both are pure, so anything made of them (a project, an event, the choice to send a delivery twice) can
 * be recomputed from its number alone and needn't be stored.
 */

/** What a hash is for: equal numbers for different purposes must not give equal chances. */
export const Purpose = {
  project: 1,
  lifecycle: 2,
  jitter: 4,
  held: 5,
  copied: 6,
  fault: 10,
  otherType: 13,
  spelling: 14,
  record: 15,
  parent: 16
} as const

/** A bijection of the 32-bit numbers (murmur3's finaliser): different numbers stay different. */
export const mix = (n: number): number => {
  let h = n | 0
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/** A 32-bit hash. For one seed and purpose, different 32-bit numbers give different hashes. */
export const hash = (seed: number, purpose: number, n: number): number =>
  mix(mix(mix(seed) + Math.imul(purpose, 0x9e3779b9)) ^ mix(n))

/** The same as a share: at least 0, less than 1. */
export const share = (seed: number, purpose: number, n: number): number => hash(seed, purpose, n) / 0x1_0000_0000

export interface Dice {
  /** A whole number from 0 to 2^32 - 1. */
  readonly next: () => number
  /** A whole number from 0 to n - 1. */
  readonly below: (n: number) => number
  readonly chance: (share: number) => boolean
  readonly pick: <A>(choices: readonly [A, ...ReadonlyArray<A>]) => A
}

export const dice = (seed: number, purpose: number, n: number): Dice => {
  let a = mix(seed)
  let b = mix(purpose + 0x9e3779b9)
  let c = mix(n)
  let counter = 1
  const next = () => {
    const t = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + t
    return t >>> 0
  }
  for (let round = 0; round < 12; round++) next()
  const below = (n: number) => Math.floor((next() / 0x1_0000_0000) * n)
  return {
    next,
    below,
    chance: (share) => next() / 0x1_0000_0000 < share,
    pick: (choices) => choices[below(choices.length)] ?? choices[0]
  }
}
