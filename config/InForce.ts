/**
 * The settings in force, for a person: each variable with its section, its meaning, and its value as it was given.
 *
 * No secret is among them. For a variable that may hold a secret, only whether it is set is shown. In any URL the user,
 * the password, and what follows `?` and `#` are masked. A value that contains a secret of another variable is masked
 * completely. A value that can't be read isn't repeated, because it may be a secret in the wrong place.
 */
import { readFileSync } from "node:fs"
import { Effect, Result } from "effect"
import { type Environment, fields, read } from "./Environment.ts"
import { sections } from "./Sections.ts"
import type { Variable } from "./Variable.ts"

export interface Setting {
  readonly section: string
  readonly name: string
  readonly meaning: string
  readonly isSecret: boolean
  /** `bad`: it can't be read. */
  readonly state: "set" | "default" | "not-set" | "bad"
  /** Null for a secret, and for a setting that is unset or invalid. */
  readonly value: string | null
  /** What is wrong, as a sentence that continues after the name. */
  readonly problem: string | null
}

const mask = "***"

/** The names within a query are kept. */
const queryMasked = (query: string): string => query.replaceAll(/=[^&]*/g, `=${mask}`)

const bare = /^\?[^=&]*$/

/** Also applied to invalid URLs: only the form matters. */
export const masked = (text: string): string =>
  text
    .replaceAll(/([a-z][a-z0-9+.-]*:\/\/)[^\s/?#]*@/gi, `$1${mask}@`)
    .replaceAll(
      /([a-z][a-z0-9+.-]*:\/\/[^\s?#]*)(\?[^\s#]*)?(#\S*)?/gi,
      (_, place: string, query = "", fragment = "") => {
        const kept = bare.test(query) ? `?${mask}` : queryMasked(query)
        return `${place}${kept}${fragment === "" ? "" : `#${mask}`}`
      }
    )

/** Shorter ones occur by chance. */
const shortest = 6

/** As they were given; if there are several, each of them. */
const secretsIn = ({ values }: Environment): ReadonlyArray<string> =>
  sections
    .flatMap(([, variables]) => Object.values(variables))
    .filter(({ isSecret }) => isSecret)
    .flatMap(({ name }) => {
      const [given, path] = [values.get(name), values.get(`${name}_FILE`)]
      const texts = given !== undefined && Result.isSuccess(given) ? [given.success] : []
      if (path === undefined || Result.isFailure(path)) return texts
      return [
        ...texts,
        ...Result.getOrElse(
          Result.map(contentOf(path.success), (text) => [text]),
          () => []
        )
      ]
    })
    .flatMap((text) => [text, ...text.split(",")])
    .map((text) => text.trim())
    .filter((text) => text.length >= shortest)

const contentOf = (path: string) => Result.try(() => readFileSync(path, "utf8").trim())

const isGiven = ({ values }: Environment, { isSecret, name }: Variable<unknown>): boolean =>
  values.has(name) || (isSecret && values.has(`${name}_FILE`))

const stateOf = (environment: Environment, variable: Variable<unknown>): Pick<Setting, "problem" | "state"> => {
  if (!isGiven(environment, variable))
    return { state: variable.default === undefined ? "not-set" : "default", problem: null }
  const { value } = fields(environment, { value: variable })
  if (Result.isSuccess(value)) return { state: "set", problem: null }
  return { state: "bad", problem: value.failure.map(({ sentence }) => sentence).join(" ") }
}

const textOf = ({ values }: Environment, variable: Variable<unknown>): string | null => {
  const given = values.get(variable.name)
  return given !== undefined && Result.isSuccess(given) ? given.success : (variable.default ?? null)
}

export const settingsIn = (environment: Environment): ReadonlyArray<Setting> => {
  const secrets = secretsIn(environment)
  return sections.flatMap(([section, variables]) =>
    Object.values(variables).map((variable): Setting => {
      const { isSecret, meaning, name } = variable
      const { problem, state } = stateOf(environment, variable)
      const text = isSecret || state === "bad" ? null : textOf(environment, variable)
      const holdsSecret = text !== null && secrets.some((secret) => text.includes(secret))
      const value = text === null ? null : holdsSecret ? mask : masked(text)
      return { section, name, meaning, isSecret, state, value, problem }
    })
  )
}

/** The settings of this process, whether they are usable or not. */
export const inForce: Effect.Effect<ReadonlyArray<Setting>> = Effect.map(read, settingsIn)
