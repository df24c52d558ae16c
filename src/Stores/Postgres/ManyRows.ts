/**
 * Statements that write many rows of a table at once, in an order that all writers share. Each column is one parameter,
 * regardless of the number of rows.
 */
import { type Kysely, type QueryResult, type RawBuilder, sql } from "kysely"
import type { Row } from "../../Domain/Merge.ts"
import { quoted, seen } from "../Ddl.ts"
import type { Shown, WarehouseTables } from "../WarehouseTables.ts"
import { typeName } from "./Ddl.ts"
import { textArray } from "./Arrays.ts"

type Db = Kysely<WarehouseTables>

type Texts = Readonly<Record<string, string | null>>

/** More rows would exceed the server's default `work_mem`: with 10,000, each row took twice as long. */
export const rowsAtOnce = 1000

/** In key order, the same for all writers, so that they don't deadlock. */
export function* pieces<A extends Texts>({ key }: Shown, rows: ReadonlyArray<A>): Generator<ReadonlyArray<A>> {
  const keyOf = (row: A): string => row[key] ?? ""
  const sorted = rows.toSorted((a, b) => inOrder(keyOf(a), keyOf(b)))
  for (let from = 0; from < sorted.length; from += rowsAtOnce) yield sorted.slice(from, from + rowsAtOnce)
}

/** Shorter first: whole numbers are then in numeric order, which keeps a walk's page together. */
export const inOrder = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)

interface Input {
  /** One expression per column. */
  readonly expressions: ReadonlyArray<RawBuilder<unknown>>
  readonly from: RawBuilder<unknown>
}

/** The rows as a table with one parameter per column: a list of texts, or a single value if all rows share it. */
export const inputOf = ({ columns, key }: Shown, rows: ReadonlyArray<Texts>): Input => {
  const lists = columns.map(({ name: column, type }) => {
    const values = rows.map((row) => row[column] ?? null)
    const isSame = column !== key && values.every((value) => value === values[0])
    return { name: sql.raw(`"${column}"`), type: sql.raw(typeName(type)), values, isSame }
  })
  const listed = lists.filter(({ isSame }) => !isSame)
  const arrays = listed.map(({ values }) => sql`${textArray(values)}::text[]`)
  return {
    expressions: lists.map(({ isSame, name, type, values }) =>
      isSame ? sql`${values[0] ?? null}::${type}` : sql`input.${name}::${type}`
    ),
    from: sql`unnest(${sql.join(arrays)}) as input (${sql.join(listed.map(({ name }) => name))})`
  }
}

export const names = (columns: Shown["columns"]): string => columns.map(({ name }) => `"${name}"`).join(", ")

export const insertionOf = (table: Shown, rows: ReadonlyArray<Row>): RawBuilder<unknown> => {
  const { expressions, from } = inputOf(table, rows)
  return sql`
    insert into ${sql.raw(seen(table.name))} (${sql.raw(names(table.columns))})
    select ${sql.join(expressions)} from ${from} on conflict (${sql.raw(table.key)}) do nothing`
}

/** How many rows were new. */
export const countOf = async (executed: Promise<QueryResult<unknown>>): Promise<number> =>
  Number((await executed).numAffectedRows ?? 0)

export const insert = (db: Db, table: Shown, rows: ReadonlyArray<Row>): Promise<number> =>
  countOf(insertionOf(table, rows).execute(db))

export const update = async (db: Db, table: Shown, rows: ReadonlyArray<Row>): Promise<void> => {
  const { expressions, from } = inputOf(table, rows)
  const sets = table.columns.flatMap(({ name }, place) =>
    name === table.key ? [] : [sql`${sql.raw(quoted(name))} = ${expressions[place]}`]
  )
  const key = expressions[table.columns.findIndex(({ name }) => name === table.key)]
  await sql`
    update ${sql.raw(seen(table.name))} as stored set ${sql.join(sets)}
    from ${from} where stored.${sql.raw(table.key)} = ${key}`.execute(db)
}
