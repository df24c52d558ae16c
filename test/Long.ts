/**
 * Slow proofs have two lengths: `npm test` runs the short one, `npm run test:long` the long one. Both prove the same
 * guarantee by the same code; the short one takes fewer rounds, or a sample that the seed chooses.
 */
import { seeded } from "./Seeded.ts"

export const isLong = process.env["SITELEDGER_TEST_LONG"] === "yes"

/** SEED=n runs a random proof again. */
export const seed = Number(process.env["SEED"] ?? 20261120)

/** How many rounds a proof takes. */
export const rounds = (short: number, long: number): number => (isLong ? long : short)

/** All cases, or one of each kind. */
export const sample = <A>(cases: ReadonlyArray<A>, kindOf: (of: A) => string): ReadonlyArray<A> =>
  isLong ? cases : [...Map.groupBy(seeded(seed).shuffle(cases), kindOf).values()].flatMap((kind) => kind.slice(0, 1))

/** All cases, or this many. */
export const some = <A>(cases: ReadonlyArray<A>, count: number): ReadonlyArray<A> =>
  isLong ? cases : seeded(seed).shuffle(cases).slice(0, count)

/** The timeout of a slow proof, in milliseconds. */
export const patience = rounds(240_000, 1_800_000)
