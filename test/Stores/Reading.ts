/** Queries by DuckDB: on a database file, or on the files that a query names. */
import { query } from "../RunningWorker.ts"
import { DuckDBInstance } from "@duckdb/node-api"

export { query }

export const queryWithoutFile = async (text: string): Promise<ReadonlyArray<Record<string, unknown>>> => {
  const instance = await DuckDBInstance.create(":memory:")
  const connection = await instance.connect()
  try {
    return (await connection.runAndReadAll(text)).getRowObjectsJson() as ReadonlyArray<Record<string, unknown>>
  } finally {
    connection.disconnectSync()
    instance.closeSync()
  }
}
