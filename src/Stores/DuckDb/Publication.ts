/**
 * The copy of the warehouse that analysts open, without the Store's deliveries, made from the warehouse's file
 * (`PublishedFiles`). The rows that have changed since each copy are noted as they are written.
 *
 * Guarantee: a copy is as of one point in time, and contains everything that was written before it. The notes of an
 * earlier process count only if the warehouse's file is as that process closed it.
 */
import type { DuckDBConnection } from "@duckdb/node-api"
import { Schema } from "effect"
import { seen } from "../Ddl.ts"
import type { EntityTables } from "../EntityTables.ts"
import type { NestedTable } from "../NestedTables.ts"
import * as KnownCopies from "../KnownCopies.ts"
import { type Given, type Known, type Limits, PublishedFiles, usual } from "../PublishedFiles.ts"
import type { Published } from "../Warehouse.ts"
import { currenciesTable, ledgerHoldsTable, type Shown } from "../WarehouseTables.ts"
import { Changed } from "./Changed.ts"
import { copying, discardFile, type OpenFile } from "./File.ts"
import type { Memory } from "./Memory.ts"
import * as NestedRows from "./NestedRows.ts"
import { foundBy, listed } from "./TableRows.ts"
import { copyWhole } from "./WholeCopy.ts"

/** Small tables from which rows are also deleted: copied completely. */
const small = new Set([ledgerHoldsTable.name, currenciesTable.name])

/** Nothing is written while it runs. */
export type Exclusively = (run: () => Promise<void>) => Promise<void>

/** A file that is open. */
export interface Own extends Pick<OpenFile, "instance" | "tables"> {
  /** The file's identity (`FileIdentity.ofClosed`) before it was opened; undefined if earlier notes don't count. */
  readonly asClosed?: string | undefined
  readonly memory: Pick<Memory, "giveRoom" | "newColumns" | "roomFor" | "takeRoom">
}

export class Publication {
  readonly #own: Own
  readonly #files: PublishedFiles<Changed>
  #tables: ReadonlyMap<string, Shown>
  #nested: ReadonlyArray<NestedTable>
  readonly #exclusively: Exclusively
  /** Changes for the copy that is being made. */
  #next: Changed | undefined
  /** Changes since the file was opened, until the first copy. */
  #first: Changed | undefined = new Changed()
  /** The path of the last copy. */
  #target: string | undefined

  constructor(own: Own, exclusively: Exclusively, limits: Limits = usual) {
    this.#own = own
    this.#files = new PublishedFiles(limits)
    this.#tables = new Map(own.tables.written.map((table) => [table.name, table]))
    this.#nested = own.tables.nested
    this.#exclusively = exclusively
  }

  /** Rows with these keys have been written, or possibly not. */
  readonly wrote = (table: string, keys: ReadonlyArray<string>): void => {
    for (const since of this.#files.since) since.add(table, keys)
    this.#next?.add(table, keys)
    this.#first?.add(table, keys)
  }

  /** The files have other columns: the next copy is made completely. Not called while one is being made. */
  evolved(tables: EntityTables): void {
    this.#tables = new Map(tables.written.map((table) => [table.name, table]))
    this.#nested = tables.nested
    this.#files.forget()
  }

  /** `asClosed`: the identity of the warehouse's file, which is now closed. */
  leave(asClosed: string | undefined): void {
    if (this.#target === undefined) return
    const known = asClosed === undefined ? undefined : notedOf(this.#files.known)
    KnownCopies.write(this.#target, this.#sourceAt(asClosed), known)
  }

  /** `isWhole`: doesn't use the previous file, which may be damaged. */
  async publish(target: string, isWhole: boolean): Promise<Published> {
    const next = new Changed()
    // A write in progress has noted its keys elsewhere, so it must finish before the copy begins.
    await this.#exclusively(async () => {
      this.#next = next
      this.#recall(target)
    })
    try {
      return await this.#files.publish(target, isWhole, {
        whole: (path) => this.#whole(path, next),
        isUsable: ({ keys }) => keys !== undefined,
        given: (path, since) => this.#given(path, since, next)
      })
    } finally {
      this.#next = undefined
    }
  }

