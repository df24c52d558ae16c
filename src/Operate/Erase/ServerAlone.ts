/**
 * Makes sure that nothing else works on a PostgreSQL database while something is erased from it, and holds the leader's
 * lock.
 *
 * A worker is known by its sessions and by its row in `workers`; it has both before it reads what was erased. So if a
 * worker and an erasure begin at the same moment, one notices the other: either the worker finds a note without a link
 * and refuses to start, or the erasure finds the worker after its note is committed, and stops. A worker that has
 * neither, because its machine slept for long, gets no new session afterwards (`Stores/Postgres/Knowing`).
 */
import type { Client } from "pg"
import { isOurs } from "../../Stores/Postgres/Connections.ts"
import { lock as leading } from "../../Stores/Postgres/Leadership.ts"
import { turn } from "../../Stores/Postgres/Migrations.ts"

/** No timeouts, because this is no abandoned transaction. The server ends what a killed process leaves. */
export const unhurried = {
  application_name: "siteledger erase",
  statement_timeout: 0,
  lock_timeout: 30_000,
  idle_in_transaction_session_timeout: 0,
  query_timeout: 0
}

/** Not supported on every system; without it the server notices a little later. */
export const begin = async (client: Client): Promise<void> => {
  await client.connect()
  await client.query("set idle_session_timeout = 0").catch(() => undefined)
  await client.query("set client_connection_check_interval = 1000").catch(() => undefined)
}

interface Found {
  readonly name: string | null
  readonly host: string | null
  readonly pid: number | null
}

/** A worker that waits for its turn hasn't read what was erased. */
const waiting = `
  select application_name from pg_stat_activity join pg_locks using (pid)
  where locktype = 'advisory' and objid = (${turn} & 4294967295)::oid and not granted`

/** A worker that was killed stays in `workers`, and counts for a minute. */
const sessions = `
  select application_name as name, null as host, null::integer as pid from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()
    and (${isOurs} or application_name = 'siteledger erase' and $1) and not ($2 and application_name in (${waiting}))`
const rows = `
  select null as name, host, pid from siteledger.workers
  where seen_at::timestamptz between now() - interval '1 minute' and now() + interval '1 minute'`

const worker = /^siteledger worker (.*) (\d+) [0-9a-f]{8}/

const shown = ({ host, name, pid }: Found): string => {
  const [, at = host, process = pid] = worker.exec(name ?? "") ?? []
  if (at !== null) return `The worker on ${at} with process id ${process}`
  return name === "siteledger erase" ? "Another erasure" : "Another command of siteledger"
}

const patience = { attempts: 50, pauseMs: 100 }

const pause = () => new Promise<void>((done) => void setTimeout(done, patience.pauseMs))

/** Sessions that have just ended may stay visible for a moment. */
const awaited = async <A>(ask: () => Promise<A | undefined>): Promise<A | undefined> => {
  for (let left = patience.attempts; ; left--) {
    const found = await ask()
    if (found === undefined || left === 0) return found
    await pause()
  }
}

const livingOn = async (client: Client, { isLed = false, isTurn = false } = {}): Promise<string | undefined> => {
  const found = await client.query<Found>(sessions, [isLed, isTurn])
  const [first] = found.rows
  if (first !== undefined) return shown(first)
  const { rows: made } = await client.query<{ is: boolean }>(
    "select to_regclass('siteledger.workers') is not null as is"
  )
  const reported = made[0]?.is === true ? (await client.query<Found>(rows)).rows[0] : undefined
  return reported && shown(reported)
}

/** Who else works on the database, in words; undefined if nothing does and nothing will lead. */
export const othersOn = async (client: Client): Promise<string | undefined> => {
  const isLed = await awaited(async () => {
    const found = await client.query<{ held: boolean }>(`select pg_try_advisory_lock(${leading}) as held`)
    return found.rows[0]?.held === true ? undefined : true
  })
  if (isLed === true) return (await livingOn(client, { isLed })) ?? "Another process, which holds the leader's lock,"
  return awaited(() => livingOn(client))
}

/** During this turn, a worker that starts gets no further than waiting for its own turn. */
export const inTurn = async <A>(client: Client, use: () => Promise<A>): Promise<A> => {
  await client.query(`select pg_advisory_lock(${turn})`)
  try {
    return await use()
  } finally {
    await client.query(`select pg_advisory_unlock(${turn})`)
  }
}

/** During this turn: who works nevertheless. */
export const othersInTurn = (client: Client): Promise<string | undefined> => livingOn(client, { isTurn: true })
