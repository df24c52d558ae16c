/**
 * What the warehouse shows about deliveries: whether lists still change, and how many events of a gap arrived late.
 */
import { Effect } from "effect"
import type { Interval } from "../Domain/Gap.ts"
import * as Instant from "../Domain/Instant.ts"
import type { EntityName } from "../Domain/Resource.ts"
import { Warehouse } from "./Warehouse.ts"

/** When a record of these tables was last new or changed, in ms; undefined if there is none. */
export const lastChangeMs = Effect.fnUntraced(function* (names: ReadonlyArray<EntityName>) {
  const warehouse = yield* Warehouse
  const rows = yield* Effect.forEach(names, (name) =>
    warehouse.query((db) =>
      db
        .selectFrom(`construction.${name}`)
        .select((of) => of.fn.max("_changed_at").as("at"))
        .executeTakeFirst()
    )
  )
  const times = rows.flatMap((row) => (row?.at == null ? [] : [Instant.toMicros(row.at) / 1000]))
  return times.length === 0 ? undefined : Math.max(...times)
})

/** How many events of an interval (by their own time) arrived after its end; undefined while the warehouse fails. */
export const cameLate = ({ fromMs, toMs }: Interval): Effect.Effect<number | undefined, never, Warehouse> =>
  Effect.gen(function* () {
    const warehouse = yield* Warehouse
    const { count } = yield* warehouse.query((db) =>
      db
        .selectFrom("construction.events")
        .select((of) => of.fn.countAll<string>().as("count"))
        .where("event_timestamp", ">=", Instant.fromMillis(fromMs))
        .where("event_timestamp", "<=", Instant.fromMillis(toMs))
        .where("received_at", ">", Instant.fromMillis(toMs))
        .executeTakeFirstOrThrow()
    )
    return Number(count)
  }).pipe(Effect.orElseSucceed(() => undefined))
