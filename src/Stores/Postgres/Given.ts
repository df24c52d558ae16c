/**
 * Gives a DuckDB file of a copy for analysts what has changed on the server since the file was made (`ChangedRows`), in
 * parts that fit into memory.
 *
 * Guarantee: afterwards it has as many rows of each table as the server. Otherwise, or if it is damaged, it can't be
 * used.
 */
import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api"
import { quoted, seen } from "../Ddl.ts"
import { copying, inMemory } from "../DuckDb/File.ts"
import { partsOf } from "../DuckDb/Parts.ts"
import { foundBy } from "../DuckDb/TableRows.ts"
import type { EntityTables } from "../EntityTables.ts"
import { columnsIn, type Count, counted, held, ofNested, ofTable, type Piece, piecesOf, small } from "./ChangedRows.ts"
import type { CopyingClient } from "./Guarded.ts"
import { stage } from "./Staged.ts"

export interface Source {
  /** In a transaction that sees one point in time. */
  readonly client: CopyingClient
  readonly tables: EntityTables
  readonly folder: string
  readonly pipe: string
  readonly watermark: number
}

export const setWatermark = async (connection: DuckDBConnection, watermark: number): Promise<void> => {
  await connection.run("update copied.siteledger.meta set value = $1 where key = 'applied_through'", [
    String(watermark)
  ])
}

interface Changes {
  readonly since: bigint
  /** In rows. */
  readonly most: number
}

/** Returns how many rows it replaced; undefined if the file can't be used. */
export const give = (source: Source, path: string, changes: Changes): Promise<number | undefined> =>
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

/** False if the file is no longer usable: it is damaged, or has other rows than it should. */
const applied = async (instance: DuckDBInstance, path: string, { counts, parts, since, source }: Applying) => {
  const untold: Array<unknown> = []
  try {
    await copying(instance, path, async (connection, own) => {
      for (const part of parts) {
        await staged(connection, source, part, { counts, since }).catch((cause: unknown) => untold.push(cause))
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
  // A failure of the server isn't the file's fault.
  if (untold.length > 0) throw untold[0]
  return true
}

const none: Count = { rows: 0, changed: 0, places: undefined }

const staged = async (
  connection: DuckDBConnection,
  { client, pipe }: Source,
  part: ReadonlyArray<Piece>,
  { counts, since }: Pick<Applying, "counts" | "since">
): Promise<void> => {
  const countOf = (name: string) => counts.get(name) ?? none
  for (const { nested, tables } of part) {
    for (const table of tables) await stage(connection, ofTable(client, table, since, countOf(table.name)), pipe)
    for (const table of nested)
      await stage(connection, ofNested(client, table, since, countOf(table.owner?.table ?? "")), pipe)
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
  /** Which rows the staged ones replace; undefined for all. */
  readonly of: { readonly column: string; readonly among: string } | undefined
}

const replace = async (connection: DuckDBConnection, own: string, { name, of }: Replacing): Promise<void> => {
  await connection.run(
    `delete from copied.${seen(name)} ${of === undefined ? "" : `where ${of.column} in (${of.among})`}`
  )
  await connection.run(`insert into copied.${seen(name)} by name select * from "${own}".main.${quoted(name)}`)
}
