/**
 * Which engine a benchmark runs on: PostgreSQL with `--engine postgres`, otherwise DuckDB and SQLite. Everything else
 * about a benchmark is the same for both.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { parseArgs } from "node:util"
import { connected, type PostgresServer, start } from "./PostgresServer.ts"
import { cpuMicrosOfFamily, written } from "./Used.ts"
import { within } from "./Waiting.ts"

export const engines = ["duckdb", "postgres"] as const

/** A module that imports this may have options of its own. */
const parsed = parseArgs({ options: { engine: { type: "string", default: "duckdb" } }, strict: false })

export const name = engines.find((each) => each === parsed.values.engine) ?? "duckdb"

/** How many workers share a server, measured one count after the other; files can't be shared. */
export const fleets = (name === "postgres" ? (process.env["BENCH_FLEETS"] ?? "1,2,4") : "")
  .split(",")
  .filter(Boolean)
  .map(Number)

/** Where a worker's stores are, as an operator would configure it. */
export interface Place {
  readonly directory: string
  readonly environment: Readonly<Record<string, string>>
  /** The database's; undefined if there is none. */
  readonly url: string | undefined
}

export interface Engine extends AsyncDisposable {
  /** A folder that is deleted at the end. */
  readonly root: string
  /** Makes empty stores. */
  readonly place: () => Promise<Place>
  /** Of all processes of the database's server; 0 if there is none. */
  readonly serverCpuMicros: () => number
  /** Bytes written by the database's server; without one, the bytes that `checkpointed` wrote in the worker's place. */
  readonly written: () => Promise<number>
  /** Lets the server do now what it would do to these rows minutes later. */
  readonly vacuumed: () => Promise<void>
  /** Waits until the server, or SQLite, has written everything that was done before. */
  readonly checkpointed: () => Promise<void>
}

const vacuumMs = 120_000

/** Otherwise a vacuum that the server has already begun would count towards the next measurement. */
const rested = (url: string) =>
  connected(url, (client) =>
    within(vacuumMs, async () => {
      const { rowCount } = await client.query(
        "select from pg_stat_activity where backend_type = 'autovacuum worker' and pid <> pg_backend_pid()"
      )
      return rowCount === 0 ? true : undefined
    })
  )

/**
 * Pages and log, as the server itself counts them, a second later. Linux counts more for its processes: whole large
 * pages of the page cache, and bytes sent to sockets.
 */
const writtenByServer = (url: string): Promise<number> =>
  connected(url, async (client) => {
    const { rows } = await client.query<{ written: string }>(
      "select sum(coalesce(write_bytes, 0) + coalesce(extend_bytes, 0)) as written from pg_stat_io"
    )
    return Number(rows[0]?.written)
  })

/** Checkpoints a store that a worker has open; another process may do that, too. */
const checkpoint = (path: string): void => {
  const database = new DatabaseSync(path, { timeout: 10_000 })
  try {
    database.exec("pragma wal_checkpoint(full)")
  } finally {
    database.close()
  }
}

export const open = async (): Promise<Engine> => {
  const root = mkdtempSync(join(tmpdir(), "siteledger-bench-"))
  const server: PostgresServer | undefined = name === "postgres" ? await start() : undefined
  const urls: Array<string> = []
  const directories: Array<string> = []
  let writtenHere = 0
  const everywhere = async (statement: string): Promise<void> => {
    for (const url of urls) await connected(url, (client) => client.query(statement))
  }
  const intoFiles = (): void => {
    const before = written(process.pid)
    for (const directory of directories) checkpoint(join(directory, "store.sqlite"))
    writtenHere += written(process.pid) - before
  }
  return {
    root,
    place: async () => {
      const directory = mkdtempSync(join(root, "place-"))
      directories.push(directory)
      const url = await server?.database()
      if (url !== undefined) urls.push(url)
      const warehouse = url === undefined ? {} : { SITELEDGER_WAREHOUSE: url }
      return { directory, url, environment: { SITELEDGER_DATA_DIR: directory, ...warehouse } }
    },
    vacuumed: async () => {
      await everywhere("vacuum (analyze)")
      for (const url of urls.slice(0, 1)) await rested(url)
    },
    checkpointed: async () => (server === undefined ? intoFiles() : everywhere("checkpoint")),
    serverCpuMicros: () => (server === undefined ? 0 : cpuMicrosOfFamily(server.pid())),
    written: async () => (urls[0] === undefined ? writtenHere : writtenByServer(urls[0])),
    [Symbol.asyncDispose]: async () => {
      await server?.stop()
      rmSync(root, { recursive: true, force: true })
    }
  }
}
