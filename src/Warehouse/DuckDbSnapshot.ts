/**
 * One point in time over all tables of the DuckDB file: a read transaction on a connection of its own.
 *
 * Writers go on meanwhile. It is taken between two writes, so it holds exactly what is applied through one
 * sequence. Closing it ends the transaction; until then DuckDB can't shorten its WAL.
 */
import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api"
import type { Partition, TableShape } from "../Warehouse.ts"
import { tables } from "./Tables.ts"

/** Events without a time of their own are filed under the day they came. */
const eventDate = "cast(coalesce(event_timestamp, received_at) at time zone 'UTC' as date)"

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
          columns: described.map(([column, type]) => ({ name: String(column), type: String(type) }))
        })
      }
      return new DuckDbSnapshot(connection, Number(through?.[0] ?? 0), shapes)
    } catch (cause) {
      connection.disconnectSync()
      throw cause
    }
  }

  async close(): Promise<void> {
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

  async writeParquet(table: string, date: string | undefined, path: string): Promise<number> {
    const key = tables.find(({ name }) => name === table)?.key ?? "id"
    const filter = date === undefined ? "" : `where ${eventDate} = date '${date}'`
    const order = table === "events" ? "sequence" : `"${key}"`
    const written = await rows(
      this.#connection,
      `copy (select * from construction.${table} ${filter} order by ${order})
       to '${path.replaceAll("'", "''")}' (format parquet, compression zstd)`
    )
    return Number(written[0]?.[0] ?? 0)
  }
}

const rows = async (connection: DuckDBConnection, sql: string): Promise<ReadonlyArray<ReadonlyArray<unknown>>> =>
  (await connection.runAndReadAll(sql)).getRowsJson()
