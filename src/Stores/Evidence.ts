/**
 * What the stores show about deliveries: whether lists still change, how many events of a gap arrived late, and how
 * soon deliveries arrive.
 */
import { Effect } from "effect"
import { sql } from "kysely"
import type { Interval } from "../Domain/Gap.ts"
import * as Instant from "../Domain/Instant.ts"
import { type Arrival, mostNewest } from "./Deliveries.ts"
import { Store } from "./Store.ts"
import { Warehouse } from "./Warehouse.ts"

/** When a record of these tables was last new or changed, in ms; undefined if there is none. */
export const lastChangeMs = Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
  const warehouse = yield* Warehouse
  const rows = yield* Effect.forEach(names, (name) =>
    warehouse.query((db) =>
      sql<{ at: string | null }>`select max(_changed_at) as at from ${sql.table(`construction.${name}`)}`.execute(db)
    )
  )
  const times = rows.flatMap(({ rows: [row] }) => (row?.at == null ? [] : [Instant.toMicros(row.at) / 1000]))
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

/**
 * The shortest delays until receipt since then, in ms: for first deliveries from the time in their header, for events
 * from their own time.
 */
export const leastDelayMs = Effect.fnUntraced(function* (since: Instant.Instant) {
  const store = yield* Store
  const warehouse = yield* Warehouse
  const events = warehouse.query((db) =>
    db
      .selectFrom("construction.events")
      .select(["event_timestamp as issuedAt", "received_at as receivedAt"])
      .where("event_timestamp", ">=", since)
      .orderBy("event_timestamp", "desc")
      .limit(mostNewest)
      .execute()
  )
  const least = (arrivals: ReadonlyArray<Arrival>): number | null => {
    const delays = arrivals.flatMap(({ issuedAt, receivedAt }) =>
      issuedAt === null || receivedAt < since
        ? []
        : [(Instant.toMicros(receivedAt) - Instant.toMicros(issuedAt)) / 1000]
    )
    return delays.length === 0 ? null : Math.min(...delays)
  }
  return {
    deliveries: least(yield* Effect.orElseSucceed(store.deliveries.newest, () => [])),
    events: least(yield* Effect.orElseSucceed(events, () => []))
  }
})
