/**
 * The DuckDB file in a temporary folder by way of which tables of PostgreSQL become Parquet and CSV: one for a whole
 * snapshot, which holds only what the next file needs.
 *
 * Its tables have no keys, since what comes from PostgreSQL has been held against them: DuckDB would keep all keys in
 * memory. Closing ends what is under way, and waits for that end.
 */
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api"
import { DuckDbSnapshot } from "./DuckDbSnapshot.ts"
import { ledgerLines } from "./Schema.ts"
import { type Table, tables } from "./Tables.ts"

const settings = { memory_limit: "1GB", threads: "2", allocator_flush_threshold: "1MB" }

const createTable = ({ columns, name }: Table): string =>
  `create table construction.${name} (${columns.map(([column, type]) => `"${column}" ${type}`).join(", ")})`

const schema = [
  "create schema siteledger",
  "create table siteledger.meta (key varchar, value varchar)",
  "create schema construction",
  ...tables.map(createTable),
  `create view construction.ledger_lines as ${ledgerLines}`
]

export class PostgresStaged {
  readonly #instance: DuckDBInstance
  readonly #connection: DuckDBConnection
  #reading: DuckDbSnapshot | undefined
  #underWay: Promise<unknown> = Promise.resolve()

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#instance = instance
    this.#connection = connection
  }

  static async open(path: string): Promise<PostgresStaged> {
    const instance = await DuckDBInstance.create(path, settings)
    const connection = await instance.connect()
    for (const statement of schema) await connection.run(statement)
    return new PostgresStaged(instance, connection)
  }

  /** Empty tables. */
  shapes(): Promise<DuckDbSnapshot["tables"]> {
    return this.#read(async ({ tables: shapes }) => shapes)
  }

  /** Fills a table, reads it, and empties it again. One at a time. */
  through<A>(
    { name }: Table,
    fill: (connection: DuckDBConnection) => Promise<void>,
    use: (filled: DuckDbSnapshot) => Promise<A>
  ): Promise<A> {
    const done = this.#underWay.then(async () => {
      try {
        await fill(this.#connection)
        return await this.#read(use)
      } finally {
        await this.#connection.run(`truncate construction.${name}`)
        // Gives the blocks back, for the next table.
        await this.#connection.run("checkpoint")
      }
    })
    this.#underWay = done.catch(() => undefined)
    return done
  }

  async close(): Promise<void> {
    await this.#end()
    await this.#underWay
    this.#connection.disconnectSync()
    this.#instance.closeSync()
  }

  async #read<A>(use: (filled: DuckDbSnapshot) => Promise<A>): Promise<A> {
    const reading = await DuckDbSnapshot.open(this.#instance)
    this.#reading = reading
    try {
      return await use(reading)
    } finally {
      await this.#end()
    }
  }

  async #end(): Promise<void> {
    const reading = this.#reading
    this.#reading = undefined
    await reading?.close()
  }
}
