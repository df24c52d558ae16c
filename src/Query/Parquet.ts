/**
 * The answer as a Parquet file, made by a second DuckDB next to the sealed one. It runs none of the person's SQL and
 * receives the answer in chunks, so every value keeps its type and memory stays flat.
 *
 * Exact or refused: if Parquet can't hold a type or a value, the answer fails and names the column. The file is
 * complete once `finish` has returned. The caller removes the folder.
 */
import { join } from "node:path"
import * as DuckDB from "@duckdb/node-api"
import { answerFile } from "./Frames.ts"
import { identifier, isOfAnyLength, type Place, placeOf } from "./ParquetTypes.ts"
import { distinct } from "./Text.ts"
import * as Literal from "../Domain/Literal.ts"

export interface Kept {
  readonly add: (chunk: DuckDB.DuckDBDataChunk) => void
  /** Returns the number of rows. */
  readonly finish: () => Promise<number>
}

/** For the DuckDB that writes the file. */
export const memoryMb = 192

const settings = { threads: "1", memory_limit: `${memoryMb}MB`, autoinstall_known_extensions: "false" }

/** This many chunks (of 2,048 rows) are collected outside that limit before they become rows of the table. */
const collectedChunks = 4

/** Rows of one row group: DuckDB's own size, and the least that it makes row groups of. */
const largestRowGroup = 122_880
const smallestRowGroup = 2048

/** While a row group is written, it is in memory more than once. */
const rowGroupBytes = 24_000_000

interface Column {
  /** Its name in Parquet. */
  readonly name: string
  /** Its name in the table that collects the answer. */
  readonly here: string
  readonly type: string
  readonly place: Place
  readonly isOfAnyLength: boolean
}

export const keep = async (folder: string, result: DuckDB.DuckDBResult): Promise<Kept> => {
  const columns = columnsOf(result)
  const instance = await DuckDB.DuckDBInstance.create(join(folder, "answer.duckdb"), settings)
  const connection = await instance.connect()
  await connection.run("set TimeZone = 'UTC'")
  await connection.run(`create table answer (${columns.map(({ here, type }) => `${here} ${type}`).join(", ")})`)
  // In one transaction, rows go to the file once instead of through its log.
  await connection.run("begin")
  const appender = await connection.createAppender("answer")
  let chunks = 0
  return {
    add: (chunk) => {
      appender.appendDataChunk(chunk)
      // Otherwise its texts would stay in memory until JavaScript's garbage collector, which doesn't see them, frees
      // it.
      chunk.reset()
      chunks += 1
      if (chunks % collectedChunks === 0) appender.flushSync()
    },
    finish: async () => {
      appender.closeSync()
      await connection.run("commit")
      await assertFits(connection, columns)
      const path = Literal.text(join(folder, answerFile))
      const written = columns.map(({ here, name, place }) => `cast(${here} as ${place.type}) as ${identifier(name)}`)
      const source = `(select ${written.join(", ")} from answer)`
      const size = rowGroup(await widestRow(connection, columns))
      const copied = await connection.runAndReadAll(
        `copy ${source} to ${path} (format parquet, compression zstd, row_group_size ${size})`
      )
      await assertKept(connection, source, path)
      return Number(copied.getRowsJson()[0]?.[0] ?? 0)
    }
  }
}

/** The most bytes per row, averaged over any 2,048 consecutive rows; values of a fixed width don't count. */
const widestRow = async (connection: DuckDB.DuckDBConnection, columns: ReadonlyArray<Column>): Promise<number> => {
  const ofAnyLength = columns.filter(({ isOfAnyLength }) => isOfAnyLength)
  if (ofAnyLength.length === 0) return 0
  const widths = ofAnyLength.map(({ here }) => `coalesce(strlen(${here}::varchar), 0)`)
  const found = await connection.runAndReadAll(
    `select max(bytes)::double from (select avg(${widths.join(" + ")}) as bytes from answer group by rowid // ${smallestRowGroup})`
  )
  return Number(found.getRowsJson()[0]?.[0] ?? 0)
}

const rowGroup = (rowBytes: number): number =>
  Math.max(smallestRowGroup, Math.min(largestRowGroup, Math.floor(rowGroupBytes / Math.max(1, rowBytes))))

const columnsOf = (result: DuckDB.DuckDBResult): ReadonlyArray<Column> =>
  // Most readers can't distinguish columns whose names differ only in case.
  distinct(result.columnNames(), (name) => name.toLowerCase()).map((name, position) => {
    const type = result.columnType(position)
    const place = placeOf(type)
    if (place === undefined) throw noPlace(`the column ${name} (${String(type)})`)
    return { name, here: `c${position}`, type: String(type), place, isOfAnyLength: isOfAnyLength(type) }
  })

const noPlace = (what: string): Error =>
  new Error(`Parquet can't hold ${what} exactly: cast the column, to VARCHAR for example.`)

const longestShown = 60

/** Scans the answer once if some of its types have values that don't fit. */
const assertFits = async (connection: DuckDB.DuckDBConnection, columns: ReadonlyArray<Column>): Promise<void> => {
  const doubtful = columns.filter(({ place }) => place.fits !== undefined)
  if (doubtful.length === 0) return
  const misfits = doubtful.map(({ here, place }) => `any_value(${here}::varchar) filter (not (${place.fits?.(here)}))`)
  const found = await connection.runAndReadAll(`select ${misfits.join(", ")} from answer`)
  for (const [position, value] of (found.getRowsJson()[0] ?? []).entries()) {
    const column = doubtful[position]
    if (value === null || column === undefined) continue
    throw noPlace(`${String(value).slice(0, longestShown)} of the column ${column.name} (${column.type})`)
  }
}

/** Compares the types again, because DuckDB's writer decides them. */
const assertKept = async (connection: DuckDB.DuckDBConnection, source: string, path: string): Promise<void> => {
  const typesOf = async (from: string) =>
    (await connection.runAndReadAll(`describe select * from ${from}`)).getRowsJson()
  const after = await typesOf(`read_parquet(${path})`)
  for (const [position, [name, type]] of (await typesOf(source)).entries()) {
    if (type !== after[position]?.[1]) throw noPlace(`the column ${String(name)} (${String(type)})`)
  }
}
