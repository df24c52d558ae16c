/**
 * One service, one place for its data, and the workers that a test starts on them; all removed when the test ends.
 */
import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type InterfaceServer, type InterfaceServerOptions, startInterfaceServer } from "../InterfaceServer.ts"
import type * as Postgres from "../Postgres.ts"
import { removeFolder, temporaryFolder } from "../Folders.ts"
import {
  type Environment,
  environment as environmentFor,
  type Finished,
  query,
  run,
  RunningWorker
} from "../RunningWorker.ts"
import { framesOf, inboxOf } from "../Stores/Segments/Inbox.ts"
import { type Engine, engine, Place, type Rows } from "./Place.ts"

export type { Rows }

/** A plan that makes no test wait. */
export const unhurried = 60_000

export class World {
  readonly server: InterfaceServer
  readonly environment: Environment
  readonly #place: Place
  readonly #workers: Array<RunningWorker> = []
  readonly #folders: Array<string> = []

  private constructor(server: InterfaceServer, environment: Environment, place: Place) {
    this.server = server
    this.environment = environment
    this.#place = place
  }

  static async open(
    options: InterfaceServerOptions = {},
    extra: Environment = {},
    on: Engine = engine
  ): Promise<World> {
    const server = await startInterfaceServer({ requestsPerMinute: unhurried, ...options })
    const place = await Place.open({ ...server, ...server.settings }, on)
    const requests = { SITELEDGER_REQUESTS_PER_MINUTE: String(unhurried) }
    return new World(server, { ...place.environment, ...requests, ...extra }, place)
  }

  get dataDir(): string {
    return this.#place.dataDir
  }

  /** Undefined on DuckDB. */
  get database(): Postgres.Database | undefined {
    return this.#place.database
  }

  /** The file; on DuckDB only. */
  get warehouse(): string {
    return join(this.dataDir, "warehouse.duckdb")
  }

  /** Old files that were kept when the warehouse was made again. */
  get setAside(): ReadonlyArray<string> {
    return readdirSync(this.dataDir).filter((name) => /^warehouse\.duckdb\.set-aside-\d+$/.test(name))
  }

  /** Returns the path of a file with this content. */
  file(name: string, content: string): string {
    const folder = temporaryFolder()
    this.#folders.push(folder)
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }

  /** `program`: by default this version's. */
  start(extra: Environment = {}, program?: string): RunningWorker {
    const worker = RunningWorker.start({ ...this.environment, ...extra }, program)
    this.#place.changes()
    this.#workers.push(worker)
    return worker
  }

  /** Another worker on the same database, with its own data directory and receiver. */
  async startAnother(extra: Environment = {}, program?: string): Promise<RunningWorker> {
    const { SITELEDGER_DATA_DIR, SITELEDGER_WEBHOOK_LISTEN } = await environmentFor({
      ...this.server,
      ...this.server.settings
    })
    this.#folders.push(SITELEDGER_DATA_DIR)
    const own = { SITELEDGER_DATA_DIR, SITELEDGER_WEBHOOK_LISTEN: SITELEDGER_WEBHOOK_LISTEN ?? "" }
    return this.start({ ...own, ...extra }, program)
  }

  /** As a load balancer would do: the delivery goes to this worker. */
  at(worker: RunningWorker) {
    const subscription = this.server.subscriptions.at(-1)
    if (subscription === undefined) throw new Error("there is no subscription yet")
    const { pathname } = new URL(subscription.url)
    const url = `http://${worker.environment["SITELEDGER_WEBHOOK_LISTEN"]}${pathname}`
    return { subscription: { ...subscription, url } }
  }

  run(...verb: ReadonlyArray<string>): Promise<Finished> {
    return this.runWith({}, ...verb)
  }

  runWith(extra: Environment, ...verb: ReadonlyArray<string>): Promise<Finished> {
    return this.#run({ ...this.environment, ...extra }, verb)
  }

  /** As in a shell that knows only where the data are. */
  shell(extra: Environment, ...verb: ReadonlyArray<string>): Promise<Finished> {
    const known = new Set(["PATH", "SITELEDGER_DATA_DIR", "SITELEDGER_WAREHOUSE"])
    const all = Object.entries(this.environment).filter(([name]) => known.has(name))
    return this.#run({ ...Object.fromEntries(all), ...extra }, verb)
  }

  async #run(environment: Environment, verb: ReadonlyArray<string>): Promise<Finished> {
    const finished = await run(environment, ...verb)
    this.#place.changes()
    return finished
  }

  /** Reads and writes the Store, also while workers run. */
  store(sql: string): Promise<Rows> {
    return this.#place.store(sql)
  }

  /** All deliveries, also while workers run. */
  async inbox(): Promise<Rows> {
    if (this.database !== undefined) return this.store("select * from inbox order by sequence")
    return inboxOf(join(this.dataDir, "store.sqlite"))
  }

  /** Deliveries of known bodies that Apply has not yet counted. */
  async unseen(): Promise<Rows> {
    if (this.database !== undefined) return this.store("select sequence from inbox_queue")
    const [row] = await this.store("select value from meta where key = 'applied_through'")
    return framesOf(join(this.dataDir, "store.sqlite"))
      .filter(({ kind, number }) => kind === "again" && number > Number(row?.["value"] ?? 0))
      .map(({ number }) => ({ sequence: number }))
  }

  /** The server's tables that hold a text. */
  tablesHolding(text: string): Promise<ReadonlyArray<string>> {
    return this.#place.tablesHolding(text)
  }

  /** The copy for analysts as it is now. */
  published(sql: string): Promise<Rows> {
    return query(join(this.dataDir, "analytics.duckdb"), sql)
  }

  /** The warehouse's tables, after the workers have ended. */
  async query(sql: string): Promise<Rows> {
    const isWritten = this.#workers.some(({ hasEnded }) => !hasEnded)
    const rows = await this.#place.query(sql)
    // The rows may change, so this copy isn't read twice.
    if (isWritten) this.#place.changes()
    return rows
  }

  /** How often each page of the list has been requested, from one request on, up to another. */
  pagesAsked(from = 0, to?: number): ReadonlyMap<number, number> {
    const { pageParam } = this.server.settings
    const pages = new Map<number, number>()
    for (const { method, path, query: asked } of this.server.requests.slice(from, to)) {
      if (method !== "GET" || !path.endsWith("/projects")) continue
      const page = Number(asked[pageParam] ?? 1)
      pages.set(page, (pages.get(page) ?? 0) + 1)
    }
    return pages
  }

  /** Workers that a test has left. */
  async killAll(): Promise<void> {
    for (const worker of this.#workers.splice(0)) await worker.stop("SIGKILL")
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.killAll()
    await this.server.close()
    for (const folder of this.#folders) removeFolder(folder)
    await this.#place[Symbol.asyncDispose]()
  }
}
