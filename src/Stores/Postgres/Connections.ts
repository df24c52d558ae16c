/**
 * The connections to PostgreSQL: a pool for the work, and separately a few for deliveries (`Prompt`), most of them in
 * the receiver's thread, so that a long export never delays a delivery.
 *
 * Values arrive as the rest of the program expects them: 64-bit integers as numbers if exact, otherwise as text; money
 * and JSON as text; times as Instants. Sessions are in UTC, with timeouts for statements, locks and forgotten
 * transactions. A connection is reused only if all its errors came from the server itself.
 */
import { randomUUID } from "node:crypto"
import { hostname } from "node:os"
import { Redacted } from "effect"
import {
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  PostgresIntrospector,
  type PostgresPool,
  sql,
  type TableMetadata
} from "kysely"
import { DEFAULT_MIGRATION_LOCK_TABLE, DEFAULT_MIGRATION_TABLE } from "kysely/migration"
import { type Client, Pool, type PoolClient, type PoolConfig } from "pg"
import Cursor from "pg-cursor"
import type { StoreTables } from "../StoreTables.ts"
import type { WarehouseTables } from "../WarehouseTables.ts"
import { workConnections } from "./ConnectionCounts.ts"
import { CopyingClient, GuardedClient } from "./Guarded.ts"
import { type Knowing, knowing } from "./Knowing.ts"
import { openPool, promptPool } from "./Prompt.ts"
import { cut, pidOf, Sessions } from "./Sessions.ts"
import { valueOf } from "./Values.ts"

/** To reach the server. */
const connectMs = 2_000
/** To get a free connection from the pool. */
const turnMs = 30_000
/** A little longer than the server's own limit, for connections whose other end is gone. */
const statementMs = 60_000
const answerMs = statementMs + 5_000
/** For running statements when the program ends. */
const closeMs = 2_000

/**
 * Where a session looks for tables. `ledger` comes first, so that nothing in `siteledger`, which belongs to the worker,
 * can shadow its tables.
 */
const workersPath = "ledger,siteledger"
/** The owner's session runs nothing that the worker's role has created. */
export const ownersPath = "ledger"

const settings = "-c timezone=UTC -c datestyle=ISO -c intervalstyle=postgres"

/** Sessions of the program's verbs, and of workers by name. */
export const isOurs = "(application_name = 'siteledger' or application_name like 'siteledger worker %')"

/**
 * Identifies one run of one worker to other workers and to people. The server accepts 63 bytes, including what is
 * appended to it.
 */
export const workerName = (): string =>
  `siteledger worker ${hostname().slice(0, 19)} ${process.pid} ${randomUUID().slice(0, 8)}`

/** All schemas: each connection reaches all of them. */
export type Tables = StoreTables & WarehouseTables

export class Connections {
  readonly name: string
  readonly db: Kysely<Tables>
  readonly sessions: Sessions
  /** For single statements that finish quickly or fail. */
  readonly prompt: Pool
  /** For the receiver's thread, which has its own connections: plain data. */
  readonly receiving: PoolConfig
  /**
   * For a thread that verifies the books. It has a name of its own, because unknown sessions under the worker's name
   * are terminated as lost.
   */
  readonly reading: PoolConfig
  readonly #pool: Pool
  readonly #config: PoolConfig
  /** The name of its sessions on the server. */
  readonly worker: string
  readonly searchPath: string
  /** For its pools; the receiver's thread is told when it starts. */
  readonly known: Knowing = { erasures: undefined }
  readonly #open = new Set<Client | PoolClient>()

