/** Kysely on an in-memory DuckDB with one table, on which the tests of the dialect run. */
import { DuckDBInstance } from "@duckdb/node-api"
import { type ColumnType, Kysely, sql } from "kysely"
import { DuckDbDialect } from "../../../src/Stores/DuckDb/Dialect.ts"

export interface Tables {
  readonly payments: {
    id: ColumnType<string, string | bigint, never>
    amount: string | null
    count: number | null
  }
}

export const withDuckDb = async (
  use: (db: Kysely<Tables>, instance: DuckDBInstance) => Promise<void>
): Promise<void> => {
  const instance = await DuckDBInstance.create(":memory:")
  const db = new Kysely<Tables>({ dialect: new DuckDbDialect({ instance }) })
  try {
    await sql`CREATE TABLE payments (id BIGINT PRIMARY KEY, amount DECIMAL(28,4), count INTEGER)`.execute(db)
    await use(db, instance)
  } finally {
    await db.destroy()
    instance.closeSync()
  }
}

export const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error
  )
