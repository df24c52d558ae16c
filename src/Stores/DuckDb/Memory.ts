/**
 * How much memory the warehouse's DuckDB may use. It caches what it has read and written up to its limit and gives nothing
 * back, so the limit is low until an export or a vacuum needs room. One that ran out of memory keeps what it then got.
 */
import type { DuckDBInstance } from "@duckdb/node-api"

/** What the files of an export take beside the warehouse: enough for a row group of the widest table. */
export const besideMb = 384

/** In MB, of all of the worker's instances together. */
export const usualBudgetMb = 768

/** Shares of the budget, in MB. */
export interface Shares {
  readonly resting: number
  /** With 384 MB an export of 11,000,000 rows is as fast as with 1,000 MB. */
  readonly working: number
}

/** Less than a third makes a large checkpoint slow. */
export const sharesOf = (budgetMb: number): Shares => {
  const working = budgetMb - besideMb
  return { resting: Math.round(working / 3), working }
}

export class Memory {
  readonly #instance: DuckDBInstance
  readonly #working: number
  #limit: number
  #users = 0

  constructor(instance: DuckDBInstance, { resting, working }: Shares) {
    this.#instance = instance
    this.#limit = resting
    this.#working = working
  }

  /** Doubles the limit for good and returns it in MB; undefined if the machine hasn't enough. */
  async takeMore(): Promise<number | undefined> {
    const current = this.#current
    if (current * 1_000_000 > process.availableMemory() / 2) return undefined
    this.#limit = current * 2
    await this.#apply()
    return this.#limit
  }

  /** Room to work in, until it is given back. */
  async takeRoom(): Promise<void> {
    this.#users++
    await this.#apply()
  }

  async giveRoom(): Promise<void> {
    this.#users--
    // What is in use can't be given back now; the next one gives it back.
    await this.#apply().catch(() => undefined)
  }

  get #current(): number {
    return this.#users > 0 ? Math.max(this.#limit, this.#working) : this.#limit
  }

  async #apply(): Promise<void> {
    const connection = await this.#instance.connect()
    try {
      await connection.run(`set memory_limit = '${this.#current}MB'`)
    } finally {
      connection.disconnectSync()
    }
  }
}
