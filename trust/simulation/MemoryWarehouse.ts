/**
 * The Warehouse of the simulation: a small implementation of its contract, over SQLite in memory. It merges with the
 * real rule, and a write is one transaction in which the process may be killed between any two statements.
 */
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite"
import { Effect, Latch, Layer } from "effect"
import { Kysely } from "kysely"
import type { Change } from "../../src/Domain/Change.ts"
import { merge, type Row } from "../../src/Domain/Merge.ts"
import { byName } from "../../src/Domain/Resource.ts"
import { dialect } from "../../src/Stores/Sqlite/Dialect.ts"
import { described, EntityTables, usual } from "../../src/Stores/EntityTables.ts"
import { type Batch, Warehouse, WarehouseError, noMirrors } from "../../src/Stores/Warehouse.ts"
import { type Shown, tables, type WarehouseTables } from "../../src/Stores/WarehouseTables.ts"
import type { Machine } from "./Machine.ts"
import type { Epoch } from "./Timers.ts"
import { emptied, prepared } from "./MemoryStore.ts"

const create = ({ columns, key, name }: Shown): string =>
  `create table construction.${name} (${columns.map((column) => `"${column.name}" text`).join(", ")}, primary key ("${key}"))`

const byTable = new Map(tables.map((table) => [table.name, table]))

let created: DatabaseSync | undefined

export const emptyWarehouse = (): DatabaseSync => {
  if (created === undefined) {
    created = new DatabaseSync(":memory:")
    created.exec("attach ':memory:' as construction")
    created.exec(
      `${tables.map(create).join(";")}; create table construction.progress (key text primary key, value text)`
    )
  }
  emptied(created, "construction")
  return created
}

export const progressOf = (database: DatabaseSync, key: string): number =>
  Number(prepared(database, "select value from construction.progress where key = ?").get(key)?.["value"] ?? 0)

/** The rows of a table, as plain text. */
export const rowsOf = (database: DatabaseSync, table: string): ReadonlyArray<Row> =>
  prepared(database, `select * from construction.${table}`).all() as ReadonlyArray<Row>

/** Some writes fail, as the engine's own may. */
export interface Failing {
  /** How many of the next writes fail. */
  failures: number
  /** The engine refuses batches with an event about this entity. */
  refuses: string | undefined
}

const failed = (cause: unknown): WarehouseError =>
  cause instanceof WarehouseError ? cause : new WarehouseError({ reason: "Failed", message: String(cause), cause })

class Writing {
  readonly #database: DatabaseSync
  readonly #machine: Machine
  readonly #epoch: Epoch

  constructor(database: DatabaseSync, machine: Machine, epoch: Epoch) {
    this.#database = database
    this.#machine = machine
    this.#epoch = epoch
  }

  write({ changes, currencies, events, ledger, watermark }: Batch): void {
    this.#machine.boundary(this.#epoch, `write ${changes.length} ${events.length}`)
    this.#database.exec("begin")
    for (const [entity, ofEntity] of Map.groupBy(changes, (change) => change.entity)) {
      for (const [id, ofId] of Map.groupBy(ofEntity, (change) => change.id)) this.#merge(entity, id, ofId)
    }
    this.#putAll("events", events as unknown as ReadonlyArray<Row>)
    if (ledger !== undefined) {
      this.#putAll("ledger_entries", ledger.entries)
      this.#putAll("ledger_hold_decisions", ledger.decisions)
      const { ofIpcs, open } = ledger.holds
      if (ofIpcs === "all") this.#run("delete from construction.ledger_holds", [])
      else for (const id of ofIpcs) this.#run("delete from construction.ledger_holds where ipc_id = ?", [id])
      this.#putAll("ledger_holds", open)
    }
    if (currencies !== undefined) {
      this.#run("delete from construction.project_currencies", [])
      this.#putAll("project_currencies", currencies as unknown as ReadonlyArray<Row>)
    }
    if (watermark !== undefined)
      this.#run("insert or replace into construction.progress values ('applied_through', ?)", [watermark])
    this.#machine.boundary(this.#epoch, "commit of the warehouse")
    this.#database.exec("commit")
    this.#machine.boundary(this.#epoch, "written")
  }

