/**
 * About a dozen lists of all kinds, switched on by a person, of a service whose records and fields change between two pages while
 * it and the worker fail. Once it is calm again, every table is proven and equals what the service has.
 *
 * Every tenth run is a whole worker, which is killed; the others are its walks and stores alone, in this process.
 */
import type { Goal } from "../Goal.ts"
import { open, weathered, type Place } from "../lists/Weathered.ts"
import { text } from "../../bench/Waiting.ts"

/** On one service, each beginning with what the one before has left. */
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
