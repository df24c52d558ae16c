/**
 * One point in time over all tables of the DuckDB file: a read transaction on its own connection.
 *
 * Writers continue meanwhile. It is taken between two writes, so it holds exactly what is applied up to one sequence.
 * Closing it ends the transaction; until then DuckDB can't shorten its WAL.
 */
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api"
import * as Instant from "../../Domain/Instant.ts"
import { AtOnce } from "../AtOnce.ts"
import type { EventFile, Partition, TableShape, TakeLines } from "../Warehouse.ts"
import * as JournalLines from "../JournalLines.ts"
import * as EventPasses from "../EventPasses.ts"
import * as ParquetFiles from "../ParquetFiles.ts"
import { seen } from "../Ddl.ts"
import * as TableParts from "../TableParts.ts"
import type { Shown } from "../WarehouseTables.ts"
import type { InParallel } from "./Memory.ts"

/** Approximate size of a row without its payload. */
const rowBytes = 200

/** A part of a large table is one row group, which one thread writes. */
const writesAtOnce = 2

interface Found {
  readonly shapes: ReadonlyArray<TableShape>
  /** Tables large enough for two threads to share a scan, and views, whose rows aren't counted. */
  readonly large: ReadonlySet<string>
}

/** In one query: for 500 tables of 65 columns it takes a tenth of the time of a DESCRIBE for each. */
const foundOf = async (connection: DuckDBConnection, tables: ReadonlyArray<Pick<Shown, "name">>): Promise<Found> => {
  const found = await ParquetFiles.rows(
    connection,
    `select table_name, column_name, data_type, coalesce(estimated_size > ${EventPasses.largestRowGroup}, true)
     from duckdb_columns() left join (select database_name, schema_name, table_name, estimated_size from duckdb_tables())
       using (database_name, schema_name, table_name)
     where database_name = current_database() and schema_name = 'construction' order by table_name, column_index`
  )
  const byTable = Map.groupBy(found, ([table]) => String(table))
  const shapes = tables.map(({ name }) => {
    const columns = byTable.get(name)
    if (columns === undefined) throw new Error(`There is no table ${name}`)
    return { name, columns: columns.map(([, column, type]) => ParquetFiles.exported(String(column), String(type))) }
  })
  return { shapes, large: new Set(found.flatMap(([table, , , isLarge]) => (isLarge === true ? [String(table)] : []))) }
}

/** Returns the watermark. A transaction sees the state at its first read. */
const begin = async (connection: DuckDBConnection): Promise<number> => {
  await connection.run("begin transaction read only")
  const [through] = await ParquetFiles.rows(
    connection,
    "select value from siteledger.meta where key = 'applied_through'"
  )
  return Number(through?.[0] ?? 0)
}

export class DuckDbSnapshot {
  readonly watermark: number
  readonly tables: ReadonlyArray<TableShape>
  readonly #connection: DuckDBConnection
  readonly #connections: ReadonlyArray<DuckDBConnection>
  readonly #writers: AtOnce<DuckDBConnection>
  #isClosed = false
  readonly #large: ReadonlySet<string>
  readonly #inParallel: InParallel

  private constructor(
    connections: ReadonlyArray<DuckDBConnection>,
    watermark: number,
    found: Found,
    inParallel: InParallel
  ) {
    this.#connection = connections[0]!
    this.#connections = connections
    this.#writers = new AtOnce(connections)
    this.watermark = watermark
    this.tables = found.shapes
    this.#large = found.large
    this.#inParallel = inParallel
  }

