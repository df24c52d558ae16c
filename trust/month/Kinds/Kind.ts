/**
 * What a kind of life is, and helpers that many kinds share.
 */
import { type Company, north, type Site, south } from "../Firm.ts"
import type { Life } from "../Life.ts"

export interface Kind {
  /** Relative to the other kinds. */
  readonly weight: number
  readonly of: ReadonlyArray<Company>
  /** It needs a slot in the month that is closed. */
  readonly isLate?: true
  readonly tell: (life: Life, others: Others) => void
}

export type Kinds = Readonly<Record<string, Kind>>

export interface Others {
  /** Another project of the company, in another currency if there is one. */
  readonly sister: Site
  /** A project of the other company. */
  readonly abroad: Site
}

export const both = [north, south]

export const begun = (life: Life): Life => {
  life.begins()
  return life
}

export const plain = (life: Life): Life => {
  begun(life).certified(life.at(0.3), life.next())
  life.paid(life.at(0.6))
  return life
}

export const certified = (life: Life): Life => {
  begun(life).certified(life.at(0.3), life.next())
  return life
}

/** An amount that a person states, unrelated to what is certified. */
export const saidBy = (life: Life): bigint => life.part(20 + life.dice.below(60)) + 700n

export const decided = (life: Life): "accept" | "reject" => (life.dice.chance(0.5) ? "accept" : "reject")

export const late = (life: Life): void => {
  life.late = decided(life)
}

/** Less than the total that is already certified, by more than corrections can change. */
export const lower = (life: Life): bigint => {
  life.step = life.some()
  return life.plot.total - 50_000_000n
}

export const inParts = (life: Life, ...percents: ReadonlyArray<number>): void => {
  for (const [index, percent] of percents.entries()) {
    life.paid(life.at(0.5 + index / 6), { reference: `PAY-${life.id}-${index + 1}`, said: life.part(percent) })
  }
}
