/**
 * DuckDB's Appender alone, with the rows of a walk into a table with the same key: value by value, as in its
 * documentation, and by whole columns, the fastest known way.
 */
import { join } from "node:path"
import { type DuckDBAppender, DuckDBInstance, DuckDBTimestampTZValue } from "@duckdb/node-api"
import type { Row } from "../src/Domain/Merge.ts"
import type { ColumnType } from "../src/Domain/Resource.ts"
import { appendRows } from "../src/Stores/DuckDb/Values.ts"
import type { Place } from "./Engine.ts"
import { rows, table } from "./Projects.ts"

type Fill = (appender: DuckDBAppender, some: ReadonlyArray<Row>) => void

const rowsAtOnce = 20_000

/** Rows per second; the rows are made beforehand. */
export const load = async ({ directory }: Place, total: number, fill: Fill): Promise<number> => {
  const instance = await DuckDBInstance.create(join(directory, "bare.duckdb"), { threads: "2" })
  const connection = await instance.connect()
  const columns = table.columns.map(({ name, type }) => `"${name}" ${type}${name === table.key ? " primary key" : ""}`)
  await connection.run(`create table projects (${columns.join(", ")})`)
  const appender = await connection.createAppender("projects")
  let ms = 0
  for (let first = 1; first <= total; first += rowsAtOnce) {
    const some = rows(first, Math.min(rowsAtOnce, total + 1 - first))
    const from = performance.now()
    fill(appender, some)
    ms += performance.now() - from
  }
  const from = performance.now()
  appender.closeSync()
  ms += performance.now() - from
  connection.disconnectSync()
  instance.closeSync()
  return (total / ms) * 1000
}

const microsOf = (instant: string): bigint => BigInt(Date.parse(instant)) * 1000n

const append = (appender: DuckDBAppender, type: ColumnType, value: string | null): void => {
  if (value === null) appender.appendNull()
  else if (type === "BIGINT") appender.appendBigInt(BigInt(value))
  else if (type === "TIMESTAMPTZ") appender.appendTimestampTZ(new DuckDBTimestampTZValue(microsOf(value)))
  else appender.appendVarchar(value)
}

export const byValue: Fill = (appender, some) => {
  for (const row of some) {
    for (const { name, type } of table.columns) append(appender, type, row[name] ?? null)
    appender.endRow()
  }
}

export const byColumn: Fill = (appender, some) => appendRows(appender, table.columns, some)
