/**
 * When exports ran, from the Store. Which files exist is read from the Lake, because it may have been emptied or moved.
 */
import { Effect } from "effect"
import type * as Instant from "../Domain/Instant.ts"
import type { Store, StoreError } from "../Stores/Store.ts"

export interface Finished {
  readonly run: string
  readonly started_at: Instant.Instant
  readonly finished_at: Instant.Instant
}

export const remember = (store: Store["Service"], finished: Finished) =>
  store.transaction((tx) => tx.insertInto("exports").values(finished).execute())

/** Whether an export had this name. */
export const isRemembered = (store: Store["Service"], run: string): Effect.Effect<boolean, StoreError> =>
  Effect.map(
    store.run((db) => db.selectFrom("exports").select("run").where("run", "=", run).executeTakeFirst()),
    (row) => row !== undefined
  )

/** The time of the last one; null if there was none. */
export const lastAt = (store: Store["Service"]): Effect.Effect<Instant.Instant | null, StoreError> =>
  Effect.map(
    store.run((db) =>
      db
        .selectFrom("exports")
        .select((of) => of.fn.max("finished_at").as("at"))
        .executeTakeFirst()
    ),
    (row) => row?.at ?? null
  )
