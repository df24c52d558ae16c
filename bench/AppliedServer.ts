/**
 * Adds deliveries to the database of workers that were stopped, as if one of them had applied them: rows of the inbox
 * and of the warehouse by SQL, on two connections. Indexes are dropped first, and created again afterwards.
 */
import type { Client } from "pg"
import { entityRows, eventRows, events, type Filling, type Made, spellings, tables } from "./AppliedRows.ts"
import { fingerprint, headersOf } from "./InboxFiles.ts"
import { connected } from "./PostgresServer.ts"

const spelling = spellings.postgres
/** A number of whole lives. */
const atOnce = 480_000

const filled = [...tables.map((name) => `construction.${name}`), "siteledger.inbox", "siteledger.event_ids"]

interface Index {
  readonly drop: string
  readonly make: string
  readonly isOfEvents: boolean
}

/** Constraints are created again as constraints. */
const indexesOf = async (client: Client): Promise<ReadonlyArray<Index>> => {
  const { rows } = await client.query<Index>(
    `select 'alter table ' || conrelid::regclass || ' drop constraint ' || quote_ident(conname) as drop,
        'alter table ' || conrelid::regclass || ' add constraint ' || quote_ident(conname) || ' ' || pg_get_constraintdef(oid)
          as make, conrelid = 'construction.events'::regclass as "isOfEvents"
      from pg_constraint where conrelid = any($1::regclass[]) and contype in ('p', 'u')
    union all
      select 'drop index ' || indexrelid::regclass, pg_get_indexdef(indexrelid),
        indrelid = 'construction.events'::regclass
      from pg_index where indrelid = any($1::regclass[])
        and not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u'))`,
    [filled]
  )
  return rows
}

/** JSON as the receiver writes it, split around the parts that differ. */
const headers = JSON.stringify(headersOf("${type}", "${event_id}"))
  .split(/\$\{(\w+)\}/)
  .map((part, place) => (place % 2 === 0 ? `'${part}'` : part))
  .join(" || ")

const inboxRows = (made: Made, from: number, to: number): string => `
  insert into siteledger.inbox (sequence, body_sha256, body, event_id, header_type, received_at, headers, secret)
  overriding system value
  select ${made.after + 1} + n, decode(sha, 'hex'), convert_to(body, 'UTF8'), event_id, type,
    ${spelling.instant("received", 6)}, ${headers}, '${fingerprint}'
  from (${events(made, spelling, from, to)}) as given`

const idRows = ({ after }: Made): string => `
  insert into siteledger.event_ids (event_id, sequence)
  select event_id, sequence from siteledger.inbox where sequence > ${after}`

const lastOf = async (client: Client): Promise<number> => {
  const { rows } = await client.query<{ last: string }>(
    "select coalesce(max(sequence), 0) as last from siteledger.inbox"
  )
  return Number(rows[0]?.last)
}

const numbered = "select setval('siteledger.inbox_sequence_seq', (select max(sequence) from siteledger.inbox))"

/** Runs the statements of each list in order, and the lists in parallel. */
const together = async (url: string, ...each: ReadonlyArray<ReadonlyArray<string>>): Promise<void> => {
  await Promise.all(
    each.map((statements) =>
      connected(url, async (client) => {
        await client.query("set synchronous_commit = off; set maintenance_work_mem = '512MB'")
        await client.query("set max_parallel_maintenance_workers = 0")
        for (const statement of statements) await client.query(statement)
      })
    )
  )
}

const begun = (url: string, filling: Filling) =>
  connected(url, async (client) => {
    const indexes = await indexesOf(client)
    for (const { drop } of indexes) await client.query(drop)
    const made: Made = { ...filling, after: await lastOf(client) }
    return { made, indexes }
  })

export const intoServer = async (url: string, filling: Filling): Promise<void> => {
  const { count } = filling
  const { indexes, made } = await begun(url, filling)
  const parts = Array.from(
    { length: Math.ceil(count / atOnce) },
    (_, n) => [n * atOnce, Math.min(count, (n + 1) * atOnce)] as const
  )
  await together(
    url,
    [...parts.map(([from, to]) => inboxRows(made, from, to)), idRows(made)],
    parts.flatMap(([from, to]) => [eventRows(made, spelling, from, to), ...entityRows(made, spelling, from, to)])
  )
  await together(
    url,
    indexes.filter(({ isOfEvents }) => isOfEvents).map(({ make }) => make),
    indexes.filter(({ isOfEvents }) => !isOfEvents).map(({ make }) => make)
  )
  await together(url, [numbered, "vacuum (analyze)", "checkpoint"])
}
