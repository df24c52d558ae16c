/**
 * About a dozen lists of all kinds, which a person has switched on. The service's records and fields change between
 * pages while the service and the worker fail. Once everything is calm again, every table is proven and equals the
 * service's records.
 *
 * Every tenth run is a whole worker, which is killed; the others are only its walks and stores, in this process.
 */
import type { Goal } from "../Goal.ts"
import { open, weathered, type Place } from "../lists/Weathered.ts"
import { text } from "../../bench/Waiting.ts"

/** On one service; each run begins with what the run before it has left. */
const runsPerPlace = 5
const wholeEvery = 10

export const goal: Goal = {
  engines: ["duckdb", "postgres"],
  runs: 1,
  run: async (attack) => {
    const violations: Array<string> = []
    const figures = { services: 0, lists: 0, happened: 0, records: 0, workers: 0, columns: 0 }
    let place: Place | undefined
    let runs = 0
    for (const run of attack.runs()) {
      if (place === undefined || run % runsPerPlace === 0) {
        await place?.world[Symbol.asyncDispose]()
        place = await open(attack)
        figures.services++
        figures.lists += place.lists.length
      }
      const isWhole = run % wholeEvery === wholeEvery - 1
      const { seed } = place.world.sandbox.options
      const found = await weathered(place, isWhole).catch((cause: unknown) => text(cause))
      runs = run + 1
      if (typeof found === "string") {
        violations.push(`run ${run}, service ${seed}: ${found}`)
        await place.world[Symbol.asyncDispose]()
        place = undefined
        continue
      }
      violations.push(...found.violations.map((violation) => `run ${run}, service ${seed}: ${violation}`))
      figures.happened += found.happened
      figures.records += found.records
      figures.workers += isWhole ? 1 : 0
      figures.columns += found.columns
    }
    await place?.world[Symbol.asyncDispose]()
    return { runs, violations, figures }
  }
}
