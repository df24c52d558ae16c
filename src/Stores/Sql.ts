/**
 * The few expressions that differ between the Store's two engines.
 */
import {
  type Expression,
  type Insertable,
  type Kysely,
  PostgresAdapter,
  type RawBuilder,
  sql,
  type Transaction
} from "kysely"
import * as Json from "../Domain/Json.ts"
import { textArray } from "./Postgres/Arrays.ts"
import * as Columns from "./Postgres/Columns.ts"
import type { StoreTables } from "./StoreTables.ts"

type Db = Kysely<StoreTables>

const isPostgres = (db: Db): boolean => db.getExecutor().adapter instanceof PostgresAdapter

/** A list as a subquery with one column `value`. The whole list is one parameter, because one per value is slow. */
export const listed = (db: Db, values: ReadonlyArray<string>): RawBuilder<string> =>
  isPostgres(db)
    ? sql<string>`(select value from unnest(${textArray(values)}::text[]) with ordinality as listed (value, place))`
    : sql<string>`(select value from json_each(${JSON.stringify(values)}))`

/** The same for ids. SQLite keeps whole numbers as numbers: in order, they are inserted twice as fast as text. */
export const listedIds = (db: Db, ids: ReadonlyArray<string>): RawBuilder<string> =>
  isPostgres(db) ? listed(db, ids) : sql<string>`(select value from json_each(${idsJson(ids)}))`

const idJson = (id: string): string => (/^(?:0|-?[1-9]\d{0,17})$/.test(id) ? id : JSON.stringify(id))

const idsJson = (ids: ReadonlyArray<string>): string => `[${ids.map(idJson).join(",")}]`

/** The same with each id's parent, which is text, as a second column. */
export const listedIdsBelow = (
  db: Db,
  ids: ReadonlyArray<readonly [id: string, parent: string]>
): RawBuilder<unknown> =>
  isPostgres(db)
    ? sql`(select value, parent from unnest(${textArray(ids.map(([id]) => id))}::text[], ${textArray(ids.map(([, parent]) => parent))}::text[])
        as listed (value, parent))`
    : sql`(select json_extract(value, '$[0]') as value, json_extract(value, '$[1]') as parent
        from json_each(${`[${ids.map(([id, parent]) => `[${idJson(id)},${JSON.stringify(parent)}]`).join(",")}]`}))`

/** The same for whole numbers. */
export const listedNumbers = (db: Db, values: ReadonlyArray<number>): RawBuilder<number> =>
  isPostgres(db)
    ? sql<number>`(select value from unnest(${values}::bigint[]) with ordinality as listed (value, place))`
    : sql<number>`(select value from json_each(${JSON.stringify(values)}))`

/** Rows of texts as a subquery, with these columns and `place`, which counts from 0. */
export const listedRows = (
  db: Db,
  names: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>
): RawBuilder<unknown> => {
  if (isPostgres(db)) {
    const lists = names.map((_, column) => sql`${textArray(rows.map((row) => row[column] ?? null))}::text[]`)
    const columns = sql.join(names.map((name) => sql.ref(name)))
    return sql`(select ${columns}, number - 1 as place
      from unnest(${sql.join(lists)}) with ordinality as listed (${columns}, number))`
  }
  const cells = names.map((name, column) => sql`json_extract(value, ${sql.lit(`$[${column}]`)}) as ${sql.ref(name)}`)
  return sql`(select ${sql.join(cells)}, key as place from json_each(${JSON.stringify(rows)}))`
}

/** For indexed columns: PostgreSQL uses the index for an array, but not for a subquery of a thousand rows. */
export const isAmong = (db: Db, column: string, values: ReadonlyArray<string>): RawBuilder<boolean> =>
  isPostgres(db)
    ? sql<boolean>`${sql.ref(column)} = any(${textArray(values)}::text[])`
    : sql<boolean>`${sql.ref(column)} in ${listed(db, values)}`

