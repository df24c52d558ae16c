/**
 * How much memory the warehouse's DuckDB may use, and how many threads. It caches what it has read and written up to
 * its limit and gives nothing back, so the limit is low until a walk, an export or a vacuum needs room. After it ran
 * out of memory, it keeps the higher limit.
 *
 * A second thread helps only with large work. With small batches one thread waits for the other, and both spin
 * meanwhile: that took a third of DuckDB's CPU time under a stream, and two fifths when it wrote 500 small tables.
 */
import type { DuckDBInstance } from "@duckdb/node-api"

/** What the files of an export take besides the warehouse: enough for a row group of the widest table. */
export const besideMb = 384

/** In MB, for all of the worker's instances together. */
export const usualBudgetMb = 768

/** Shares of the budget, in MB. */
export interface Shares {
  readonly resting: number
  /**
   * While large batches are written: less would make a large checkpoint slow, and a copy of all tables needs no more.
   */
  readonly loading: number
  /** While tables without many columns are exported: with more it takes as long, and DuckDB would use all of it. */
  readonly exporting: number
  readonly working: number
}

export const sharesOf = (budgetMb: number): Shares => {
  const working = budgetMb - besideMb
  return {
    resting: Math.round(working / 6),
    loading: Math.round(working / 3),
    // For two parts of events at once, each as large as a pass may be (EventPasses).
    exporting: Math.min(working, Math.max(144, Math.round((working * 3) / 8))),
    working
  }
}

/** The size of a batch that a walk or a rebuild writes, and a stream hardly ever does. */
const large = 5000

/** Large batches follow each other within this time, in milliseconds. */
const loadingLasts = 60_000

/**
 * What a column of a table takes from its first new row until a checkpoint, regardless of what the row holds: one
 * block.
 */
const newColumnKb = 40

/** For how many columns this many MB can hold the first new rows until a checkpoint. */
export const newColumnsIn = (memoryMb: number): number => Math.floor((memoryMb * 1000) / 3 / newColumnKb)

/** By file, in MB: how much one turned out to need; remembered until the process ends. */
const learned = new Map<string, number>()

const hasTwice = (mb: number): boolean => mb * 1_000_000 <= process.availableMemory() / 2

/**
 * Freed memory is returned to the system in pieces of this size: 6,000 small writes ended at 409 MB instead of 491. But
 * returning it and taking it again was a third of the cost of an export, and a quarter of the time of each small
 * table's file.
 */
export const flushedAtRest = "1MB"
const flushedForSmallTables = "4MB"
const flushedForExport = "12MB"

/** For work on the whole file. */
export type Room = "loading" | "exporting" | "working"

/**
 * A table with this many columns has parts that need much room: DuckDB holds a part until it is written, and 122,880
 * rows of 65 columns took 250 MB.
 */
const manyColumns = 32

export const exportRoom = (tables: ReadonlyArray<{ readonly columns: ReadonlyArray<unknown> }>): Room =>
  tables.some(({ columns }) => columns.length > manyColumns) ? "working" : "exporting"

/** What a file gets when it is opened. */
export const restingOf = ({ resting }: Shares, path: string): number => Math.max(resting, learned.get(path) ?? 0)

/** Large work, for which a second thread pays off. */
export type InParallel = <A>(run: () => Promise<A>) => Promise<A>

export class Memory {
  readonly #instance: DuckDBInstance
  readonly #shares: Shares
  readonly #nowMs: () => number
  readonly #path: string | undefined
  /** Columns of tables with new rows, by table. */
  readonly #unwritten = new Map<string, number>()
  #limit: number
  /** Everything available, after one export ran out of memory: its rows may be long. */
  #exporting: number
  readonly #users: Record<Room, number> = { loading: 0, exporting: 0, working: 0 }
  /** How many tasks run with two threads. */
  #parallel = 0
  /** The limit couldn't be lowered; each batch tries again. */
  #isTooHigh = false
  /** On the monotonic clock, in milliseconds; undefined if none is being written. */
  #loadingUntil: number | undefined

  /** `path`: the path of the file. */
  constructor(instance: DuckDBInstance, shares: Shares, nowMs = () => performance.now(), path?: string) {
    this.#instance = instance
    this.#shares = shares
    this.#nowMs = nowMs
    this.#path = path
    this.#exporting = shares.exporting
    this.#limit = path === undefined ? shares.resting : restingOf(shares, path)
  }

  /** A table with this many columns has new rows. */
  added(table: string, columns: number): void {
    this.#unwritten.set(table, columns)
  }

