/**
 * Reads variables through Effect's ConfigProvider and collects all problems instead of stopping at the first. Values
 * are trimmed, an empty value counts as not set, and each secret may come from the file named by NAME_FILE. Also
 * guesses what a typo meant.
 */
import { readFileSync } from "node:fs"
import { userInfo } from "node:os"
import { ConfigProvider, Effect, Result, Runtime, Schema } from "effect"
import { bad, type Field, fieldOf, type Fields, fieldsOf, Problem, type Variable, type Variables } from "./Variable.ts"
import { log } from "./Log.ts"
import { variables } from "./Sections.ts"

const prefix = "SITELEDGER_"

const readable: ReadonlyArray<string> = variables.flatMap(({ isSecret, name }) =>
  isSecret ? [name, `${name}_FILE`] : [name]
)

/** Bad configuration: a person must act. `message` is the text to print unchanged; the process exits with 2. */
export class SettingsError extends Schema.TaggedError<SettingsError>()("SettingsError", {
  problems: Schema.Array(Problem),
  message: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 2

  static of(all: ReadonlyArray<Problem>): SettingsError {
    // A variable on which two values depend is reported once.
    const problems = [...new Map(all.map((problem) => [`${problem.variable} ${problem.sentence}`, problem])).values()]
    const count = problems.length === 1 ? "1 variable is" : `${problems.length} variables are`
    const lines = problems.map((problem) => `  ${problem.variable} ${problem.sentence}`)
    return new SettingsError({
      problems,
      message: [
        `siteledger can't use its configuration: ${count} missing or bad.`,
        ...lines,
        "config/example.env lists every variable."
      ].join("\n")
    })
  }
}

export interface Environment {
  readonly values: ReadonlyMap<string, Field<string>>
  /** Every SITELEDGER_ name that is set, known or not. */
  readonly names: ReadonlyArray<string>
}

/** The environment provider splits names at each underscore; this joins them again. */
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
  // A provider that reads on demand may be unable to list names; the known ones are still looked up one by one.
  const listed = yield* namesUnder(provider, []).pipe(Effect.catch(() => Effect.succeed([])))
  const values = new Map<string, Field<string>>()
  for (const name of new Set([...readable, ...listed.filter((name) => name.startsWith(prefix))])) {
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

const unset: Field<undefined> = Result.succeed(undefined)

const field = <A>({ values }: Environment, variable: Variable<A>): Field<A> => {
  const { isSecret, name } = variable
  const fileName = `${name}_FILE`
  const value = values.get(name)
  const file = isSecret ? values.get(fileName) : undefined
  if (file === undefined) return Result.flatMap(value ?? unset, (text) => fieldOf(variable, name, text))
  if (value !== undefined) return bad(name, `and ${fileName} are both set; keep one of them.`)
  return file.pipe(
    Result.flatMap((path) => fromFile(fileName, path)),
    Result.flatMap((text) => fieldOf(variable, fileName, text))
  )
}

export const fields = <V extends Variables>(environment: Environment, declared: V): Fields<V> =>
  fieldsOf(declared, (variable) => field(environment, variable))

/** Sentences about names that look like typos of our variables. */
export const warnings = ({ names }: Environment): ReadonlyArray<string> =>
  names.flatMap((name) => {
    if (readable.includes(name)) return []
    const meant = nearest(name)
    return meant === undefined ? [] : [`${name} is not a variable of siteledger; did you mean ${meant}?`]
  })

/** The known name that an unknown one most likely meant; undefined if none is close. */
const nearest = (name: string): string | undefined => {
  // A quarter of what follows the prefix may be wrong, because short names are similar without being typos.
  const allowed = Math.max(2, Math.floor((name.length - prefix.length) / 4))
  const candidates = readable
    .map((known) => ({ known, edits: distance(name, known) }))
    .filter(({ edits }) => edits <= allowed)
    .toSorted((a, b) => a.edits - b.edits)
  return candidates[0]?.known
}

const distance = (a: string, b: string): number => {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const swap = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1)
      current.push(Math.min((previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, swap))
    }
    previous = current
  }
  return previous[b.length] ?? 0
}

const printing: ReadonlySet<string> = new Set(Object.values(log).map(({ name }) => name))

/**
 * The demo's own environment: the given values and, from the process's environment, only the variables that control
 * printing. What a person has set for a real worker doesn't affect it.
 */
export const isolated = (own: Readonly<Record<string, string>>): ConfigProvider.ConfigProvider => {
  const kept = Object.entries(process.env).filter(([name]) => printing.has(name))
  return ConfigProvider.fromEnvRecord({ ...own, ...Object.fromEntries(kept) })
}

/** The user's name, for what is recorded under one. A container's user may have none, which isn't a failure. */
export const userName: Effect.Effect<string> = Effect.sync(() =>
  Result.getOrElse(
    Result.try(() => userInfo().username),
    () => "unknown"
  )
)

/** Whether a browser can be opened for the person at this terminal. */
export const hasDesktop = (): boolean =>
  process.platform === "darwin" || Boolean(process.env["DISPLAY"] || process.env["WAYLAND_DISPLAY"])
