/**
 * The copy of the warehouse that analysts open, without the Store's deliveries. It is made whole, or, once it is large,
 * from the one before: two files take turns, and the one that is hidden is given what has changed since it was shown. Where
 * there is none yet, or a reader still has it open, a copy of the shown one's bytes is.
 *
 * Guarantees: a copy is as of one point in time and appears all at once; nobody sees a file that is being changed. A hidden
 * file that a reader still has open, that is damaged, or that this process didn't make is left alone or removed. What is
 * known about the files ends with the process: the first copy of every start is whole.
 */
import { linkSync, renameSync, rmSync, statSync } from "node:fs"
import { copyFile } from "node:fs/promises"
import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api"
import { inherit } from "../../Runtime/Rights.ts"
import type { Published } from "../Warehouse.ts"
import { seen } from "../Ddl.ts"
import type { EntityTables } from "../EntityTables.ts"
import type { NestedTable } from "../NestedTables.ts"
import { currenciesTable, ledgerHoldsTable, type Shown } from "../WarehouseTables.ts"
import { Changed } from "./Changed.ts"
import { copying, discardFile } from "./File.ts"
import * as NestedRows from "./NestedRows.ts"
import { foundBy, listed } from "./TableRows.ts"

/** Small, and rows are also deleted from them: copied as they are. */
const small = new Set([ledgerHoldsTable.name, currenciesTable.name])

export interface Limits {
  /** In bytes: a smaller file is copied in less than a second. */
  readonly large: number
  /** Deleted rows stay in the file, and slow down those who read it. */
  readonly replaced: number
  /** In milliseconds, from when the file is hidden: a program may be copying it byte by byte, which takes no lock. */
  readonly leftAlone: number
}

const usual: Limits = { large: 32 * 1024 * 1024, replaced: 200_000, leftAlone: 50_000 }

interface Copy {
  /** Of its file: tells it from any other, and from what somebody has made of it. */
  readonly identity: string
  readonly since: Changed
}

interface Hidden extends Copy {
  /** Since when, by the monotonic clock. */
  readonly fromMs: number
}

/** Nothing is written while it runs. */
type Exclusively = (run: () => Promise<void>) => Promise<void>

const hiddenOf = (target: string): string => `${target}.previous`

export class Publication {
  readonly #instance: DuckDBInstance
  #tables: ReadonlyMap<string, Shown>
  #nested: ReadonlyArray<NestedTable>
  readonly #exclusively: Exclusively
  readonly #limits: Limits
  #shown: Copy | undefined
  #hidden: Hidden | undefined
  /** For the copy that is being made. */
  #next: Changed | undefined
  /** Since the last whole copy. */
  #replaced = 0

  constructor(instance: DuckDBInstance, tables: EntityTables, exclusively: Exclusively, limits = usual) {
    this.#instance = instance
    this.#tables = new Map(tables.written.map((table) => [table.name, table]))
    this.#nested = tables.nested
    this.#exclusively = exclusively
    this.#limits = limits
  }

  /** Rows with these keys have been written, or perhaps not. */
  readonly wrote = (table: string, keys: ReadonlyArray<string>): void => {
    this.#shown?.since.add(table, keys)
    this.#hidden?.since.add(table, keys)
    this.#next?.add(table, keys)
  }

  /** The files have other columns: the next copy is made whole. Not while one is made. */
  evolved(tables: EntityTables): void {
    this.#tables = new Map(tables.written.map((table) => [table.name, table]))
    this.#nested = tables.nested
    this.#shown = undefined
    this.#hidden = undefined
  }

