/**
 * What the Store remembers of exports: when they ran. Nothing else writes this table. Which files there are, and which of
 * them can be named again, is told by the Lake itself: it may have been emptied, moved or written by somebody else.
 */
import { Effect } from "effect"
import type { Instant } from "../Domain/Instant.ts"
import type { Store } from "../Stores/Store.ts"

export interface Finished {
  readonly run: string
  readonly started_at: Instant
  readonly finished_at: Instant
}

export const save = (store: Store["Service"], finished: Finished) =>
  store.transaction((tx) => tx.insertInto("exports").values(finished).execute())

export const lastAt = (store: Store["Service"]) =>
  Effect.map(
    store.run((db) =>
      db
        .selectFrom("exports")
        .select((of) => of.fn.max("finished_at").as("at"))
        .executeTakeFirst()
    ),
    (row): Instant | null => row?.at ?? null
  )
