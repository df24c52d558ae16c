/**
 * Rows of texts and numbers as one text per column, for callers that read very many: the server sends, and the driver
 * reads, a handful of values instead of one for each column of each row, which took most of the time.
 *
 * Exact: a value that could be taken for two, or for null, is detected, and then the rows are read one by one. A column
 * of a few hundred rows has to fit into one text, so this is for pages.
 */
import { type Kysely, type RawBuilder, sql } from "kysely"

type Holds = "number" | "text" | "text or null"

/** What each column of a query holds. */
export type Columns<A> = Readonly<Record<keyof A & string, Holds>>

type Row = Record<string, unknown>

/** JSON escapes both, and no id has either. */
const [between, nothing] = ["\u0001", "\u0002"]

const countOf = (name: string): string => `${name}_count`

const joined = (name: string, holds: Holds): RawBuilder<unknown> => {
  const own = sql.ref(name)
  const value = { number: sql`${own}::text`, text: own, "text or null": sql`coalesce(${own}, ${sql.lit(nothing)})` }[
    holds
  ]
  return sql`string_agg(${value}, ${sql.lit(between)}) as ${own}, count(${own}) as ${sql.ref(countOf(name))}`
}

/**
 * Undefined if values can't be told apart, or if one is null that can't be, for instance because someone has changed
 * the table.
 */
const valuesOf = (packed: Row, name: string, holds: Holds): ReadonlyArray<unknown> | undefined => {
  const count = Number(packed["count"])
  const pieces = count === 0 ? [] : String(packed[name]).split(between)
  const values =
    holds === "text"
      ? pieces
      : pieces.map((piece) => (holds === "number" ? Number(piece) : piece === nothing ? null : piece))
  const there = values.filter((value) => (holds === "number" ? Number.isSafeInteger(value) : value !== null))
  return values.length === count && there.length === Number(packed[countOf(name)]) ? values : undefined
}

/** In the order of the query. */
export const read = async <A, Db>(
  db: Kysely<Db>,
  query: RawBuilder<A>,
  columns: Columns<A>
): Promise<ReadonlyArray<A>> => {
  const all = Object.entries<Holds>(columns)
  const texts = all.map(([name, holds]) => joined(name, holds))
  const { rows } = await sql<Row>`select count(*) as count, ${sql.join(texts)} from (${query}) as each`.execute(db)
  const packed = rows[0] ?? {}
  const values = all.map(([name, holds]) => valuesOf(packed, name, holds))
  if (values.includes(undefined)) return (await query.execute(db)).rows
  const blank: Row = Object.fromEntries(all.map(([name]) => [name, null]))
  return Array.from({ length: Number(packed["count"]) }, (_, row) => {
    const made = { ...blank }
    for (let column = 0; column < all.length; column++) made[all[column]![0]] = values[column]![row]
    return made as A
  })
}