  /** `isWhole`: without the file before it, which may be damaged. */
  async publish(target: string, isWhole: boolean): Promise<Published> {
    const next = new Changed()
    // A write under way has noted its keys elsewhere: it is done before the copy begins.
    await this.#exclusively(async () => void (this.#next = next))
    try {
      const updated = isWhole ? undefined : await this.#updated(target)
      const path = updated ?? (await this.#whole(target))
      inherit(path, target)
      this.#show(path, target, next)
      return { isWhole: updated === undefined }
    } finally {
      this.#next = undefined
    }
  }

  /** A file of ours with what has changed since; undefined if there is none. */
  async #updated(target: string): Promise<string | undefined> {
    if (!isStill(target, this.#shown) || this.#replaced > this.#limits.replaced) return undefined
    const [path, hidden] = [hiddenOf(target), this.#hidden]
    const isFree = isStill(path, hidden) && performance.now() - hidden.fromMs >= this.#limits.leftAlone
    const turned = isFree ? await this.#given(path, hidden.since) : undefined
    return turned ?? this.#twin(target, this.#shown)
  }

  /** A copy of the shown file's bytes takes a tenth of the processor time of a whole one. */
  async #twin(target: string, { since }: Copy): Promise<string | undefined> {
    if (since.keys === undefined || statSync(target).size < this.#limits.large) return undefined
    const path = this.#unfinished(target)
    const isCopied = await copyFile(target, path).then(
      () => true,
      () => false
    )
    return isCopied ? this.#given(path, since) : undefined
  }

  /** With what has changed; undefined if the file can't be used. */
  async #given(path: string, since: Changed): Promise<string | undefined> {
    try {
      await copying(this.#instance, path, async (connection, own) => {
        let changed: Changed["keys"]
        await this.#exclusively(async () => {
          await connection.run("begin transaction")
          // From here on the transaction sees nothing that is written later.
          await connection.run(`select 1 from "${own}".siteledger.meta`)
          changed = since.keys
          this.#hidden = undefined
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
      this.#replaced += since.count
      return path
    } catch {
      return undefined
    }
  }

  /** Where a copy is made that isn't made from the hidden one, which is of no use then: there may be little room. */
  #unfinished(target: string): string {
    const path = `${target}.unfinished`
    discardFile(path)
    discardFile(hiddenOf(target))
    this.#hidden = undefined
    return path
  }

  async #whole(target: string): Promise<string> {
    const path = this.#unfinished(target)
    await copyWhole(this.#instance, path, this.#nested)
    this.#replaced = 0
    return path
  }

  /** The copy before it is hidden, if it is ours. */
  #show(path: string, target: string, since: Changed): void {
    const [before, spare, hidden] = [this.#shown, `${target}.spare`, hiddenOf(target)]
    rmSync(spare, { force: true })
    const isKept = isStill(target, before) && statSync(target).size >= this.#limits.large && isLinked(target, spare)
    renameSync(path, target)
    discardFile(hidden)
    if (isKept) renameSync(spare, hidden)
    this.#hidden = isKept ? { ...before, fromMs: performance.now() } : undefined
    this.#shown = { identity: identityOf(target)!, since }
  }
}

const isStill = <C extends Copy>(path: string, copy: C | undefined): copy is C =>
  copy !== undefined && identityOf(path) === copy.identity

/** Neither a new name nor other rights change it. An inode's number alone is given to another file soon. */
const identityOf = (path: string): string | undefined => {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found && `${found.ino} ${found.size} ${found.mtimeNs}`
}

/** Not every file system has links. */
const isLinked = (path: string, other: string): boolean => {
  try {
    linkSync(path, other)
    return true
  } catch {
    return false
  }
}

const copyAll = async (connection: DuckDBConnection, own: string, table: string): Promise<void> => {
  await connection.run(`delete from copied.${table}`)
  await connection.run(`insert into copied.${table} select * from "${own}".${table}`)
}

/** By row number: what was written last is together, and no more is read. */
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

const copyWhole = (instance: DuckDBInstance, path: string, nested: ReadonlyArray<NestedTable>): Promise<void> =>
  copying(instance, path, async (connection, own) => {
    await connection.run("begin transaction")
    await connection.run(`copy from database "${own}" to copied (schema)`)
    const all = await connection.runAndReadAll(
      `select schema_name || '."' || table_name || '"' from duckdb_tables()
       where database_name = '${own}' and not internal and (schema_name, table_name) <> ('siteledger', 'inbox')`
    )
    for (const [table] of all.getRowsJson()) {
      await connection.run(`insert into copied.${String(table)} select * from "${own}".${String(table)}`)
    }
    await NestedRows.copyWhole(connection, own, nested)
    await connection.run("drop table copied.siteledger.inbox")
    await connection.run("commit")
  })
