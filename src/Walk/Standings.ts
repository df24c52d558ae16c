/**
 * The standing of lists: where the pass under way is, and how many records were quarantined. Each list that rests asks
 * every second, because another worker may have walked it meanwhile.
 */
import { Effect, Exit, Request, RequestResolver } from "effect"
import type { Kysely } from "kysely"
import { isAmong } from "../Stores/Sql.ts"
import type { Store, StoreError } from "../Stores/Store.ts"
import type { StoreTables } from "../Stores/StoreTables.ts"
import type { PassState } from "./Checkpoints.ts"

export interface Standing {
  readonly state: PassState | undefined
  readonly pagesDone: number
  readonly quarantined: number
}

/** Asks for the standing of one list. */
export type Ask = (resource: string) => Effect.Effect<Standing, StoreError>

type Counted = "record_quarantine" | "walk_pages"

/**
 * How many rows each list has. Counted for each list by a subquery, a server that knows of one or two long lists would
 * read the whole table for each of hundreds.
 */
const counted = (db: Kysely<StoreTables>, table: Counted, resources: ReadonlyArray<string> | undefined) =>
  db
    .selectFrom(table)
    .select((of) => ["resource", of.fn.countAll<number>().as("count")] as const)
    .$if(resources !== undefined, (query) => query.where(isAmong(db, "resource", resources ?? [])))
    .groupBy("resource")

/** Of these lists or, by default, of all. What a list's passes say is consistent, because it comes from one statement. */
const read = Effect.fnUntraced(function* (store: Store["Service"], resources?: ReadonlyArray<string>) {
  const rows = yield* store.run((db) =>
    db
      .selectFrom("walks")
      .leftJoin(counted(db, "walk_pages", resources).as("pages"), "pages.resource", "walks.resource")
      .leftJoin(counted(db, "record_quarantine", resources).as("records"), "records.resource", "walks.resource")
      .selectAll("walks")
      .select(["pages.count as pages_done", "records.count as bad"])
      .$if(resources !== undefined, (query) => query.where(isAmong(db, "walks.resource", resources ?? [])))
      .execute()
  )
  const found = new Map(
    rows.map(({ bad, pages_done, ...state }): [string, Standing] => [
      state.resource,
      { state, pagesDone: Number(pages_done ?? 0), quarantined: Number(bad ?? 0) }
    ])
  )
  const areAllFound = resources?.every((resource) => found.has(resource)) === true
  // Records remain quarantined even if no pass has begun since the warehouse was rebuilt.
  const records = areAllFound ? [] : yield* store.run((db) => counted(db, "record_quarantine", resources).execute())
  const bad = new Map(records.map(({ count, resource }) => [resource, Number(count)]))
  return (resource: string): Standing =>
    found.get(resource) ?? { state: undefined, pagesDone: 0, quarantined: bad.get(resource) ?? 0 }
})

/** The standing of all lists, in as many queries for hundreds as for one. */
export const all = (store: Store["Service"]): Effect.Effect<(resource: string) => Standing, StoreError> => read(store)

class Asked extends Request.Class<{ readonly resource: string }, Standing, StoreError> {}

/** The standing of single lists. Those that ask at the same moment, as hundreds do after a start, share the queries. */
export const single = (store: Store["Service"]): Ask => {
  const together = RequestResolver.make<Asked>((entries) =>
    Effect.map(read(store, [...new Set(entries.map(({ request }) => request.resource))]), (standing) => {
      for (const entry of entries) entry.completeUnsafe(Exit.succeed(standing(entry.request.resource)))
    })
  )
  return (resource) => Effect.request(new Asked({ resource }), together)
}
