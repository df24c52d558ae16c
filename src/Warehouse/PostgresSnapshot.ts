/**
 * One point in time over all tables in PostgreSQL: a repeatable-read transaction on a connection of its own. Workers
 * go on writing meanwhile.
 *
 * Files are written by way of a DuckDB file in a temporary folder, which takes only what the file needs and is gone
 * with the snapshot.
 */
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import { type Kysely, sql } from "kysely"
import type { Client } from "pg"
import { PostgresError } from "../Postgres.ts"
import type { Connections } from "../Postgres/Connections.ts"
import * as Failure from "../Postgres/Failure.ts"
import { type EventFile, type Partition, type Snapshot, WarehouseError } from "../Warehouse.ts"
import { discardFile, openWarehouse } from "./DuckDbFile.ts"
import type { DuckDbSnapshot } from "./DuckDbSnapshot.ts"
import * as EventPasses from "./EventPasses.ts"
import { copyTable } from "./PostgresCopy.ts"
import { PostgresStaged } from "./PostgresStaged.ts"
import { eventsTable, ledgerEntriesTable, type Table, tables, type WarehouseTables } from "./Tables.ts"

/** Everything up to it is applied: what several workers have in hand counts as not applied. */
const through = `
  select coalesce((select min(sequence) - 1 from siteledger.inbox_queue),
    (select max(sequence) from siteledger.inbox), 0) as through`

export const appliedThrough = async (db: Kysely<WarehouseTables>): Promise<number> => {
  const { rows } = await sql<{ through: number }>`${sql.raw(through)}`.execute(db)
  return Number(rows[0]?.through ?? 0)
}

/** The same as `EventPasses.eventDate`. */
const eventDate = "cast(coalesce(event_timestamp, received_at) at time zone 'UTC' as date)"
const rowBytes = 200

const dates = `
  select ${eventDate}::text as date, count(*) as rows,
    sum(${rowBytes} + coalesce(octet_length(payload), 0))::bigint as bytes,
    bit_xor(hashtextextended(e::text, 0))::text as hash
  from construction.events e group by 1 order by 1`

/** A long export is no forgotten transaction. */
const unhurried = { statement_timeout: 0, idle_in_transaction_session_timeout: 0, query_timeout: 0 }

const open = async (connections: Connections): Promise<Client> => {
  const client = connections.client(unhurried)
  await client.connect()
  await client.query("begin isolation level repeatable read read only")
  return client
}

/** By the column and not by its text, which has the same name in what is selected. */
const order = ({ key, name }: Table): string =>
  `order by ${name}."${name === "events" || name === "ledger_entries" ? "sequence" : key}"`

/** Where rows come from, and by way of which file they are written. */
const acquire = (connections: Connections, failed: (cause: unknown) => PostgresError) =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.promise(() => mkdtemp(join(tmpdir(), "siteledger-export-"))),
      (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
    )
    const staged = yield* Effect.acquireRelease(
      Effect.promise(() => PostgresStaged.open(join(folder, "staged.duckdb"))),
      (opened) => Effect.promise(() => opened.close())
    )
    // Ended first: what is being copied fails then, and nobody waits for it.
    const client = yield* Effect.acquireRelease(
      Effect.tryPromise({ try: () => open(connections), catch: failed }),
      (opened) => Effect.promise(() => opened.end().catch(() => undefined))
    )
    return { client, staged }
  })

export const take = (connections: Connections): Effect.Effect<Snapshot, PostgresError, Scope.Scope> =>
  Effect.gen(function* () {
    const failed = (cause: unknown) => new PostgresError(Failure.of(cause, connections.name))
    const { client, staged } = yield* acquire(connections, failed)
    const attempt = <A>(use: () => Promise<A>): Effect.Effect<A, WarehouseError> =>
      Effect.tryPromise({
        try: use,
        catch: (cause) => {
          const { message } = Failure.of(cause, connections.name)
          return new WarehouseError({ reason: "Failed", message, cause })
        }
      })
    const whole = <A>(table: Table, use: (filled: DuckDbSnapshot) => Promise<A>): Promise<A> =>
      staged.through(table, (connection) => copyTable(client, connection, table, order(table)), use)

    const writeEvents = async (partitions: ReadonlyArray<Partition>, target: string) => {
      await mkdir(target)
      const files: Array<EventFile> = []
      for (const [place, pass] of EventPasses.plan(partitions).entries()) {
        const days = pass.dates.map((date) => `date '${date}'`).join(", ")
        const rest = `where ${eventDate} in (${days}) ${order(eventsTable)}`
        const ofPass = partitions.filter(({ date }) => pass.dates.includes(date))
        const written = await staged.through(
          eventsTable,
          (connection) => copyTable(client, connection, eventsTable, rest),
          (filled) => filled.writeEvents(ofPass, join(target, String(place)))
        )
        files.push(...written)
      }
      return files
    }

    const { rows } = yield* Effect.tryPromise({
      try: () => client.query<{ through: number }>(through),
      catch: failed
    })
    return {
      appliedThrough: Number(rows[0]?.through ?? 0),
      tables: yield* Effect.promise(() => staged.shapes()),
      eventDates: attempt(async () => {
        const found = await client.query<{ date: string; rows: number; bytes: number; hash: string }>(dates)
        return found.rows.map(({ bytes, date, hash, rows: count }) => ({
          date,
          rows: Number(count),
          bytes: Number(bytes),
          fingerprint: `${count}-${hash}`
        }))
      }),
      writeTable: (name, path) =>
        attempt(() => {
          const table = tables.find((each) => each.name === name)
          if (table === undefined) throw new Error(`There is no table ${name}`)
          return whole(table, (filled) => filled.writeTable(name, path))
        }),
      writeEvents: (partitions, target) => attempt(() => writeEvents(partitions, target)),
      writeJournal: (path) => attempt(() => whole(ledgerEntriesTable, (filled) => filled.writeJournal(path)))
    }
  })

/** All tables as a DuckDB file, visible all at once. */
export const publish = (connections: Connections, path: string): Effect.Effect<void, PostgresError> =>
  Effect.tryPromise({
    try: async () => {
      const client = await open(connections)
      try {
        const unfinished = `${path}.unfinished`
        discardFile(unfinished)
        const { rows } = await client.query<{ through: number }>(through)
        const file = await openWarehouse(unfinished)
        try {
          const connection = await file.instance.connect()
          for (const table of tables) await copyTable(client, connection, table, order(table))
          await connection.run("update siteledger.meta set value = $1 where key = 'applied_through'", [
            String(rows[0]?.through ?? 0)
          ])
          await connection.run("checkpoint")
          connection.disconnectSync()
        } finally {
          await file.close()
        }
        await rename(unfinished, path)
      } finally {
        await client.end()
      }
    },
    catch: (cause) => new PostgresError(Failure.of(cause, connections.name))
  })
