/**
 * Whether the numbers of the books hold: facts and entries are numbered 1, 2, 3, … without gaps, and entries follow their
 * facts. A few queries over the whole books.
 */
import { type Kysely, sql } from "kysely"
import type { StoreTables } from "../../Stores/StoreTables.ts"

/** In words; at most `most` of each kind. */
export const numbered = async (db: Kysely<StoreTables>, most: number): Promise<ReadonlyArray<string>> => [
  ...(await gaps(db, most, "ledger_facts", "number")).map((number) => `There is no fact ${number}.`),
  ...(await gaps(db, most, "ledger_entries", "sequence")).map((number) => `There is no entry with number ${number}.`),
  ...((await areInOrder(db)) ? [] : await outOfOrder(db, most))
]

const outOfOrder = async (db: Kysely<StoreTables>, most: number): Promise<ReadonlyArray<string>> => [
  ...(await disordered(db, most)).map(
    (number) => `The entries with numbers ${number} and ${number + 1} aren't in the order of their facts.`
  ),
  ...(await revived(db, most)).map(
    (number) => `The entry with number ${number} is from an epoch before its predecessor's.`
  )
]

/** One pass for both kinds; nearly always it finds none. A gap between two entries is reported separately. */
const areInOrder = async (db: Kysely<StoreTables>): Promise<boolean> => {
  const { rows } = await sql`
    select after.sequence from ${pairs}
    where after.fact < before.fact or coalesce(after.epoch, 0) < coalesce(before.epoch, 0) limit 1`.execute(db)
  return rows.length === 0
}

/**
 * The first number of each gap, including one before the first row. Numbers are keys, so if there are as many as the
 * greatest one, none is missing.
 */
const gaps = async (
  db: Kysely<StoreTables>,
  most: number,
  table: "ledger_entries" | "ledger_facts",
  column: string
): Promise<ReadonlyArray<number>> => {
  const number = sql.ref(column)
  const ends = await sql<{ count: number; first: number | null; last: number | null }>`
    select count(*) as count, min(${number}) as first, max(${number}) as last from ${sql.table(table)}`.execute(db)
  const { count, first, last } = ends.rows[0]!
  if (Number(first ?? 1) === 1 && Number(last ?? 0) === Number(count)) return []
  const { rows } = await sql<{ missing: number }>`
    select each + 1 as missing from (
      select 0 as each union all select ${number} from ${sql.table(table)}
    ) as numbers
    where each < (select coalesce(max(${number}), 0) from ${sql.table(table)})
      and not exists (select 1 from ${sql.table(table)} where ${number} = each + 1)
    order by 1 limit ${most}`.execute(db)
  return rows.map(({ missing }) => Number(missing))
}

const pairs = sql`ledger_entries before join ledger_entries after on after.sequence = before.sequence + 1`

const disordered = async (db: Kysely<StoreTables>, most: number): Promise<ReadonlyArray<number>> => {
  const { rows } = await sql<{ sequence: number }>`
    select before.sequence from ${pairs} where after.fact < before.fact order by 1 limit ${most}`.execute(db)
  return rows.map(({ sequence }) => Number(sequence))
}

const revived = async (db: Kysely<StoreTables>, most: number): Promise<ReadonlyArray<number>> => {
  const { rows } = await sql<{ sequence: number }>`
    select after.sequence from ${pairs} where coalesce(after.epoch, 0) < coalesce(before.epoch, 0)
    order by 1 limit ${most}`.execute(db)
  return rows.map(({ sequence }) => Number(sequence))
}
