/**
 * Copies all tables of the warehouse into a new file, without the Store's deliveries.
 *
 * DuckDB holds in memory what a transaction has written to a small table, 16 kB or more for each column, until the
 * commit: 500 tables of 65 columns took 1 GB. So if there are many tables, they are copied in parts, and each part is
 * on disk before the next begins.
 */
import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api"
import type { NestedTable } from "../NestedTables.ts"
import { copying } from "./File.ts"
import * as NestedRows from "./NestedRows.ts"
import { partsOf } from "./Parts.ts"

export interface Whole {
  readonly instance: DuckDBInstance
  readonly nested: ReadonlyArray<NestedTable>
  /** The most columns in a part, unless one table alone has more. */
  readonly columnsAtOnce: number
}

/** Returns the number of parts. If there are several, the tables are as of different times. */
export const copyWhole = async (path: string, { columnsAtOnce, instance, nested }: Whole): Promise<number> => {
  let count = 0
  await copying(instance, path, async (connection, own) => {
    const copies = [...(await tablesIn(connection, own)), ...nested.map((table) => nestedIn(own, table))]
    await connection.run("begin transaction")
    await connection.run(`copy from database "${own}" to copied (schema)`)
    await connection.run("drop table copied.siteledger.inbox")
    count = await copyInParts(connection, copies, columnsAtOnce)
  })
  return count
}

/** Copies one table into the database `copied`. */
export interface Copy {
  readonly columns: number
  readonly run: (connection: DuckDBConnection) => Promise<void>
}

/** Uses the current transaction first, and others after it. Returns the number of parts. */
export const copyInParts = async (
  connection: DuckDBConnection,
  copies: ReadonlyArray<Copy>,
  columnsAtOnce: number
): Promise<number> => {
  const parts = partsOf(copies, ({ columns }) => columns, columnsAtOnce)
  for (const [at, part] of parts.entries()) {
    if (at > 0) {
      await connection.run("commit")
      await connection.run("checkpoint copied")
      await connection.run("begin transaction")
    }
    for (const { run } of part) await run(connection)
  }
  await connection.run("commit")
  return parts.length
}

const tablesIn = async (connection: DuckDBConnection, own: string): Promise<ReadonlyArray<Copy>> => {
  const found = await connection.runAndReadAll(
    `select schema_name || '."' || table_name || '"', column_count from duckdb_tables()
     where database_name = '${own}' and not internal and (schema_name, table_name) <> ('siteledger', 'inbox')`
  )
  return found.getRowsJson().map(([table, columns]) => ({
    columns: Number(columns),
    run: running([`insert into copied.${String(table)} select * from "${own}".${String(table)}`])
  }))
}

const nestedIn = (own: string, table: NestedTable): Copy => ({
  columns: table.columns.length,
  run: running(NestedRows.copying(own, table))
})

const running =
  (statements: ReadonlyArray<string>): Copy["run"] =>
  async (connection) => {
    for (const statement of statements) await connection.run(statement)
  }
