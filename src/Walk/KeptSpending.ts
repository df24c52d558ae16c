/**
 * Spending in the Store, second by second: a reservation is on disk before it is spent, and every worker on the same
 * Store sees it.
 */
import { Effect, Layer } from "effect"
import { type Kysely, sql, type Transaction } from "kysely"
import { oneAtATime } from "../Stores/Sql.ts"
import { Store, type StoreError } from "../Stores/Store.ts"
import type { StoreTables } from "../Stores/StoreTables.ts"
import { type Spent, windowMs } from "./Slots.ts"
import { type Share, Spending, Uncounted } from "./Spending.ts"

export const layer: Layer.Layer<Spending, never, Store> = Layer.effect(
  Spending,
  Effect.map(Store, (store) =>
    Spending.of({
      recent: (nowMs) =>
        Effect.mapError(
          store.run((db) => recentSeconds(db, nowMs)),
          uncounted
        ),
      reserve: (previous, next) =>
        Effect.mapError(
          store.transaction((tx) => save(tx, previous, next)),
          uncounted
        )
    })
  )
)

const uncounted = ({ message }: StoreError) => new Uncounted({ message })

const recentSeconds = (db: Kysely<StoreTables>, nowMs: number): Promise<ReadonlyArray<Spent>> =>
  db
    .selectFrom("pace")
    .selectAll()
    .where("second", ">=", Math.floor((nowMs - windowMs) / 1000))
    .orderBy("second")
    .execute()

/** Counts are added to, never set: a second may hold requests of an earlier process. */
const save = async (tx: Transaction<StoreTables>, previous: Share, next: Share): Promise<ReadonlyArray<Spent>> => {
  await oneAtATime(tx, "pace")
  await tx
    .deleteFrom("pace")
    .where("second", "<", next.second - 61)
    .execute()
  await tx
    .updateTable("pace")
    .set({ sent: sql`sent - ${previous.left}` })
    .where("second", "=", previous.second)
    .execute()
  await tx
    .insertInto("pace")
    .values({ second: next.second, sent: next.left })
    .onConflict((conflict) => conflict.column("second").doUpdateSet({ sent: sql`pace.sent + excluded.sent` }))
    .execute()
  return recentSeconds(tx, next.second * 1000)
}
