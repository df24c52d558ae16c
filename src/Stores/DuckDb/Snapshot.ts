/**
 * One point in time over all tables of the DuckDB file: a read transaction on a connection of its own.
 *
 * Writers go on meanwhile. It is taken between two writes, so it holds exactly what is applied through one
 * sequence. Closing it ends the transaction; until then DuckDB can't shorten its WAL.
 */
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api"
import type { EventFile, Partition, TableShape, TakeLines } from "../Warehouse.ts"
import * as JournalLines from "../JournalLines.ts"
import * as EventPasses from "../EventPasses.ts"
import * as ParquetFiles from "../ParquetFiles.ts"
import { tables } from "../WarehouseTables.ts"

/** A row without its payload, about. */
const rowBytes = 200

export class DuckDbSnapshot {
  readonly watermark: number
  readonly tables: ReadonlyArray<TableShape>
  readonly #connection: DuckDBConnection

  private constructor(connection: DuckDBConnection, watermark: number, shapes: ReadonlyArray<TableShape>) {
    this.#connection = connection
    this.watermark = watermark
    this.tables = shapes
  }

  static async open(instance: DuckDBInstance): Promise<DuckDbSnapshot> {
    const connection = await instance.connect()
    try {
      await connection.run("begin transaction read only")
      const [through] = await ParquetFiles.rows(
        connection,
        "select value from siteledger.meta where key = 'applied_through'"
      )
      const shapes: Array<TableShape> = []
      for (const { name } of tables) {
        const described = await ParquetFiles.rows(connection, `describe construction.${name}`)
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
    const found = await ParquetFiles.rows(
      this.#connection,
      `select cast(${EventPasses.eventDate} as varchar), count(*), sum(${rowBytes} + coalesce(strlen(payload), 0)),
         cast(bit_xor(hash(e)) as varchar)
       from construction.events e group by 1 order by 1`
    )
    return found.map(([date, count, bytes, fingerprint]) => ({
      date: String(date),
      rows: Number(count),
      bytes: Number(bytes),
      fingerprint: `${String(count)}-${String(fingerprint)}`
    }))
  }

  writeTable(table: string, path: string): Promise<number> {
    return ParquetFiles.writeTable(this.#connection, `from construction.${table}`, path)
  }

  async writeEvents(dates: ReadonlyArray<Partition>, folder: string): Promise<ReadonlyArray<EventFile>> {
    await mkdir(folder)
    const files: Array<EventFile> = []
    for (const [number, pass] of EventPasses.plan(dates).entries()) {
      const source = `from construction.events where ${EventPasses.holds(pass, EventPasses.eventDate)}`
      files.push(...(await ParquetFiles.writeEvents(this.#connection, source, pass, join(folder, String(number)))))
    }
    return files
  }

  /** A chunk at a time, so that memory doesn't grow with the books. */
  async readJournal(take: TakeLines): Promise<void> {
    const found = await this.#connection.stream(JournalLines.query)
    for await (const lines of found.yieldRowsJson()) await take(lines as ReadonlyArray<JournalLines.JournalLine>)
  }
}
