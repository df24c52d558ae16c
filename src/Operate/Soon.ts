/**
 * A search of the warehouse that is limited to a short time. Undefined if it took longer; then less is checked, one row
 * after the other. Engines that support it stop the query; if another engine completes it after all, its result counts.
 */
import { type Duration, Effect } from "effect"
import type { Kysely } from "kysely"
import { Warehouse } from "../Stores/Warehouse.ts"
import type { WarehouseTables } from "../Stores/WarehouseTables.ts"

export const soon = <A>(patience: Duration.Duration, run: (db: Kysely<WarehouseTables>) => Promise<A>) =>
  Effect.flatMap(Warehouse, ({ query }) =>
    Effect.suspend(() => {
      let answer: A | undefined
      const asked = query(async (db) => {
        answer = await run(db)
      })
      return Effect.map(Effect.timeoutOption(Effect.interruptible(asked), patience), () => answer)
    })
  )
