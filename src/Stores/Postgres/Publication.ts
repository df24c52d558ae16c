/**
 * The copy for analysts of a warehouse in PostgreSQL, made from the server's rows (`PublishedFiles`): all of them, or
 * those that were written since the file was made (`ChangedRows`).
 *
 * Guarantees: a copy is as of one point in time. A copy that was made from the previous file, by this or another
 * process, has as many rows of each table as the server, and therefore no row that was deleted there. If it doesn't, or
 * if meanwhile the server restarted, columns were added, or something was erased (a file keeps earlier values of its
 * rows), the copy is made completely. However many tables there are, no more than fits is in memory at once.
 */
import { Effect, Schema } from "effect"
import * as DuckDbDdl from "../DuckDb/Ddl.ts"
import { copying, inMemory, openWarehouse } from "../DuckDb/File.ts"
import { copyInParts } from "../DuckDb/WholeCopy.ts"
import type { EntityTable } from "../EntityTables.ts"
import * as KnownCopies from "../KnownCopies.ts"
import { type Given, type Limits, type Maker, PublishedFiles, usual } from "../PublishedFiles.ts"
import type { Published, WarehouseError } from "../Warehouse.ts"
import { mostApart } from "./ChangedRows.ts"
import { give, setWatermark, type Source } from "./Given.ts"
import { attempting, connected, type From, rowsOf, temporaryFolder } from "./Snapshot.ts"
import { fill, makePipe } from "./Staged.ts"
import * as PostgresWatermark from "./Watermark.ts"

/** Which state of the server a file contains. */
const AsOf = Schema.Struct({
  /** The number of the oldest transaction that was then running. */
  oldest: Schema.String,
  /** If it differs, transactions don't tell what has changed, or the file still contains what was erased. */
  epoch: Schema.String
})
type AsOf = typeof AsOf.Type

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
          return this.#published(path, isWhole, source)
        })
      })
    )
  }

  async #published(path: string, isWhole: boolean, source: Source): Promise<Published> {
    const files = this.#files
    const now = await asOf(source)
    const known = files.isOurs(path) ? undefined : KnownCopies.read(path, now.epoch, AsOf)
    if (known !== undefined) files.recall(known)
    try {
      return await files.publish(path, isWhole, makerOf(source, now, this.#most))
    } catch (cause) {
      // The next copy is made completely, because the cause of the failure may persist.
      files.forget()
      throw cause
    } finally {
      KnownCopies.write(path, now.epoch, files.known)
    }
  }
}

const makerOf = (source: Source, now: AsOf, most: number): Maker<AsOf> => ({
  whole: async (path) => {
    await makeWhole(source, path)
    return now
  },
  isUsable: () => true,
  given: async (path, since) => {
    const replaced = isSince(since, now) ? await give(source, path, { since: BigInt(since.oldest), most }) : undefined
    return replaced === undefined ? undefined : ({ since: now, replaced } satisfies Given<AsOf>)
  }
})

const isSince = (since: AsOf, { epoch, oldest }: AsOf): boolean => {
  const apart = BigInt(oldest) - BigInt(since.oldest)
  return since.epoch === epoch && apart >= 0 && apart < mostApart
}

const asOf = async ({ client, tables }: Source): Promise<AsOf> => {
  const { rows } = await client.query<{ oldest: string; server: string }>(`
    select pg_snapshot_xmin(pg_current_snapshot())::text as oldest,
      concat_ws(' ', oid, extract(epoch from pg_postmaster_start_time()), (select count(*) from siteledger.erasures)) as server
    from pg_database where datname = current_database()`)
  const [{ oldest, server } = { oldest: "0", server: "" }] = rows
  return { oldest, epoch: KnownCopies.sourceOf(tables.all, server) }
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
        // As rows, which are found faster than through a view.
        for (const table of tables.nested)
          for (const statement of DuckDbDdl.making(table)) await connection.run(statement)
        const copies = tables.all.map((table) => ({
          columns: table.columns.length,
          run: () => fill(connection, rowsOf(client, table), pipe)
        }))
        await copyInParts(connection, copies, columnsAtOnce)
      } finally {
        // Needed after a failure; otherwise there is no transaction.
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
