/**
 * Writes a batch into DuckDB in one transaction: the stored rows that it touches are read, merged, deleted and appended
 * again. A deletion and an append cost only the rows they touch; DuckDB's UPDATE rewrites the columns around them.
 *
 * This code keeps one row per key, because DuckDB would hold a whole index in memory (`DuckDb/Ddl`). After any failure
 * the transaction is rolled back: DuckDB's COMMIT of a failed one succeeds and keeps nothing.
 */
import type { DuckDBConnection } from "@duckdb/node-api"
import type { Change } from "../../Domain/Change.ts"
import type { Row } from "../../Domain/Merge.ts"
import { byName, type EntityName } from "../../Domain/Resource.ts"
import { mergeGently } from "../Merging.ts"
import type { Batch, LedgerCopy } from "../Warehouse.ts"
import type { OpenFile } from "./File.ts"
import type { Memory } from "./Memory.ts"
import * as Rows from "./Rows.ts"
import { appendRows } from "./Values.ts"
import {
  currenciesTable,
  entityTable,
  eventsTable,
  ledgerDecisionsTable,
  ledgerEntriesTable,
  ledgerHoldsTable,
  type Shown
} from "../WarehouseTables.ts"

export interface Written {
  /** Something that analysts can see has changed. */
  readonly isVisible: boolean
}

/** Deleted rows slow down scans until they are vacuumed, which takes up to a second: so not before this many. */
const mostDead = 50_000

export class DuckDbWriter {
  readonly #connection: DuckDBConnection
  readonly #memory: Memory
  #dead = 0

  private constructor(connection: DuckDBConnection, memory: Memory) {
    this.#connection = connection
    this.#memory = memory
  }

  static async open({ instance, memory }: OpenFile): Promise<DuckDbWriter> {
    return new DuckDbWriter(await instance.connect(), memory)
  }

  close(): void {
    this.#connection.disconnectSync()
  }

  async write(batch: Batch): Promise<Written> {
    const connection = this.#connection
    await connection.run("begin transaction")
    try {
      let isVisible = batch.events.length > 0
      for (const [name, changes] of byEntity(batch.changes)) {
        isVisible = (await this.#mergeInto(name, changes)) || isVisible
      }
      await this.#replace(eventsTable, "sequence", batch.events)
      isVisible = (await this.#copyLedger(batch.ledger)) || isVisible
      isVisible = (await this.#copyCurrencies(batch.currencies)) || isVisible
      if (batch.watermark !== undefined) {
        await connection.run("update siteledger.meta set value = $1 where key = 'applied_through'", [
          String(batch.watermark)
        ])
      }
      await connection.run("commit")
      return { isVisible }
    } catch (cause) {
      await connection.run("rollback").catch(() => undefined)
      throw cause
    } finally {
      if (this.#dead > mostDead) await this.#vacuum()
    }
  }

  /** Merges row groups with many deleted rows. On one thread, because each takes 200 MB. */
  async #vacuum(): Promise<void> {
    this.#dead = 0
    await this.#memory.takeRoom()
    await this.#set({ max_vacuum_tasks: 1, threads: 1 })
    // It fails while a snapshot is open; the next one then does the work.
    await this.#connection.run("checkpoint").catch(() => undefined)
    await this.#set({ max_vacuum_tasks: 0, threads: 2 })
    await this.#memory.giveRoom()
  }

  async #set(settings: Record<string, number>): Promise<void> {
    for (const [name, value] of Object.entries(settings)) await this.#connection.run(`set global ${name} = ${value}`)
  }

  async #copyLedger(ledger: LedgerCopy | undefined): Promise<boolean> {
    if (ledger === undefined) return false
    const { decisions, entries, holds } = ledger
    await this.#replace(ledgerEntriesTable, "entry_id", entries)
    await this.#replace(ledgerDecisionsTable, "number", decisions)
    if (holds.ofIpcs === "all") await this.#connection.run("delete from construction.ledger_holds")
    else await this.#delete(ledgerHoldsTable, "ipc_id", holds.ofIpcs)
    await this.#append(ledgerHoldsTable, holds.open)
    return true
  }

  async #copyCurrencies(currencies: Batch["currencies"]): Promise<boolean> {
    if (currencies === undefined) return false
    await this.#connection.run("delete from construction.project_currencies")
    await this.#append(currenciesTable, currencies)
    return true
  }

