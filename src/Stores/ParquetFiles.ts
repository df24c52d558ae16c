/**
 * Parquet files, written by DuckDB for both engines of the Warehouse.
 */
import { join } from "node:path"
import type { DuckDBConnection } from "@duckdb/node-api"
import { quoted } from "./Ddl.ts"
import type { EventFile, ExportedColumn } from "./Warehouse.ts"
import * as EventPasses from "./EventPasses.ts"
import * as Literal from "../Domain/Literal.ts"

/** A column as DuckDB has it. */
export const exported = (name: string, type: string): ExportedColumn =>
  type === "JSON" ? { name, type: "VARCHAR", format: "json" } : { name, type }

export interface Source {
  readonly query: string
  /** The number of all its columns. */
  readonly width: number
  /** Its columns of JSON, which are written as text. */
  readonly json: ReadonlyArray<string>
}

/**
 * A row group is in memory until it is complete. One of 100,000 rows of 65 columns didn't fit beside the others, and
 * all were spilled to disk and read again: 11 s of processor time instead of 0.7 s.
 */
const valuesInRowGroup = 2_000_000

const rowGroupOf = ({ width }: Source): number =>
  Math.min(EventPasses.largestRowGroup, Math.floor(valuesInRowGroup / width))

const inText = ({ json, query }: Source): string =>
  json.length === 0
    ? query
    : `select * replace (${json.map((name) => `cast(${quoted(name)} as varchar) as ${quoted(name)}`).join(", ")}) from (${query})`

/** Returns the rows written. */
export const writeTable = async (connection: DuckDBConnection, source: Source, path: string): Promise<number> => {
  const options = `${parquet}, row_group_size ${rowGroupOf(source)}`
  const [written] = await rows(connection, `copy (${inText(source)}) to ${Literal.text(path)} (${options})`)
  return Number(written?.[0] ?? 0)
}

/** `source`: the events of a pass; each date becomes one file in the folder. */
export const writeEvents = async (
  connection: DuckDBConnection,
  source: Source,
  pass: EventPasses.Pass,
  folder: string
): Promise<ReadonlyArray<EventFile>> => {
  await connection.run(`set partitioned_write_flush_threshold = ${EventPasses.flushThreshold(pass)}`)
  await rows(
    connection,
    `copy (select *, ${EventPasses.eventDate} as event_date from (${inText(source)})) to ${Literal.text(folder)}
     (${parquet}, partition_by (event_date), row_group_size ${EventPasses.rowGroup(pass)})`
  )
  const files = await rows(
    connection,
    `select file_name, num_rows from parquet_file_metadata(${Literal.text(join(folder, "*/*.parquet"))}) order by 1`
  )
  if (files.length !== pass.dates.length)
    throw new Error(`${pass.dates.length} dates were written as ${files.length} files`)
  return files.map(([name, count]) => {
    const path = String(name)
    return { date: /event_date=([\d-]+)/.exec(path)?.[1] ?? "", path, rows: Number(count) }
  })
}

/** Values as in DuckDB's own JSON. */
export const rows = async (connection: DuckDBConnection, sql: string): Promise<ReadonlyArray<ReadonlyArray<unknown>>> =>
  (await connection.runAndReadAll(sql)).getRowsJson()

/**
 * At level 3, DuckDB's default, files of events and of IPCs were 2 % larger and took half as much processor time again.
 * Without the limit, DuckDB also collects a dictionary for columns with tens of thousands of different values in a row
 * group. That took a fifth more processor time, and made no file smaller.
 */
const parquet = "format parquet, compression zstd, compression_level 1, dictionary_size_limit 2048"
