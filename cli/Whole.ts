/**
 * A flag that takes a whole number within bounds; its help says which one is taken without it.
 */
import { Flag } from "effect/cli"

interface Bounds {
  readonly least?: number
  readonly most?: number
}

export const highestPort = 65_535

export const whole = (name: string, what: string, { least = 0, most = Number.MAX_SAFE_INTEGER }: Bounds = {}) =>
  Flag.Int(name).pipe(
    Flag.withDescription(what),
    Flag.filter(
      (value) => value >= least && value <= most,
      () => `a whole number, ${least} or more${most < Number.MAX_SAFE_INTEGER ? `, and at most ${most}` : ""}`
    )
  )

/** `standard` is taken where the flag isn't given. */
export const wholeOr = (standard: number, name: string, what: string, bounds?: Bounds) =>
  whole(name, `${what} (${standard})`, bounds).pipe(Flag.withDefault(standard))