  /** A write that analysts don't see. */
  async probe(): Promise<void> {
    await this.#connection.run(
      `insert into siteledger.meta values ('probed_at', cast(now() as varchar))
       on conflict (key) do update set value = excluded.value`
    )
  }

  async #mergeInto(name: EntityName, changes: ReadonlyArray<Change>): Promise<boolean> {
    const table = entityTable(name)
    const resource = byName(name)
    const byId = groupById(changes)
    const stored = await this.#read(table, [...byId.keys()])
    const merged: Array<Row> = []
    const outdated: Array<string> = []
    let isVisible = false
    for (const [id, ofId] of byId) {
      const before = stored.get(id)
      const merging = mergeGently(resource, before, ofId)
      const after = merging instanceof Promise ? await merging : merging
      if (after === undefined || after === before) continue
      merged.push(after)
      if (before !== undefined) outdated.push(before["rowid"] ?? "")
      isVisible ||= before?.["_changed_at"] !== after["_changed_at"]
    }
    await this.#delete(table, "rowid", outdated)
    await this.#append(table, merged)
    return isVisible
  }

  /** By id, each with its `rowid`, which is valid until the transaction ends. */
  async #read({ name, columns }: Shown, ids: ReadonlyArray<string>): Promise<Map<string, Row>> {
    const result = await this.#connection.run(
      `select *, rowid from construction.${name} where id in (${listed(columns[0]?.type ?? "VARCHAR")})`,
      [JSON.stringify(ids)]
    )
    const read = Rows.reader(result)
    const rows = new Map<string, Row>()
    for (const chunk of await result.fetchAllChunks()) {
      for (const row of read(chunk)) rows.set(String(row["id"]), row as Row)
    }
    return rows
  }

  /** Of several rows with the same key, the last one is kept. */
  async #replace<A extends object>(table: Shown, key: keyof A & string, rows: ReadonlyArray<A>): Promise<void> {
    const last = new Map(rows.map((row) => [String(row[key]), row]))
    await this.#delete(table, key, [...last.keys()])
    await this.#append(table, [...last.values()])
  }

  async #delete({ columns, name }: Shown, by: string, values: ReadonlyArray<string>): Promise<void> {
    if (values.length === 0) return
    const type = columns.find((column) => column.name === by)?.type ?? "BIGINT"
    const { rowsChanged } = await this.#connection.run(
      `delete from construction.${name} where ${by} in (${listed(type)})`,
      [JSON.stringify(values)]
    )
    this.#dead += rowsChanged
  }

  async #append({ columns, name }: Shown, rows: ReadonlyArray<object>): Promise<void> {
    if (rows.length === 0) return
    const appender = await this.#connection.createAppender(name, "construction")
    try {
      appendRows(appender, columns, rows as ReadonlyArray<Row>)
      appender.flushSync()
    } finally {
      appender.closeSync()
    }
  }
}

/** Most batches name each id once, and then need no grouping. */
const groupById = (changes: ReadonlyArray<Change>): ReadonlyMap<string, ReadonlyArray<Change>> => {
  const byId = new Map<string, ReadonlyArray<Change>>()
  for (const change of changes) byId.set(change.id, [change])
  return byId.size === changes.length ? byId : Map.groupBy(changes, (change) => change.id)
}

const byEntity = (changes: ReadonlyArray<Change>): ReadonlyMap<EntityName, ReadonlyArray<Change>> =>
  Map.groupBy(changes, (change) => change.entity)

/** One text parameter for all values: binding 20,000 one by one takes as long as the query. */
const listed = (type: string): string => `select cast(unnest(from_json($1, '["VARCHAR"]')) as ${type})`
