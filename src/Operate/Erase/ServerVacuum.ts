/**
 * Rewrites PostgreSQL tables, so that no dead row keeps what was erased, nor does what the server has noted about
 * frequent values.
 *
 * A row stays as long as some transaction may still read its old version. So first everything that began earlier is
 * waited for.
 */
import type { Client } from "pg"

const patienceMs = 60_000
const pauseMs = 200

interface Reader {
  readonly name: string
}

/**
 * `$1` is the number of a transaction after all changes. Finds who may still see rows from before it. Writers count in
 * any database of the server: a snapshot that is taken meanwhile, including that of the vacuum itself, begins no later.
 */
const older = `
  select coalesce(nullif(application_name, ''), backend_type) || ' (process ' || pid || ')' as name from pg_stat_activity
  where pid <> pg_backend_pid() and (
    (datname = current_database() or datname is null)
      and backend_xmin is not null and age(backend_xmin) >= age($1::xid8::xid)
    or backend_xid is not null and age(backend_xid) >= age($1::xid8::xid))
  union all
  select 'the replication slot ' || slot_name from pg_replication_slots
  where xmin is not null and age(xmin) >= age($1::xid8::xid)
  union all
  select 'the prepared transaction ' || gid from pg_prepared_xacts
  where age(transaction) >= age($1::xid8::xid)
  union all
  select 'a transaction' where pg_snapshot_xmin(pg_current_snapshot()) <= $1::xid8
  limit 1`

/** Who still reads the old state of the database, in words; undefined if nothing does. */
export const readersBefore = async (client: Client): Promise<string | undefined> => {
  const { rows: numbers } = await client.query<{ now: string }>("select pg_current_xact_id()::text as now")
  for (let left = patienceMs / pauseMs; ; left--) {
    const { rows } = await client.query<Reader>(older, [numbers[0]?.now])
    if (rows.length === 0 || left === 0) return rows[0]?.name
    await new Promise((done) => setTimeout(done, pauseMs))
  }
}

/** Runs as the owner of the tables. */
export const writeAgain = async (client: Client, tables: ReadonlyArray<string>): Promise<void> => {
  for (const table of tables) await client.query(`vacuum (full, analyze) ${table}`)
}

const statistics = "pg_catalog.pg_statistic"

/** Before version 17, only the owner of the database may. */
export const mayWriteStatistics = async (client: Client): Promise<boolean> => {
  const { rows } = await client.query<{ may: boolean }>(
    `select pg_has_role(datdba, 'usage') or (select rolsuper from pg_roles where rolname = current_user) as may
     from pg_database where datname = current_database()`
  )
  return rows[0]?.may === true
}

export const writeStatisticsAgain = async (client: Client): Promise<void> =>
  void (await client.query(`vacuum full ${statistics}`))

export const statisticsStay = `${statistics}, the server's notes on frequent values: let the database's owner run vacuum full ${statistics}`
