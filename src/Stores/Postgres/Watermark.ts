/**
 * How far the inbox is applied, in PostgreSQL: everything up to a number is, and what several workers have in hand counts
 * as not applied.
 *
 * Numbers are given out before what gets them is there: at any moment a lower one may still be on its way, while higher
 * ones are applied already. A snapshot waits for those before it begins, and counts no higher.
 */
import { setTimeout } from "node:timers/promises"
import { type Kysely, sql } from "kysely"
import type { Client } from "pg"
import type { WarehouseTables } from "../WarehouseTables.ts"

const watermark = `
  select coalesce((select min(sequence) - 1 from siteledger.inbox_queue),
    (select max(sequence) from siteledger.inbox), 0) as watermark`

export const now = async (db: Kysely<WarehouseTables>): Promise<number> => {
  const { rows } = await sql<{ watermark: number }>`${sql.raw(watermark)}`.execute(db)
  return Number(rows[0]?.watermark ?? 0)
}

const given = `
  select case when is_called then last_value else 0 end as number from siteledger.inbox_sequence_seq`

/** Whoever stores deliveries has this lock before a number, and until they can be seen. */
const storing = `
  select virtualtransaction as id from pg_locks
  where relation = 'siteledger.inbox'::regclass and mode = 'RowExclusiveLock'
    and database = (select oid from pg_database where datname = current_database())`

/** A delivery has two seconds at most. */
const pauseMs = 10
const pauses = 300

/** Begins a transaction that sees one point in time; returns how far everything is applied in it. */
export const begin = async (client: Client): Promise<number> => {
  const highest = await settled(client)
  await client.query("begin isolation level repeatable read read only")
  const { rows } = await client.query<{ watermark: number }>(watermark)
  return Math.min(Number(rows[0]?.watermark ?? 0), highest)
}

/** The highest number given out, when all up to it are there or never will be. */
const settled = async (client: Client): Promise<number> => {
  const { rows } = await client.query<{ number: number }>(given)
  const ids = async () => (await client.query<{ id: string }>(storing)).rows.map(({ id }) => id)
  let waited = await ids()
  for (let pause = 0; waited.length > 0; pause++) {
    if (pause === pauses) throw new Error("a delivery is being stored for more than three seconds")
    await setTimeout(pauseMs)
    const still = await ids()
    waited = waited.filter((id) => still.includes(id))
  }
  return Number(rows[0]?.number ?? 0)
}
