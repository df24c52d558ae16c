/**
 * Kysely on DuckDB. SQL is compiled as for Postgres (`$1`); values come out as canonical text, see
 * `DuckDbDialect/Rows.ts` (`count(*)` is a BIGINT and therefore text too).
 *
 * Guarantees: exact values in both directions, honest commits and streams, cancellation by `interrupt()`. There
 * are no savepoints. The instance belongs to whoever made it: `destroy` closes connections only.
 * If the process dies, committed transactions are in the write-ahead log; DuckDB replays it at the next open.
 */
import type { DuckDBInstance } from "@duckdb/node-api"
import { PostgresQueryCompiler } from "kysely"
import type { DatabaseIntrospector, Dialect, DialectAdapter, Kysely, QueryCompiler } from "kysely"
import { Adapter } from "./DialectAdapter.ts"
import { Driver } from "./DialectDriver.ts"
import { Introspector } from "./DialectIntrospector.ts"

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
