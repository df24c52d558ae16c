/**
 * Kysely on DuckDB. SQL is compiled as for PostgreSQL (`$1`). Values are returned as canonical text (`DuckDb/Rows`), so
 * `count(*)`, a BIGINT, is text too.
 *
 * Guarantees: values are exact in both directions, and a commit is never falsely reported. There are no savepoints and
 * no streams. `destroy` closes only connections: the instance belongs to the code that opened it. If the process dies,
 * committed transactions are in the write-ahead log, which DuckDB replays at the next open.
 */
import type { DuckDBInstance } from "@duckdb/node-api"
import { DialectAdapterBase, PostgresQueryCompiler, sql } from "kysely"
import type {
  DatabaseIntrospector,
  Dialect,
  DialectAdapter,
  Kysely,
  QueryCompiler,
  SchemaMetadata,
  TableMetadata
} from "kysely"
import { Driver } from "./DialectDriver.ts"

export class DuckDbDialect implements Dialect {
  readonly #instance: DuckDBInstance

  constructor({ instance }: { readonly instance: DuckDBInstance }) {
    this.#instance = instance
  }

  createAdapter(): DialectAdapter {
    return new Adapter()
  }

  createDriver(): Driver {
    return new Driver(this.#instance)
  }

  createIntrospector(db: Kysely<unknown>): DatabaseIntrospector {
    return new Introspector(db)
  }

  createQueryCompiler(): QueryCompiler {
    return new PostgresQueryCompiler()
  }
}

class Adapter extends DialectAdapterBase {
  override get supportsTransactionalDdl(): boolean {
    return true
  }

  override get supportsReturning(): boolean {
    return true
  }

  /** Not needed: one process owns the file, and DuckDB locks it. */
  override async acquireMigrationLock(): Promise<void> {}

  override async releaseMigrationLock(): Promise<void> {}
}

/**
 * Names of schemas and tables of the current database, not of attached ones: this is all that Kysely's Migrator asks
 * for.
 */
class Introspector implements DatabaseIntrospector {
  readonly #db: Kysely<unknown>

  constructor(db: Kysely<unknown>) {
    this.#db = db
  }

  async getSchemas(): Promise<Array<SchemaMetadata>> {
    const { rows } = await sql<SchemaMetadata>`
      select schema_name as name from duckdb_schemas() where database_name = current_database()`.execute(this.#db)
    return rows
  }

  async getTables(): Promise<Array<TableMetadata>> {
    const { rows } = await sql<{ readonly name: string; readonly schema: string }>`
      select table_name as name, schema_name as schema from duckdb_tables()
      where database_name = current_database()`.execute(this.#db)
    return rows.map((row) => ({ ...row, isView: false, isForeign: false, columns: [] }))
  }
}
