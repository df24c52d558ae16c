/**
 * Where the workers of a test keep what they know, on the engine of this run (the projects of vitest.config.ts): a data
 * directory with SQLite and DuckDB, or one with a PostgreSQL database beside it. Gone when the test ends.
 *
 * A test states its SQL once for both: the Store's tables are the same, and the warehouse's are read as analysts see them.
 */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect, Redacted } from "effect"
import { Client, types } from "pg"
import { Connections } from "../../src/Stores/Postgres/Connections.ts"
import { usual } from "../../src/Stores/EntityTables.ts"
import { evolve } from "../../src/Stores/Postgres/Evolve.ts"
import { Publication } from "../../src/Stores/Postgres/Publication.ts"
import { mark } from "../Marked.ts"
import * as Postgres from "../Postgres.ts"
import { removeFolder, temporaryFolder } from "../Folders.ts"
import { type Environment, environment as environmentFor, query } from "../RunningWorker.ts"

export type Engine = "duckdb" | "postgres"

export const engine: Engine = process.env["SITELEDGER_TEST_ENGINE"] === "postgres" ? "postgres" : "duckdb"

export type Rows = ReadonlyArray<Record<string, unknown>>

/** The same for all workers on a database, because they share its secrets. */
const key = "0123456789abcdef".repeat(4)

export class Place implements AsyncDisposable {
  /** Of every worker here. */
  readonly environment: Environment
  readonly dataDir: string
  /** Undefined without a server. */
  readonly database: Postgres.Database | undefined
  #copy: Promise<string> | undefined
  readonly #folders: Array<string>

  private constructor(environment: Environment, dataDir: string, database: Postgres.Database | undefined) {
    this.environment = environment
    this.dataDir = dataDir
    this.database = database
    this.#folders = [dataDir]
  }

  static async open(service: Parameters<typeof environmentFor>[0], on: Engine = engine): Promise<Place> {
    const own = await environmentFor(service)
    const database = on === "postgres" ? await Postgres.database() : undefined
    const server = database === undefined ? {} : { SITELEDGER_WAREHOUSE: database.url, SITELEDGER_KEY: key }
    return new Place({ ...own, ...server }, own.SITELEDGER_DATA_DIR, database)
  }

  /** Reads and writes the Store, also beside a worker: numbers come as numbers, bytes as bytes. */
  async store(sql: string): Promise<Rows> {
    if (this.database === undefined) return inSqlite(join(this.dataDir, "store.sqlite"), sql)
    this.changes()
    return inPostgres(this.database.url, sql)
  }

  /** The warehouse's tables, while no worker is writing them. */
  async query(sql: string): Promise<Rows> {
    if (this.database === undefined) return query(join(this.dataDir, "warehouse.duckdb"), sql)
    this.#copy ??= this.#published(this.database)
    return query(await this.#copy, sql)
  }

  /** The server's tables that hold a text, as text or as bytes. */
  async tablesHolding(text: string): Promise<ReadonlyArray<string>> {
    const tables = await this.database?.query(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('ledger', 'siteledger', 'construction')`
    )
    if (tables === undefined || tables.length === 0) return []
    const [plain, hex] = [text, Buffer.from(text).toString("hex")].map((part) => `'${part.replaceAll("'", "''")}'`)
    const searches = tables.map(
      ({ name }) =>
        `select '${name}' as name where exists
         (select from ${name} as t where strpos(t::text, ${plain}) > 0 or strpos(t::text, ${hex}) > 0)`
    )
    const found = await this.database?.query(searches.join(" union all "))
    return (found ?? []).map(({ name }) => String(name))
  }

  /** The next reader gets a new copy. */
  changes(): void {
    this.#copy = undefined
  }

  async #published({ url }: Postgres.Database): Promise<string> {
    const folder = temporaryFolder()
    this.#folders.push(folder)
    const copy = join(folder, "copy.duckdb")
    const connections = new Connections(Redacted.make(url))
    try {
      const tables = await evolve(connections.db, usual)
      await Effect.runPromise(new Publication().publish({ connections, tables }, copy, true))
    } finally {
      await connections.close()
    }
    return copy
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const folder of this.#folders) removeFolder(folder)
    // Every data directory is searched in the same way when its worker ends.
    const found = await this.tablesHolding(mark)
    await this.database?.[Symbol.asyncDispose]()
    if (found.length > 0) throw new Error(`A secret is stored in ${found.join(", ")}`)
  }
}

const isRead = (sql: string): boolean => /^\s*select\b/i.test(sql)

/** A reader leaves the file of a killed worker as it is. */
export const inSqlite = (file: string, sql: string): Rows => {
  const store = new DatabaseSync(file, { readOnly: isRead(sql), timeout: 5000 })
  try {
    return store.prepare(sql).all() as Rows
  } finally {
    store.close()
  }
}

const inPostgres = async (url: string, sql: string): Promise<Rows> => {
  const client = new Client({
    connectionString: url,
    options: "-c search_path=ledger,siteledger",
    types: { getTypeParser: (id, format) => (id === types.builtins.INT8 ? Number : types.getTypeParser(id, format)) }
  })
  client.on("error", () => undefined)
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}
