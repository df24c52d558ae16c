/**
 * One sandbox, one accounting system, one data directory and the workers that a goal starts on them, one after another.
 * Closed with the goal.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import { Effect, Exit, Scope } from "effect"
import { Sandbox, type SandboxOptions } from "../sandbox/Sandbox.ts"
import type { Attack, Engine } from "./Goal.ts"
import { Sender } from "./Sender.ts"
import type { Server } from "./Servers.ts"
import { Sink } from "./Sink.ts"
import { freePort } from "../bench/Waiting.ts"
import { type Environment, type Finished, run, Worker } from "../bench/WorkerProcess.ts"

export type Rows = ReadonlyArray<Record<string, unknown>>

export interface WorldOptions {
  readonly sandbox?: SandboxOptions
  readonly environment?: Environment
  /** Entries are sent to an accounting system. Default true. */
  readonly hasSink?: boolean
}

/** Every secret that a worker is given contains this text. */
export const mark = "marked-secret"

/** The key of all workers on a database. */
const key = "0123456789abcdef".repeat(4)

/** Only the goal about the plan waits for the plan. */
const unhurried = "60000"

export class World implements AsyncDisposable {
  readonly engine: Engine
  readonly sandbox: Sandbox
  readonly sender: Sender
  readonly sink: Sink
  readonly dataDir: string
  readonly environment: Environment
  readonly #scope: Scope.Closeable
  readonly #server: Server | undefined
  readonly #workers: Array<Worker> = []

  private constructor(parts: {
    readonly engine: Engine
    readonly sandbox: Sandbox
    readonly sender: Sender
    readonly sink: Sink
    readonly environment: Environment
    readonly scope: Scope.Closeable
    readonly server: Server | undefined
  }) {
    this.engine = parts.engine
    this.sandbox = parts.sandbox
    this.sender = parts.sender
    this.sink = parts.sink
    this.environment = parts.environment
    this.dataDir = parts.environment["SITELEDGER_DATA_DIR"] ?? ""
    this.#scope = parts.scope
    this.#server = parts.server
  }

  static async open(attack: Attack, options: WorldOptions = {}): Promise<World> {
    const scope = Scope.makeUnsafe()
    const served = {
      eventsPerSecond: 0,
      projects: 60,
      plan: Number.POSITIVE_INFINITY,
      timeScale: 3600,
      largeAmounts: true
    }
    const sandbox = await Effect.runPromise(
      Sandbox.start({ ...served, seed: attack.dice.below(2 ** 31), ...options.sandbox }).pipe(Scope.provide(scope))
    )
    const sink = await Sink.open(`${mark}-of-the-sink`)
    const server = attack.engine === "postgres" ? await attack.server() : undefined
    const port = await freePort()
    const url = `http://127.0.0.1:${port}/hooks/construction`
    const environment = {
      PATH: process.env["PATH"] ?? "",
      NO_COLOR: "1",
      LOG_FORMAT: "logfmt",
      SITELEDGER_BASE_URL: sandbox.baseUrl,
      SITELEDGER_AUTH_URL: sandbox.authUrl,
      SITELEDGER_CLIENT_ID: sandbox.options.clientId,
      SITELEDGER_CLIENT_SECRET: sandbox.options.clientSecret,
      SITELEDGER_SCOPES: "projects.read webhooks.write",
      SITELEDGER_REQUESTS_PER_MINUTE: unhurried,
      SITELEDGER_WEBHOOK_URL: url,
      SITELEDGER_WEBHOOK_LISTEN: `127.0.0.1:${port}`,
      SITELEDGER_ADMIN_LISTEN: "127.0.0.1:0",
      SITELEDGER_DATA_DIR: mkdtempSync(join(tmpdir(), "siteledger-trust-")),
      SITELEDGER_LEDGER_CURRENCY: "EUR",
      ...(options.hasSink === false
        ? {}
        : {
            SITELEDGER_LEDGER_SINK_URL: `http://127.0.0.1:${sink.port}/entries`,
            SITELEDGER_LEDGER_SINK_SECRET: sink.secret
          }),
      ...(server === undefined ? {} : { SITELEDGER_WAREHOUSE: await server.database(), SITELEDGER_KEY: key }),
      ...options.environment
    }
    const secrets = () =>
      sandbox
        .subscriptions()
        .map(({ secret }) => secret)
        .toReversed()
    const sender = new Sender(attack.dice, url, secrets)
    return new World({ engine: attack.engine, sandbox, sender, sink, environment, scope, server })
  }

  start(extra: Environment = {}): Worker {
    const worker = new Worker({ ...this.environment, ...extra })
    this.#workers.push(worker)
    return worker
  }

  run(verb: ReadonlyArray<string>, mostMs?: number): Promise<Finished> {
    return run(this.environment, verb, mostMs)
  }

  /** The warehouse's tables; on DuckDB only while no worker runs. */
  warehouse(sql: string): Promise<Rows> {
    if (this.#server === undefined) return inDuckDb(join(this.dataDir, "warehouse.duckdb"), sql)
    return this.#server.query(this.environment["SITELEDGER_WAREHOUSE"] ?? "", sql)
  }

  /** Everything that the database holds, as text; empty without one. */
  async tables(): Promise<string> {
    if (this.#server === undefined) return ""
    const names = await this.warehouse(
      "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('ledger', 'siteledger', 'construction')"
    )
    const rows = await Promise.all(
      names.map(({ name }) => this.warehouse(`select t::text as row from ${String(name)} as t`))
    )
    // Bytes are written as hex, so a text in them is found in its hex form.
    return rows
      .flat()
      .map(({ row }) => String(row))
      .join("\n")
  }

  /** The copy for analysts. */
  published(sql: string): Promise<Rows> {
    return inDuckDb(join(this.dataDir, "analytics.duckdb"), sql)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const worker of this.#workers) await worker.kill()
    this.sender.close()
    this.sink.close()
    await Effect.runPromise(Scope.close(this.#scope, Exit.void))
    rmSync(this.dataDir, { recursive: true, force: true })
  }
}

/** Values as text, except those that JSON can represent. */
export const inDuckDb = async (file: string | undefined, sql: string): Promise<Rows> => {
  if (file !== undefined && !existsSync(file)) throw new Error(`there is no ${file}`)
  const instance = await DuckDBInstance.create(
    file ?? ":memory:",
    file === undefined ? {} : { access_mode: "READ_ONLY" }
  )
  const connection = await instance.connect()
  try {
    return (await connection.runAndReadAll(sql)).getRowObjectsJson() as Rows
  } finally {
    connection.disconnectSync()
    instance.closeSync()
  }
}
