/**
 * Preloaded into a worker (`node --import`): its wall clock is ahead by the number of milliseconds in the file that
 * TRUST_CLOCK_FILE names. The monotonic clock isn't changed, as when an operator sets a machine's clock.
 */
import { readFileSync } from "node:fs"

const file = process.env["TRUST_CLOCK_FILE"] ?? ""
const real = Date.now.bind(Date)
const readEveryMs = 50
const read = { at: Number.NEGATIVE_INFINITY, shift: 0 }

const shift = (): number => {
  const now = performance.now()
  if (now - read.at > readEveryMs) Object.assign(read, { at: now, shift: Number(readFileSync(file, "utf8")) || 0 })
  return read.shift
}

const present = (): number => real() + shift()

globalThis.Date = new Proxy(Date, {
  construct: (target, given, as) => Reflect.construct(target, given.length === 0 ? [present()] : given, as) as Date,
  apply: (target) => new target(present()).toString(),
  get: (target, name, as) => (name === "now" ? present : (Reflect.get(target, name, as) as unknown))
})
