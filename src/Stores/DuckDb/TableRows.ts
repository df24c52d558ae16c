/**
 * Rows of the warehouse's tables by key, within a transaction that the caller opened. They are deleted and appended,
 * which costs only the rows concerned; DuckDB's UPDATE rewrites the columns around them. Statements are prepared once.
 */
import { setImmediate } from "node:timers/promises"
import type { DuckDBConnection, DuckDBPreparedStatement, DuckDBResult } from "@duckdb/node-api"
import type { ColumnType } from "../../Domain/Resource.ts"
import type { Row } from "../../Domain/Merge.ts"
import { eventsTable, type Shown } from "../WarehouseTables.ts"
import { quoted, seen } from "../Ddl.ts"
import * as Rows from "./Rows.ts"
import { appendTexts } from "./Values.ts"

/**
 * The column by which rows are found again. Events are found by their numbers, which are small and lie together, not by
 * hashes.
 */
export const foundBy = ({ key, name }: Shown): string => (name === eventsTable.name ? "sequence" : key)

/** Is told of all rows that are appended (`foundBy`), before they are committed. */
export type Wrote = (table: string, keys: ReadonlyArray<string>) => void

export class TableRows {
  readonly connection: DuckDBConnection
  readonly #prepared = new Map<string, DuckDBPreparedStatement>()
  readonly #wrote: Wrote
  /** Rows deleted so far. */
  deleted = 0

  constructor(connection: DuckDBConnection, wrote: Wrote) {
    this.connection = connection
    this.#wrote = wrote
  }

  close(): void {
    for (const statement of this.#prepared.values()) statement.destroySync()
    this.#prepared.clear()
    this.connection.disconnectSync()
  }

  /** Runs a statement with one parameter of text. */
  async run(text: string, parameter: string): Promise<DuckDBResult> {
    const statement = this.#prepared.get(text) ?? (await this.connection.prepare(text))
    this.#prepared.set(text, statement)
    statement.bindVarchar(1, parameter)
    return statement.run()
  }

  /** If several rows have the same key, the last one is kept. `isKnown`: false if no row can have this key yet. */
  async replace<A extends object>(
    table: Shown,
    key: keyof A & string,
    rows: ReadonlyArray<A>,
    isKnown: (key: string) => boolean = () => true
  ): Promise<void> {
    const last = new Map(rows.map((row) => [String(row[key]), row]))
    await this.delete(table, key, [...last.keys()].filter(isKnown))
    await this.append(table, [...last.values()])
  }

  async delete({ columns, name }: Shown, by: string, values: ReadonlyArray<string>): Promise<void> {
    if (values.length === 0) return
    const type = columns.find((column) => column.name === by)?.type ?? "BIGINT"
    const text = `delete from ${seen(name)} where ${quoted(by)} in (${listed(type)})`
    const { rowsChanged } = await this.run(text, JSON.stringify(values))
    this.deleted += rowsChanged
  }

  /** Deletes rows by number and key: a row that has another key by now stays. Returns how many were deleted. */
  async deleteNumbered(
    { columns, key, name }: Shown,
    rows: ReadonlyArray<{ readonly number: number; readonly id: string }>
  ): Promise<number> {
    if (rows.length === 0) return 0
    const type = columns.find((column) => column.name === key)?.type ?? "VARCHAR"
    const { rowsChanged } = await this.run(
      `delete from ${seen(name)} as stored using (
         select unnest(from_json($1, '[{"number":"BIGINT","id":"VARCHAR"}]'), recursive := true)
       ) as outdated
       where stored.rowid = outdated.number and stored.${key} = cast(outdated.id as ${type})`,
      JSON.stringify(rows)
    )
    this.deleted += rowsChanged
    return rowsChanged
  }

  /** Deletes the rows with these numbers and returns them: each is read alone, not with the two thousand around it. */
  async take({ name }: Shown, numbers: ReadonlyArray<number>): Promise<ReadonlyArray<Row>> {
    const text = `delete from ${seen(name)} where rowid in (${numbers.join(", ")}) returning *`
    const result = await this.connection.run(text)
    const read = Rows.reader(result)
    const rows = (await result.fetchAllChunks()).flatMap(read) as ReadonlyArray<Row>
    this.deleted += rows.length
    return rows
  }

  append(table: Shown, rows: ReadonlyArray<object>): Promise<void> {
    return this.appendTexts(table, rows as ReadonlyArray<Row>, (row, column) => row[column] ?? null)
  }

  async appendTexts<A>(
    table: Shown,
    rows: ReadonlyArray<A>,
    textOf: (row: A, column: string) => string | null
  ): Promise<void> {
    if (rows.length === 0) return
    const { columns, name } = table
    const by = foundBy(table)
    this.#wrote(
      name,
      rows.map((row) => String(textOf(row, by)))
    )
    const appender = await this.connection.createAppender(name, "construction")
    try {
      for (let from = 0; from < rows.length; from += atOnce) {
        if (from > 0) await setImmediate()
        appendTexts(appender, columns, rows.slice(from, from + atOnce), textOf)
      }
      appender.flushSync()
    } finally {
      appender.closeSync()
    }
  }
}

/** Other work runs between chunks of this size: 2,000 events with their bodies take 50 ms. */
const atOnce = 500

/** One text parameter for all values, because binding 20,000 one by one takes as long as the query. */
export const listed = (type: ColumnType): string => `select cast(unnest(from_json($1, '["VARCHAR"]')) as ${type})`