  #merge(entity: Change["entity"], id: string, changes: ReadonlyArray<Change>): void {
    const stored = this.#statement(`select * from construction.${entity} where id = ?`).get(id) as Row | undefined
    const after = merge(byName(entity), stored, changes)
    if (after !== undefined && after !== stored) this.#put(entity, after)
  }

  #putAll(table: string, rows: ReadonlyArray<Row>): void {
    for (const row of rows) this.#put(table, row)
  }

  #put(table: string, row: Row): void {
    const names = byTable.get(table)?.columns.map(({ name }) => name) ?? []
    this.#machine.boundary(this.#epoch, `put ${table}`)
    this.#run(
      `insert or replace into construction.${table} values (${names.map(() => "?").join(", ")})`,
      names.map((name) => row[name] ?? null)
    )
  }

  #run(text: string, values: ReadonlyArray<SQLInputValue>): void {
    this.#statement(text).run(...values)
  }

  #statement(text: string): StatementSync {
    return prepared(this.#database, text)
  }
}

const count = (database: DatabaseSync, what: string, table: string): number =>
  Number(database.prepare(`select coalesce(max(${what}), 0) as n from construction.${table}`).get()?.["n"])

export const warehouseLayer = (
  machine: Machine,
  database: DatabaseSync,
  epoch: Epoch,
  failing: Failing,
  onWritten: () => void
): Layer.Layer<Warehouse> => {
  if (database.isTransaction) database.exec("rollback")
  const writing = new Writing(database, machine, epoch)
  const db = new Kysely<WarehouseTables>({ dialect: dialect(database) })
  const ask = <A>(question: () => A) => machine.sync(epoch, question, failed)
  const write = (batch: Batch) =>
    ask(() => {
      if (failing.failures > 0) {
        failing.failures--
        throw new WarehouseError({ reason: "Failed", message: "the disk is slow" })
      }
      const isRefused = batch.changes.some(({ id, source }) => source === "event" && id === failing.refuses)
      if (isRefused) throw new WarehouseError({ reason: "Refused", message: "it doesn't fit" })
      try {
        writing.write(batch)
      } catch (cause) {
        if (database.isTransaction) database.exec("rollback")
        throw cause
      }
      onWritten()
    })
  const oneAtATime = Latch.makeUnsafe(true)
  return Layer.succeed(
    Warehouse,
    Warehouse.of({
      id: "simulated",
      prefersFewTables: false,
      opened: oneAtATime.await,
      table: (name) => Effect.sync(() => described(byName(name))),
      tables: Effect.sync(() => new EntityTables(usual)),
      evolve: Effect.void,
      write,
      watermark: ask(() => progressOf(database, "applied_through")),
      books: ask(() => ({
        entries: count(database, "cast(sequence as integer)", "ledger_entries"),
        decisions: count(database, "cast(number as integer)", "ledger_hold_decisions"),
        facts: 0
      })),
      probe: Effect.void,
      version: Effect.succeed(1),
      query: (run) => machine.effect(epoch, () => run(db), failed),
      snapshot: ask(() => ({
        watermark: progressOf(database, "applied_through"),
        tables: [],
        parts: () => Effect.succeed([]),
        eventDates: Effect.succeed([]),
        writeTable: () => Effect.succeed(0),
        writeEvents: () => Effect.succeed([]),
        head: Effect.succeed(null),
        readJournal: () => Effect.void
      })),
      publish: () => Effect.succeed({ isWhole: true }),
      mirrors: noMirrors,
      pieces: Effect.succeed([]),
      keepNewest: Effect.void
    })
  )
}
