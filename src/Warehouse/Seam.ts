/**
 * The seam between the Store (system of record) and the warehouse (a projection): both carry the warehouse's
 * random id and the applied-through sequence.
 *
 * A warehouse ahead of the Store is the trace of a crash between their two commits and heals by applying the
 * same events once more. One that is missing, behind or foreign is made again: the inbox is applied from
 * its beginning and the walks start anew.
 */
import { Effect } from "effect"
import { readMeta, type Store, writeMeta } from "../Store.ts"

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
const throughKey = "applied_through"

export const appliedThrough = (store: Store["Service"]) =>
  Effect.map(
    store.run((db) => readMeta(db, throughKey)),
    (value) => Number(value ?? 0)
  )

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
    for (const table of ["walks", "walk_pages", "sightings", "quarantine", "inbox_touched"] as const) {
      await tx.deleteFrom(table).execute()
    }
    await writeMeta(tx, idKey, warehouseId)
    await writeMeta(tx, throughKey, "0")
  })

/** The next start finds the warehouse foreign and makes it again. */
export const disown = (store: Store["Service"]) => store.transaction((tx) => writeMeta(tx, idKey, "none"))
