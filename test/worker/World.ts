/**
 * One service, one data directory and the workers that a test starts on them; all gone when the test ends. What
 * tables hold is read from the file after the worker's end, as values in text.
 */
import { join } from "node:path"
import { type InterfaceServer, type InterfaceServerOptions, startInterfaceServer } from "../InterfaceServer.ts"
import {
  type Environment,
  environment,
  type Finished,
  query,
  removeFolder,
  run,
  RunningWorker
} from "../RunningWorker.ts"

/** A plan that keeps no test waiting. */
export const unhurried = 60_000

export type Rows = ReadonlyArray<Record<string, unknown>>

export class World {
  readonly server: InterfaceServer
  readonly given: Environment
  readonly dataDir: string
  readonly warehouse: string
  readonly #workers: Array<RunningWorker> = []

  private constructor(server: InterfaceServer, given: Environment & { readonly SITELEDGER_DATA_DIR: string }) {
    this.server = server
    this.given = given
    this.dataDir = given.SITELEDGER_DATA_DIR
    this.warehouse = join(this.dataDir, "warehouse.duckdb")
  }

  static async open(options: InterfaceServerOptions = {}, extra: Environment = {}): Promise<World> {
    const server = await startInterfaceServer({ requestsPerMinute: unhurried, ...options })
    const given = await environment({ ...server, ...server.settings })
    return new World(server, { ...given, SITELEDGER_REQUESTS_PER_MINUTE: String(unhurried), ...extra })
  }

  start(extra: Environment = {}): RunningWorker {
    const worker = RunningWorker.start({ ...this.given, ...extra })
    this.#workers.push(worker)
    return worker
  }

  run(verb: string, ...given: ReadonlyArray<string>): Promise<Finished> {
    return run(this.given, verb, ...given)
  }

  query(sql: string): Promise<Rows> {
    return query(this.warehouse, sql)
  }

  /** How often each page of the list has been asked for, from the given request on, up to another one. */
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

  async [Symbol.asyncDispose](): Promise<void> {
    for (const worker of this.#workers) await worker.stop("SIGKILL")
    await this.server.close()
    removeFolder(this.dataDir)
  }
}
