/**
 * Plays simulated days: `node trust/simulation/run.ts [--seed S] [--runs N] [--first] [--trace]`. It prints the rate,
 * and the seed of each violation. For a single seed that fails, it prints the shortest list of steps that still leads
 * there; `--trace` prints everything that happens, `--first` stops at the first failing seed.
 */
import { parseArgs } from "node:util"
import { playSeed } from "./Day.ts"
import { shortest } from "./Shrink.ts"
import { stepsOf } from "./Steps.ts"

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    runs: { type: "string" },
    first: { type: "boolean" },
    trace: { type: "boolean" }
  }
})
const shrink = async (seed: number): Promise<void> => {
  const all = stepsOf(seed)
  const steps = await shortest(seed, all)
  console.log(`${steps.length} of ${all.length} steps lead there:`)
  for (const step of steps) console.log(JSON.stringify(step))
}

const first = Number(values.seed ?? 1)
const runs = Number(values.runs ?? 1)
const startedMs = performance.now()
let busy = 0
let played = 0
let failed = 0
for (let seed = first; seed < first + runs; seed++) {
  const { hash, isBusy, trace, violations } = await playSeed(seed)
  if (values.trace === true) for (const line of trace) console.log(line)
  played++
  busy += isBusy ? 1 : 0
  const isFailed = isBusy && violations.length > 0
  if (runs === 1 || isFailed) console.log(`seed ${seed}: trace ${hash}`)
  if (!isFailed) continue
  failed++
  for (const violation of violations.slice(0, 5)) console.log(`seed ${seed}: ${violation}`)
  if (runs === 1) await shrink(seed)
  if (values.first === true) break
}
const seconds = (performance.now() - startedMs) / 1000
console.log(
  `${busy} busy days of ${played}, ${failed} with violations, in ${seconds.toFixed(1)} s: ${(busy / seconds).toFixed(1)} a second`
)
process.exitCode = failed > 0 ? 1 : 0
