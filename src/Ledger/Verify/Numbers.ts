/**
 * Whether the numbers of the books hold: facts and entries are numbered 1, 2, 3, … without gaps, and entries follow their
 * facts. One query each, over the whole books.
 */
import { type Kysely, sql } from "kysely"
import type { StoreTables } from "../../Stores/StoreTables.ts"

/** In words, at most so many of each kind. */
export const numbered = async (db: Kysely<StoreTables>, most: number): Promise<ReadonlyArray<string>> => [
  ...(await gaps(db, most, "ledger_facts", "number")).map((number) => `There is no fact ${number}.`),
  ...(await gaps(db, most, "ledger_entries", "sequence")).map((number) => `There is no entry with number ${number}.`),
  ...(await disordered(db, most)).map(
    (number) => `The entries with numbers ${number} and ${number + 1} aren't in the order of their facts.`
  ),
  ...(await revived(db, most)).map(
    (number) => `The entry with number ${number} is from an epoch before its predecessor's.`
  )
]

/** The first number of each gap, also before the first row. */
const gaps = async (
  db: Kysely<StoreTables>,
  most: number,
  table: "ledger_entries" | "ledger_facts",
  column: string
): Promise<ReadonlyArray<number>> => {
  const number = sql.ref(column)
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
