/**
 * One DuckDB connection as Kysely expects it: statements one after the other, and transactions.
 *
 * Guarantees: rows and counts are told apart by DuckDB's own result type, never by a column's name. A transaction that
 * a failed statement has aborted is never reported as committed (DuckDB's own COMMIT of it succeeds but keeps nothing).
 * If the process dies, committed transactions are in the write-ahead log and the rest is gone.
 */
import type { DuckDBConnection, DuckDBMaterializedResult } from "@duckdb/node-api"
import { ResultReturnType, StatementType } from "@duckdb/node-api"
import { AbortedTransactionError } from "kysely"
import type { CompiledQuery, DatabaseConnection, QueryResult } from "kysely"
import * as Rows from "./Rows.ts"
import * as Values from "./Values.ts"

const writes: ReadonlySet<StatementType> = new Set([
  StatementType.INSERT,
  StatementType.UPDATE,
  StatementType.DELETE,
  StatementType.MERGE_INTO
])

export class Connection implements DatabaseConnection {
  readonly #duckDb: DuckDBConnection
  #previous: Promise<unknown> = Promise.resolve()
  #hasFailed = false
  #isBroken = false

  constructor(duckDb: DuckDBConnection) {
    this.#duckDb = duckDb
  }

  /** A rollback failed, so the connection must not be reused. */
  get isBroken(): boolean {
    return this.#isBroken
  }

  close(): void {
    this.#duckDb.disconnectSync()
  }

  async executeQuery<R>({ parameters, sql }: CompiledQuery): Promise<QueryResult<R>> {
    return this.#oneAtATime(async () => {
      const result = await this.#run(sql, parameters)
      return (await toQueryResult(result)) as QueryResult<R>
    })
  }

  /** DuckDB's client ends a failed stream as if it were complete. */
  streamQuery(): never {
    throw new Error("Kysely doesn't stream from DuckDB: use DuckDBConnection.stream")
  }

  async begin(sql: string): Promise<void> {
    await this.#oneAtATime(() => this.#run(sql, []))
    this.#hasFailed = false
  }

  async commit(): Promise<void> {
    if (this.#hasFailed && (await this.#isAborted())) {
      await this.rollback()
      throw new AbortedTransactionError()
    }
    await this.#oneAtATime(() => this.#run("COMMIT", []))
  }

  async rollback(): Promise<void> {
    try {
      await this.#oneAtATime(() => this.#run("ROLLBACK", []))
    } catch (cause) {
      // A COMMIT that failed has already rolled back.
      if (String(cause).includes("no transaction is active")) return
      this.#isBroken = true
      throw cause
    }
  }

  async #isAborted(): Promise<boolean> {
    try {
      await this.#oneAtATime(() => this.#run("SELECT 1", []))
      return false
    } catch {
      return true
    }
  }

  #run(sql: string, parameters: ReadonlyArray<unknown>): Promise<DuckDBMaterializedResult> {
    if (parameters.length === 0) return this.#duckDb.run(sql)
    const { types, values } = Values.parameters(parameters)
    return this.#duckDb.run(sql, values, types)
  }

  /**
   * DuckDB runs one statement at a time per connection, and Kysely rolls back without waiting for other statements it
   * started.
   */
  async #oneAtATime<A>(run: () => Promise<A>): Promise<A> {
    const turn = Promise.withResolvers<void>()
    const previous = this.#previous
    this.#previous = turn.promise
    await previous
    try {
      return await run()
    } catch (error) {
      this.#hasFailed = true
      throw error
    } finally {
      turn.resolve()
    }
  }
}

const toQueryResult = async (result: DuckDBMaterializedResult): Promise<QueryResult<Rows.Row>> => {
  if (result.returnType === ResultReturnType.CHANGED_ROWS) {
    return { numAffectedRows: BigInt(result.rowsChanged), rows: [] }
  }
  if (result.returnType !== ResultReturnType.QUERY_RESULT) return { rows: [] }
  const rows = (await result.fetchAllChunks()).flatMap(Rows.reader(result))
  return writes.has(result.statementType) ? { numAffectedRows: BigInt(rows.length), rows } : { rows }
}
