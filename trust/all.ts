/**
 * Attacks a worker (`bin/siteledger start`) as a black box and judges it from outside: one JSON line for each goal and
 * engine. `npm run trust -- [GOAL…] [--runs N] [--seconds S] [--seed S] [--engine duckdb|postgres] [--short]
 * [--write]`; `--ipcs N --kills N` for the month.
 *
 * Four goals run at once, plus those that mostly wait; goals that measure time run first, alone. Exits with 0 if every
 * promise held, 1 if one was broken, 2 on a usage error. The seed repeats every random choice.
 */
import { spawn } from "node:child_process"
import { randomInt } from "node:crypto"
import { readdirSync } from "node:fs"
import { basename, join } from "node:path"
import * as Seed from "../sandbox/Seed.ts"
import { type Attack, type Engine, type Goal, type Line } from "./Goal.ts"
import { type Options, read, UsageError } from "./Options.ts"
import * as Servers from "./Servers.ts"
import { write } from "./Write.ts"

const folder = join(import.meta.dirname, "goals")
const names = readdirSync(folder)
  .filter((file) => file.endsWith(".ts"))
  .map((file) => basename(file, ".ts"))
  .toSorted()

const load = async (name: string): Promise<Goal> =>
  ((await import(join(folder, `${name}.ts`))) as { readonly goal: Goal }).goal

const sizeIn = ({ ipcs, kills }: Options): Attack["size"] => ({
  ...(ipcs === undefined ? {} : { ipcs }),
  ...(kills === undefined ? {} : { kills })
})

const attack = (name: string, goal: Goal, engine: Engine, options: Options): Attack => {
  const { runs, seconds, seed } = options
  const from = performance.now()
  const isLong = runs !== undefined || seconds !== undefined
  const most = runs ?? (seconds === undefined ? goal.runs : Number.POSITIVE_INFINITY)
  const endMs = (seconds ?? Number.POSITIVE_INFINITY) * 1000
  const words = [...`${name} ${engine}`].reduce((sum, letter) => Seed.mix(sum + letter.charCodeAt(0)), 0)
  return {
    engine,
    isLong,
    size: sizeIn(options),
    dice: Seed.dice(seed, words, 0),
    runs: function* () {
      for (let run = 0; run < most && (run === 0 || performance.now() - from < endMs); run++) yield run
    },
    server: Servers.shared
  }
}

/** The length of a run, as options. */
const lengths = ({ ipcs, kills, runs, seconds }: Options): ReadonlyArray<string> =>
  Object.entries({ runs, seconds, ipcs, kills }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, String(value)]
  )

const repeating = (name: string, options: Options): string =>
  ["npm run trust --", name, ...lengths(options), `--seed ${options.seed}`].join(" ")

/** A goal that itself fails proves nothing, so that counts as a violation. */
const line = async (name: string, goal: Goal, engine: Engine, options: Options): Promise<Line> => {
  const from = performance.now()
  const findings = await goal.run(attack(name, goal, engine, options)).catch((cause: unknown) => ({
    runs: 0,
    violations: [`The goal didn't finish: ${cause instanceof Error ? cause.message : String(cause)}`],
    figures: {}
  }))
  if ("skipped" in findings) return { goal: name, engine, skipped: findings.skipped }
  const { figures, runs, violations } = findings
  return {
    goal: name,
    engine,
    runs,
    command: repeating(name, options),
    violations: violations.length,
    seed: options.seed,
    seconds: Math.round((performance.now() - from) / 100) / 10,
    figures,
    ...(violations.length > 0 ? { broken: violations.slice(0, 5) } : {})
  }
}

interface Job {
  readonly name: string
  readonly goal: Goal
  readonly engine: Engine
}

/** Each goal runs in a process of its own, so that no goal meets another's servers, memory or busy event loop. */
const inProcess = ({ engine, name }: Job, options: Options): Promise<Line> => {
  const words = [name, "--engine", engine, ...lengths(options), "--seed", String(options.seed)]
  const child = spawn(process.execPath, [import.meta.filename, ...words], { stdio: ["ignore", "pipe", "inherit"] })
  return new Promise((done, failed) => {
    let output = ""
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()))
    child.on("error", failed)
    child.on("close", (code) => {
      const [line] = output.split("\n")
      if (line === undefined || line === "") failed(new Error(`${name} on ${engine} ended with ${code} and no line`))
      else done(JSON.parse(line) as Line)
    })
  })
}

const atOnce = 4

const rank = ({ goal }: Job): number => (goal.isFirst === true ? 0 : 1)

const main = async (): Promise<number> => {
  const options = read(process.argv.slice(2), names, () => randomInt(2 ** 32))
  const jobs: Array<Job> = []
  for (const name of options.goals) {
    const goal = await load(name)
    for (const engine of goal.engines) {
      if (options.engine === undefined || options.engine === engine) jobs.push({ name, goal, engine })
    }
  }
  const lines: Array<Line> = []
  const tell = (one: Line): void => {
    process.stdout.write(`${JSON.stringify(one)}\n`)
    lines.push(one)
  }
  const [only] = jobs
  if (jobs.length === 1 && only !== undefined) {
    tell(await line(only.name, only.goal, only.engine, options))
    await Servers.close()
  } else {
    const play = async (some: Iterable<Job>): Promise<void> => {
      for (const job of some) tell(await inProcess(job, options))
    }
    const {
      alone = [],
      beside = [],
      others = []
    } = Object.groupBy(jobs, ({ goal: { isAlone, waits } }) =>
      isAlone === true ? "alone" : waits === true ? "beside" : "others"
    )
    await play(alone)
    // A shared iterator: each lane takes the next job.
    const turns = others.toSorted((one, other) => rank(one) - rank(other)).values()
    await Promise.all([...beside.map((job) => play([job])), ...Array.from({ length: atOnce }, () => play(turns))])
  }
  if (options.write) write(lines)
  return lines.some((one) => !("skipped" in one) && one.violations > 0) ? 1 : 0
}

const code = await main().catch((cause: unknown) => {
  if (!(cause instanceof UsageError)) throw cause
  process.stderr.write(`${cause.message}\nGoals: ${names.join(", ")}\n`)
  return 2
})
// Handles that a failed goal has left open must not keep the process alive.
process.exit(code)
