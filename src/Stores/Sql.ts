/**
 * The few expressions that differ between the Store's two engines.
 */
import { type Insertable, type Kysely, PostgresAdapter, type RawBuilder, sql, type Transaction } from "kysely"
import * as Json from "../Domain/Json.ts"
import type { StoreTables } from "./StoreTables.ts"

type Db = Kysely<StoreTables>

const isPostgres = (db: Db): boolean => db.getExecutor().adapter instanceof PostgresAdapter

/** A list as a subquery with one column `value`. One parameter for the whole list: one per value is slow. */
export const listed = (db: Db, values: ReadonlyArray<string>): RawBuilder<string> =>
  isPostgres(db)
    ? sql<string>`(select value from unnest(${values}::text[]) with ordinality as listed (value, place))`
    : sql<string>`(select value from json_each(${JSON.stringify(values)}))`

/** The same for ids. SQLite keeps whole numbers as numbers: in order, they are inserted twice as fast as text. */
export const listedIds = (db: Db, ids: ReadonlyArray<string>): RawBuilder<string> =>
  isPostgres(db) ? listed(db, ids) : sql<string>`(select value from json_each(${idsJson(ids)}))`

const idsJson = (ids: ReadonlyArray<string>): string =>
  `[${ids.map((id) => (/^(?:0|-?[1-9]\d{0,17})$/.test(id) ? id : JSON.stringify(id))).join(",")}]`

/** The same for whole numbers. */
export const listedNumbers = (db: Db, values: ReadonlyArray<number>): RawBuilder<number> =>
  isPostgres(db)
    ? sql<number>`(select value from unnest(${values}::bigint[]) with ordinality as listed (value, place))`
    : sql<number>`(select value from json_each(${JSON.stringify(values)}))`

/** For indexed columns: PostgreSQL uses the index for an array, but not for a subquery of a thousand rows. */
export const isAmong = (db: Db, column: string, values: ReadonlyArray<string>): RawBuilder<boolean> =>
  isPostgres(db)
    ? sql<boolean>`${sql.ref(column)} = any(${values}::text[])`
    : sql<boolean>`${sql.ref(column)} in ${listed(db, values)}`

/**
 * Inserts rows that all have the same columns. Kysely's own insert of many rows is another statement for each number of
 * them, which takes longer to compile than to run; these are the same for any number.
 */
export const insertAll = async <T extends keyof StoreTables & string>(
  tx: Transaction<StoreTables>,
  table: T,
  rows: ReadonlyArray<Insertable<StoreTables[T]> & object>
): Promise<void> => {
  const names = Object.keys(rows[0] ?? {})
  if (names.length === 0) return
  const columns = sql.join(names.map((name) => sql.ref(name)))
  if (isPostgres(tx)) {
    await sql`
      insert into ${sql.table(table)} (${columns})
      select ${columns} from json_populate_recordset(null::${sql.table(table)}, ${Json.stringify(rows)})`.execute(tx)
    return
  }
  const row = sql`insert into ${sql.table(table)} (${columns}) values (${sql.join(names)})`.compile(tx)
  const cells = rows.map((each) => names.map((name) => (each as Readonly<Record<string, unknown>>)[name]))
  for (const parameters of cells) await tx.executeQuery({ ...row, parameters })
}

/**
 * Lets only one worker at a time run the rest of its transaction. SQLite has one writer anyway.
 */
export const oneAtATime = async (tx: Db, turn: keyof typeof turns): Promise<void> => {
  if (isPostgres(tx)) await sql`select pg_advisory_xact_lock(${turns[turn]})`.execute(tx)
}

/** The same for a single statement, as its condition: true once it is its turn. */
export const isItsTurn = (db: Db, turn: keyof typeof turns): RawBuilder<boolean> =>
  isPostgres(db) ? sql<boolean>`(select pg_advisory_xact_lock(${turns[turn]})) is not null` : sql<boolean>`true`

/** The clock that all workers of the Store share. SQLite has one worker, with its own. */
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
  uptime: 7_130_221_007
} as const
