/**
 * The standing of lists: where the pass under way is, and how many records were quarantined. Each list that rests asks
 * every second, because another worker may have walked it meanwhile.
 */
import { Effect } from "effect"
import type { ExpressionBuilder } from "kysely"
import type { Store, StoreError } from "../Stores/Store.ts"
import type { StoreTables } from "../Stores/StoreTables.ts"
import { loadAll, type PassState, quarantinedRecords } from "./Checkpoints.ts"

type Counted = "record_quarantine" | "walk_pages"

/** How many rows each list has in a table that has a few rows for each list. */
const countEach = (store: Store["Service"], table: Counted) =>
  Effect.map(
    store.run((db) =>
      db
        .selectFrom(table)
        .select((of) => ["resource", of.fn.countAll<number>().as("count")] as const)
        .groupBy("resource")
        .execute()
    ),
    (rows) => new Map(rows.map(({ count, resource }) => [resource, Number(count)]))
  )

export interface Standing {
  readonly state: PassState | undefined
  readonly pagesDone: number
  readonly quarantined: number
}

/** In one statement, so that the values are consistent. */
export const of = (store: Store["Service"], resource: string) =>
  Effect.flatMap(
    store.run((db) =>
      db
        .selectFrom("walks")
        .selectAll()
        .select((from) => [
          rowsOf(from, "walk_pages", resource).as("pages_done"),
          rowsOf(from, "record_quarantine", resource).as("bad")
        ])
        .where("resource", "=", resource)
        .executeTakeFirst()
    ),
    (row): Effect.Effect<Standing, StoreError> => {
      if (row === undefined) return Effect.map(quarantinedRecords(store, resource), ofNone)
      const { bad, pages_done, ...state } = row
      return Effect.succeed({ state, pagesDone: Number(pages_done), quarantined: Number(bad) })
    }
  )

/** No pass has begun since the warehouse was rebuilt; quarantined records remain. */
const ofNone = (quarantined: number): Standing => ({ state: undefined, pagesDone: 0, quarantined })

const rowsOf = (from: ExpressionBuilder<StoreTables, "walks">, table: Counted, resource: string) =>
  from
    .selectFrom(table)
    .select((rows) => rows.fn.countAll<number>().as("count"))
    .where("resource", "=", resource)

/** The standing of all lists, in as many queries for hundreds as for one. */
export const all = Effect.fnUntraced(function* (store: Store["Service"]) {
  const states = new Map((yield* loadAll(store)).map((state) => [state.resource, state]))
  const [pages, bad] = [yield* countEach(store, "walk_pages"), yield* countEach(store, "record_quarantine")]
  return (resource: string): Standing => ({
    state: states.get(resource),
    pagesDone: pages.get(resource) ?? 0,
    quarantined: bad.get(resource) ?? 0
  })
})
