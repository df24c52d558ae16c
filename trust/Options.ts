/**
 * The command line of `npm run trust`. A mistake is answered with one sentence and the list of goals.
 */
import { parseArgs } from "node:util"
import { type Engine, engines } from "./Goal.ts"

export interface Options {
  readonly goals: ReadonlyArray<string>
  readonly seed: number
  readonly runs: number | undefined
  readonly seconds: number | undefined
  readonly engine: Engine | undefined
  /** For the month. */
  readonly ipcs: number | undefined
  readonly kills: number | undefined
  /** Keep the lines in `last-run.jsonl` and write `docs/trust.md` from them. */
  readonly write: boolean
}

export class UsageError extends Error {
  override readonly name = "UsageError"
}

const highestSeed = 2 ** 32 - 1

const flags = {
  runs: { type: "string" },
  seconds: { type: "string" },
  seed: { type: "string" },
  engine: { type: "string" },
  ipcs: { type: "string" },
  kills: { type: "string" },
  short: { type: "boolean", default: false },
  write: { type: "boolean", default: false }
} as const

const whole = (name: string, text: string | undefined, least: number, most: number): number | undefined => {
  if (text === undefined) return undefined
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (value >= least && value <= most) return value
  throw new UsageError(`--${name} must be a whole number from ${least} to ${most}, not ${JSON.stringify(text)}.`)
}

const parsed = (args: ReadonlyArray<string>) => {
  try {
    return parseArgs({ args: [...args], options: flags, allowPositionals: true })
  } catch (cause) {
    const [sentence = ""] = String(cause instanceof Error ? cause.message : cause).split(/\. |\n/)
    throw new UsageError(`${sentence.replace(/\.$/, "")}.`)
  }
}

/** `freshSeed`: used, and printed, if none is given. */
export const read = (args: ReadonlyArray<string>, all: ReadonlyArray<string>, freshSeed: () => number): Options => {
  const { positionals, values } = parsed(args)
  const unknown = positionals.find((name) => !all.includes(name))
  if (unknown !== undefined) throw new UsageError(`There is no goal named ${JSON.stringify(unknown)}.`)
  const engine = engines.find((each) => each === values.engine)
  if (values.engine !== undefined && engine === undefined) {
    throw new UsageError(`--engine must be ${engines.join(" or ")}, not ${JSON.stringify(values.engine)}.`)
  }
  const runs = whole("runs", values.runs, 1, 1_000_000)
  const seconds = whole("seconds", values.seconds, 1, 1_000_000)
  const ipcs = whole("ipcs", values.ipcs, 8, 100_000)
  const kills = whole("kills", values.kills, 0, 1000)
  if (values.short && (runs ?? seconds ?? ipcs ?? kills) !== undefined) {
    throw new UsageError("Give --short or a length (--runs, --seconds, --ipcs, --kills), not both.")
  }
  const seed = whole("seed", values.seed, 0, highestSeed) ?? freshSeed()
  const goals = positionals.length > 0 ? positionals : all
  return { goals, seed, runs, seconds, engine, ipcs, kills, write: values.write }
}
