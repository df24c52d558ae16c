/**
 * One point in time over all tables in PostgreSQL: repeatable-read transactions on separate connections, which see the
 * same data. Workers continue to write meanwhile.
 *
 * A DuckDB in a temporary folder creates the files; the folder is removed with the snapshot. Interrupting also cancels
 * the server's current statement.
 */
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import * as Instant from "../../Domain/Instant.ts"
import type { Connections } from "./Connections.ts"
import * as Failure from "./Failure.ts"
import type { CopyingClient } from "./Guarded.ts"
import type { Session } from "./Sessions.ts"
import { quoted, seen } from "../Ddl.ts"
import * as TemporaryFolder from "../../Runtime/TemporaryFolder.ts"
import { type Partition, type Snapshot, WarehouseError } from "../Warehouse.ts"
import type { EntityTables } from "../EntityTables.ts"
import * as EventPasses from "../EventPasses.ts"
import * as JournalLines from "../JournalLines.ts"
import * as TableParts from "../TableParts.ts"
import * as Literal from "../../Domain/Literal.ts"
import { PostgresStaged, type Rows, writersAtOnce } from "./Staged.ts"
import * as PostgresWatermark from "./Watermark.ts"
import type { Postgres } from "./Postgres.ts"
import { eventsTable, ledgerEntriesTable, type Shown } from "../WarehouseTables.ts"

/** The same as `EventPasses.eventDate`. */
const eventDate = "cast(coalesce(event_timestamp, received_at) at time zone 'UTC' as date)"
const rowBytes = 200

/** Without the payload of events, because the key is its hash: hashing its text too took four times as long. */
const rowHash = (table: Shown): string => {
  const hashed = table.columns.map(({ name, type }) => {
    if (table === eventsTable && name === "payload") return "payload is null"
    return type === "JSON" ? `${quoted(name)}::text` : quoted(name)
  })
  return `bit_xor(hash_record_extended(row(${hashed.join(", ")}), 0))::text`
}

/**
 * The server can't know that there are few dates: it would sort whole events, which takes three times as long. If the
 * result must be ordered, it still sorts, because either plan then needs one sort.
 */
const hashing = "set local enable_sort = off"

const dates = `
  select ${eventDate}::text as date, count(*) as rows, sum(${rowBytes} + coalesce(octet_length(payload), 0))::bigint as bytes,
    ${rowHash(eventsTable)} as hash
  from construction.events group by ${eventDate}`

/** A long export isn't a forgotten transaction. */
const unhurried = { statement_timeout: 0, idle_in_transaction_session_timeout: 0, query_timeout: 0 }

const open = async (connections: Connections): Promise<CopyingClient> => {
  const client = connections.client(unhurried)
  await client.connect()
  // pg doesn't send settings that are 0, so the server's own limits would apply.
  await client.query("set statement_timeout = 0; set idle_in_transaction_session_timeout = 0")
  return client
}

/** Entries in journal order; other tables in physical order, which is mostly the order of arrival. */
const restOf = (table: Shown, part = TableParts.whole): string =>
  `where ${TableParts.condition(part)}${table === ledgerEntriesTable ? " order by sequence" : ""}`

export const rowsOf = (client: CopyingClient, table: Shown): Rows => ({ client, table, rest: restOf(table) })

const partsOf = async (client: CopyingClient, table: Shown, wanted: TableParts.Wanted) => {
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
 * Failures of our own files and programs, which must not be blamed on the server. A failed write names no path; only
 * its wording differs from a connection's: "ENOSPC: no space left on device, write" against "write EPIPE".
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

const sessionOf = (client: CopyingClient): Session => ({
  // Missing from pg's types.
  pid: (client as CopyingClient & { readonly processID: number }).processID,
  cut: () => void client.connection.stream.destroy(),
  isCancelled: false
})

/** An interruption waits until the statement has ended. */
export const attempting = (connections: Connections, ...clients: ReadonlyArray<CopyingClient>) => {
  const sessions = clients.map(sessionOf)
  return <A>(use: () => Promise<A>): Effect.Effect<A, WarehouseError> =>
    Effect.callback((resume, signal) => {
      const settled = connections.sessions.cancellingAt(sessions, signal, use).then(
        (value) => resume(Effect.succeed(value)),
        (cause: unknown) => resume(Effect.fail(failure(connections, cause)))
      )
      return Effect.promise(() => settled)
    })
}

/** Begins a transaction on the other connections that sees what the first one's does. */
const share = async ([first, ...others]: ReadonlyArray<CopyingClient>): Promise<void> => {
  const { rows } = (await first?.query<{ id: string }>("select pg_export_snapshot() as id")) ?? { rows: [] }
  for (const other of others) {
    await other.query("begin isolation level repeatable read read only")
    await other.query(`set transaction snapshot ${Literal.text(rows[0]?.id ?? "")}`)
  }
}

/** Settles when all have settled, so that nothing is still running after a failure. */
const all = async <A>(promises: ReadonlyArray<Promise<A>>): Promise<ReadonlyArray<A>> => {
  await Promise.allSettled(promises)
  return Promise.all(promises)
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
    // Opened after the DuckDB, so closed before it: a running copy then fails at once.
    const first = yield* connected(connections)
    const clients = [first]
    while (clients.length < writersAtOnce) clients.push(yield* connected(connections))
    const attempt = attempting(connections, ...clients)
    const watermark = yield* attempt(() => PostgresWatermark.begin(first))
    yield* attempt(() => share(clients))
    const of = (table: Shown, rest: string) => (number: number) => ({ client: clients[number]!, table, rest })

    const writeEvents = async (partitions: ReadonlyArray<Partition>, target: string) => {
      await mkdir(target)
      const passes = EventPasses.plan(partitions, writersAtOnce).map((pass, number) => {
        const events = of(eventsTable, `where ${EventPasses.condition(pass, eventDate)}`)
        return staged.writeEvents(events, pass, join(target, String(number)))
      })
      return (await all(passes)).flat()
    }

    return {
      watermark,
      tables: yield* Effect.promise(() => staged.shapes()),
      parts: (name, wanted) =>
        attempt(() => staged.looking((number) => partsOf(clients[number]!, named(tables, name), wanted))),
      eventDates: attempt(async () => {
        await first.query(hashing)
        const result = await first.query<{ date: string; rows: number; bytes: number; hash: string }>(dates)
        const inOrder = result.rows.toSorted((a, b) => (a.date < b.date ? -1 : 1))
        return inOrder.map(({ bytes, date, hash, rows: count }) => ({
          date,
          rows: Number(count),
          bytes: Number(bytes),
          fingerprint: `${count}-${hash}`
        }))
      }),
      writeTable: (name, path, part) =>
        attempt(() => staged.writeTable(of(named(tables, name), restOf(named(tables, name), part)), path)),
      writeEvents: (partitions, target) => attempt(() => writeEvents(partitions, target)),
      head: attempt(async () => {
        const { rows } = await first.query<{ head: string }>(JournalLines.head)
        return rows[0]?.head ?? null
      }),
      readJournal: (take) => attempt(() => staged.readJournal(of(ledgerEntriesTable, restOf(ledgerEntriesTable)), take))
    }
  })
