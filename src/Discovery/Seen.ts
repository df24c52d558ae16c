/**
 * Compares what a document says about a list with what arrived: fields that it doesn't describe, values that don't fit,
 * and columns that stayed empty. Pure: the counting is done elsewhere.
 */
import type { Difference } from "./Compare.ts"
import { entityNames } from "../Domain/Resource.ts"
import { below } from "./Document.ts"
import type { Column, List } from "./Review.ts"

/** For one table. */
export interface Seen {
  readonly rows: number
  /** By column: in how many rows it has a value. */
  readonly filled: ReadonlyMap<string, number>
  /** Fields without a column. By name: how many rows have one, and its JSON types. */
  readonly extra: ReadonlyMap<string, { readonly rows: number; readonly types: ReadonlyArray<string> }>
}

const often = ({ rows }: Seen, count: number): string => `in ${count} of ${rows} rows`

export const compareSeen = (list: List, seen: Seen): ReadonlyArray<Difference> => {
  const byField = new Map(list.columns.map((column) => [column.from ?? `/${column.name}`, column]))
  const came = [...seen.extra].map(([name, { rows, types }]) => ({
    column: byField.get(below("", name)),
    what: `${name} came as ${types.join(" or ")} ${often(seen, rows)}`
  }))
  const unfit = new Set(came.map(({ column }) => column?.name))
  const empty = list.columns.filter(
    ({ name, use }) => use === "keep" && seen.filled.get(name) === 0 && !unfit.has(name)
  )
  return [
    ...came.map(({ column, what }): Difference => ({ of: list.read, ...verdictOf(column, what, seen) })),
    ...learnedIn(list, seen).map(([name, count]): Difference => ({
      verdict: "new",
      of: list.read,
      what: `${name} is a column that the table got by itself, with a value ${often(seen, count)}, and isn't in the document`
    })),
    ...(seen.rows === 0 ? [] : empty).map(({ name }): Difference => ({
      verdict: "gone",
      of: list.read,
      what: `${name} never came, in ${seen.rows} rows`
    }))
  ]
}

/** Nothing else adds columns to a list's own table. */
const learnedIn = ({ columns, table }: List, { filled }: Seen): ReadonlyArray<readonly [string, number]> => {
  if (entityNames.some((name) => name === table)) return []
  const known = new Set(columns.map(({ name }) => name))
  return [...filled].filter(([name]) => !known.has(name) && name !== "id" && !name.startsWith("_"))
}

const verdictOf = (column: Column | undefined, what: string, { filled }: Seen): Omit<Difference, "of"> => {
  if (column === undefined) return { verdict: "new", what: `${what}, and isn't in the document` }
  if (!filled.has(column.name)) return { verdict: "safe", what: `${what}, and has no column yet` }
  return { verdict: "unsafe", what: `${what}, which doesn't fit ${column.type}` }
}
