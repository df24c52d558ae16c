/**
 * What waits to be looked up: a row for each record that events have mentioned since it was last read, written in the
 * transaction that settles these events. So a restart loses none, many events of one record cause one request, and
 * there are never more rows than records. Reading the records holds up nothing: applying events only increments a
 * count.
 */
import { Context } from "effect"
import { type Kysely, sql, type Transaction } from "kysely"
import type { Instant } from "../Domain/Instant.ts"
import { isAmong, listedRows } from "./Sql.ts"
import type { StoreTables } from "./StoreTables.ts"

type Db = Kysely<StoreTables>
type Tx = Transaction<StoreTables>

/** The tables whose records are looked up because of events: a person has switched these on. */
export const LookedUp = Context.Reference<ReadonlySet<string>>("siteledger/LookedUp", { defaultValue: () => new Set() })

export interface Wanted {
  readonly resource: string
  readonly id: string
}

/** A record, and how many events wait for it; zero if only a payment waits. */
export interface Waiting {
  readonly id: string
  readonly events: number
}

/** In a fixed order, so that two workers never deadlock. */
export const want = async (tx: Tx, wanted: ReadonlyArray<Wanted>, at: Instant): Promise<void> => {
  if (wanted.length === 0) return
  const all = Map.groupBy(wanted, ({ id, resource }) => JSON.stringify([resource, id]))
  const rows = [...all]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, those]) => those.slice(0, 1).map(({ id, resource }) => [resource, id, String(those.length)]))
  await sql`
    insert into lookups (resource, id, events, since)
    select resource, id, cast(events as integer), ${at} from ${listedRows(tx, ["resource", "id", "events"], rows)} as wanted
    where true order by place
    on conflict (resource, id) do update set
      since = case when lookups.events = 0 then excluded.since else lookups.since end,
      events = lookups.events + excluded.events`.execute(tx)
}

/** The records that have waited longest. */
export const next = async (db: Db, resource: string, limit: number): Promise<ReadonlyArray<Waiting>> =>
  db
    .selectFrom("lookups")
    .select(["id", "events"])
    .where("resource", "=", resource)
    .where("events", ">", 0)
    .orderBy("since")
    .orderBy("id")
    .limit(limit)
    .execute()

/** Moves it behind all that wait. */
export const postpone = async (tx: Tx, resource: string, id: string, at: Instant): Promise<void> => {
  const row = tx.updateTable("lookups").where("resource", "=", resource).where("id", "=", id)
  await row.where("events", ">", 0).set({ since: at }).execute()
}

export interface Queue {
  readonly count: number
  /** When the longest-waiting record began to wait, or was postponed. */
  readonly since: string
}

/** By table: the records that wait to be looked up because of events. */
export const waiting = async (db: Db): Promise<ReadonlyMap<string, Queue>> => {
  const rows = await db
    .selectFrom("lookups")
    .select((of) => ["resource", of.fn.countAll<number>().as("count"), of.fn.min("since").as("since")])
    .where("events", ">", 0)
    .groupBy("resource")
    .execute()
  return new Map(rows.map(({ count, resource, since }) => [resource, { count: Number(count), since }]))
}

/** Events that came meanwhile keep waiting. */
export const done = async (tx: Tx, resource: string, { events, id }: Waiting, at: Instant): Promise<void> => {
  const row = tx.updateTable("lookups").where("resource", "=", resource).where("id", "=", id)
  await row.set((of) => ({ events: of("events", "-", events), since: at })).execute()
  await tx
    .deleteFrom("lookups")
    .where("resource", "=", resource)
    .where("id", "=", id)
    .where("events", "<=", 0)
    .where("found", "is", null)
    .execute()
}

/** What the last look-up for a payment found; null if there is nothing that a person should know. */
export const note = async (tx: Tx, { id, resource }: Wanted, at: Instant, found: string | null): Promise<void> => {
  const values = { looked_at: at, found }
  await tx
    .insertInto("lookups")
    .values({ resource, id, events: 0, since: at, ...values })
    .onConflict((conflict) => conflict.columns(["resource", "id"]).doUpdateSet(values))
    .execute()
}

/** Payments that wait for the certificate of an IPC that hasn't been looked up since `before`. */
export const awaiting = async (db: Db, before: Instant, limit: number): Promise<ReadonlyArray<string>> => {
  const { rows } = await sql<{ id: string }>`
    select distinct hold.ipc_id as id from ledger_holds hold
      left join lookups on lookups.resource = 'ipcs' and lookups.id = hold.ipc_id
    where hold.reason = 'awaiting-certified-amount' and (lookups.looked_at is null or lookups.looked_at < ${before})
    limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Those of these IPCs whose payments wait for a certificate. */
export const awaited = async (db: Db, ipcIds: ReadonlyArray<string>): Promise<ReadonlySet<string>> => {
  if (ipcIds.length === 0) return new Set()
  const holds = db
    .selectFrom("ledger_holds")
    .select("ipc_id")
    .where(isAmong(db, "ipc_id", ipcIds))
  const rows = await holds.where("reason", "=", "awaiting-certified-amount").execute()
  return new Set(rows.map((row) => row.ipc_id))
}

/** Holds change only through facts. */
export const newestFact = async (db: Db): Promise<number> => {
  const row = await db
    .selectFrom("ledger_facts")
    .select((of) => of.fn.max("number").as("number"))
    .executeTakeFirst()
  return Number(row?.number ?? 0)
}

/** Forgets what was found for payments that no longer wait. */
export const forget = (tx: Tx) =>
  sql`
  delete from lookups where resource = 'ipcs' and events <= 0 and not exists (
    select 1 from ledger_holds hold where hold.ipc_id = lookups.id and hold.reason = 'awaiting-certified-amount')`.execute(
    tx
  )

/** By IPC: what the last look-up found. */
export const findings = async (db: Db, ipcIds: ReadonlyArray<string>): Promise<ReadonlyMap<string, string>> => {
  const rows = await db
    .selectFrom("lookups")
    .select(["id", "found"])
    .where("resource", "=", "ipcs")
    .where(isAmong(db, "id", ipcIds))
    .execute()
  return new Map(rows.flatMap(({ found, id }) => (found === null ? [] : [[id, found] as const])))
}