  /** Recalls what an earlier process knew about the copies, and adds what has changed since the file was opened. */
  #recall(target: string): void {
    const [first, { asClosed }] = [this.#first, this.#own]
    this.#first = undefined
    this.#target = target
    const known = first && asClosed && KnownCopies.read(target, this.#sourceAt(asClosed), Keys)
    if (first !== undefined && known) this.#files.recall(changedOf(known, first))
  }

  #sourceAt(asClosed: string | undefined): string {
    return KnownCopies.sourceOf([...this.#tables.values(), ...this.#nested], `${asClosed}`)
  }

  async #whole(path: string, next: Changed): Promise<Changed> {
    const { instance, memory } = this.#own
    const whole = { instance, nested: this.#nested }
    const all = [...this.#tables.values(), ...this.#nested]
    const room = memory.roomFor(all.reduce((sum, { columns }) => sum + columns.length, 0))
    await memory.takeRoom(room)
    try {
      const parts = await copyWhole(path, { ...whole, columnsAtOnce: memory.newColumns })
      if (parts === 1 || (await this.#given(path, next, next)) !== undefined) return next
      // Too much was written meanwhile.
      discardFile(path)
      await copyWhole(path, { ...whole, columnsAtOnce: Infinity })
      return next
    } finally {
      await memory.giveRoom(room)
    }
  }

  async #given(path: string, since: Changed, next: Changed): Promise<Given<Changed> | undefined> {
    try {
      await copying(this.#own.instance, path, async (connection, own) => {
        let changed: Changed["keys"]
        await this.#exclusively(async () => {
          await connection.run("begin transaction")
          // From here on the transaction sees nothing that is written later.
          await connection.run(`select 1 from "${own}".siteledger.meta`)
          changed = since.keys
        })
        if (changed === undefined) throw new Error("too much has changed")
        await copyAll(connection, own, "siteledger.meta")
        for (const name of small) await copyAll(connection, own, seen(name))
        for (const [name, keys] of changed) {
          if (!small.has(name)) await copySome(connection, own, this.#tables.get(name)!, keys)
        }
        await NestedRows.copyChanged(connection, own, this.#nested, changed)
        await connection.run("commit")
        await connection.run("checkpoint copied")
      })
      return { since: next, replaced: since.count }
    } catch {
      return undefined
    }
  }
}

/** By table. */
const Keys = Schema.Array(Schema.Tuple([Schema.String, Schema.Array(Schema.String)]))
type Keys = typeof Keys.Type

/** Undefined if too much has changed. */
const notedOf = (known: Known<Changed> | undefined): Known<Keys> | undefined => {
  const [shown, hidden] = [known?.shown.since.keys, known?.hidden?.since.keys]
  if (known === undefined || shown === undefined) return undefined
  return {
    shown: { ...known.shown, since: [...shown] },
    hidden: known.hidden === null || hidden === undefined ? null : { ...known.hidden, since: [...hidden] },
    replaced: known.replaced
  }
}

const changedOf = ({ hidden, replaced, shown }: Known<Keys>, first: Changed): Known<Changed> => ({
  shown: { ...shown, since: changedIn(shown.since, first) },
  hidden: hidden && { ...hidden, since: changedIn(hidden.since, first) },
  replaced
})

const changedIn = (keys: Keys, first: Changed): Changed => {
  const all = new Changed()
  all.include(first)
  for (const [table, some] of keys) all.add(table, some)
  return all
}

const copyAll = async (connection: DuckDBConnection, own: string, table: string): Promise<void> => {
  await connection.run(`delete from copied.${table}`)
  await connection.run(`insert into copied.${table} select * from "${own}".${table}`)
}

/** By row number: recently written rows lie together, so little is read. */
const copySome = async (
  connection: DuckDBConnection,
  own: string,
  table: Shown,
  keys: ReadonlyArray<string>
): Promise<void> => {
  const name = seen(table.name)
  const by = foundBy(table)
  const type = table.columns.find((column) => column.name === by)!.type
  const among = JSON.stringify(keys)
  const isAmong = `"${by}" in (${listed(type)})`
  await connection.run(`delete from copied.${name} where ${isAmong}`, [among])
  const found = await connection.runAndReadAll(`select rowid from "${own}".${name} where ${isAmong}`, [among])
  await connection.run(
    `insert into copied.${name}
     select * from "${own}".${name} where rowid in (${listed("BIGINT")})`,
    [JSON.stringify(found.getRowsJson().map(([rowid]) => String(rowid)))]
  )
}
