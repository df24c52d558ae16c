/**
 * The shortest part of a failing day that still fails: steps are left out, first in halves and then one by one, as long
 * as the remaining steps cause the same violation (delta debugging).
 */
import { playSteps } from "./Day.ts"
import type { Step } from "./Steps.ts"

/** What was violated, without times and ids. */
const kindOf = (violation: string | undefined): string => {
  const [what = ""] = (violation ?? "").replace(/^after a \w+: /, "").split(":")
  return what.replaceAll(/[\w-]*\d[\w-]*/g, "")
}

export const shortest = async (seed: number, all: ReadonlyArray<Step>): Promise<ReadonlyArray<Step>> => {
  const kind = kindOf((await playSteps(seed, all)).violations[0])
  const fails = async (steps: ReadonlyArray<Step>): Promise<boolean> =>
    (await playSteps(seed, steps)).violations.some((violation) => kindOf(violation) === kind)
  let steps = all
  for (let size = Math.ceil(all.length / 2); size > 0;) {
    const before = steps.length
    for (let from = 0; from < steps.length;) {
      const rest = steps.toSpliced(from, size)
      if (await fails(rest)) steps = rest
      else from += size
    }
    // One by one, until none can be left out.
    if (size > 1) size = Math.ceil(size / 2)
    else if (steps.length === before) size = 0
  }
  return steps
}