/**
 * Joins to each row the first row of a table that `rest` finds, as `each`. Joined by its key, PostgreSQL would look it
 * up twice; SQLite has no lateral join.
 */
export const joinedFirst = (
  db: Db,
  { as, key, table }: { readonly table: keyof StoreTables & string; readonly key: string; readonly as: string },
  rest: RawBuilder<unknown>
): RawBuilder<unknown> => {
  const first = (what: RawBuilder<unknown>) => sql`(select ${what} from ${sql.table(table)} each ${rest} limit 1)`
  return isPostgres(db)
    ? sql`left join lateral ${first(sql`each.*`)} ${sql.ref(as)} on true`
    : sql`left join ${sql.table(table)} ${sql.ref(as)} on ${sql.ref(`${as}.${key}`)} = ${first(sql.ref(`each.${key}`))}`
}

type Rows<T extends keyof StoreTables> = ReadonlyArray<Insertable<StoreTables[T]> & object>

/**
 * Inserts rows that all have the same columns. Kysely's own insert of many rows is a different statement for each
 * number of rows, which takes longer to compile than to run; this statement is the same for any number. `replacing`:
 * replaces rows with the same value in this column; each value may be given once.
 */
export const insertAll = async <T extends keyof StoreTables & string>(
  tx: Transaction<StoreTables>,
  table: T,
  rows: Rows<T>,
  replacing?: keyof StoreTables[T] & string
): Promise<void> => {
  const names = Object.keys(rows[0] ?? {})
  if (names.length === 0) return
  const instead = insteadOf(names, replacing)
  if (isPostgres(tx)) {
    await sql`${fromJson(table, names, rows)} ${instead}`.execute(tx)
    return
  }
  const columns = namesOf(names)
  const row = sql`insert into ${sql.table(table)} (${columns}) values (${sql.join(names)}) ${instead}`.compile(tx)
  const cells = rows.map((each) => names.map((name) => (each as Readonly<Record<string, unknown>>)[name]))
  for (const parameters of cells) await tx.executeQuery({ ...row, parameters })
}

/**
 * The same for several tables, referenced tables first. A server gets them as one statement, and checks the references
 * at its end. `replacing`: by table.
 */
export const insertTogether = async (
  tx: Transaction<StoreTables>,
  tables: { readonly [T in keyof StoreTables]?: Rows<T> },
  replacing: { readonly [T in keyof StoreTables]?: keyof StoreTables[T] & string } = {}
): Promise<void> => {
  const keys = replacing as Readonly<Record<string, string | undefined>>
  const filled = Object.entries(tables as Readonly<Record<string, ReadonlyArray<object>>>).filter(
    ([, rows]) => rows.length > 0
  )
  if (!isPostgres(tx)) {
    for (const [table, rows] of filled) {
      await insertAll(tx, table as keyof StoreTables, rows as Rows<keyof StoreTables>, keys[table] as never)
    }
    return
  }
  if (filled.length === 0) return
  const inserts = filled.map(([table, rows]) => {
    const names = Object.keys(rows[0]!)
    return sql`${sql.ref(`into_${table}`)} as (${fromJson(table, names, rows)} ${insteadOf(names, keys[table])})`
  })
  await sql`with ${sql.join(inserts)} select 1`.execute(tx)
}

const fromJson = (table: string, names: ReadonlyArray<string>, rows: ReadonlyArray<object>): RawBuilder<unknown> => sql`
  insert into ${sql.table(table)} (${namesOf(names)})
  select ${namesOf(names)} from json_populate_recordset(null::${sql.table(table)}, ${Json.stringify(rows)})`

const namesOf = (names: ReadonlyArray<string>): RawBuilder<unknown> => sql.join(names.map((name) => sql.ref(name)))

