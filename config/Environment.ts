/**
 * Reads variables through Effect's ConfigProvider and collects what is wrong with them instead of stopping at the first.
 * A `Field` is a value or its problems; `all` turns a record of fields into one field. Values are trimmed, an empty one
 * counts as not set, and each secret may come from the file named by NAME_FILE. No message ever repeats a value: a
 * secret pasted into the wrong variable must not reach a log either.
 */
import { readFileSync } from "node:fs"
import { ConfigProvider, Effect, Result, Runtime, Schema } from "effect"
import type { Name } from "./Variables.ts"
import { isLater, later, nearest, readable, variable } from "./Variables.ts"

const prefix = "SITELEDGER_"

export const Problem = Schema.Struct({ variable: Schema.String, sentence: Schema.String })
export type Problem = typeof Problem.Type

/** Bad configuration: a person must act. `message` is the text to print as it is; the process exits with 2. */
export class SettingsError extends Schema.TaggedError<SettingsError>()("SettingsError", {
  problems: Schema.Array(Problem),
  message: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 2

  static of(problems: ReadonlyArray<Problem>): SettingsError {
    const variables = problems.length === 1 ? "1 variable is" : `${problems.length} variables are`
    const lines = problems.map((problem) => `  ${problem.variable} ${problem.sentence}`)
    return new SettingsError({
      problems,
      message: [
        `siteledger's configuration is not usable: ${variables} missing or bad.`,
        ...lines,
        "config/example.env names every variable."
      ].join("\n")
    })
  }
}

export type Field<A> = Result.Result<A, ReadonlyArray<Problem>>
/** Text to value; the failure is a sentence that goes on after the variable's name. */
export type Parse<A> = (text: string) => Result.Result<A, string>

export interface Environment {
  readonly values: ReadonlyMap<string, Field<string>>
  /** Every SITELEDGER_ name that is set, known or not. */
  readonly names: ReadonlyArray<string>
}

const bad = (name: string, sentence: string): Field<never> => Result.fail([{ variable: name, sentence }])

/** The environment provider splits names at each underscore; leaves are put together again. */
const namesUnder = (
  provider: ConfigProvider.ConfigProvider,
  path: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<string>, ConfigProvider.SourceError> =>
  Effect.gen(function* () {
    const node = yield* provider.load(path)
    if (node === undefined) return []
    if (node._tag !== "Record") return [path.join("_")]
    const keys = [...node.keys].filter((key) => path.length > 0 || `${key}_`.startsWith(prefix))
    const below = yield* Effect.forEach(keys, (key) => namesUnder(provider, [...path, key]))
    return [...(node.value === undefined ? [] : [path.join("_")]), ...below.flat()]
  })

export const read: Effect.Effect<Environment> = Effect.gen(function* () {
  const provider = yield* ConfigProvider.ConfigProvider
  // A provider that reads on demand may be unable to list; the known names are then still looked up one by one.
  const listed = yield* namesUnder(provider, []).pipe(Effect.catch(() => Effect.succeed([])))
  const values = new Map<string, Field<string>>()
  for (const name of new Set([...readable, ...later, ...listed.filter((name) => name.startsWith(prefix))])) {
    const value = yield* provider.load([name]).pipe(
      Effect.map((node): Field<string> => Result.succeed(node?.value?.trim() ?? "")),
      Effect.catch(() => Effect.succeed(bad(name, "cannot be read from its source.")))
    )
    if (Result.isFailure(value) || value.success !== "") values.set(name, value)
  }
  return { values, names: [...values.keys()].filter((name) => name.startsWith(prefix)) }
})

const fromFile = (name: string, path: string): Field<string> => {
  const content = Result.try(() => readFileSync(path, "utf8"))
  if (Result.isFailure(content)) return bad(name, "names a file that cannot be read.")
  const text = content.success.replace(/\r?\n$/, "")
  return text.trim() === "" ? bad(name, "names an empty file.") : Result.succeed(text)
}

const text = (environment: Environment, name: Name): { from: string; value: Field<string> | undefined } => {
  const value = environment.values.get(name)
  const fileName = `${name}_FILE`
  const file = variable(name).secret === true ? environment.values.get(fileName) : undefined
  if (file === undefined) return { from: name, value }
  if (value !== undefined) return { from: name, value: bad(name, `and ${fileName} are both set; keep one of them.`) }
  return { from: fileName, value: Result.flatMap(file, (path) => fromFile(fileName, path)) }
}

const parsed = <A>(from: string, value: Field<string>, parse: Parse<A>): Field<A> =>
  Result.flatMap(value, (content) =>
    Result.mapError(parse(content), (sentence): ReadonlyArray<Problem> => [{ variable: from, sentence }])
  )

/** A variable that must end up with a value: its own, or the default of the table. */
export const field = <A>(environment: Environment, name: Name, parse: Parse<A>): Field<A> => {
  const { from, value } = text(environment, name)
  if (value !== undefined) return parsed(from, value, parse)
  const known = variable(name)
  return known.default === undefined
    ? bad(name, `is missing. ${known.meaning}`)
    : parsed(name, Result.succeed(known.default), parse)
}

export const optional = <A>(environment: Environment, name: Name, parse: Parse<A>): Field<A | undefined> => {
  const { from, value } = text(environment, name)
  return value === undefined ? Result.succeed(undefined) : parsed(from, value, parse)
}

type Values<Fields> = { readonly [K in keyof Fields]: Fields[K] extends Field<infer A> ? A : never }

/** Every value, or every problem. */
export const all = <Fields extends Record<string, Field<unknown>>>(fields: Fields): Field<Values<Fields>> => {
  const entries = Object.entries(fields)
  const problems = entries.flatMap(([, value]) => (Result.isFailure(value) ? value.failure : []))
  if (problems.length > 0) return Result.fail(problems)
  return Result.succeed(
    Object.fromEntries(entries.map(([key, value]) => [key, Result.getOrThrow(value)])) as Values<Fields>
  )
}

/** A rule over values that are good one by one. */
export const check = (ok: boolean, name: Name, sentence: string): Field<void> =>
  ok ? Result.succeed(undefined) : bad(name, sentence)

export const refuseLater = (environment: Environment): Field<void> => {
  const problems = environment.names
    .filter((name) => isLater(name))
    .map((name): Problem => ({ variable: name, sentence: "is not supported yet; remove it." }))
  return problems.length > 0 ? Result.fail(problems) : Result.succeed(undefined)
}

export const warnings = (environment: Environment): ReadonlyArray<string> =>
  environment.names.flatMap((name) => {
    if (isLater(name) || readable.includes(name)) return []
    const meant = nearest(name)
    return meant === undefined ? [] : [`${name} is not a variable of siteledger; did you mean ${meant}?`]
  })
