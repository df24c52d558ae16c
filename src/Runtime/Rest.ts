/**
 * What a thread does after it has been idle for a while: it gives its garbage back. V8 collects garbage only when it
 * needs room, so an idle thread keeps all of it, up to 50 MB after a burst.
 */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

const others = new Set<() => void>()

/** A resting thread calls `give` before it collects its garbage. Returns a function that ends this. */
export const alsoGivingBack = (give: () => void): (() => void) => {
  others.add(give)
  return () => void others.delete(give)
}

const giveBack = (give: () => void): void => {
  try {
    give()
  } catch {
    // What can't be given back costs only memory.
  }
}

/**
 * With this, V8 also drops the code that it has compiled, and compiles a function again when it is called: 4 MB after a
 * burst. A flag is of the whole process, but a collection of another thread reads this one only when it begins.
 */
const dropping = "stress-flush-code"

/**
 * Node offers this collection only through a flag of V8. It stops the thread for 1 ms per MB of its heap. The last resort
 * also closes gaps: after a burst, a plain collection left 10 MB in them.
 */
export const collect = (): void => {
  for (const give of others) giveBack(give)
  setFlagsFromString("--expose-gc")
  setFlagsFromString(`--${dropping}`)
  try {
    ;(runInNewContext("gc") as (how: object) => void)({ type: "major", flavor: "last-resort" })
  } finally {
    setFlagsFromString(`--no-${dropping}`)
  }
}

/** Limited to this rate, by a clock that tests don't move: otherwise tests of many days would do little else. */
export const collectingEvery = (millis: number): (() => void) => {
  let lastMs = Number.NEGATIVE_INFINITY
  return () => {
    const nowMs = performance.now()
    if (nowMs - lastMs < millis) return
    lastMs = nowMs
    collect()
  }
}

/** Call it at each piece of work. The process can exit without waiting for it. */
export const restingAfter = (millis: number, rest: () => void = collect): (() => void) => {
  let timer: NodeJS.Timeout | undefined
  return () => {
    timer = timer?.refresh() ?? setTimeout(rest, millis).unref()
  }
}

/** The same for work that takes long: call `begin` before it and `end` after it. Not while any is in progress. */
export const restingBetween = (millis: number, rest: () => void = collect) => {
  let underWay = 0
  const worked: () => void = restingAfter(millis, () => (underWay === 0 ? rest() : worked()))
  worked()
  return {
    begin: () => {
      underWay++
    },
    end: () => {
      underWay--
      worked()
    }
  }
}
