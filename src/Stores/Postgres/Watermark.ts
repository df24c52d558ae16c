/**
 * How far the inbox is applied in PostgreSQL: everything up to the watermark is. Events that a worker has claimed count
 * as not applied.
 *
 * A sequence number is assigned before its delivery is visible, so a lower number may still be uncommitted when higher
 * ones are already applied. A snapshot waits for these before it begins, and its watermark never exceeds them.
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

const assigned = `
  select case when is_called then last_value else 0 end as number from siteledger.inbox_sequence_seq`

/** A transaction that stores deliveries holds this lock from before their numbers are assigned until they are visible. */
const storing = `
  select virtualtransaction as id from pg_locks
  where relation = 'siteledger.inbox'::regclass and mode = 'RowExclusiveLock'
    and database = (select oid from pg_database where datname = current_database())`

/** Storing a delivery takes two seconds at most. */
const pauseMs = 10
const pauses = 300

/** Begins a transaction that sees one point in time; returns its watermark. */
export const begin = async (client: Client): Promise<number> => {
  const highest = await settled(client)
  await client.query("begin isolation level repeatable read read only")
  const { rows } = await client.query<{ watermark: number }>(watermark)
  return Math.min(Number(rows[0]?.watermark ?? 0), highest)
}

/** The highest number assigned, once every delivery up to it is visible or rolled back. */
const settled = async (client: Client): Promise<number> => {
  const { rows } = await client.query<{ number: number }>(assigned)
  const ids = async () => (await client.query<{ id: string }>(storing)).rows.map(({ id }) => id)
  let waited = await ids()
  for (let pause = 0; waited.length > 0; pause++) {
    if (pause === pauses) throw new Error("storing a delivery has taken more than three seconds")
    await setTimeout(pauseMs)
    const still = await ids()
    waited = waited.filter((id) => still.includes(id))
  }
  return Number(rows[0]?.number ?? 0)
}
