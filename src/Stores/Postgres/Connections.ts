/**
 * The connections to PostgreSQL: two pools, one for the work and a small one for deliveries, so that a long export
 * never keeps a delivery waiting.
 *
 * Values come as the rest of the program wants them: 64-bit integers as numbers where those are exact, else as text;
 * money and JSON as their text; times as Instants. Sessions are in UTC, with time-outs for statements, locks and
 * forgotten transactions. A connection on which anything but the server's own error happened is thrown away.
 */
import { Redacted } from "effect"
import { Kysely, PostgresAdapter, PostgresDialect, type PostgresPool } from "kysely"
import { Client, DatabaseError, Pool, type PoolClient, type PoolConfig } from "pg"
import Cursor from "pg-cursor"
import type { StoreTables } from "../StoreTables.ts"
import type { WarehouseTables } from "../WarehouseTables.ts"
import { cut, Sessions } from "./Sessions.ts"
import { valueOf } from "./Values.ts"

/** To reach the server. */
const connectMs = 2_000
/** For one of the pool's connections to be free. */
const turnMs = 30_000
/** A little more than the server's own limit, for connections whose other end is gone. */
const statementMs = 60_000
const answerMs = statementMs + 5_000
/** What is still going on when the program ends. */
const closeMs = 2_000

const settings = "-c search_path=siteledger -c timezone=UTC -c datestyle=ISO -c intervalstyle=postgres"

/** Both schemas: one connection reaches either. */
export type Tables = StoreTables & WarehouseTables

export class Connections {
  readonly name: string
  readonly db: Kysely<Tables>
  readonly sessions: Sessions
  /** For what one statement does, and quickly, or not at all. */
  readonly prompt: Pool
  readonly #pool: Pool
  readonly #config: PoolConfig
  readonly #open = new Set<PoolClient>()

  constructor(given: Redacted.Redacted) {
    const url = new URL(Redacted.value(given))
    const { hostname, pathname, port, searchParams } = url
    this.name = `PostgreSQL at ${hostname}:${port || 5432}, database ${decodeURIComponent(pathname.slice(1))}`
    // Ours come last, and so they hold; in the URL they would replace ours.
    const options = `${searchParams.get("options") ?? ""} ${settings}`.trim()
    searchParams.delete("options")
    this.#config = {
      connectionString: url.href,
      application_name: "siteledger",
      options,
      connectionTimeoutMillis: connectMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: 5_000,
      statement_timeout: statementMs,
      lock_timeout: 10_000,
      idle_in_transaction_session_timeout: 60_000,
      query_timeout: answerMs,
      types: { getTypeParser: valueOf }
    }
    this.#pool = this.#made({ ...this.#config, connectionTimeoutMillis: turnMs, Client: Reaching, max: 10 })
    this.prompt = this.#made({
      ...this.#config,
      max: 2,
      connectionTimeoutMillis: promptMs,
      statement_timeout: promptMs,
      lock_timeout: promptMs,
      query_timeout: promptMs
    })
    this.sessions = new Sessions(() => this.client({ query_timeout: connectMs }))
    this.db = new Kysely<Tables>({ dialect: new Dialect({ pool: this.#noted(), cursor: Cursor }) })
  }

  /** A connection outside of the pools, for whoever keeps one for long; the caller ends it. */
  client(config: PoolConfig = {}): Client {
    const client = new Client({ ...this.#config, ...config })
    client.on("error", () => undefined)
    return client
  }

  /** Waits for what goes on, but not for a server that doesn't answer. */
  async close(): Promise<void> {
    const overdue = setTimeout(() => {
      for (const client of this.#open) cut(client)
    }, closeMs)
    await Promise.all([this.#pool.end(), this.prompt.end()])
    clearTimeout(overdue)
  }

  #made(config: PoolConfig): Pool {
    const made = new Pool(config)
    // An idle connection that the server closes is replaced with the next use.
    made.on("error", () => undefined)
    made.on("connect", (client) => {
      this.#open.add(client)
      // One that breaks while it is in use tells so by its query too; without this it would end the program.
      client.on("error", () => undefined)
      discardWhenBroken(client)
    })
    made.on("remove", (client) => this.#open.delete(client))
    return made
  }

  /** The pool, with a note of every session that is taken from it. */
  #noted(): PostgresPool {
    const inner = this.#pool
    const pool = { connect: () => this.sessions.take(inner), end: async () => undefined, options: inner.options }
    return pool as unknown as PostgresPool
  }
}

/** Twice this is what a delivery waits at most: for the commit before its own, and for its own. */
export const promptMs = 900

/** Waits for the server less long than for its turn. */
class Reaching extends Client {
  constructor(config?: PoolConfig) {
    super({ ...config, connectionTimeoutMillis: connectMs })
  }
}

/** Migrations take their turns by themselves (`Postgres/Migrations`), in their own transaction. */
class Adapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

class Dialect extends PostgresDialect {
  override createAdapter(): PostgresAdapter {
    return new Adapter()
  }
}

/** pg would give a connection back that still waits for the answer to a query that has timed out. */
const discardWhenBroken = (client: PoolClient): void => {
  const query = client.query.bind(client) as (...given: ReadonlyArray<unknown>) => unknown
  const noticing = (...given: ReadonlyArray<unknown>): unknown => {
    const answer = query(...given)
    if (answer instanceof Promise) {
      answer.catch((cause: unknown) => {
        if (!(cause instanceof DatabaseError)) Object.assign(client, { _queryable: false })
      })
    }
    return answer
  }
  Object.assign(client, { query: noticing })
}
