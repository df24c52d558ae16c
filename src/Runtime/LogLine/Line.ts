/**
 * How a line of the log is described: its level, its cause, its fields, its sentence. Pure.
 */
import type { LogLevel } from "effect"

/** `is` has no value: it carries the type. */
export interface Field<out A> {
  /** Its meaning, for docs/log.md. */
  readonly says: string
  readonly is?: A
}

export const text = (says: string): Field<string> => ({ says })
export const number = (says: string): Field<number> => ({ says })
export const word = <A extends string>(says: string): Field<A> => ({ says })
export const truth = (says: string): Field<boolean> => ({ says })

/** If it is null, the line is written without it. */
export const maybe = <A>(field: Field<A>): Field<A | null> => field

type Fields = Readonly<Record<string, Field<unknown>>>
export type Given<F> = { readonly [K in keyof F]: F[K] extends Field<infer A> ? A : never }

type Level<F> = LogLevel.Severity | ((given: Given<F>) => LogLevel.Severity)

export interface Line<F extends Fields> {
  readonly level: Level<F>
  /** As a sentence, for docs/log.md. */
  readonly cause: string
  readonly fields: F
  readonly sentence: (given: Given<F>) => string
}

export const line = <F extends Fields>(
  level: Level<F>,
  cause: string,
  fields: F,
  sentence: (given: Given<F>) => string
): Line<F> => ({ level, cause, fields, sentence })

/** `1 row`, `2 rows`. */
export const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`
