/**
 * One DuckDB connection as Kysely wants it: statements one after the other, transactions, streams, cancellation.
 *
 * Guarantees: rows and counts are told apart by what DuckDB says it returns, never by names. A transaction that
 * a failed statement has aborted is never reported as committed (DuckDB's own COMMIT of it succeeds and keeps
 * nothing). A stream that fails midway throws (DuckDB's client ends it like a complete one).
 * If the process dies, what was committed is in the write-ahead log and the rest is gone.
 */
import { setTimeout } from "node:timers/promises"
import type { DuckDBConnection, DuckDBMaterializedResult } from "@duckdb/node-api"
import { ResultReturnType, StatementType } from "@duckdb/node-api"
import { AbortedTransactionError } from "kysely"
import type { CompiledQuery, DatabaseConnection, QueryResult } from "kysely"
import * as Rows from "./Rows.ts"
import * as Values from "./Values.ts"

/** An interrupt that arrives before DuckDB has begun the statement is forgotten, so it is repeated. */
const interruptEveryMillis = 5

const writes: ReadonlySet<StatementType> = new Set([
  StatementType.INSERT,
  StatementType.UPDATE,
  StatementType.DELETE,
  StatementType.MERGE_INTO
])

export class Connection implements DatabaseConnection {
  readonly #duckDb: DuckDBConnection
  #previous: Promise<unknown> = Promise.resolve()
  #running: symbol | undefined
  #statements = 0
  #isInTransaction = false
  #hasFailed = false
  #isBroken = false

  constructor(duckDb: DuckDBConnection) {
    this.#duckDb = duckDb
  }

  /** A connection that couldn't roll back: nobody should get it again. */
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

  async cancelQuery(): Promise<void> {
    const cancelled = this.#running
    while (cancelled !== undefined && this.#running === cancelled) {
      this.#duckDb.interrupt()
      await setTimeout(interruptEveryMillis)
    }
  }

  /**
   * Yields DuckDB's own chunks of up to 2,048 rows, whatever `chunkSize` says. Outside a transaction it runs in a
   * read-only one of its own, because only an aborted transaction shows that a stream has failed.
   */
  async *streamQuery<R>(query: CompiledQuery, _chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    const isOwnTransaction = !this.#isInTransaction
    try {
      if (isOwnTransaction) await this.begin("BEGIN TRANSACTION READ ONLY")
      yield* this.#chunks<R>(query)
    } finally {
      // Left open, a stream would block checkpoints; any statement on its connection ends it.
      if (isOwnTransaction) await this.rollback()
      else await this.#isAborted()
    }
  }

  async *#chunks<R>({ parameters, sql }: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    const { types, values } = Values.parameters(parameters)
    const result = await this.#oneAtATime(() => this.#duckDb.stream(sql, values, types))
    const read = Rows.reader(result)
    const statements = this.#statements
    for (let count = 0; ;) {
      const chunk = await this.#oneAtATime(() => result.fetchChunk())
      if (this.#statements !== statements) throw new Error(`Another statement ended the stream after ${count} rows`)
      if (chunk === null || chunk.rowCount === 0) {
        if (await this.#isAborted()) throw new Error(`The stream broke off after ${count} rows; DuckDB doesn't say why`)
        return
      }
      count += chunk.rowCount
      yield { rows: read(chunk) as Array<R> }
    }
  }

  async begin(sql: string): Promise<void> {
    await this.#oneAtATime(() => this.#run(sql, []))
    this.#isInTransaction = true
    this.#hasFailed = false
  }

  async commit(): Promise<void> {
    if (this.#hasFailed && (await this.#isAborted())) {
      await this.rollback()
      throw new AbortedTransactionError()
    }
    await this.#oneAtATime(() => this.#run("COMMIT", []))
    this.#isInTransaction = false
  }

  async rollback(): Promise<void> {
    try {
      await this.#oneAtATime(() => this.#run("ROLLBACK", []))
    } catch (cause) {
      // A COMMIT that failed has already rolled back.
      if (!String(cause).includes("no transaction is active")) {
        this.#isBroken = true
        throw cause
      }
    } finally {
      this.#isInTransaction = false
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

  #run(sql: string, given: ReadonlyArray<unknown>): Promise<DuckDBMaterializedResult> {
    this.#statements += 1
    if (given.length === 0) return this.#duckDb.run(sql)
    const { types, values } = Values.parameters(given)
    return this.#duckDb.run(sql, values, types)
  }

  /** DuckDB runs one statement per connection, and Kysely rolls back without waiting for the others it started. */
  async #oneAtATime<A>(run: () => Promise<A>): Promise<A> {
    const turn = Promise.withResolvers<void>()
    const previous = this.#previous
    this.#previous = turn.promise
    await previous
    this.#running = Symbol()
    try {
      return await run()
    } catch (error) {
      this.#hasFailed = true
      throw error
    } finally {
      this.#running = undefined
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
