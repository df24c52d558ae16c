/**
 * What a goal is: one kind of attack on a running worker, judged from outside. Every file in `goals/` exports one as
 * `goal`, under the file's name.
 */
import type { Dice } from "../sandbox/Seed.ts"
import type { Server } from "./Servers.ts"

export const engines = ["duckdb", "postgres"] as const
export type Engine = (typeof engines)[number]

export interface Attack {
  readonly engine: Engine
  /** The only source of chance. */
  readonly dice: Dice
  /** The numbers of the runs, until `--runs` or `--seconds` ends them, or the goal's own number of runs is reached. */
  readonly runs: () => Generator<number>
  /** The full set of cases was asked for, not a sample. */
  readonly isLong: boolean
  /** The size of a month, if it differs from the short form's. */
  readonly size: { readonly ipcs?: number; readonly kills?: number }
  /** A PostgreSQL server, for runs on that engine or for a goal that needs one. */
  readonly server: () => Promise<Server>
}

/** Every order is equally likely. */
export const shuffled = <A>(dice: Dice, items: ReadonlyArray<A>): Array<A> =>
  items
    .map((item) => ({ item, place: dice.next() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item)

export interface Findings {
  readonly runs: number
  /** Sentences, one for each broken promise. */
  readonly violations: ReadonlyArray<string>
  readonly figures: Readonly<Record<string, unknown>>
}

export interface Skipped {
  /** Why this machine can't run it. */
  readonly skipped: string
}

export interface Goal {
  readonly engines: ReadonlyArray<Engine>
  /** How many runs the short form has. */
  readonly runs: number
  /** It measures time, so nothing else may run beside it. */
  readonly isAlone?: true
  /** It mostly waits, so it runs beside the others and doesn't take one of their places. */
  readonly waits?: true
  /** It takes longest, so it starts first. */
  readonly isFirst?: true
  readonly run: (attack: Attack) => Promise<Findings | Skipped>
}

/** A line of the report. */
export type Line = {
  readonly goal: string
  readonly engine: Engine
} & (
  | Skipped
  | {
      readonly runs: number
      /** The command that repeats it. */
      readonly command: string
      readonly violations: number
      readonly seed: number
      readonly seconds: number
      readonly figures: Readonly<Record<string, unknown>>
      /** The first five violations. */
      readonly broken?: ReadonlyArray<string>
    }
)
