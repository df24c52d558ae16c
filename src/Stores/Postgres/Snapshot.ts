/**
 * One point in time over all tables in PostgreSQL: a repeatable-read transaction on its own connection. Workers go on
 * writing meanwhile.
 *
 * A DuckDB in a temporary folder makes the files; the folder is removed with the snapshot. Interrupting also cancels the
 * server's current statement.
 */
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import * as Instant from "../../Domain/Instant.ts"
import type { Client } from "pg"
import type { Connections } from "./Connections.ts"
import * as Failure from "./Failure.ts"
import type { Session } from "./Sessions.ts"
import { quoted, seen } from "../Ddl.ts"
import * as TemporaryFolder from "../../Runtime/TemporaryFolder.ts"
import { type EventFile, type Partition, type Snapshot, WarehouseError } from "../Warehouse.ts"
import type { EntityTables } from "../EntityTables.ts"
import * as EventPasses from "../EventPasses.ts"
import * as JournalLines from "../JournalLines.ts"
import * as TableParts from "../TableParts.ts"
import { PostgresStaged, type Rows } from "./Staged.ts"
import * as PostgresWatermark from "./Watermark.ts"
import type { Postgres } from "./Postgres.ts"
import { eventsTable, ledgerEntriesTable, type Shown } from "../WarehouseTables.ts"

/** The same as `EventPasses.eventDate`. */
const eventDate = "cast(coalesce(event_timestamp, received_at) at time zone 'UTC' as date)"
const rowBytes = 200

/** Of events without the payload, because the key is its hash: hashing its text too took four times as long. */
const rowHash = (table: Shown): string => {
  const hashed = table.columns.map(({ name, type }) => {
    if (table === eventsTable && name === "payload") return "payload is null"
    return type === "JSON" ? `${quoted(name)}::text` : quoted(name)
  })
  return `bit_xor(hash_record_extended(row(${hashed.join(", ")}), 0))::text`
}

/**
 * The server can't know that there are few dates: it would sort whole events, which takes three times as long. It still does if
 * the result must be in order, because either way it sorts once.
 */
const hashing = "set local enable_sort = off"

const dates = `
  select ${eventDate}::text as date, count(*) as rows, sum(${rowBytes} + coalesce(octet_length(payload), 0))::bigint as bytes,
    ${rowHash(eventsTable)} as hash
  from construction.events group by ${eventDate}`

/** A long export isn't a forgotten transaction. */
const unhurried = { statement_timeout: 0, idle_in_transaction_session_timeout: 0, query_timeout: 0 }

const open = async (connections: Connections): Promise<Client> => {
  const client = connections.client(unhurried)
  await client.connect()
  return client
}

/** Entries in journal order; other tables in physical order, which is mostly the order of arrival. */
export const rowsOf = (client: Client, table: Shown, part = TableParts.whole): Rows => ({
  client,
  table,
  rest: `where ${TableParts.condition(part)}${table === ledgerEntriesTable ? " order by sequence" : ""}`
})

const partsOf = async (client: Client, table: Shown, wanted: TableParts.Wanted) => {
  await client.query(hashing)
  const looking: TableParts.Looking = {
    counted: async (within, bounds) => {
      const { rows } = await client.query<{ place: number; rows: string; hash: string }>(
        `select ${TableParts.placeOf(bounds)} as place, count(*) as rows, ${rowHash(table)} as hash
         from ${seen(table.name)} where ${TableParts.condition(within)} group by 1`
      )
      return rows.map(({ hash, place, rows: count }) => ({ place, rows: Number(count), hash }))
    },
    size: async () => {
      const { rows } = await client.query<{ count: string }>(`select count(*) as count from ${seen(table.name)}`)
      return Number(rows[0]?.count ?? 0)
    },
    quantiles: async (within, shares) => {
      const { rows } = await client.query<{ micros: string }>(
        `select (extract(epoch from time) * 1000000)::bigint::text as micros from (
           select unnest(percentile_disc(array[${shares.join(", ")}]::float8[]) within group (order by ${TableParts.column})) as time
           from ${seen(table.name)} where ${TableParts.condition(within)}) as found`
      )
      return rows.map(({ micros }) => Instant.fromMicros(Number(micros)))
    }
  }
  const isDated = table.columns.some(({ name }) => name === TableParts.column)
  return isDated ? TableParts.divided(looking, wanted) : TableParts.undivided(looking)
}

