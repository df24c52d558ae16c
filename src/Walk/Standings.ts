/**
 * The standing of lists: where the pass under way is, and how many records were quarantined. Each list that rests asks
 * every second, because another worker may have walked it meanwhile.
 */
import { Effect, Exit, Request, RequestResolver } from "effect"
import type { ExpressionBuilder } from "kysely"
import { isAmong } from "../Stores/Sql.ts"
import type { Store, StoreError } from "../Stores/Store.ts"
import type { StoreTables } from "../Stores/StoreTables.ts"
import type { PassState } from "./Checkpoints.ts"

export interface Standing {
  readonly state: PassState | undefined
  readonly pagesDone: number
  readonly quarantined: number
}

type StandingOf = (resource: string) => Standing

const rowsOf = (from: ExpressionBuilder<StoreTables, "walks">, table: "record_quarantine" | "walk_pages") =>
  from
    .selectFrom(table)
    .select((rows) => rows.fn.countAll<number>().as("count"))
    .whereRef(`${table}.resource`, "=", "walks.resource")

/** Records remain quarantined even if no pass has begun since the warehouse was rebuilt. */
const quarantined = (store: Store["Service"]) =>
  Effect.map(
    store.run((db) =>
      db
        .selectFrom("record_quarantine")
        .select((of) => ["resource", of.fn.countAll<number>().as("count")] as const)
        .groupBy("resource")
        .execute()
    ),
    (rows) => new Map(rows.map(({ count, resource }) => [resource, Number(count)]))
  )

/** Of these lists or, by default, of all. What a list's passes say is consistent, because it comes from one statement. */
const read = Effect.fnUntraced(function* (store: Store["Service"], resources?: ReadonlyArray<string>) {
  const rows = yield* store.run((db) =>
    db
      .selectFrom("walks")
      .selectAll()
      .select((from) => [rowsOf(from, "walk_pages").as("pages_done"), rowsOf(from, "record_quarantine").as("bad")])
      .$if(resources !== undefined, (query) => query.where(isAmong(db, "resource", resources ?? [])))
      .execute()
  )
  const found = new Map(
    rows.map(({ bad, pages_done, ...state }): [string, Standing] => [
      state.resource,
      { state, pagesDone: Number(pages_done), quarantined: Number(bad) }
    ])
  )
  const areAllFound = resources?.every((resource) => found.has(resource)) === true
  const bad = areAllFound ? none : yield* quarantined(store)
  return (resource: string): Standing =>
    found.get(resource) ?? { state: undefined, pagesDone: 0, quarantined: bad.get(resource) ?? 0 }
})

const none: ReadonlyMap<string, number> = new Map()

/** The standing of all lists, in as many queries for hundreds as for one. */
export const all = (store: Store["Service"]): Effect.Effect<StandingOf, StoreError> => read(store)

class Asked extends Request.Class<{ readonly resource: string }, Standing, StoreError> {}

/** The standing of single lists. Those that ask at the same moment, as hundreds do after a start, share the queries. */
export const single = (store: Store["Service"]): ((resource: string) => Effect.Effect<Standing, StoreError>) => {
  const together = RequestResolver.make<Asked>((entries) =>
    Effect.map(read(store, [...new Set(entries.map(({ request }) => request.resource))]), (standing) => {
      for (const entry of entries) entry.completeUnsafe(Exit.succeed(standing(entry.request.resource)))
    })
  )
  return (resource) => Effect.request(new Asked({ resource }), together)
}
