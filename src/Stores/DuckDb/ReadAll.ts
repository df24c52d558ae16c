/**
 * Reads every block of a DuckDB file. DuckDB verifies the checksums, so damage shows up.
 */
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api"
import { Kysely } from "kysely"
import type { WarehouseTables } from "../WarehouseTables.ts"
import { DuckDbDialect } from "./Dialect.ts"

export const withConnection = async <A>(
  instance: DuckDBInstance,
  use: (connection: DuckDBConnection) => Promise<A>
): Promise<A> => {
  const connection = await instance.connect()
  try {
    return await use(connection)
  } finally {
    connection.disconnectSync()
  }
}

/** With their schema, quoted. */
export const tablesIn = async (connection: DuckDBConnection): Promise<ReadonlyArray<string>> => {
  const found = await connection.runAndReadAll(
    `select schema_name || '."' || table_name || '"' from duckdb_tables()
     where database_name = current_database() and not internal order by all`
  )
  return found.getRowsJson().map(([name]) => String(name))
}

export const readAll = async (connection: DuckDBConnection, table: string): Promise<void> => {
  await connection.run(`select sum(hash(t)) from ${table} t`)
}

/** Opens a file only to read it, with little memory. */
export const openToRead = (path: string): Promise<DuckDBInstance> =>
  DuckDBInstance.create(path, { access_mode: "READ_ONLY", memory_limit: "128MB", threads: "1" })

/** Runs a query on a file that this process has not opened. */
export const queryFile = async <A>(path: string, run: (db: Kysely<WarehouseTables>) => Promise<A>): Promise<A> => {
  const instance = await openToRead(path)
  const db = new Kysely<WarehouseTables>({ dialect: new DuckDbDialect({ instance }) })
  try {
    return await run(db)
  } finally {
    await db.destroy()
    instance.closeSync()
  }
}

/** Reads all tables of a file that this process has not opened. Throws if it is damaged. */
export const readFile = async (path: string): Promise<void> => {
  const instance = await openToRead(path)
  try {
    await withConnection(instance, async (connection) => {
      for (const table of await tablesIn(connection)) await readAll(connection, table)
    })
  } finally {
    instance.closeSync()
  }
}
