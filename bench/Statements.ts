/**
 * Runs SQL statements in a warehouse that no worker has open, and leaves the warehouse as it would be minutes later:
 * PostgreSQL's rows vacuumed and analyzed, DuckDB's checkpointed into its file.
 */
import { DuckDBInstance } from "@duckdb/node-api"
import * as Engine from "./Engine.ts"
import { connected } from "./PostgresServer.ts"

export const run = async (where: string, statements: ReadonlyArray<string>): Promise<void> => {
  if (Engine.name === "postgres") {
    await connected(where, async (client) => {
      for (const statement of [...statements, "vacuum (analyze)"]) await client.query(statement)
    })
    return
  }
  const instance = await DuckDBInstance.create(where)
  const connection = await instance.connect()
  for (const statement of [...statements, "checkpoint"]) await connection.run(statement)
  connection.disconnectSync()
  instance.closeSync()
}
