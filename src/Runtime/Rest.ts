/**
 * What a thread does once it has had nothing to do for a while: it gives its garbage back. V8 collects garbage when it needs
 * room, so a thread that rests keeps all of it, up to 50 MB after a burst.
 */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** Node has no other way to ask for it without a flag of the process. It stops the thread for 1 ms with each MB of its heap. */
export const collect = (): void => {
  setFlagsFromString("--expose-gc")
  ;(runInNewContext("gc") as () => void)()
}

/** Not more often than that, by a clock that no test moves: tests of many days did little else. */
export const collectingEvery = (millis: number): (() => void) => {
  let lastMs = Number.NEGATIVE_INFINITY
  return () => {
    const nowMs = performance.now()
    if (nowMs - lastMs < millis) return
    lastMs = nowMs
    collect()
  }
}

/** To be called at each piece of work. The process ends without waiting for it. */
export const restingAfter = (millis: number, rest: () => void = collect): (() => void) => {
  let timer: NodeJS.Timeout | undefined
  return () => {
    timer = timer?.refresh() ?? setTimeout(rest, millis).unref()
  }
}
