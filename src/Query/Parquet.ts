/**
 * The answer as a Parquet file, made by a second DuckDB next to the sealed one. It runs none of the person's SQL and
 * gets the answer in chunks, so every value keeps its type and memory stays flat.
 *
 * Exact or refused: if Parquet can't hold a type or a value, the answer fails and names the column. The file is whole
 * once `finish` has returned. The caller clears the folder away.
 */
import { join } from "node:path"
import * as DuckDB from "@duckdb/node-api"
import { answerFile } from "./Frames.ts"
import { identifier, type Place, placeOf } from "./ParquetTypes.ts"
import { distinct } from "./Text.ts"
import * as Literal from "../Domain/Literal.ts"

export interface Kept {
  readonly add: (chunk: DuckDB.DuckDBDataChunk) => void
  /** Returns the number of rows. */
  readonly finish: () => Promise<number>
}

const settings = { threads: "1", memory_limit: "192MB", autoinstall_known_extensions: "false" }

interface Column {
  /** In Parquet. */
  readonly name: string
  /** In the table that collects the answer. */
  readonly here: string
  readonly type: string
  readonly place: Place
}

export const keep = async (folder: string, result: DuckDB.DuckDBResult): Promise<Kept> => {
  const columns = columnsOf(result)
  const instance = await DuckDB.DuckDBInstance.create(join(folder, "answer.duckdb"), settings)
  const connection = await instance.connect()
  await connection.run("set TimeZone = 'UTC'")
  await connection.run(`create table answer (${columns.map(({ here, type }) => `${here} ${type}`).join(", ")})`)
  const appender = await connection.createAppender("answer")
  return {
    add: (chunk) => appender.appendDataChunk(chunk),
    finish: async () => {
      appender.closeSync()
      await assertFits(connection, columns)
      const path = Literal.text(join(folder, answerFile))
      const written = columns.map(({ here, name, place }) => `cast(${here} as ${place.type}) as ${identifier(name)}`)
      const source = `(select ${written.join(", ")} from answer)`
      const copied = await connection.runAndReadAll(`copy ${source} to ${path} (format parquet, compression zstd)`)
      await assertKept(connection, source, path)
      return Number(copied.getRowsJson()[0]?.[0] ?? 0)
    }
  }
}

const columnsOf = (result: DuckDB.DuckDBResult): ReadonlyArray<Column> =>
  // Most readers can't tell columns apart whose names differ only in case.
  distinct(result.columnNames(), (name) => name.toLowerCase()).map((name, position) => {
    const type = result.columnType(position)
    const place = placeOf(type)
    if (place === undefined) throw noPlace(`the column ${name} (${String(type)})`)
    return { name, here: `c${position}`, type: String(type), place }
  })

const noPlace = (what: string): Error =>
  new Error(`Parquet can't hold ${what} exactly: cast the column, to VARCHAR for example.`)

const longestShown = 60

/** Scans the answer once, if it has a type of which some values don't fit. */
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

/** Compares the types once more, because DuckDB's writer decides them. */
const assertKept = async (connection: DuckDB.DuckDBConnection, source: string, path: string): Promise<void> => {
  const typesOf = async (from: string) =>
    (await connection.runAndReadAll(`describe select * from ${from}`)).getRowsJson()
  const after = await typesOf(`read_parquet(${path})`)
  for (const [position, [name, type]] of (await typesOf(source)).entries()) {
    if (type !== after[position]?.[1]) throw noPlace(`the column ${String(name)} (${String(type)})`)
  }
}