  /** Whether so many tables have new rows that a checkpoint should free their memory. */
  get isFilled(): boolean {
    return [...this.#unwritten.values()].reduce((sum, count) => sum + count, 0) > this.newColumns
  }

  /** For how many columns it can hold the first new rows until a checkpoint. */
  get newColumns(): number {
    return newColumnsIn(this.#current)
  }

  checkpointed(): void {
    this.#unwritten.clear()
  }

  /** Doubles the limit permanently and returns it in MB; undefined if the machine doesn't have enough. */
  async takeMore(): Promise<number | undefined> {
    const current = this.#current
    if (!hasTwice(current)) return undefined
    this.#limit = current * 2
    if (this.#path !== undefined) learned.set(this.#path, this.#limit)
    await this.#apply()
    return this.#current
  }

  /**
   * For readers. During an export it first raises only the exports' limit, to the whole share: a file at rest doesn't
   * need more.
   */
  async takeMoreToRead(): Promise<number | undefined> {
    const current = this.#current
    const { working } = this.#shares
    const isShortOfShare = this.#users.exporting > 0 && current === this.#exporting && current < working
    if (!isShortOfShare || !hasTwice(current)) return this.takeMore()
    this.#exporting = working
    await this.#apply()
    return this.#current
  }

  /** The room that holds the first new rows of this many columns. */
  roomFor(columns: number): Room {
    return columns > newColumnsIn(this.#shares.loading) ? "working" : "loading"
  }

  /** Held until it is given back. */
  async takeRoom(room: Room = "working"): Promise<void> {
    this.#users[room]++
    await this.#apply()
  }

  async giveRoom(room: Room = "working"): Promise<void> {
    this.#users[room]--
    await this.#lower()
  }

  /** Called once a file is open; until then it may use more. */
  rest(): Promise<void> {
    return this.#lower()
  }

  /** Runs with a second thread. */
  readonly inParallel: InParallel = async (run) => {
    this.#parallel++
    await this.#apply()
    try {
      return await run()
    } finally {
      this.#parallel--
      await this.#lower()
    }
  }

  /**
   * Drops DuckDB's caches, and with them its notes about each block that was ever in memory: 230 bytes each, in several
   * lists that it shortens only once they have 32,768 entries. They grow by 40 MB within hours, outside of its own
   * accounting.
   */
  async clear(): Promise<void> {
    // The first statement fails unless nothing is in use, but first drops everything that isn't in use.
    await this.#set("1KB", `${this.#current}MB`).catch(() => undefined)
    await this.#lower()
  }

  /** Called before a batch with this many rows is written. */
  async beforeBatch(rows: number): Promise<void> {
    const now = this.#nowMs()
    const before = this.#loadingUntil
    if (rows >= large) this.#loadingUntil = now + loadingLasts
    else if (before !== undefined && before < now) this.#loadingUntil = undefined
    if (this.#isTooHigh || (before === undefined) !== (this.#loadingUntil === undefined)) await this.#lower()
  }

  /** Memory in use can't be given back now: DuckDB then keeps its limit. */
  async #lower(): Promise<void> {
    this.#isTooHigh = await this.#apply().then(
      () => false,
      () => true
    )
  }

  get #current(): number {
    const { loading, resting, working } = this.#shares
    if (this.#users.working > 0) return Math.max(this.#limit, working)
    if (this.#users.exporting > 0) return Math.max(this.#limit, this.#exporting)
    const isLoading = this.#users.loading > 0 || this.#loadingUntil !== undefined
    return Math.max(this.#limit, isLoading ? loading : resting)
  }

  #apply(): Promise<void> {
    return this.#set(`${this.#current}MB`)
  }

  /** A wide table that is large enough for two threads needs everything available. */
  #flushed(threads: number): string {
    if (this.#users.working > 0) return threads === 1 ? flushedForSmallTables : flushedAtRest
    return this.#users.exporting > 0 ? flushedForExport : flushedAtRest
  }

  async #set(...limits: ReadonlyArray<string>): Promise<void> {
    const threads = this.#parallel > 0 || this.#loadingUntil !== undefined ? 2 : 1
    const flushed = this.#flushed(threads)
    const others = `set threads = ${threads};
      set allocator_flush_threshold = '${flushed}'; set allocator_bulk_deallocation_flush_threshold = '${flushed}'`
    const connection = await this.#instance.connect()
    try {
      // The limit comes last, because it may be refused.
      await connection.run(`${others};${limits.map((limit) => `set memory_limit = '${limit}'`).join(";")}`)
    } finally {
      connection.disconnectSync()
    }
  }
}
