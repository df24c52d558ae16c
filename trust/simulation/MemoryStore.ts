/**
 * The Store of the simulation: the real SQLite code over a database in memory, and the inbox's real files without their
 * thread, in a folder in memory.
 *
 * Every statement is a place at which the process may be killed. What wasn't committed by then is rolled back when the next
 * process opens the database, as SQLite does after a crash.
 */
import { createSecretKey, hash } from "node:crypto"
import { DatabaseSync, type StatementSync } from "node:sqlite"
import { Duration, Effect, Layer } from "effect"
import { Kysely } from "kysely"
import { ArchiveFolder } from "../../src/Stores/Archives/ArchiveFolder.ts"
import * as Segmented from "../../src/Stores/Segments/Deliveries.ts"
import { Reader } from "../../src/Stores/Segments/Reader.ts"
import type { Segments } from "../../src/Stores/Segments/Segments.ts"
import { type Incoming, packed, unpacked } from "../../src/Stores/Segments/Protocol.ts"
import { Writer } from "../../src/Stores/Segments/Writer.ts"
import { batchBytes } from "../../src/Stores/Deliveries.ts"
import { storeError } from "../../src/Stores/Sqlite/Failure.ts"
import * as Dialect from "../../src/Stores/Sqlite/Dialect.ts"
import { migrate } from "../../src/Stores/Sqlite/Store.ts"
import { lookOf, Store } from "../../src/Stores/Store.ts"
import type { StoreTables } from "../../src/Stores/StoreTables.ts"
import type { Machine } from "./Machine.ts"
import type { Epoch } from "./Timers.ts"

const key = createSecretKey(Buffer.alloc(32, 7))

/** Migrated once: all days use the same database, one after the other. */
let migrated: DatabaseSync | undefined

export const emptyStore = async (): Promise<DatabaseSync> => {
  if (migrated === undefined) {
    migrated = new DatabaseSync(":memory:")
    await migrate(new Kysely<StoreTables>({ dialect: Dialect.dialect(migrated) }))
    // Between two days even the books are emptied.
    const onDelete = "select name from sqlite_master where type = 'trigger' and sql like '%before delete%'"
    for (const { name } of migrated.prepare(onDelete).all()) migrated.exec(`drop trigger "${String(name)}"`)
  }
  emptied(migrated, "main")
  return migrated
}

/** Deletes every row. */
export const emptied = (database: DatabaseSync, schema: string): void => {
  if (database.isTransaction) database.exec("rollback")
  const rows = prepared(database, `select name from ${schema}.sqlite_master where type = 'table'`).all()
  const tables = rows.map(({ name }) => `${schema}."${String(name)}"`).filter((name) => !name.includes("kysely"))
  database.exec(
    `pragma foreign_keys = off; ${tables.map((name) => `delete from ${name};`).join("")} pragma foreign_keys = on`
  )
}

const kept = new WeakMap<DatabaseSync, Dialect.Prepares>()

/** Prepared once for all days. */
export const prepared = (database: DatabaseSync, text: string): StatementSync => {
  const statements = kept.get(database) ?? Dialect.prepared(database)
  kept.set(database, statements)
  return statements.prepare(text)
}

/** Every statement of a process passes the machine first. */
const watched = (database: DatabaseSync, machine: Machine, epoch: Epoch): DatabaseSync => {
  const prepare = (text: string): StatementSync => {
    machine.boundary(epoch, `sql ${text.slice(0, 60)}`)
    return prepared(database, text)
  }
  return new Proxy(database, {
    get: (target, name) => (name === "prepare" ? prepare : name === "isTransaction" ? target.isTransaction : undefined)
  })
}

/** A frame of the inbox, as it was read back after it was stored. */
export interface Stored {
  readonly number: number
  /** The hash of a body that was new. */
  readonly sha256: string | undefined
  /** The number of the first delivery with this body. */
  readonly of: number
}

/** The inbox's files of one process. */
export class Files {
  readonly #writer: Writer
  readonly #reader: Reader
  readonly #machine: Machine
  readonly #epoch: Epoch
  readonly #stored: Array<Stored>

  constructor(folder: string, machine: Machine, epoch: Epoch, applied: number, stored: Array<Stored>) {
    this.#stored = stored
    this.#writer = new Writer(folder, key, { floor: applied + 1 })
    this.#reader = new Reader(folder)
    this.#machine = machine
    this.#epoch = epoch
  }

  get last(): number {
    return this.#writer.last
  }

  async receive(batch: ReadonlyArray<Incoming>): Promise<number> {
    // Stands for the thread's turn: anything may happen before it.
    await new Promise<void>((resolve) => this.#machine.post(this.#epoch, resolve))
    this.#machine.boundary(this.#epoch, `receive ${batch.length}`)
    const { fresh } = this.#writer.receive(unpacked(packed(batch)))
    for (let number = (this.#stored.at(-1)?.number ?? 0) + 1; number <= this.last; number++) {
      const frame = this.at(number)
      if (frame?.kind === "again") this.#stored.push({ number, sha256: undefined, of: frame.of })
      if (frame?.kind === "first") this.#stored.push({ number, sha256: hash("sha256", frame.body, "hex"), of: number })
    }
    this.#machine.boundary(this.#epoch, `received ${fresh}`)
    return fresh
  }

  after(number: number, limit: number) {
    return this.#reader.after(number, this.last, limit, batchBytes)
  }

  range(after: number, limit: number) {
    return this.#reader.range(after, this.last, limit, batchBytes)
  }

  at(number: number) {
    return this.#reader.at(number, this.last)
  }

  /** No disk damages the files. */
  async reading<A>(read: () => A | Promise<A>): Promise<A> {
    return read()
  }

  close(): void {
    this.#reader.forget()
    this.#writer.close()
  }
}

/** One process's view of the Store. */
export const opened = (
  machine: Machine,
  database: DatabaseSync,
  { folder, stored }: { readonly folder: string; readonly stored: Array<Stored> },
  epoch: Epoch
) => {
  if (database.isTransaction) database.exec("rollback")
  const db = new Kysely<StoreTables>({ dialect: Dialect.dialect(watched(database, machine, epoch)) })
  const applied = Number(database.prepare("select value from meta where key = 'applied_through'").get()?.["value"] ?? 0)
  const files = new Files(folder, machine, epoch, applied, stored)
  const run = <A>(query: (db: Kysely<StoreTables>) => Promise<A>) => machine.effect(epoch, () => query(db), storeError)
  const deliveries = Segmented.make(
    {
      open: async () => files as unknown as Segments,
      archives: new ArchiveFolder(`${folder}-archive`),
      repaired: () => 0,
      found: async () => undefined
    },
    run
  )
  const layer = Layer.succeed(
    Store,
    Store.of({
      engine: "sqlite",
      atomically: (effect) => effect,
      sharesDatabase: false,
      afterCommit: (effect) => effect,
      pollEvery: Duration.infinity,
      look: lookOf(run),
      stamp: () => Effect.succeed(""),
      lostKey: Effect.void,
      knows: () => Effect.void,
      workers: { say: () => Effect.void, withdraw: () => Effect.void, all: Effect.succeed([]) },
      deliveries,
      run,
      transaction: (body) =>
        Effect.uninterruptible(machine.effect(epoch, () => db.transaction().execute(body), storeError)),
      readAt: undefined,
      pieces: Effect.succeed([]),
      backup: () => Effect.die("no backups are simulated"),
      following: undefined
    })
  )
  return { layer, files }
}