  constructor(address: Redacted.Redacted, worker = "siteledger", searchPath = workersPath) {
    this.worker = worker
    this.searchPath = searchPath
    const url = new URL(Redacted.value(address))
    const { hostname, pathname, port, searchParams } = url
    this.name = `PostgreSQL at ${hostname}:${port || 5432}, database ${decodeURIComponent(pathname.slice(1))}`
    // Our settings come last and therefore take effect; options in the URL would otherwise replace them.
    const options = `${searchParams.get("options") ?? ""} -c search_path=${searchPath} ${settings}`.trim()
    searchParams.delete("options")
    this.#config = {
      connectionString: url.href,
      application_name: worker,
      options,
      connectionTimeoutMillis: connectMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: 5_000,
      statement_timeout: statementMs,
      lock_timeout: 10_000,
      idle_in_transaction_session_timeout: 60_000,
      query_timeout: answerMs
    }
    const types = { getTypeParser: valueOf }
    const work = new Pool({
      ...this.#config,
      ...knowing(this.known),
      types,
      connectionTimeoutMillis: turnMs,
      Client: Reaching,
      max: workConnections
    })
    this.#pool = this.#noting(openPool(work))
    this.prompt = this.#noting(promptPool({ ...this.#config, ...knowing(this.known) }, 1))
    this.reading = { ...this.#config, application_name: `${worker} audit` }
    this.receiving = { ...this.#config, application_name: `${worker} receiver` }
    this.sessions = new Sessions(() => this.client({ query_timeout: connectMs }))
    this.db = new Kysely<Tables>({ dialect: new Dialect({ pool: this.#noted(), cursor: Cursor }) })
  }

  /** A connection outside the pools, for long use; the caller ends it. */
  client(config: PoolConfig = {}): CopyingClient {
    const client = new CopyingClient({ types: { getTypeParser: valueOf }, ...this.#config, ...config })
    client.on("error", () => undefined)
    this.#open.add(client)
    client.on("end", () => this.#open.delete(client))
    return client
  }

  /** Whether a session belongs to one of these connections. */
  isOpen(pid: number): boolean {
    return [...this.#open].some((client) => pidOf(client) === pid)
  }

  /** Everything that waits on a connection fails at once, and the next use opens a new one. */
  cutAll(): void {
    for (const client of this.#open) cut(client)
  }

  /** Waits for running statements, but not for a server that doesn't answer. */
  async close(): Promise<void> {
    const overdue = setTimeout(() => this.cutAll(), closeMs)
    await Promise.all([this.#pool.end(), this.prompt.end()])
    clearTimeout(overdue)
  }

  #noting(pool: Pool): Pool {
    pool.on("connect", (client) => this.#open.add(client))
    pool.on("remove", (client) => this.#open.delete(client))
    return pool
  }

  /** The pool; every session taken from it is noted. */
  #noted(): PostgresPool {
    const inner = this.#pool
    const pool = { connect: () => this.sessions.take(inner), end: async () => undefined, options: inner.options }
    return pool as unknown as PostgresPool
  }
}

/** Waits less time for the server than the pool allows for a free connection. */
class Reaching extends GuardedClient {
  constructor(config?: PoolConfig) {
    super({ ...config, connectionTimeoutMillis: connectMs })
  }
}

/** Not needed: `Postgres/Migrations` takes its own lock. */
class Adapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

/**
 * The Migrator asks only whether its own tables exist. Kysely's introspection lists the columns of all tables, which
 * takes seconds.
 */
class Introspector extends PostgresIntrospector {
  readonly #db: Kysely<unknown>

  constructor(db: Kysely<unknown>) {
    super(db)
    this.#db = db
  }

  override async getTables(): Promise<Array<TableMetadata>> {
    const own = [DEFAULT_MIGRATION_TABLE, DEFAULT_MIGRATION_LOCK_TABLE]
    const { rows } = await sql<{ schema: string; name: string }>`
      select nspname as schema, relname as name from pg_class join pg_namespace n on n.oid = relnamespace
      where relname = any(${own}) and relkind = 'r'`.execute(this.#db)
    return rows.map((row) => ({ ...row, isView: false, isForeign: false, columns: [] }))
  }
}

class Dialect extends PostgresDialect {
  override createAdapter(): PostgresAdapter {
    return new Adapter()
  }

  override createIntrospector(db: Kysely<unknown>): Introspector {
    return new Introspector(db)
  }
}
