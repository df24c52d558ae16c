/**
 * Which engine a benchmark runs on: `--engine postgres`, else DuckDB and SQLite. Everything else about a benchmark is
 * the same for both.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { type PostgresServer, start } from "./PostgresServer.ts"

export const engines = ["duckdb", "postgres"] as const

/** Whoever imports this may have options of its own. */
const parsed = parseArgs({ options: { engine: { type: "string", default: "duckdb" } }, strict: false })

export const name = engines.find((each) => each === parsed.values.engine) ?? "duckdb"

/** Where a worker's stores are, as an operator would configure it. */
export interface Place {
  readonly directory: string
  readonly environment: Readonly<Record<string, string>>
  /** Of the database; undefined if there is none. */
  readonly url: string | undefined
}

export interface Engine extends AsyncDisposable {
  /** Empty stores. */
  readonly place: () => Promise<Place>
}

export const open = async (): Promise<Engine> => {
  const root = mkdtempSync(join(tmpdir(), "siteledger-bench-"))
  const server: PostgresServer | undefined = name === "postgres" ? await start() : undefined
  return {
    place: async () => {
      const directory = mkdtempSync(join(root, "place-"))
      const url = await server?.database()
      const warehouse = url === undefined ? {} : { SITELEDGER_WAREHOUSE: url }
      return { directory, url, environment: { SITELEDGER_DATA_DIR: directory, ...warehouse } }
    },
    [Symbol.asyncDispose]: async () => {
      await server?.stop()
      rmSync(root, { recursive: true, force: true })
    }
  }
}
