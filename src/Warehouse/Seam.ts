/**
 * The seam between the Store (system of record) and the warehouse (a projection): both carry the warehouse's
 * random id and the applied-through sequence.
 *
 * A warehouse ahead of the Store is the trace of a crash between their two commits and heals by applying the
 * same events once more. One that is missing, behind or foreign is made again: the inbox is applied from
 * its beginning and the walks start anew.
 */
import { Effect } from "effect"
import { sql, type Transaction } from "kysely"
import { entityNames } from "../Resource.ts"
import { readMeta, type Store, writeMeta } from "../Store.ts"
import * as SqliteQueue from "../Store/SqliteQueue.ts"
import type { StoreTables } from "../Store/Tables.ts"

export interface WarehouseMeta {
  readonly id: string
  readonly appliedThrough: number
}

export interface Verdict {
  /** The Store has never had a warehouse. */
  readonly isFresh: boolean
  readonly mismatch: string | undefined
}

const idKey = "warehouse_id"

export const appliedThrough = (store: Store["Service"]) => store.run(SqliteQueue.appliedThrough)

export const compare = (store: Store["Service"], warehouse: WarehouseMeta) =>
  Effect.map(Effect.all([store.run((db) => readMeta(db, idKey)), appliedThrough(store)]), ([id, through]): Verdict => {
    const isForeign = id !== undefined && id !== warehouse.id
    const isBehind = warehouse.appliedThrough < through
    return {
      isFresh: id === undefined && warehouse.appliedThrough === 0,
      mismatch:
        id === undefined || isForeign
          ? "The warehouse is missing or belongs to another store."
          : isBehind
            ? `The warehouse is older than the store (applied through ${warehouse.appliedThrough} of ${through}).`
            : undefined
    }
  })

export const adopt = (store: Store["Service"], warehouseId: string) =>
  store.transaction((tx) => writeMeta(tx, idKey, warehouseId))

/** Everything is to be applied and walked again, into the warehouse of this id. */
export const startAgain = (store: Store["Service"], warehouseId: string) =>
  store.transaction(async (tx) => {
    await forget(tx)
    await store.queue.restart(tx)
    await writeMeta(tx, idKey, warehouseId)
  })

/** In the order in which a checkpoint writes them, and Apply after all others. */
const forget = async (tx: Transaction<StoreTables>): Promise<void> => {
  for (const table of ["sightings", "walk_pages", "walks", "quarantine"] as const) {
    await tx.deleteFrom(table).execute()
  }
}

/** In the Store's meta: no warehouse is its own. */
export const disowned = { key: idKey, value: "none" } as const

/** The next start finds the warehouse foreign and makes it again. */
export const disown = (store: Store["Service"]) =>
  store.transaction((tx) => writeMeta(tx, disowned.key, disowned.value))

/**
 * The warehouse is to be made again. A file at the next start, which keeps the old one; tables on a server at once,
 * while all workers go on: analysts see them fill up again.
 */
export const rebuild = (store: Store["Service"]) =>
  store.engine === "sqlite"
    ? disown(store)
    : store.transaction(async (tx) => {
        // In the order in which batches are taken and written, so that nobody waits in a circle.
        await store.queue.restart(tx)
        for (const name of [...entityNames.toSorted(), "events"]) {
          await sql`truncate construction.${sql.ref(name)}`.execute(tx)
        }
        await forget(tx)
      })
