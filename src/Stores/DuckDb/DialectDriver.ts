/**
 * A pool of up to four DuckDB connections on one instance, which it doesn't own.
 *
 * Guarantees: a connection has one user until it is released. A connection that couldn't roll back is closed, not
 * reused. `destroy` waits for connections in use, closes them all and leaves the instance open. Every connection runs
 * in UTC, so that casts and truncations of times don't depend on the process's zone. If the process dies, open
 * transactions are lost and committed ones are in the write-ahead log.
 */
import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api"
import type { Driver as KyselyDriver, TransactionSettings } from "kysely"
import { Connection } from "./DialectConnection.ts"

/** libuv runs four blocking calls at once, so more connections would only wait. */
const maximumConnections = 4

export class Driver implements KyselyDriver {
  readonly #instance: DuckDBInstance
  readonly #idle: Array<Connection> = []
  readonly #waiting: Array<PromiseWithResolvers<Connection>> = []
  readonly #closed = Promise.withResolvers<void>()
  #open = 0
  #isDestroyed = false

  constructor(instance: DuckDBInstance) {
    this.#instance = instance
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<Connection> {
    if (this.#isDestroyed) throw new Error("The pool of DuckDB connections is closed")
    const idle = this.#idle.pop()
    if (idle !== undefined) return idle
    if (this.#open < maximumConnections) return this.#connect()
    const waiter = Promise.withResolvers<Connection>()
    this.#waiting.push(waiter)
    return waiter.promise
  }

  async #connect(): Promise<Connection> {
    this.#open += 1
    try {
      return new Connection(await connectInUtc(this.#instance))
    } catch (error) {
      this.#forget()
      throw error
    }
  }

  async releaseConnection(connection: Connection): Promise<void> {
    const isUsable = !connection.isBroken && !this.#isDestroyed
    const waiter = isUsable ? this.#waiting.shift() : undefined
    if (waiter !== undefined) waiter.resolve(connection)
    else if (isUsable) this.#idle.push(connection)
    else {
      connection.close()
      this.#forget()
    }
  }

  /** One connection fewer, so the next waiter may open one. */
  #forget(): void {
    this.#open -= 1
    this.#waiting.shift()?.resolve(this.acquireConnection())
    if (this.#isDestroyed && this.#open === 0) this.#closed.resolve()
  }

  /** DuckDB's transactions are snapshots, which satisfies every level but `serializable`. */
  async beginTransaction(connection: Connection, settings: TransactionSettings): Promise<void> {
    if (settings.isolationLevel === "serializable") throw new Error("DuckDB has no serializable transactions")
    await connection.begin(`BEGIN TRANSACTION${settings.accessMode === "read only" ? " READ ONLY" : ""}`)
  }

  async commitTransaction(connection: Connection): Promise<void> {
    await connection.commit()
  }

  async rollbackTransaction(connection: Connection): Promise<void> {
    await connection.rollback()
  }

  async destroy(): Promise<void> {
    this.#isDestroyed = true
    for (const waiter of this.#waiting.splice(0)) waiter.reject(new Error("The pool of DuckDB connections is closed"))
    for (const connection of this.#idle.splice(0)) {
      connection.close()
      this.#open -= 1
    }
    if (this.#open > 0) await this.#closed.promise
  }
}

const connectInUtc = async (instance: DuckDBInstance): Promise<DuckDBConnection> => {
  const connection = await instance.connect()
  const zone = await connection.runAndReadAll("SELECT current_setting('TimeZone')")
  // Checked first, because a locked configuration refuses even a SET that changes nothing.
  if (zone.value(0, 0) !== "UTC") await connection.run("SET TimeZone = 'UTC'")
  return connection
}
