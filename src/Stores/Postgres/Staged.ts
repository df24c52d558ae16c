/**
 * A DuckDB that writes files from what PostgreSQL sends, through named pipes in a temporary folder: memory doesn't grow
 * with the number of rows, and rows are stored nowhere in between. Only the books are staged in a table, for the
 * journal.
 *
 * A file counts only if it has as many rows as the server says it sent, so a broken stream never becomes a short file.
 * Closing interrupts the current operation and waits for its end.
 */
import { execFile } from "node:child_process"
import { constants } from "node:fs"
import { type FileHandle, open, rm } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api"
import type { CopyingClient } from "./Guarded.ts"
import { codeOf } from "../../Runtime/SystemFailure.ts"
import { AtOnce } from "../AtOnce.ts"
import type { EventFile, TakeLines } from "../Warehouse.ts"
import { DuckDbSnapshot } from "../DuckDb/Snapshot.ts"
import type { Pass } from "../EventPasses.ts"
import * as ParquetFiles from "../ParquetFiles.ts"
import { type Copied, copyOut } from "./Copy.ts"
import * as PostgresText from "./Text.ts"
import { createTable } from "../DuckDb/Ddl.ts"
import { views } from "../Views.ts"
import { quoted, seen } from "../Ddl.ts"
import type { Shown } from "../WarehouseTables.ts"

const settings = { memory_limit: "384MB", threads: "2", allocator_flush_threshold: "1MB" }

/** Without keys, which PostgreSQL has already enforced. */
const schemaOf = (tables: ReadonlyArray<Shown>): ReadonlyArray<string> => [
  "create schema siteledger",
  "create table siteledger.meta (key varchar, value varchar)",
  "create schema construction",
  ...tables.map((table) => createTable(table)),
  `create view construction.ledger_lines as ${views.ledger_lines}`
]

/** In bytes. A longer row is rare, and costs a second attempt with more memory. */
const usualRoom = 4 * 1024 * 1024

/** Rows of a table on the server. */
export interface Rows {
  readonly client: CopyingClient
  readonly table: Shown
  /** What follows the table's name in the query: conditions and order. */
  readonly rest: string
}

interface Made<A> {
  readonly made: A
  readonly rows: number
}

/** `make` gets a query that can be read once. It is called again with more room if a row was too long. */
export const through = async <A>(
  { client, rest, table }: Rows,
  pipe: string,
  make: (source: string) => Promise<Made<A>>
): Promise<A> => {
  const copy = PostgresText.copy(table, rest)
  for (let room = usualRoom; ;) {
    const source = PostgresText.reading(table, pipe, room)
    const { copied, result } = await piped(
      pipe,
      (file) => copyOut(client, copy, file, room),
      () => make(source)
    )
    if (copied.longest <= room && copied.rows !== result.rows) {
      throw new Error(`${result.rows} of ${copied.rows} rows of ${table.name} arrived`)
    }
    if (copied.longest <= room) return result.made
    while (room < copied.longest) room *= 2
  }
}

/** Replaces the content of the table with the same name. */
export const fill = (connection: DuckDBConnection, rows: Rows, pipe: string): Promise<void> =>
  through(rows, pipe, async (source) => {
    await connection.run(`truncate ${seen(rows.table.name)}`)
    const { rowsChanged } = await connection.run(`insert into ${seen(rows.table.name)} by name ${source}`)
    return { made: undefined, rows: rowsChanged }
  })

/** Creates a table with these rows, under the same name, in the connection's own schema. */
export const stage = (connection: DuckDBConnection, rows: Rows, pipe: string): Promise<void> =>
  through(rows, pipe, async (source) => {
    const name = quoted(rows.table.name)
    await connection.run(`create or replace table ${name} as ${source}`)
    const [[count] = []] = (await connection.runAndReadAll(`select count(*)::integer from ${name}`)).getRowsJson()
    return { made: undefined, rows: Number(count) }
  })

export const makePipe = async (folder: string, number = 0): Promise<string> => {
  const path = join(folder, `rows-${number}`)
  await promisify(execFile)("mkfifo", [path])
  return path
}

