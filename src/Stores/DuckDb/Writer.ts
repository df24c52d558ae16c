/**
 * Writes a batch into DuckDB in one transaction: entities are merged (`EntityRows`), all other rows replaced.
 *
 * After any failure the transaction is rolled back: DuckDB's COMMIT of a failed transaction succeeds but keeps nothing.
 * If memory ran out, DuckDB doesn't roll everything back: replaced rows may exist twice, though only in memory. So
 * nothing in memory is written to the file any more, and the file is reopened.
 */
import type { DuckDBConnection } from "@duckdb/node-api"
import type { Change } from "../../Domain/Change.ts"
import type { Batch, LedgerCopy } from "../Warehouse.ts"
import {
  currenciesTable,
  eventsTable,
  ledgerDecisionsTable,
  ledgerEntriesTable,
  ledgerHoldsTable
} from "../WarehouseTables.ts"
import type { EntityTables } from "../EntityTables.ts"
import { EntityRows } from "./EntityRows.ts"
import { after, type Last, lastIn } from "./Last.ts"
import { isOutOfMemory } from "./Failure.ts"
import type { OpenFile } from "./File.ts"
import type { Memory } from "./Memory.ts"
import { Renumbered } from "./StoredRows.ts"
import { TableRows, type Wrote } from "./TableRows.ts"

export interface Written {
  /** Analysts can see a change. */
  readonly isVisible: boolean
}

/**
 * Deleted rows slow down scans until they are vacuumed. A vacuum takes up to a second and renumbers all rows, so it
 * waits until there are this many deleted rows, and a certain share compared with the live ones.
 */
const mostDead = 50_000
const mostDeadShare = 0.2

export class DuckDbWriter {
  readonly #tables: TableRows
  readonly #entities: EntityRows
  readonly #memory: Memory
  /** Undefined: must be looked up. */
  #last: Last | undefined
  /** How many rows had their numbers in memory before a rest. */
  #stored = 0
  /** Memory differs from what was committed. */
  #isAbandoned = false

  private constructor(rows: TableRows, tables: EntityTables, memory: Memory) {
    this.#tables = rows
    this.#entities = new EntityRows(rows, tables)
    this.#memory = memory
  }

  static async open(
    { instance, memory, tables }: Pick<OpenFile, "instance" | "memory" | "tables">,
    wrote: Wrote = () => undefined
  ): Promise<DuckDbWriter> {
    const columns = new Map(tables.all.map((table) => [table.name, table.columns.length]))
    const hear: Wrote = (table, keys) => {
      memory.added(table, columns.get(table) ?? 0)
      wrote(table, keys)
    }
    return new DuckDbWriter(new TableRows(await instance.connect(), hear), tables, memory)
  }

  close(): void {
    this.#tables.close()
  }

  /** Drops what is kept in memory for the next batch. */
  rest(): void {
    this.#stored = Math.max(this.#stored, this.#entities.numbered)
    this.#entities.forget()
  }

  async write(batch: Batch): Promise<Written> {
    const settled = new Set<string>()
    while (true) {
      try {
        return await this.#write(batch)
      } catch (cause) {
        if (!(cause instanceof Renumbered)) throw cause
        if (settled.has(cause.table)) break
        this.#entities.renumbered(cause.table)
        settled.add(cause.table)
      }
    }
    // Nothing is remembered any more, so this can't happen again.
    this.#entities.forget()
    return this.#write(batch)
  }

