/**
 * The entity tables as this worker knows them. Of several workers, one adds learned columns, in the transaction in
 * which they are learned. The others notice this by the number of learned columns before they write or read. A batch
 * that began earlier leaves new columns alone: values that belong there stay among the other fields until the row's
 * next change.
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
  /** How many columns were learned at that time. */
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

  /** For a batch about these tables: only tables of lists learn columns, so events needn't ask. */
  async about<DB>(db: Kysely<DB>, names: ReadonlyArray<string>): Promise<EntityTables> {
    return names.some((name) => this.#tables.of(name).resource.isWhole === true) ? this.now(db) : this.#tables
  }

  /** The current tables, within the caller's transaction. */
  async now<DB>(db: Kysely<DB>): Promise<EntityTables> {
    return this.at(db, await LearnedColumns.count(storeOf(db)))
  }

  /** The same if so many columns have been learned by now. */
  async at<DB>(db: Kysely<DB>, count: number): Promise<EntityTables> {
    if (count === this.#learned) return this.#tables
    const learned = await LearnedColumns.all(storeOf(db))
    this.#tables = evolutionOf(wantedTables(this.#resources, learned), await foundIn(db)).tables
    this.#learned = learned.length
    return this.#tables
  }

  /**
   * Adds what is lacking, within the caller's transaction. That may still be rolled back, so it isn't remembered here.
   */
  async evolve<DB>(db: Kysely<DB>): Promise<void> {
    await evolveWithin(db, await this.#wanted(db))
  }

  async #wanted<DB>(db: Kysely<DB>): Promise<ReadonlyArray<EntityTable>> {
    return wantedTables(this.#resources, await LearnedColumns.all(storeOf(db)))
  }
}

/** Both are in one database. */
const storeOf = <DB>(db: Kysely<DB>): Kysely<StoreTables> => db as unknown as Kysely<StoreTables>
