/**
 * One point in time over all tables of the DuckDB file: a read transaction on a connection of its own.
 *
 * Writers go on meanwhile. It is taken between two writes, so it holds exactly what is applied through one
 * sequence. Closing it ends the transaction; until then DuckDB can't shorten its WAL.
 */
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api"
import type { EventFile, Partition, TableShape } from "../Warehouse.ts"
import { tables } from "./Tables.ts"

/** Events without a time of their own are filed under the day they came. */
// Not `at time zone 'UTC'`, which is 10 to 40 times slower: it asks ICU for every row.
const eventDate = "cast(make_timestamp(epoch_us(coalesce(event_timestamp, received_at))) as date)"

/** What one pass over `events` may hold in memory, as DuckDB keeps the rows of all its dates until it is done. */
const bytesAtOnce = 128 * 1024 * 1024
const datesAtOnce = 64
/** A row without its payload, about. */
const rowBytes = 200
const largestRowGroup = 122_880
const smallestRowGroup = 2048

export class DuckDbSnapshot {
  readonly appliedThrough: number
  readonly tables: ReadonlyArray<TableShape>
  readonly #connection: DuckDBConnection

  private constructor(connection: DuckDBConnection, appliedThrough: number, shapes: ReadonlyArray<TableShape>) {
    this.#connection = connection
    this.appliedThrough = appliedThrough
    this.tables = shapes
  }

  static async open(instance: DuckDBInstance): Promise<DuckDbSnapshot> {
    const connection = await instance.connect()
    try {
      await connection.run("begin transaction read only")
      const [through] = await rows(connection, "select value from siteledger.meta where key = 'applied_through'")
      const shapes: Array<TableShape> = []
      for (const { name } of tables) {
        const described = await rows(connection, `describe construction.${name}`)
        shapes.push({
          name,
          columns: described.map(([column, type]) => ({
            name: String(column),
            type: String(type)
          }))
        })
      }
      return new DuckDbSnapshot(connection, Number(through?.[0] ?? 0), shapes)
    } catch (cause) {
      connection.disconnectSync()
      throw cause
    }
  }

  async close(): Promise<void> {
    // Whoever closes no longer waits for what is still being written.
    this.#connection.interrupt()
    await this.#connection.run("rollback").catch(() => undefined)
    this.#connection.disconnectSync()
  }

  async eventDates(): Promise<ReadonlyArray<Partition>> {
    const found = await rows(
      this.#connection,
      `select cast(${eventDate} as varchar), count(*), cast(bit_xor(hash(e)) as varchar)
       from construction.events e group by 1 order by 1`
    )
    return found.map(([date, count, fingerprint]) => ({
      date: String(date),
      rows: Number(count),
      fingerprint: `${String(count)}-${String(fingerprint)}`
    }))
  }

  async writeTable(table: string, path: string): Promise<number> {
    const written = await rows(this.#connection, `copy construction.${table} to ${text(path)} (${parquet})`)
    return Number(written[0]?.[0] ?? 0)
  }

  async writeEvents(dates: ReadonlyArray<string>, folder: string): Promise<ReadonlyArray<EventFile>> {
    await mkdir(folder)
    for (const [number, pass] of passes(await this.#weigh(dates)).entries()) {
      await rows(
        this.#connection,
        `copy (select *, ${eventDate} as event_date from construction.events where ${eventDate} in (${list(pass.dates)}))
         to ${text(join(folder, String(number)))}
         (${parquet}, partition_by (event_date), row_group_size ${rowGroup(pass)})`
      )
    }
    const files = await this.#filesIn(folder)
    if (files.length !== dates.length) throw new Error(`${dates.length} dates became ${files.length} files`)
    return files
  }

  async #weigh(dates: ReadonlyArray<string>): Promise<ReadonlyArray<Weight>> {
    const found = await rows(
      this.#connection,
      `select cast(${eventDate} as varchar), count(*), sum(${rowBytes} + coalesce(strlen(payload), 0))
       from construction.events where ${eventDate} in (${list(dates)}) group by 1 order by 1`
    )
    return found.map(([date, count, bytes]) => ({
      date: String(date),
      rows: Number(count),
      bytes: Number(bytes)
    }))
  }

  async #filesIn(folder: string): Promise<ReadonlyArray<EventFile>> {
    const found = await rows(
      this.#connection,
      `select file_name, num_rows from parquet_file_metadata(${text(join(folder, "*/*/*.parquet"))}) order by 1`
    )
    return found.map(([name, count]) => {
      const path = String(name)
      return { date: /event_date=([\d-]+)/.exec(path)?.[1] ?? "", path, rows: Number(count) }
    })
  }
}

const rows = async (connection: DuckDBConnection, sql: string): Promise<ReadonlyArray<ReadonlyArray<unknown>>> =>
  (await connection.runAndReadAll(sql)).getRowsJson()

interface Weight {
  readonly date: string
  readonly rows: number
  readonly bytes: number
}

interface Pass {
  readonly dates: ReadonlyArray<string>
  readonly rows: number
  readonly bytes: number
}

const passes = (weights: ReadonlyArray<Weight>): ReadonlyArray<Pass> => {
  const done: Array<Pass> = []
  let pass: Pass = { dates: [], rows: 0, bytes: 0 }
  for (const { date, rows, bytes } of weights) {
    if (pass.dates.length > 0 && (pass.bytes + bytes > bytesAtOnce || pass.dates.length === datesAtOnce)) {
      done.push(pass)
      pass = { dates: [], rows: 0, bytes: 0 }
    }
    pass = { dates: [...pass.dates, date], rows: pass.rows + rows, bytes: pass.bytes + bytes }
  }
  return [...done, pass]
}

/** A row group is held in memory as a whole. */
const rowGroup = ({ bytes, rows }: Pass): number =>
  Math.max(smallestRowGroup, Math.min(largestRowGroup, Math.floor(bytesAtOnce / 4 / (bytes / rows))))

const parquet = "format parquet, compression zstd"
const text = (value: string): string => `'${value.replaceAll("'", "''")}'`
const list = (dates: ReadonlyArray<string>): string => dates.map((date) => `date '${date}'`).join(", ")
