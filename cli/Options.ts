/**
 * What several verbs take: arguments and flags, once each, and what comes on standard input.
 */
import { Effect, Stdio, Stream } from "effect"
import { Argument, Flag } from "effect/cli"
import { userName } from "../config/Environment.ts"

export const toggle = (name: string, what: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(what), Flag.withDefault(false))

export const json = (what = "JSON, for programs") => toggle("json", what)

/** Of the books. */
export const hold = Argument.String("hold").pipe(Argument.withDescription("The hold's id, or how it begins"))

/** Of the books. */
export const entry = Argument.String("entry").pipe(Argument.withDescription("The entry's id, or how it begins"))

/** For the books. */
export const by = Flag.String("by").pipe(
  Flag.withDescription("Who says so (you); recorded for ever"),
  Flag.withDefault(userName)
)

/** For the books. */
export const reason = Flag.String("reason").pipe(Flag.withDescription("Why (needed); recorded for ever"))

interface Bounds {
  readonly least?: number
  readonly most?: number
}

export const highestPort = 65_535

/** A whole number within bounds. */
export const whole = (name: string, what: string, { least = 0, most = Number.MAX_SAFE_INTEGER }: Bounds = {}) =>
  Flag.Int(name).pipe(
    Flag.withDescription(what),
    Flag.filter(
      (value) => value >= least && value <= most,
      () => `a whole number, ${least} or more${most < Number.MAX_SAFE_INTEGER ? `, and at most ${most}` : ""}`
    )
  )

/** `standard` is taken where the flag isn't given; its help says so. */
export const wholeOr = (standard: number, name: string, what: string, bounds?: Bounds) =>
  whole(name, `${what} (${standard})`, bounds).pipe(Flag.withDefault(standard))

/** All of standard input. */
export const piped = Effect.flatMap(Stdio.Stdio, ({ stdin }) => Stream.mkString(Stream.decodeText(stdin)))
