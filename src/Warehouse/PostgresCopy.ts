/**
 * Copies rows of PostgreSQL into a DuckDB file, as they stream in: memory doesn't grow with their number. What is
 * written from there (Parquet, a copy for analysts) is the same as from a DuckDB warehouse, by the same code.
 */
import type { DuckDBConnection } from "@duckdb/node-api"
import type { Client } from "pg"
import Cursor from "pg-cursor"
import { appendColumns } from "./DuckDbDialect/Values.ts"
import { selectList } from "./PostgresWriter.ts"
import type { Table } from "./Tables.ts"

/** DuckDB's own size of a chunk. */
const rowsAtOnce = 2048

type Texts = ReadonlyArray<string | null>

/** `rest` is what follows the table's name: which rows, in which order. */
export const copyTable = async (
  client: Client,
  connection: DuckDBConnection,
  { columns, name }: Table,
  rest: string
): Promise<void> => {
  const select = `select ${selectList(columns)} from construction.${name} ${rest}`
  const cursor = client.query(new Cursor<Texts>(select, [], { rowMode: "array" }))
  const types = columns.map(([, type]) => type)
  const appender = await connection.createAppender(name, "construction", null)
  // The server makes the next rows while these are appended.
  let next = cursor.read(rowsAtOnce)
  try {
    for (let rows = await next; rows.length > 0; rows = await next) {
      next = cursor.read(rowsAtOnce)
      appendColumns(
        appender,
        types,
        types.map((_, column) => rows.map((row) => row[column] ?? null))
      )
    }
    appender.flushSync()
  } finally {
    appender.closeSync()
    await next.catch(() => undefined)
    await cursor.close()
  }
}
