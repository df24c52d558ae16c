/**
 * Writes a batch into DuckDB in one transaction: entities are merged (`EntityRows`), all other rows replaced.
 *
 * After any failure the transaction is rolled back: DuckDB's COMMIT of a failed one succeeds and keeps nothing.
 */
import type { DuckDBConnection } from "@duckdb/node-api"
import type { Change } from "../../Domain/Change.ts"
import type { EntityName } from "../../Domain/Resource.ts"
import type { Batch, LedgerCopy } from "../Warehouse.ts"
import {
  currenciesTable,
  eventsTable,
  ledgerDecisionsTable,
  ledgerEntriesTable,
  ledgerHoldsTable
} from "../WarehouseTables.ts"
import { EntityRows } from "./EntityRows.ts"
import type { OpenFile } from "./File.ts"
import type { Memory } from "./Memory.ts"
import { TableRows, type Wrote } from "./TableRows.ts"

export interface Written {
  /** Something that analysts can see has changed. */
  readonly isVisible: boolean
}

/** Deleted rows slow down scans until they are vacuumed, which takes up to a second: so not before this many. */
const mostDead = 50_000

export class DuckDbWriter {
  readonly #tables: TableRows
  readonly #entities: EntityRows
  readonly #memory: Memory
  /** No stored event has a greater sequence; undefined: to be looked up. */
  #lastEvent: number | undefined

  private constructor(tables: TableRows, memory: Memory) {
    this.#tables = tables
    this.#entities = new EntityRows(tables)
    this.#memory = memory
  }

  static async open(
    { instance, memory }: Pick<OpenFile, "instance" | "memory">,
    wrote: Wrote = () => undefined
  ): Promise<DuckDbWriter> {
    return new DuckDbWriter(new TableRows(await instance.connect(), wrote), memory)
  }

  close(): void {
    this.#tables.close()
  }

  async write(batch: Batch): Promise<Written> {
    const { connection } = this.#tables
    await this.#memory.beforeBatch(batch.changes.length + batch.events.length)
    await connection.run("begin transaction")
    try {
      const before = this.#lastEvent ?? (await lastEventIn(connection))
      const isVisible = await this.#writeWithin(batch, before)
      await connection.run("commit")
      this.#entities.committed()
      this.#lastEvent = batch.events.reduce((last, { sequence }) => Math.max(last, Number(sequence)), before)
      return { isVisible }
    } catch (cause) {
      // A commit may fail after it was done: what is stored is looked up again.
      this.#entities.forget()
      this.#lastEvent = undefined
      await connection.run("rollback").catch(() => undefined)
      throw cause
    } finally {
      if (this.#tables.deleted > mostDead) await this.#vacuum()
    }
  }

  /** `lastEvent`: no event after it is stored. */
  async #writeWithin(batch: Batch, lastEvent: number): Promise<boolean> {
    let isVisible = batch.events.length > 0
    for (const [name, changes] of byEntity(batch.changes)) {
      isVisible = (await this.#entities.merge(name, changes)) || isVisible
    }
    await this.#tables.replace(eventsTable, "sequence", batch.events, (sequence) => Number(sequence) <= lastEvent)
    isVisible = (await this.#copyLedger(batch.ledger)) || isVisible
    isVisible = (await this.#copyCurrencies(batch.currencies)) || isVisible
    if (batch.watermark !== undefined) {
      await this.#tables.run(
        "update siteledger.meta set value = $1 where key = 'applied_through'",
        String(batch.watermark)
      )
    }
    return isVisible
  }

  /** Merges row groups with many deleted rows. On one thread, because each takes 200 MB. */
  async #vacuum(): Promise<void> {
    this.#tables.deleted = 0
    await this.#memory.takeRoom()
    await this.#set({ max_vacuum_tasks: 1, threads: 1 })
    // It fails while a snapshot is open; the next one then does the work.
    await this.#tables.connection.run("checkpoint").catch(() => undefined)
    this.#entities.forget()
    await this.#set({ max_vacuum_tasks: 0, threads: 2 })
    await this.#memory.giveRoom()
  }

  async #set(settings: Record<string, number>): Promise<void> {
    const { connection } = this.#tables
    for (const [name, value] of Object.entries(settings)) await connection.run(`set global ${name} = ${value}`)
  }

  async #copyLedger(ledger: LedgerCopy | undefined): Promise<boolean> {
    if (ledger === undefined) return false
    const { decisions, entries, holds } = ledger
    await this.#tables.replace(ledgerEntriesTable, "entry_id", entries)
    await this.#tables.replace(ledgerDecisionsTable, "number", decisions)
    if (holds.ofIpcs === "all") await this.#tables.connection.run("delete from construction.ledger_holds")
    else await this.#tables.delete(ledgerHoldsTable, "ipc_id", holds.ofIpcs)
    await this.#tables.append(ledgerHoldsTable, holds.open)
    return true
  }

  async #copyCurrencies(currencies: Batch["currencies"]): Promise<boolean> {
    if (currencies === undefined) return false
    await this.#tables.connection.run("delete from construction.project_currencies")
    await this.#tables.append(currenciesTable, currencies)
    return true
  }

  /** A write that analysts don't see. */
  async probe(): Promise<void> {
    await this.#tables.connection.run(
      `insert into siteledger.meta values ('probed_at', cast(now() as varchar))
       on conflict (key) do update set value = excluded.value`
    )
  }
}

const lastEventIn = async (connection: DuckDBConnection): Promise<number> => {
  const newest = await connection.runAndReadAll("select coalesce(max(sequence), 0) from construction.events")
  return Number(newest.getRows()[0]?.[0])
}

const byEntity = (changes: ReadonlyArray<Change>): ReadonlyMap<EntityName, ReadonlyArray<Change>> =>
  Map.groupBy(changes, (change) => change.entity)
