/**
 * The answer as a Parquet file, made by a second DuckDB beside the sealed one: it runs no SQL of the person's, and gets
 * the answer in chunks, so every value keeps its type and memory stays flat.
 *
 * Exact or refused: where Parquet has no place for a type, the answer fails with the column's name. The file is whole
 * once `finish` has returned; it lies in the folder that was given, which whoever gave it clears away.
 */
import { join } from "node:path"
import * as DuckDB from "@duckdb/node-api"
import { answerFile } from "./Frames.ts"

export interface Kept {
  readonly add: (chunk: DuckDB.DuckDBDataChunk) => void
  /** Returns the rows. */
  readonly finish: () => Promise<number>
}

const settings = { threads: "1", memory_limit: "192MB", autoinstall_known_extensions: "false" }

export const keep = async (folder: string, result: DuckDB.DuckDBResult): Promise<Kept> => {
  const names = distinct(result.columnNames())
  const types = names.map((_, place) => sqlType(result, place))
  const instance = await DuckDB.DuckDBInstance.create(join(folder, "answer.duckdb"), settings)
  const connection = await instance.connect()
  await connection.run(`create table answer (${types.map((type, place) => `c${place} ${type}`).join(", ")})`)
  const appender = await connection.createAppender("answer")
  return {
    add: (chunk) => appender.appendDataChunk(chunk),
    finish: async () => {
      appender.closeSync()
      const path = text(join(folder, answerFile))
      const columns = names.map((name, place) => `${kept(`c${place}`, types[place])} as ${identifier(name)}`)
      const source = `(select ${columns.join(", ")} from answer)`
      const written = await connection.runAndReadAll(`copy ${source} to ${path} (format parquet, compression zstd)`)
      await assertExact(connection, source, path)
      return Number(written.getRowsJson()[0]?.[0] ?? 0)
    }
  }
}

const sqlType = (result: DuckDB.DuckDBResult, column: number): string => {
  if (result.columnTypeId(column) === DuckDB.DuckDBTypeId.SQLNULL) return "VARCHAR"
  return result.columnLogicalType(column).alias === "JSON" ? "JSON" : String(result.columnType(column))
}

/** As Parquet's widest integer has 64 bits, DuckDB would write wider ones (`sum` makes them) as floats. */
const kept = (column: string, type = ""): string =>
  /^U?HUGEINT$/.test(type) ? `cast(${column} as decimal(38, 0))` : column

/** What comes back under another name, and is the same. */
const same: ReadonlyMap<string, string> = new Map([
  ["ENUM", "VARCHAR"],
  ["TIMESTAMP_S", "TIMESTAMP"],
  ["TIMESTAMP_MS", "TIMESTAMP"]
])

const assertExact = async (connection: DuckDB.DuckDBConnection, source: string, path: string): Promise<void> => {
  const typesOf = async (from: string) =>
    (await connection.runAndReadAll(`describe select * from ${from}`)).getRowsJson()
  const after = await typesOf(`read_parquet(${path})`)
  for (const [place, [name, type]] of (await typesOf(source)).entries()) {
    const before = String(type)
    const expected = same.get(before.replace(/\(.*$/s, "")) ?? before
    if (expected === after[place]?.[1]) continue
    throw new Error(
      `Parquet can't hold the column ${String(name)} (${before}) exactly: cast it, to VARCHAR for example.`
    )
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

const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`
const text = (value: string): string => `'${value.replaceAll("'", "''")}'`
