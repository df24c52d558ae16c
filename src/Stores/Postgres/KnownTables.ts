/**
 * The tables of entities as this worker knows them. Of several workers one adds columns that were learned, in the transaction
 * in which they are learned; the others notice before they write or read, by how many there are. A batch that has begun
 * before leaves new columns alone: what belongs there stays among the other fields until the row's next change.
 */
import type { Kysely } from "kysely"
import type { Resource } from "../../Domain/Resource.ts"
import { type EntityTable, type EntityTables, evolutionOf } from "../EntityTables.ts"
import * as LearnedColumns from "../LearnedColumns.ts"
import { wantedTables } from "../Resources.ts"
import type { StoreTables } from "../StoreTables.ts"
import { evolve, evolveWithin, foundIn } from "./Evolve.ts"

export class KnownTables {
  readonly #resources: ReadonlyArray<Resource>
  #tables: EntityTables
  /** How many columns were learned then. */
  #learned: number

  private constructor(resources: ReadonlyArray<Resource>, tables: EntityTables, learned: number) {
    this.#resources = resources
    this.#tables = tables
    this.#learned = learned
  }

  /** Adds what is lacking. */
  static async open<DB>(db: Kysely<DB>, resources: ReadonlyArray<Resource>): Promise<KnownTables> {
    const learned = await LearnedColumns.all(storeOf(db))
    return new KnownTables(resources, await evolve(db, wantedTables(resources, learned)), learned.length)
  }

  /** For a batch about these tables: only those of lists learn columns, so that events need not ask. */
  async about<DB>(db: Kysely<DB>, names: ReadonlyArray<string>): Promise<EntityTables> {
    return names.some((name) => this.#tables.of(name).resource.isWhole === true) ? this.now(db) : this.#tables
  }

  /** As they are now, within the caller's transaction. */
  async now<DB>(db: Kysely<DB>): Promise<EntityTables> {
    if ((await LearnedColumns.count(storeOf(db))) === this.#learned) return this.#tables
    const learned = await LearnedColumns.all(storeOf(db))
    this.#tables = evolutionOf(wantedTables(this.#resources, learned), await foundIn(db)).tables
    this.#learned = learned.length
    return this.#tables
  }

  /** Adds what is lacking, within the caller's transaction: it may still be rolled back, so nothing is known of it here. */
  async evolve<DB>(db: Kysely<DB>): Promise<void> {
    await evolveWithin(db, await this.#wanted(db))
  }

  async #wanted<DB>(db: Kysely<DB>): Promise<ReadonlyArray<EntityTable>> {
    return wantedTables(this.#resources, await LearnedColumns.all(storeOf(db)))
  }
}

/** Both are in one database. */
const storeOf = <DB>(db: Kysely<DB>): Kysely<StoreTables> => db as unknown as Kysely<StoreTables>