/**
 * Failures of our own files and programs, which must not be blamed on the server. A failed write names no path, and only
 * its words differ from a connection's: "ENOSPC: no space left on device, write" against "write EPIPE".
 */
const isOurs = (cause: unknown): cause is Error =>
  cause instanceof Error &&
  ("path" in cause || ("code" in cause && cause.message.startsWith(`${String(cause.code)}: `)))

export const failure = ({ name }: Pick<Connections, "name">, cause: unknown): WarehouseError => {
  const message = isOurs(cause) ? cause.message : Failure.of(cause, name).message
  return new WarehouseError({ reason: "Failed", message, cause })
}

export const temporaryFolder = (connections: Connections) =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: () => TemporaryFolder.make("export"),
      catch: (cause) => failure(connections, cause)
    }),
    (folder) => Effect.promise(() => folder.remove())
  )

export const connected = (connections: Connections) =>
  Effect.acquireRelease(
    Effect.tryPromise({ try: () => open(connections), catch: (cause) => failure(connections, cause) }),
    (client) => Effect.promise(() => client.end().catch(() => undefined))
  )

const sessionOf = (client: Client): Session => ({
  // Missing from pg's types.
  pid: (client as Client & { readonly processID: number }).processID,
  cut: () => void client.connection.stream.destroy(),
  isCancelled: false
})

/** An interruption waits until the statement has ended. */
export const attempting = (connections: Connections, client: Client) => {
  const session = sessionOf(client)
  return <A>(use: () => Promise<A>): Effect.Effect<A, WarehouseError> =>
    Effect.callback((resume, signal) => {
      const settled = connections.sessions.cancellingAt([session], signal, use).then(
        (value) => resume(Effect.succeed(value)),
        (cause: unknown) => resume(Effect.fail(failure(connections, cause)))
      )
      return Effect.promise(() => settled)
    })
}

const named = (tables: EntityTables, name: string): Shown => {
  const table = tables.all.find((each) => each.name === name)
  if (table === undefined) throw new Error(`There is no table ${name}`)
  return table
}

export interface From extends Pick<Postgres["Service"], "connections"> {
  readonly tables: EntityTables
}

export const take = ({ connections, tables }: From): Effect.Effect<Snapshot, WarehouseError, Scope.Scope> =>
  Effect.gen(function* () {
    const { path: folder } = yield* temporaryFolder(connections)
    const staged = yield* Effect.acquireRelease(
      Effect.tryPromise({
        try: () => PostgresStaged.open(folder, tables.all),
        catch: (cause) => failure(connections, cause)
      }),
      (opened) => Effect.promise(() => opened.close())
    )
    // Released first: a running copy then fails at once.
    const client = yield* connected(connections)
    const attempt = attempting(connections, client)

    const writeEvents = async (partitions: ReadonlyArray<Partition>, target: string) => {
      await mkdir(target)
      const files: Array<EventFile> = []
      for (const [number, pass] of EventPasses.plan(partitions).entries()) {
        const events = { client, table: eventsTable, rest: `where ${EventPasses.condition(pass, eventDate)}` }
        files.push(...(await staged.writeEvents(events, pass, join(target, String(number)))))
      }
      return files
    }

    return {
      watermark: yield* attempt(() => PostgresWatermark.begin(client)),
      tables: yield* Effect.promise(() => staged.shapes()),
      parts: (name, wanted) => attempt(() => partsOf(client, named(tables, name), wanted)),
      eventDates: attempt(async () => {
        await client.query(hashing)
        const result = await client.query<{ date: string; rows: number; bytes: number; hash: string }>(dates)
        const inOrder = result.rows.toSorted((a, b) => (a.date < b.date ? -1 : 1))
        return inOrder.map(({ bytes, date, hash, rows: count }) => ({
          date,
          rows: Number(count),
          bytes: Number(bytes),
          fingerprint: `${count}-${hash}`
        }))
      }),
      writeTable: (name, path, part) =>
        attempt(() => staged.writeTable(rowsOf(client, named(tables, name), part), path)),
      writeEvents: (partitions, target) => attempt(() => writeEvents(partitions, target)),
      head: attempt(async () => {
        const { rows } = await client.query<{ head: string }>(JournalLines.head)
        return rows[0]?.head ?? null
      }),
      readJournal: (take) => attempt(() => staged.readJournal(rowsOf(client, ledgerEntriesTable), take))
    }
  })
