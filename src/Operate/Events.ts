/**
 * Events for a person: the newest, those that are arriving, or earlier ones that match a search. Each is shown once, as
 * soon as its rows and those of all earlier events are written. The amount searched is bounded, regardless of the
 * number of events.
 */
import { Effect } from "effect"
import { sql } from "kysely"
import { Store } from "../Stores/Store.ts"
import { Warehouse } from "../Stores/Warehouse.ts"
import type { Answer, Payload } from "./AdminApi.ts"
import { all, boundsOf, during, type Found, likeness, search } from "./Events/Search.ts"

type Wanted = Payload<"events">

/** How many numbers are checked for arriving events. */
export const mostLooked = 2000

/** The hashes of bodies by their sequences, after one sequence and up to another. */
const stored = Effect.fnUntraced(function* (after: number, through: number) {
  const { deliveries } = yield* Store
  const hashes = new Map<number, string>()
  for (let from = after; from < through && hashes.size < mostLooked;) {
    const { events, hasMore, through: last } = yield* deliveries.stored(from)
    for (const { bodySha256, sequence } of events) if (sequence <= through) hashes.set(sequence, bodySha256)
    if (!hasMore) break
    from = last
  }
  return hashes
})

/**
 * By both sequence and key, because one engine finds rows fast by the former, the other by the latter. Newest first.
 */
const find = Effect.fnUntraced(function* (wanted: Wanted, hashes: ReadonlyMap<number, string>) {
  const sequences = [...hashes.keys()]
  const bounds = yield* boundsOf(wanted)
  const warehouse = yield* Warehouse
  return yield* warehouse.query((db) => {
    const { last } = wanted
    return db
      .selectFrom("construction.events")
      .select(["sequence", "event_id", "event_type", "event_timestamp", "received_at", "entity", "entity_id"])
      .select(["outcome", "reason", "alarms"])
      .where("sequence", ">=", String(Math.min(...sequences)))
      .where("sequence", "<=", String(Math.max(...sequences)))
      .where("body_sha256", "in", [...hashes.values()])
      .where(sql<boolean>`(${all([...likeness(wanted), ...during(bounds)])})`)
      .orderBy("sequence", "desc")
      .$if(last !== undefined, (query) => query.limit(last ?? 0))
      .execute()
  })
})

/** Those after a sequence: open dashboards and `--follow` ask for these all the time. */
const tail = Effect.fnUntraced(function* (wanted: Wanted, after: number) {
  const { deliveries } = yield* Store
  const settled = yield* deliveries.settledThrough
  const hashes = yield* stored(after, settled)
  const through = hashes.size < mostLooked ? Math.max(after, settled) : Math.max(...hashes.keys())
  const rows = hashes.size === 0 ? [] : yield* find(wanted, hashes)
  return { through, rows }
})

const shown = (row: Found) => ({
  ...row,
  sequence: Number(row.sequence),
  alarms: JSON.parse(String(row.alarms)) as ReadonlyArray<string>
})

/** Pages follow each other by time of receipt, so the first one has that order too. */
export const events = Effect.fnUntraced(function* (wanted: Wanted) {
  const { after } = wanted
  const { next, rows, through } =
    after === undefined ? yield* search(wanted, mostLooked) : { ...(yield* tail(wanted, after)), next: null }
  return { through, events: rows.toReversed().map(shown), next } satisfies Answer<"events">
})

/** In stored order, for callers that continue from there. Any number of repeated bodies may have come since. */
export const latest = Effect.fnUntraced(function* (wanted: Wanted) {
  const found = yield* events(wanted)
  return { through: found.through, events: found.events.toSorted((a, b) => a.sequence - b.sequence) }
})
