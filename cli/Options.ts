/**
 * Arguments and flags that several verbs share, and reading standard input.
 */
import { Effect, Option, Stdio, Stream } from "effect"
import { Argument, CliError, Flag } from "effect/cli"
import { userName } from "../config/Environment.ts"

export const argument = (name: string, meaning: string) => Argument.String(name).pipe(Argument.withDescription(meaning))

export const optionalText = (name: string, meaning: string) =>
  Flag.String(name).pipe(Flag.withDescription(meaning), Flag.optional)

export const toggle = (name: string, meaning: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(meaning), Flag.withDefault(false))

export const json = toggle("json", "Print JSON, for programs")

export const hold = argument("hold", "The hold's id, or its first characters")

export const entry = argument("entry", "The entry's id, or its first characters")

export const oneOrAll = new CliError.UserError({ cause: "Name an entry, or give --all." })

export const by = Flag.String("by").pipe(
  Flag.withDescription("Who decides (default: your user name); recorded permanently"),
  Flag.withDefault(userName)
)

export const reason = Flag.String("reason").pipe(Flag.withDescription("Why (required); recorded permanently"))

export const why = optionalText("reason", "Why; recorded permanently")

export const month = argument("month", "A month of the books, like 2026-09")

interface Bounds {
  readonly least?: number
  readonly most?: number
}

export const highestPort = 65_535

/** A whole number within bounds. */
export const whole = (name: string, meaning: string, { least = 0, most = Number.MAX_SAFE_INTEGER }: Bounds = {}) =>
  Flag.Int(name).pipe(
    Flag.withDescription(meaning),
    Flag.filter(
      (value) => value >= least && value <= most,
      () => `a whole number, ${least} or more${most < Number.MAX_SAFE_INTEGER ? `, and at most ${most}` : ""}`
    )
  )

/** Its help states the default. */
export const wholeOr = (standard: number, name: string, meaning: string, bounds?: Bounds) =>
  whole(name, `${meaning} (default ${standard})`, bounds).pipe(Flag.withDefault(standard))

/**
 * The first line of standard input; empty if there is none. Then standard input is closed, because an open terminal
 * would keep the process alive.
 */
export const pipedLine = Effect.flatMap(Stdio.Stdio, ({ stdin }) =>
  Stream.runHead(Stream.splitLines(Stream.decodeText(stdin))).pipe(
    Effect.map(Option.getOrElse(() => "")),
    Effect.ensuring(Effect.sync(() => process.stdin.destroy()))
  )
)

/** All of standard input. */
export const piped = Effect.flatMap(Stdio.Stdio, ({ stdin }) => Stream.mkString(Stream.decodeText(stdin)))
