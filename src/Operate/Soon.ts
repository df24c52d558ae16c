/**
 * A search of the warehouse that is given a short time. Undefined: it took longer; then less is looked at, one row after the other.
 * An engine that can stops; what another has found in the end counts.
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
