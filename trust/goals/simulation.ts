/**
 * Simulated days of the worker's decisions, from seeds: crashes between any two effects, lost and repeated exchanges, clocks
 * that are set. Not a black box: the real modules over models, in one process (`simulation/`).
 */
import type { Dice } from "../../sandbox/Seed.ts"
import { playSeed } from "../simulation/Day.ts"

interface Attack {
  readonly dice: Dice
  readonly runs: () => Generator<number>
}

export const goal = {
  // One engine: the Store is SQLite in memory.
  engines: ["duckdb"] as const,
  runs: 100,
  run: async ({ dice, runs }: Attack) => {
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
