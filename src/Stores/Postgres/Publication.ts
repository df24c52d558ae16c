/**
 * The copy for analysts of a warehouse in PostgreSQL, made from the server's rows (`PublishedFiles`): all of them, or those
 * that were written since the file was made (`ChangedRows`).
 *
 * Guarantees: a copy is as of one point in time. One that was made from the file before it has as many rows of each table
 * as the server, and so no row that was deleted there; if it hasn't, if the server was started in between, or if columns have
 * come, it is made whole.
 */
import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api"
import { Effect } from "effect"
import type { Client } from "pg"
import * as DuckDbDdl from "../DuckDb/Ddl.ts"
import { copying, inMemory, openWarehouse } from "../DuckDb/File.ts"
import { foundBy } from "../DuckDb/TableRows.ts"
import { quoted, seen } from "../Ddl.ts"
import type { EntityTable, EntityTables } from "../EntityTables.ts"
import type { NestedTable } from "../NestedTables.ts"
import { type Given, type Limits, type Maker, PublishedFiles, usual } from "../PublishedFiles.ts"
import type { Published, WarehouseError } from "../Warehouse.ts"
import type { Shown } from "../WarehouseTables.ts"
import { type Count, counted, mostApart, ofNested, ofTable, small } from "./ChangedRows.ts"
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
  readonly client: Client
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
  await inMemory(folder, (instance) =>
    copying(instance, path, async (connection, own) => {
      await connection.run("use copied")
      try {
        // As rows, which are found sooner than by a view.
        for (const table of tables.nested)
          for (const statement of DuckDbDdl.making(table)) await connection.run(statement)
        for (const table of tables.all) await fill(connection, rowsOf(client, table), pipe)
        await setWatermark(connection, watermark)
      } finally {
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
  inMemory(source.folder, async (instance) => {
    const counts = await counted(source.client, source.tables.written, changes.since)
    const changed = source.tables.written.filter(({ name }) => small.has(name) || (counts.get(name)?.changed ?? 0) > 0)
    const replaced = changed.reduce((sum, { name }) => sum + (counts.get(name)?.changed ?? 0), 0)
    if (replaced > changes.most) return undefined
    // First all that the server has to say: what fails from then on is the file's fault.
    const names = new Set(changed.map(({ name }) => name))
    const nested = source.tables.nested.filter(({ owner }) => owner === undefined || names.has(owner.table))
    const connection = await instance.connect()
    try {
      for (const table of changed) await stage(connection, ofTable(source.client, table, changes.since), source.pipe)
      for (const table of nested) await stage(connection, ofNested(source.client, table, changes.since), source.pipe)
    } finally {
      connection.disconnectSync()
    }
    const isGiven = await applied(instance, path, { source, changed, nested, counts })
    return isGiven ? replaced : undefined
  })

interface Applying {
  readonly source: Source
  readonly changed: ReadonlyArray<Shown>
  readonly nested: ReadonlyArray<NestedTable>
  readonly counts: ReadonlyMap<string, Count>
}

/** False, and the file is of no use any more: it is damaged, or has other rows than it should. */
const applied = (instance: DuckDBInstance, path: string, { changed, counts, nested, source }: Applying) =>
  copying(instance, path, async (connection, own) => {
    await connection.run("begin transaction")
    for (const { name, owner } of nested) {
      const of = owner && {
        column: "_parent",
        among: `select ${quoted(owner.keyColumn)} from "${own}".main.${quoted(owner.table)}`
      }
      await replace(connection, own, { name, of })
    }
    for (const table of changed) {
      const by = quoted(foundBy(table))
      const of = small.has(table.name)
        ? undefined
        : { column: by, among: `select ${by} from "${own}".main.${quoted(table.name)}` }
      await replace(connection, own, { name: table.name, of })
    }
    await setWatermark(connection, source.watermark)
    for (const { name } of source.tables.written) {
      const [[rows] = []] = (
        await connection.runAndReadAll(`select count(*)::integer from copied.${seen(name)}`)
      ).getRowsJson()
      if (rows !== counts.get(name)?.rows) throw new Error(`${String(rows)} rows of ${name}`)
    }
    await connection.run("commit")
    await connection.run("checkpoint copied")
  }).then(
    () => true,
    () => false
  )

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
