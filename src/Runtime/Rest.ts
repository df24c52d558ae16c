/**
 * What a thread does after it has been idle for a while: it gives its garbage back. V8 collects garbage only when it
 * needs room, so an idle thread keeps all of it, up to 50 MB after a burst.
 */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

const others = new Set<() => void>()

/** Before its garbage, a thread that rests gives this back, too. Returns what ends that. */
export const alsoGivingBack = (give: () => void): (() => void) => {
  others.add(give)
  return () => void others.delete(give)
}

/** V8 then also drops what it has compiled, and compiles a function again when it is called: 4 MB after a burst. */
const dropping = ["stress-flush-code", "flush-baseline-code"]

/**
 * Without a command-line flag, Node has no other way to request this. It stops the thread for 1 ms per MB of its heap.
 * The last resort also closes gaps: after a burst, a plain collection left 10 MB in them.
 */
export const collect = (): void => {
  for (const give of others) give()
  setFlagsFromString("--expose-gc")
  for (const flag of dropping) setFlagsFromString(`--${flag}`)
  try {
    ;(runInNewContext("gc") as (how: object) => void)({ type: "major", flavor: "last-resort" })
  } finally {
    for (const flag of dropping) setFlagsFromString(`--no-${flag}`)
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
