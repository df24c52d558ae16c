/**
 * DuckDB's Appender alone, with the rows of a walk into a table with the same key: value by value, as in its
 * documentation, and by whole columns, the fastest known way.
 */
import { join } from "node:path"
import { type DuckDBAppender, DuckDBInstance, DuckDBTimestampTZValue } from "@duckdb/node-api"
import { appendRows } from "../src/Stores/DuckDb/Values.ts"
import type { Place } from "./Engine.ts"
import { at, clocks, row, table } from "./Projects.ts"

const atMicros = BigInt(Date.parse(at)) * 1000n

type Fill = (appender: DuckDBAppender, total: number) => void

/** Rows per second. */
export const load = async ({ directory }: Place, total: number, fill: Fill): Promise<number> => {
  const instance = await DuckDBInstance.create(join(directory, "bare.duckdb"), { threads: "2" })
  const connection = await instance.connect()
  const columns = table.columns.map(({ name, type }) => `"${name}" ${type}${name === table.key ? " primary key" : ""}`)
  await connection.run(`create table projects (${columns.join(", ")})`)
  const from = performance.now()
  const appender = await connection.createAppender("projects")
  fill(appender, total)
  appender.closeSync()
  const seconds = (performance.now() - from) / 1000
  connection.disconnectSync()
  instance.closeSync()
  return total / seconds
}

export const byValue: Fill = (appender, total) => {
  for (let id = 1; id <= total; id++) {
    appender.appendBigInt(BigInt(id))
    appender.appendVarchar(`Project number ${id}`)
    appender.appendVarchar("in-progress")
    appender.appendNull()
    appender.appendVarchar(clocks)
    appender.appendTimestampTZ(new DuckDBTimestampTZValue(atMicros))
    appender.appendTimestampTZ(new DuckDBTimestampTZValue(atMicros))
    appender.appendNull()
    appender.endRow()
  }
}

export const byColumn: Fill = (appender, total) => {
  for (let first = 1; first <= total; first += 20_000) {
    const rows = Array.from({ length: 20_000 }, (_, index) => row(first + index))
    appendRows(appender, table.columns, rows)
  }
}