const insteadOf = (names: ReadonlyArray<string>, key: string | undefined): RawBuilder<unknown> => {
  if (key === undefined) return sql``
  const sets = names.filter((name) => name !== key).map((name) => sql`${sql.ref(name)} = excluded.${sql.ref(name)}`)
  return sql`on conflict (${sql.ref(key)}) do update set ${sql.join(sets)}`
}

/** For columns that are text or whole numbers. */
type Queries<Rows> = { readonly [Name in keyof Rows]: Expression<Rows[Name]> & Query<Rows[Name]> }

interface Query<Row> {
  readonly execute: () => Promise<ReadonlyArray<Row>>
}

/**
 * The rows of several queries. A server answers them in one round trip, as JSON, and as of one point in time; SQLite
 * runs them one after the other.
 */
export const together = async <Rows extends Readonly<Record<string, object>>>(
  db: Db,
  queries: Queries<Rows>
): Promise<{ readonly [Name in keyof Rows]: ReadonlyArray<Rows[Name]> }> => {
  const named = Object.entries<Expression<object> & Query<object>>(queries)
  const all: Record<string, ReadonlyArray<object>> = {}
  if (isPostgres(db)) {
    const lists = named.map(
      ([name, query]) => sql`(select coalesce(json_agg(each), '[]') from ${query} as each) as ${sql.ref(name)}`
    )
    const { rows } = await sql<Readonly<Record<string, string>>>`select ${sql.join(lists)}`.execute(db)
    for (const [name] of named) all[name] = JSON.parse(rows[0]?.[name] ?? "[]") as ReadonlyArray<object>
  } else {
    for (const [name, query] of named) all[name] = await query.execute()
  }
  return all as { readonly [Name in keyof Rows]: ReadonlyArray<Rows[Name]> }
}

/** The rows of a query, for callers that read very many. */
export const manyRows = async <A>(
  db: Db,
  query: RawBuilder<A>,
  columns: Columns.Columns<A>
): Promise<ReadonlyArray<A>> => (isPostgres(db) ? Columns.read(db, query, columns) : (await query.execute(db)).rows)

/**
 * Lets only one worker at a time run the rest of its transaction. SQLite has one writer anyway.
 */
export const oneAtATime = async (tx: Db, turn: keyof typeof turns): Promise<void> => {
  if (isPostgres(tx)) await sql`select pg_advisory_xact_lock(${turns[turn]})`.execute(tx)
}

/** The same for a single statement, as its condition: true once it is its turn. */
export const isItsTurn = (db: Db, turn: keyof typeof turns): RawBuilder<boolean> =>
  isPostgres(db) ? sql<boolean>`(select pg_advisory_xact_lock(${turns[turn]})) is not null` : sql<boolean>`true`

/**
 * All statements of this transaction, none of which has run yet, see one point in time. Otherwise each statement on a
 * server would see what is new by then. SQLite has one writer, which waits.
 */
export const asOfNow = async (tx: Db): Promise<void> => {
  if (isPostgres(tx)) await sql`set transaction isolation level repeatable read`.execute(tx)
}

/** How many rows to ask for: from a file in this process, or from a server, where each query takes a round trip. */
export const atOnce = (db: Db, { embedded, server }: { readonly embedded: number; readonly server: number }): number =>
  isPostgres(db) ? server : embedded

/** The clock that all workers of the Store share. With SQLite there is only one worker, which has its own. */
export const clockMs = async (db: Db, ownMs: number): Promise<number> => {
  if (!isPostgres(db)) return ownMs
  const { rows } = await sql<{ ms: number }>`
    select extract(epoch from clock_timestamp())::float8 * 1000 as ms`.execute(db)
  return rows[0]?.ms ?? ownMs
}

/** Arbitrary numbers, one per purpose. */
const turns = {
  ledger: 7_130_221_002,
  pace: 7_130_221_004,
  refused: 7_130_221_005,
  outbox: 7_130_221_006,
  uptime: 7_130_221_007,
  principals: 7_130_221_008
} as const
