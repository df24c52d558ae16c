/**
 * The few places where the Store's two engines speak differently.
 */
import { type Kysely, PostgresAdapter, type RawBuilder, sql } from "kysely"
import type { StoreTables } from "./StoreTables.ts"

type Db = Kysely<StoreTables>

const isPostgres = (db: Db): boolean => db.getExecutor().adapter instanceof PostgresAdapter

/** A list as a subquery of one column `value`: one parameter however long it is, where each its own is slow. */
export const listed = (db: Db, values: ReadonlyArray<string>): RawBuilder<string> =>
  isPostgres(db)
    ? sql<string>`(select value from unnest(${values}::text[]) with ordinality as listed (value, place))`
    : sql<string>`(select value from json_each(${JSON.stringify(values)}))`

/** The same of ids. SQLite keeps whole numbers as such: in order, they are twice as fast to add as their text. */
export const listedIds = (db: Db, ids: ReadonlyArray<string>): RawBuilder<string> =>
  isPostgres(db) ? listed(db, ids) : sql<string>`(select value from json_each(${idsJson(ids)}))`

const idsJson = (ids: ReadonlyArray<string>): string =>
  `[${ids.map((id) => (/^(?:0|-?[1-9]\d{0,17})$/.test(id) ? id : JSON.stringify(id))).join(",")}]`

/** The same of whole numbers. */
export const listedNumbers = (db: Db, values: ReadonlyArray<number>): RawBuilder<number> =>
  isPostgres(db)
    ? sql<number>`(select value from unnest(${values}::bigint[]) with ordinality as listed (value, place))`
    : sql<number>`(select value from json_each(${JSON.stringify(values)}))`

/** For a column with an index, which PostgreSQL takes for an array and not for a subquery of a thousand. */
export const isAmong = (db: Db, column: string, values: ReadonlyArray<string>): RawBuilder<boolean> =>
  isPostgres(db)
    ? sql<boolean>`${sql.ref(column)} = any(${values}::text[])`
    : sql<boolean>`${sql.ref(column)} in ${listed(db, values)}`

/**
 * What several workers must do one after the other, from here to the end of the transaction. In SQLite there is one
 * writer anyway.
 */
export const oneAtATime = async (tx: Db, turn: keyof typeof turns): Promise<void> => {
  if (isPostgres(tx)) await sql`select pg_advisory_xact_lock(${turns[turn]})`.execute(tx)
}

/** Any numbers, each for one thing. */
const turns = { ledger: 7_130_221_002, pace: 7_130_221_004 } as const