  /** Nothing is written meanwhile. */
  static async open(
    instance: DuckDBInstance,
    tables: ReadonlyArray<Pick<Shown, "name">>,
    inParallel: InParallel
  ): Promise<DuckDbSnapshot> {
    const connections: Array<DuckDBConnection> = []
    try {
      for (let count = 0; count < writesAtOnce; count++) connections.push(await instance.connect())
      // Not in the transaction: these queries look into each attached file. A copy for analysts that is being made
      // would stay locked, and its readers refused, until the transaction ends.
      const found = await foundOf(connections[0]!, tables)
      const [watermark = 0] = await Promise.all(connections.map(begin))
      return new DuckDbSnapshot(connections, watermark, found, inParallel)
    } catch (cause) {
      for (const connection of connections) connection.disconnectSync()
      throw cause
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    // A file still being written is no longer needed.
    for (const connection of this.#connections) connection.interrupt()
    for (const connection of this.#connections) {
      await connection.run("rollback").catch(() => undefined)
      connection.disconnectSync()
    }
  }

  parts(table: string, wanted: TableParts.Wanted): Promise<ReadonlyArray<TableParts.Part>> {
    return this.#atOnce((connection) => this.#partsBy(connection, table, wanted))
  }

  #partsBy(connection: DuckDBConnection, table: string, wanted: TableParts.Wanted) {
    const rows = (query: string) => this.#reading(table, () => ParquetFiles.rows(connection, query))
    const looking: TableParts.Looking = {
      counted: async (within, bounds) => {
        const query = `select ${TableParts.placeOf(bounds)}, count(*), cast(bit_xor(hash(t)) as varchar)
          from ${seen(table)} t where ${TableParts.condition(within)} group by 1`
        const found = await rows(query)
        return found.map(([place, count, hash]) => ({ place: Number(place), rows: Number(count), hash: String(hash) }))
      },
      size: async () => Number((await rows(`select count(*) from ${seen(table)}`))[0]?.[0] ?? 0),
      quantiles: async (within, shares) => {
        const query = `select unnest(quantile_disc(epoch_us(${TableParts.column}), [${shares.join(", ")}]))
          from ${seen(table)} where ${TableParts.condition(within)}`
        const found = await rows(query)
        return found.map(([micros]) => Instant.fromMicros(Number(micros)))
      }
    }
    const columns = this.tables.find(({ name }) => name === table)?.columns ?? []
    const isDated = columns.some(({ name }) => name === TableParts.column)
    return isDated ? TableParts.divided(looking, wanted) : TableParts.undivided(looking)
  }

  async eventDates(): Promise<ReadonlyArray<Partition>> {
    const dates = await this.#reading("events", () =>
      ParquetFiles.rows(
        this.#connection,
        `select cast(${EventPasses.eventDate} as varchar), count(*), sum(${rowBytes} + coalesce(strlen(payload), 0)),
           cast(bit_xor(hash(e)) as varchar)
         from construction.events e group by 1 order by 1`
      )
    )
    return dates.map(([date, count, bytes, fingerprint]) => ({
      date: String(date),
      rows: Number(count),
      bytes: Number(bytes),
      fingerprint: `${String(count)}-${String(fingerprint)}`
    }))
  }

  writeTable(table: string, path: string, part = TableParts.whole): Promise<number> {
    const source = this.#source(table, `from ${seen(table)} where ${TableParts.condition(part)}`)
    return this.#atOnce((connection) => this.#reading(table, () => ParquetFiles.writeTable(connection, source, path)))
  }

  async writeEvents(dates: ReadonlyArray<Partition>, folder: string): Promise<ReadonlyArray<EventFile>> {
    await mkdir(folder)
    const files: Array<EventFile> = []
    for (const [number, pass] of EventPasses.plan(dates).entries()) {
      const query = `from construction.events where ${EventPasses.condition(pass, EventPasses.eventDate)}`
      const source = this.#source("events", query)
      const into = join(folder, String(number))
      const written = await this.#reading("events", () =>
        ParquetFiles.writeEvents(this.#connection, source, pass, into)
      )
      files.push(...written)
    }
    return files
  }

  /** Work that waited until the snapshot was closed isn't started. */
  #atOnce<A>(use: (connection: DuckDBConnection) => Promise<A>): Promise<A> {
    return this.#writers.run((connection) => {
      if (this.#isClosed) throw new Error("The snapshot is closed")
      return use(connection)
    })
  }

  #reading<A>(table: string, run: () => Promise<A>): Promise<A> {
    return this.#large.has(table) ? this.#inParallel(run) : run()
  }

  #source(table: string, query: string): ParquetFiles.Source {
    const columns = this.tables.find(({ name }) => name === table)?.columns ?? []
    const json = columns.filter(({ format }) => format === "json").map(({ name }) => name)
    return { query, width: columns.length, json }
  }

  async head(): Promise<string | null> {
    const [row] = await ParquetFiles.rows(this.#connection, JournalLines.head)
    return row === undefined ? null : String(row[0])
  }

  /** In chunks, so that memory doesn't grow with the books. */
  async readJournal(take: TakeLines): Promise<void> {
    const result = await this.#connection.stream(JournalLines.query)
    for await (const lines of result.yieldRowsJson()) await take(lines as ReadonlyArray<JournalLines.JournalLine>)
  }
}
