/**
 * Describes a variable, and reads several: the result is all values or all problems. No problem repeats a value,
 * because a secret pasted into the wrong variable must not reach a log either.
 */
import { Option, Record, Result, Schema } from "effect"
import type { Parse } from "./Parse.ts"

export interface Variable<out A> {
  readonly name: string
  /** As one sentence. */
  readonly meaning: string
  /** Its value from its text (undefined if not set), or a sentence that continues after its name. */
  readonly read: (text: string | undefined) => Result.Result<A, string>
  readonly isRequired: boolean
  /** May also come from a file named by NAME_FILE. */
  readonly isSecret: boolean
  readonly default?: string
  readonly example?: string
}

export type Variables = Readonly<Record<string, Variable<unknown>>>

export const required = <A>(name: string, meaning: string, parse: Parse<A>, example: string): Variable<A> => ({
  name,
  meaning,
  read: (text) => (text === undefined ? Result.fail(`is missing. ${meaning}`) : parse(text)),
  isRequired: true,
  isSecret: false,
  example
})

/** Read as `standard` if it isn't set. */
export const preset = <A>(name: string, meaning: string, parse: Parse<A>, standard: string): Variable<A> => ({
  name,
  meaning,
  read: (text = standard) => parse(text),
  isRequired: false,
  isSecret: false,
  default: standard
})

export const optional = <A>(
  name: string,
  meaning: string,
  parse: Parse<A>,
  example: string
): Variable<Option.Option<A>> => ({
  name,
  meaning,
  read: (text) => (text === undefined ? Result.succeed(Option.none()) : Result.map(parse(text), Option.some)),
  isRequired: false,
  isSecret: false,
  example
})

/** May also come from a file. */
export const secret: typeof optional = (...declared) => ({ ...optional(...declared), isSecret: true })

/** The same variable, where it may be missing. */
export const maybe = <A>(variable: Variable<A>): Variable<Option.Option<A>> => ({
  ...variable,
  read: (text) => (text === undefined ? Result.succeed(Option.none()) : Result.map(variable.read(text), Option.some)),
  isRequired: false
})

export const orElse = <A>(variable: Variable<Option.Option<A>>, value: NoInfer<A>): Variable<A> => ({
  ...variable,
  read: (text) =>
    Result.map(
      variable.read(text),
      Option.getOrElse(() => value)
    )
})

export const Problem = Schema.Struct({ variable: Schema.String, sentence: Schema.String })
export type Problem = typeof Problem.Type

/** A value, or its problems. */
export type Field<A> = Result.Result<A, ReadonlyArray<Problem>>

export type ValuesOf<V> = { readonly [K in keyof V]: V[K] extends Variable<infer A> ? A : never }
export type Fields<V> = { readonly [K in keyof V]: V[K] extends Variable<infer A> ? Field<A> : never }
type Read = Readonly<Record<string, Field<unknown>>>
type Values<F> = { readonly [K in keyof F]: F[K] extends Field<infer A> ? A : never }

export const bad = (variable: string, sentence: string): Field<never> => Result.fail([{ variable, sentence }])

/** `called`: the name under which a person set the variable. */
export const fieldOf = <A>(variable: Variable<A>, called: string, text: string | undefined): Field<A> =>
  Result.mapError(variable.read(text), (sentence) => [{ variable: called, sentence }])

export const fieldsOf = <V extends Variables>(
  declared: V,
  read: <A>(variable: Variable<A>, key: keyof V & string) => Field<A>
): Fields<V> => Record.map(declared, read) as Fields<V>

/** Every value, or every problem, including those of the rules. */
export const all = <F extends Read>(fields: F, ...rules: ReadonlyArray<Field<void>>): Field<Values<F>> => {
  const problems = [...Object.values(fields), ...rules].flatMap((field) =>
    Result.isFailure(field) ? field.failure : []
  )
  return problems.length > 0
    ? Result.fail(problems)
    : Result.succeed(
        Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, Result.getOrThrow(field)])) as Values<F>
      )
}

/** A rule over several valid values; an invalid one is reported where it is read. */
export const rule = <F extends Read>(fields: F, judge: (values: Values<F>) => Field<void>): Field<void> =>
  Result.match(all(fields), { onFailure: () => fine, onSuccess: judge })

export const fine: Field<void> = Result.succeed(undefined)
