/**
 * What the accounting systems' variables have in common: whose money a system takes, and what is required once it is
 * named.
 */
import { Option, Result } from "effect"
import { isCurrency } from "../Currency.ts"
import * as Parse from "../Parse.ts"
import { bad, type Field, optional, type Variable } from "../Variable.ts"

export const currency = Parse.one("must be a currency of ISO 4217 like EUR.", (text) =>
  isCurrency(text) ? text : undefined
)

export const company = (name: string, system: string) =>
  optional(
    name,
    `Company of the ledger's file whose entries ${system} takes (if not set, those without a company).`,
    Parse.plain,
    "North Ltd"
  )

/** Whose money a system takes. */
export interface Taken {
  readonly company: string | null
  readonly currency: string
}

export type Given<A> = Field<Option.Option<A>>

/** Required together with the variable that names the system. */
export const needed = <A>(field: Given<A>, { name }: Variable<unknown>, main: Variable<unknown>): Field<A> =>
  Result.flatMap(
    field,
    Option.match({ onNone: () => bad(name, `is missing; ${main.name} needs it.`), onSome: Result.succeed })
  )

export const orNull = <A>(field: Given<A>): Field<A | null> => Result.map(field, Option.getOrNull)

/** Empty if the variable that names the system isn't set. */
export const ifSet = <A>(main: Given<unknown>, system: () => Field<A>): Given<A> =>
  Result.flatMap(main, (value) =>
    Option.isNone(value) ? Result.succeed(Option.none<A>()) : Result.map(system(), Option.some)
  )
