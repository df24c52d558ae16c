/**
 * The copy for analysts of a warehouse in PostgreSQL, made from the server's rows (`PublishedFiles`): all of them, or those
 * that were written since the file was made (`ChangedRows`).
 *
 * Guarantees: a copy is as of one point in time. One that was made from the file before it has as many rows of each table
 * as the server, and so no row that was deleted there; if it hasn't, if the server was started in between, or if columns have
 * come, it is made whole. However many tables there are, no more of them is in memory at once than fits.
 */
import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api"
import { Effect } from "effect"
import type { CopyingClient } from "./Guarded.ts"
import * as DuckDbDdl from "../DuckDb/Ddl.ts"
import { copying, inMemory, openWarehouse } from "../DuckDb/File.ts"
import { foundBy } from "../DuckDb/TableRows.ts"
import { partsOf } from "../DuckDb/Parts.ts"
import { copyInParts } from "../DuckDb/WholeCopy.ts"
import { quoted, seen } from "../Ddl.ts"
import type { EntityTable, EntityTables } from "../EntityTables.ts"
import { type Given, type Limits, type Maker, PublishedFiles, usual } from "../PublishedFiles.ts"
import type { Published, WarehouseError } from "../Warehouse.ts"
import {
  columnsIn,
  type Count,
  counted,
  held,
  mostApart,
  ofNested,
  ofTable,
  type Piece,
  piecesOf,
  small
} from "./ChangedRows.ts"
import { attempting, connected, type From, rowsOf, temporaryFolder } from "./Snapshot.ts"
import { fill, makePipe, stage } from "./Staged.ts"
import * as PostgresWatermark from "./Watermark.ts"

/** Which state of the server a file has. */
interface AsOf {
  /** The number of the oldest transaction that was running. */
  readonly oldest: bigint
  /** If it is another by now, transactions don't tell what has changed. */
  readonly epoch: string
}

export class Publication {
  readonly #files: PublishedFiles<AsOf>
  readonly #most: number

  constructor(limits: Limits = usual) {
    this.#files = new PublishedFiles(limits)
    this.#most = limits.replaced
  }

  /** Writes all tables into a DuckDB file, which appears at `path` all at once. */
  publish({ connections, tables }: From, path: string, isWhole: boolean): Effect.Effect<Published, WarehouseError> {
    return Effect.scoped(
      Effect.gen({ self: this }, function* () {
        const { path: folder } = yield* temporaryFolder(connections)
        const client = yield* connected(connections)
        return yield* attempting(
          connections,
          client
        )(async () => {
          const watermark = await PostgresWatermark.begin(client)
          const source: Source = { client, tables, folder, pipe: await makePipe(folder), watermark }
          return this.#files.publish(path, isWhole, await makerOf(source, this.#most)).catch((cause: unknown) => {
            // The next one is made whole: what was wrong with this one may still be.
            this.#files.forget()
            throw cause
          })
        })
      })
    )
  }
}

interface Source {
  /** In a transaction that sees one point in time. */
  readonly client: CopyingClient
  readonly tables: EntityTables
  readonly folder: string
  readonly pipe: string
  readonly watermark: number
}

const makerOf = async (source: Source, most: number): Promise<Maker<AsOf>> => {
  const now = await asOf(source)
  return {
    whole: async (path) => {
      await makeWhole(source, path)
      return now
    },
    isUsable: () => true,
    given: async (path, since) => {
      const replaced = isSince(since, now) ? await give(source, path, { since: since.oldest, most }) : undefined
      return replaced === undefined ? undefined : ({ since: now, replaced } satisfies Given<AsOf>)
    }
  }
}

const isSince = (since: AsOf, { epoch, oldest }: AsOf): boolean =>
  since.epoch === epoch && oldest >= since.oldest && oldest - since.oldest < mostApart

const asOf = async ({ client, tables }: Source): Promise<AsOf> => {
  const { rows } = await client.query<{ oldest: string; started: string }>(
    "select pg_snapshot_xmin(pg_current_snapshot())::text as oldest, pg_postmaster_start_time()::text as started"
  )
  const [{ oldest, started } = { oldest: "0", started: "" }] = rows
  const shapes = tables.all.map(({ columns, name }) => [name, columns.map((column) => [column.name, column.type])])
  return { oldest: BigInt(oldest), epoch: JSON.stringify([started, shapes]) }
}

