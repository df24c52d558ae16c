/**
 * The answer as a Parquet file, made by a second DuckDB beside the sealed one: it runs no SQL of the person's, and gets
 * the answer in chunks, so every value keeps its type and memory stays flat.
 *
 * Exact or refused: where Parquet has no place for a type, or for a value, the answer fails with the column's name. The
 * file is whole once `finish` has returned; it lies in the folder that was given, which whoever gave it clears away.
 */
import { join } from "node:path"
import * as DuckDB from "@duckdb/node-api"
import { answerFile } from "./Frames.ts"
import { identifier, type Place, placeOf } from "./ParquetTypes.ts"
import * as Literal from "../Domain/Literal.ts"

export interface Kept {
  readonly add: (chunk: DuckDB.DuckDBDataChunk) => void
  /** Returns the rows. */
  readonly finish: () => Promise<number>
}

const settings = { threads: "1", memory_limit: "192MB", autoinstall_known_extensions: "false" }

interface Column {
  /** Its name in Parquet, and in the table in which the answer waits. */
  readonly name: string
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
  distinct(result.columnNames()).map((name, position) => {
    const type = result.columnType(position)
    const place = placeOf(type)
    if (place === undefined) throw noPlace(`the column ${name} (${String(type)})`)
    return { name, here: `c${position}`, type: String(type), place }
  })

const noPlace = (what: string): Error =>
  new Error(`Parquet can't hold ${what} exactly: cast the column, to VARCHAR for example.`)

const longestShown = 60

/** One look at the whole answer, where there is a type of which some values don't fit. */
const assertFits = async (connection: DuckDB.DuckDBConnection, columns: ReadonlyArray<Column>): Promise<void> => {
  const doubtful = columns.filter(({ place }) => place.fits !== undefined)
  if (doubtful.length === 0) return
  const looks = doubtful.map(({ here, place }) => `any_value(${here}::varchar) filter (not (${place.fits?.(here)}))`)
  const found = await connection.runAndReadAll(`select ${looks.join(", ")} from answer`)
  for (const [position, value] of (found.getRowsJson()[0] ?? []).entries()) {
    const column = doubtful[position]
    if (value === null || column === undefined) continue
    throw noPlace(`${String(value).slice(0, longestShown)} of the column ${column.name} (${column.type})`)
  }
}

/** DuckDB's writer has the last word on types. */
const assertKept = async (connection: DuckDB.DuckDBConnection, source: string, path: string): Promise<void> => {
  const typesOf = async (from: string) =>
    (await connection.runAndReadAll(`describe select * from ${from}`)).getRowsJson()
  const after = await typesOf(`read_parquet(${path})`)
  for (const [position, [name, type]] of (await typesOf(source)).entries()) {
    if (type !== after[position]?.[1]) throw noPlace(`the column ${String(name)} (${String(type)})`)
  }
}

/** `a`, `a_2`: most readers know no two columns by one name, in whatever case. */
const distinct = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const taken = new Set(names.map((name) => name.toLowerCase()))
  const seen = new Set<string>()
  return names.map((name) => {
    let free = name
    for (let count = 2; seen.has(free.toLowerCase()) || (free !== name && taken.has(free.toLowerCase())); count++) {
      free = `${name}_${count}`
    }
    seen.add(free.toLowerCase())
    return free
  })
}