/** Runs both ends of the pipe; settles when both have ended. */
const piped = async <A>(pipe: string, write: (file: FileHandle) => Promise<Copied>, read: () => Promise<A>) => {
  const reading = read()
  // Opening a pipe waits for its other end. If the reader fails before opening it, this opens it instead.
  const release = async () => (await open(pipe, constants.O_RDONLY | constants.O_NONBLOCK)).close()
  const released = reading.then(release, release)
  const file = await open(pipe, "w")
  const writing = write(file).finally(() => file.close())
  const [copied, result] = await Promise.allSettled([writing, reading])
  await released
  // The side that failed first has the cause.
  if (copied.status === "rejected" && !(isBrokenPipe(copied.reason) && result.status === "rejected"))
    throw copied.reason
  if (result.status === "rejected") throw result.reason
  return { copied: await writing, result: result.value }
}

const isBrokenPipe = (cause: unknown): boolean => codeOf(cause) === "EPIPE"

const sourceOf = ({ columns }: Shown, query: string): ParquetFiles.Source => {
  const json = columns.filter(({ type }) => type === "JSON").map(({ name }) => name)
  return { query, width: columns.length, json }
}

/** For each connection to the server; each has its own pipe. */
interface Writer {
  readonly number: number
  readonly connection: DuckDBConnection
  readonly pipe: string
}

/** The rows as the connection with this number sends them. */
type RowsOf = (number: number) => Rows

/**
 * While the server sends rows to one writer, which keeps its core busy, the other compresses the previous rows. On two
 * cores, a third writer would speed up neither.
 */
export const writersAtOnce = 2

export class PostgresStaged {
  readonly #instance: DuckDBInstance
  readonly #writers: ReadonlyArray<Writer>
  readonly #atOnce: AtOnce<Writer>
  readonly #tables: ReadonlyArray<Shown>

  private constructor(instance: DuckDBInstance, writers: ReadonlyArray<Writer>, tables: ReadonlyArray<Shown>) {
    this.#instance = instance
    this.#writers = writers
    this.#atOnce = new AtOnce(writers)
    this.#tables = tables
  }

  static async open(folder: string, tables: ReadonlyArray<Shown>): Promise<PostgresStaged> {
    const pipes: Array<string> = []
    for (let number = 0; number < writersAtOnce; number++) pipes.push(await makePipe(folder, number))
    const instance = await DuckDBInstance.create(join(folder, "staged.duckdb"), settings)
    const writers: Array<Writer> = []
    for (const [number, pipe] of pipes.entries()) writers.push({ number, pipe, connection: await instance.connect() })
    for (const statement of schemaOf(tables)) await writers[0]!.connection.run(statement)
    return new PostgresStaged(instance, writers, tables)
  }

  shapes(): Promise<DuckDbSnapshot["tables"]> {
    return this.#read(async ({ tables: shapes }) => shapes)
  }

  /** Uses the connection that has the least to do. */
  looking<A>(use: (number: number) => Promise<A>): Promise<A> {
    return this.#atOnce.run(({ number }) => use(number))
  }

  writeTable(rowsOf: RowsOf, path: string): Promise<number> {
    return this.#atOnce.run(({ connection, number, pipe }) => {
      const rows = rowsOf(number)
      return through(rows, pipe, async (query) => {
        const written = await ParquetFiles.writeTable(connection, sourceOf(rows.table, query), path)
        return { made: written, rows: written }
      })
    })
  }

  writeEvents(rowsOf: RowsOf, pass: Pass, folder: string): Promise<ReadonlyArray<EventFile>> {
    return this.#atOnce.run(({ connection, number, pipe }) => {
      const rows = rowsOf(number)
      return through(rows, pipe, async (query) => {
        const source = sourceOf(rows.table, query)
        await rm(folder, { recursive: true, force: true })
        const files = await ParquetFiles.writeEvents(connection, source, pass, folder)
        return { made: files, rows: files.reduce((sum, file) => sum + file.rows, 0) }
      })
    })
  }

  /** `entriesOf`: all rows of the ledger's entries. */
  readJournal(entriesOf: RowsOf, take: TakeLines): Promise<void> {
    return this.#atOnce.run(async ({ connection, number, pipe }) => {
      await fill(connection, entriesOf(number), pipe)
      await this.#read((filled) => filled.readJournal(take))
    })
  }

  async close(): Promise<void> {
    for (const { connection } of this.#writers) connection.interrupt()
    await this.#atOnce.ended()
    for (const { connection } of this.#writers) connection.disconnectSync()
    this.#instance.closeSync()
  }

  async #read<A>(use: (staged: DuckDbSnapshot) => Promise<A>): Promise<A> {
    const reading = await DuckDbSnapshot.open(this.#instance, this.#tables, (run) => run())
    try {
      return await use(reading)
    } finally {
      await reading.close()
    }
  }
}