const makeWhole = async ({ client, folder, pipe, tables, watermark }: Source, path: string): Promise<void> => {
  const empty = await openWarehouse(path, { tables: tables.ofEntities.map(withoutNested) })
  await empty.close()
  await inMemory(folder, (instance, columnsAtOnce) =>
    copying(instance, path, async (connection, own) => {
      await connection.run("use copied")
      try {
        await connection.run("begin transaction")
        await setWatermark(connection, watermark)
        // As rows, which are found sooner than by a view.
        for (const table of tables.nested)
          for (const statement of DuckDbDdl.making(table)) await connection.run(statement)
        const copies = tables.all.map((table) => ({
          columns: table.columns.length,
          run: () => fill(connection, rowsOf(client, table), pipe)
        }))
        await copyInParts(connection, copies, columnsAtOnce)
      } finally {
        // After a failure; otherwise there is no transaction.
        await connection.run("rollback").catch(() => undefined)
        await connection.run(`use "${own}"`)
      }
    })
  )
}

const withoutNested = (table: EntityTable): EntityTable => {
  const { nested: _nested, ...resource } = table.resource
  return { ...table, resource }
}

const setWatermark = async (connection: DuckDBConnection, watermark: number): Promise<void> => {
  await connection.run("update copied.siteledger.meta set value = $1 where key = 'applied_through'", [
    String(watermark)
  ])
}

interface Changes {
  readonly since: bigint
  /** Rows. */
  readonly most: number
}

/** Returns how many rows it replaced; undefined if the file can't be used. */
const give = (source: Source, path: string, changes: Changes): Promise<number | undefined> =>
  inMemory(source.folder, async (instance, columnsAtOnce) => {
    const counts = await counted(source.client, source.tables.written, changes.since)
    const changed = source.tables.written.filter(({ name }) => small.has(name) || (counts.get(name)?.changed ?? 0) > 0)
    const replaced = changed.reduce((sum, { name }) => sum + (counts.get(name)?.changed ?? 0), 0)
    if (replaced > changes.most) return undefined
    const parts = partsOf(piecesOf(source.tables, changed), columnsIn, columnsAtOnce / held)
    const isGiven = await applied(instance, path, { source, parts, counts, since: changes.since })
    return isGiven ? replaced : undefined
  })

interface Applying {
  readonly source: Source
  readonly parts: ReadonlyArray<ReadonlyArray<Piece>>
  readonly counts: ReadonlyMap<string, Count>
  readonly since: bigint
}

/** False, and the file is of no use any more: it is damaged, or has other rows than it should. */
const applied = async (instance: DuckDBInstance, path: string, { counts, parts, since, source }: Applying) => {
  const untold: Array<unknown> = []
  try {
    await copying(instance, path, async (connection, own) => {
      for (const part of parts) {
        await staged(connection, source, part, since).catch((cause: unknown) => untold.push(cause))
        if (untold.length > 0) return
        await connection.run("begin transaction")
        for (const piece of part) await replacePiece(connection, own, piece)
        await setWatermark(connection, source.watermark)
        await connection.run("commit")
        await connection.run("checkpoint copied")
        for (const { nested, tables } of part)
          for (const { name } of [...tables, ...nested])
            await connection.run(`drop table "${own}".main.${quoted(name)}`)
      }
      for (const { name } of source.tables.written) {
        const [[rows] = []] = (
          await connection.runAndReadAll(`select count(*)::integer from copied.${seen(name)}`)
        ).getRowsJson()
        if (rows !== counts.get(name)?.rows) throw new Error(`${String(rows)} rows of ${name}`)
      }
    })
  } catch {
    if (untold.length === 0) return false
  }
  // What the server can't say isn't the file's fault.
  if (untold.length > 0) throw untold[0]
  return true
}

const staged = async (
  connection: DuckDBConnection,
  { client, pipe }: Source,
  part: ReadonlyArray<Piece>,
  since: bigint
): Promise<void> => {
  for (const { nested, tables } of part) {
    for (const table of tables) await stage(connection, ofTable(client, table, since), pipe)
    for (const table of nested) await stage(connection, ofNested(client, table, since), pipe)
  }
}

const replacePiece = async (connection: DuckDBConnection, own: string, { nested, tables }: Piece): Promise<void> => {
  for (const { name, owner } of nested) {
    const of = owner && {
      column: "_parent",
      among: `select ${quoted(owner.keyColumn)} from "${own}".main.${quoted(owner.table)}`
    }
    await replace(connection, own, { name, of })
  }
  for (const table of tables) {
    const by = quoted(foundBy(table))
    const of = small.has(table.name)
      ? undefined
      : { column: by, among: `select ${by} from "${own}".main.${quoted(table.name)}` }
    await replace(connection, own, { name: table.name, of })
  }
}

interface Replacing {
  readonly name: string
  /** Which rows are replaced by those that are staged; undefined: all. */
  readonly of: { readonly column: string; readonly among: string } | undefined
}

const replace = async (connection: DuckDBConnection, own: string, { name, of }: Replacing): Promise<void> => {
  await connection.run(
    `delete from copied.${seen(name)} ${of === undefined ? "" : `where ${of.column} in (${of.among})`}`
  )
  await connection.run(`insert into copied.${seen(name)} by name select * from "${own}".main.${quoted(name)}`)
}
