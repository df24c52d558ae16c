/**
 * The rounds of a benchmark as one line: the median of each figure, with its least and its greatest value.
 */
import { median, round } from "./Child.ts"

export type Round = Readonly<Record<string, number>>

const digitsOf = (value: number): number => (Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 3)

const rounded = (value: number): number => round(value, digitsOf(value))

export const ranged = <R extends Round>(
  rounds: ReadonlyArray<R>
): { readonly [name in keyof R]: number } & {
  readonly ranges: Readonly<Record<string, readonly [number, number]>>
} => {
  const names = Object.keys(rounds[0] ?? {})
  const of = (name: string): ReadonlyArray<number> => rounds.map((each) => each[name] ?? Number.NaN)
  return {
    ...(Object.fromEntries(names.map((name) => [name, rounded(median(of(name)))])) as { [name in keyof R]: number }),
    ranges: Object.fromEntries(
      names.map((name) => [name, [rounded(Math.min(...of(name))), rounded(Math.max(...of(name)))] as const])
    )
  }
}
