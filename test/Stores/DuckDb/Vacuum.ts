/** As DuckDB does by itself: rows are dropped, and the rows after them get other numbers. */
import type { DuckDBConnection } from "@duckdb/node-api"

export const vacuum = async (connection: DuckDBConnection): Promise<void> => {
  await connection.run("set global max_vacuum_tasks = 1")
  await connection.run("force checkpoint")
  await connection.run("set global max_vacuum_tasks = 0")
}
