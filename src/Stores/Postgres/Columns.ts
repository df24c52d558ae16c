/**
 * Rows of texts and numbers as one text for each column, for who reads a great many: the server sends, and the driver reads, a handful
 * of values instead of one for each column of each row, which took most of the time.
 *
 * Exact: a value that could be taken for two, or for null, is noticed, and the rows are read one by one. A column of some
 * hundred rows has to fit one text, so this is for pages.
 */
import { type Kysely, type RawBuilder, sql } from "kysely"

/** The columns of a query, by what they hold. */
export interface Columns {
  readonly numbers: ReadonlyArray<string>
  readonly texts: ReadonlyArray<string>
  /** Texts, or null. */
  readonly nullable: ReadonlyArray<string>
}

type Row = Record<string, unknown>

/** JSON escapes both, and no id has either. */
const [between, nothing] = ["\u0001", "\u0002"]

const joined = (name: string, value: RawBuilder<unknown>) =>
  sql`string_agg(${value}, ${sql.lit(between)}) as ${sql.ref(name)}`

const countOf = (name: string): string => `${name}_count`

/** Undefined if some of the values can't be told apart. */
const apart = (packed: Row, { nullable, numbers, texts }: Columns): ReadonlyArray<Row> | undefined => {
  const count = Number(packed["count"])
  const names = [...numbers, ...texts, ...nullable]
  const values: Array<ReadonlyArray<unknown>> = []
  for (const name of names) {
    const pieces = count === 0 ? [] : String(packed[name]).split(between)
    if (pieces.length !== count) return undefined
    values.push(pieces)
  }
  for (const place of numbers.keys()) {
    const exact = values[place]!.map(Number)
    if (!exact.every(Number.isSafeInteger)) return undefined
    values[place] = exact
  }
  for (const [place, name] of nullable.entries()) {
    const at = numbers.length + texts.length + place
    const pieces = values[at]!.map((piece) => (piece === nothing ? null : piece))
    if (pieces.filter((piece) => piece !== null).length !== Number(packed[countOf(name)])) return undefined
    values[at] = pieces
  }
  const blank: Row = Object.fromEntries(names.map((name) => [name, null]))
  return Array.from({ length: count }, (_, row) => {
    const made = { ...blank }
    for (let column = 0; column < names.length; column++) made[names[column]!] = values[column]![row]
    return made
  })
}

/** In the order of the query. */
export const read = async <A, Db>(
  db: Kysely<Db>,
  query: RawBuilder<A>,
  columns: Columns
): Promise<ReadonlyArray<A>> => {
  const { nullable, numbers, texts } = columns
  const all = [
    ...numbers.map((name) => joined(name, sql`${sql.ref(name)}::text`)),
    ...texts.map((name) => joined(name, sql.ref(name))),
    ...nullable.map((name) => joined(name, sql`coalesce(${sql.ref(name)}, ${sql.lit(nothing)})`)),
    ...nullable.map((name) => sql`count(${sql.ref(name)}) as ${sql.ref(countOf(name))}`)
  ]
  const { rows } = await sql<Row>`select count(*) as count, ${sql.join(all)} from (${query}) as each`.execute(db)
  const found = rows[0] && apart(rows[0], columns)
  return (found as ReadonlyArray<A> | undefined) ?? (await query.execute(db)).rows
}
