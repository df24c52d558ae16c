/**
 * Simulated days of the worker's decisions, from seeds: crashes between any two effects, lost and repeated exchanges,
 * clocks that are set. Not a black box: the real modules run on models, in one process (`simulation/`).
 */
import type { Goal } from "../Goal.ts"
import { playSeed } from "../simulation/Day.ts"

export const goal: Goal = {
  // A single engine: the Store is SQLite in memory.
  engines: ["duckdb"],
  runs: 40,
  run: async ({ dice, runs }) => {
    const first = dice.below(1_000_000)
    const violations: Array<string> = []
    let [busy, played] = [0, 0]
    for (const run of runs()) {
      const day = await playSeed(first + run)
      played++
      // A day in which little happens proves nothing.
      if (!day.isBusy) continue
      busy++
      violations.push(...day.violations.slice(0, 1).map((violation) => `seed ${first + run}: ${violation}`))
    }
    return { runs: played, violations, figures: { busyDays: busy } }
  }
}