  async #write(batch: Batch): Promise<Written> {
    const { connection } = this.#tables
    if (this.#isAbandoned) throw new Error(ranOut)
    await this.#memory.beforeBatch(batch.changes.length + batch.events.length)
    if (this.#memory.isFilled) await this.#checkpoint()
    await connection.run("begin transaction")
    try {
      const before = this.#last ?? (await lastIn(connection))
      const isVisible = await this.#writeWithin(batch, before)
      await connection.run("commit")
      this.#entities.committed()
      this.#last = after(before, batch)
      return { isVisible }
    } catch (cause) {
      // A commit may fail after it took effect, so what is stored is looked up again.
      if (!(cause instanceof Renumbered)) this.#entities.forget()
      this.#last = undefined
      await connection.run("rollback").catch(() => undefined)
      throw isOutOfMemory(cause) ? await this.#abandoned(cause) : cause
    } finally {
      if (!this.#isAbandoned && this.#tables.deleted > Math.max(mostDead, this.#storedRows * mostDeadShare))
        await this.#vacuum()
    }
  }

  get #storedRows(): number {
    return Math.max(this.#stored, this.#entities.numbered)
  }

  async #writeWithin(batch: Batch, last: Last): Promise<boolean> {
    let isVisible = batch.events.length > 0
    for (const [name, changes] of byEntity(batch.changes)) {
      isVisible = (await this.#entities.merge(name, changes)) || isVisible
    }
    await this.#tables.replace(eventsTable, "sequence", batch.events, (sequence) => Number(sequence) <= last.event)
    isVisible = (await this.#copyLedger(batch.ledger, last)) || isVisible
    isVisible = (await this.#copyCurrencies(batch.currencies)) || isVisible
    if (batch.watermark !== undefined) {
      await this.#tables.run(
        "update siteledger.meta set value = $1 where key = 'applied_through'",
        String(batch.watermark)
      )
    }
    return isVisible
  }

  async #checkpoint(): Promise<void> {
    // It fails while a snapshot is open.
    await this.#tables.connection.run("checkpoint").catch(() => undefined)
    this.#memory.checkpointed()
  }

  /** Then closing writes no checkpoint. When reopened, the file has more memory. */
  async #abandoned(cause: unknown): Promise<Error> {
    this.#isAbandoned = true
    await this.#tables.connection.run("pragma disable_checkpoint_on_shutdown").catch(() => undefined)
    await this.#memory.takeMore().catch(() => undefined)
    return new Error(ranOut, { cause })
  }

  /** Merges row groups with many deleted rows. On one thread, because each takes 200 MB. */
  async #vacuum(): Promise<void> {
    this.#tables.deleted = 0
    await this.#memory.takeRoom()
    await this.#set({ max_vacuum_tasks: 1, threads: 1 })
    // It fails while a snapshot is open; then the next one does the work.
    await this.#tables.connection.run("checkpoint").catch(() => undefined)
    this.#entities.forget()
    await this.#set({ max_vacuum_tasks: 0 })
    await this.#memory.giveRoom()
    await this.#memory.clear()
  }

  async #set(settings: Record<string, number>): Promise<void> {
    const { connection } = this.#tables
    for (const [name, value] of Object.entries(settings)) await connection.run(`set global ${name} = ${value}`)
  }

  async #copyLedger(ledger: LedgerCopy | undefined, last: Last): Promise<boolean> {
    if (ledger === undefined) return false
    const { decisions, entries, holds } = ledger
    await this.#tables.replace(ledgerEntriesTable, "sequence", entries, (sequence) => Number(sequence) <= last.entry)
    await this.#tables.replace(ledgerDecisionsTable, "number", decisions, (number) => Number(number) <= last.decision)
    await this.#copyHolds(holds, last.held)
    return true
  }

  async #copyHolds({ ofIpcs, open }: LedgerCopy["holds"], held: Set<string>): Promise<void> {
    if (ofIpcs === "all") {
      await this.#tables.connection.run("delete from construction.ledger_holds")
      held.clear()
    } else {
      // Most IPCs have none, and deleting nothing still takes a millisecond.
      const stored = ofIpcs.filter((id) => held.has(id))
      await this.#tables.delete(ledgerHoldsTable, "ipc_id", stored)
      for (const id of stored) held.delete(id)
    }
    await this.#tables.append(ledgerHoldsTable, open)
    for (const hold of open) held.add(String(hold["ipc_id"]))
  }

  async #copyCurrencies(currencies: Batch["currencies"]): Promise<boolean> {
    if (currencies === undefined) return false
    await this.#tables.connection.run("delete from construction.project_currencies")
    await this.#tables.append(currenciesTable, currencies)
    return true
  }

  /** Another write that analysts don't see. */
  async beside<A>(write: (connection: DuckDBConnection) => Promise<A>): Promise<A> {
    if (this.#isAbandoned) throw new Error(ranOut)
    try {
      return await write(this.#tables.connection)
    } catch (cause) {
      throw isOutOfMemory(cause) ? await this.#abandoned(cause) : cause
    }
  }

  async probe(): Promise<void> {
    await this.beside(async (connection) => {
      await connection.run(
        `insert into siteledger.meta values ('probed_at', cast(now() as varchar))
         on conflict (key) do update set value = excluded.value`
      )
    })
  }
}

const ranOut = "FATAL: memory ran out while rows were written"

const byEntity = (changes: ReadonlyArray<Change>): ReadonlyMap<string, ReadonlyArray<Change>> =>
  Map.groupBy(changes, (change) => change.entity)
