/**
 * The newest events for a person who watches them: in stored order, each once, as soon as its rows are written and those of
 * all before it. What is looked at is bounded, whatever the number of events.
 */
import { Effect } from "effect"
import { Store } from "../Stores/Store.ts"
import { Warehouse } from "../Stores/Warehouse.ts"
import type { Answer, Payload } from "./AdminApi.ts"

type Wanted = Payload<"events">

/** How many of the newest numbers are looked at for the last ones that are wanted. */
export const mostLooked = 2000

/** The hashes of bodies by their sequences, after one of them, up to another. */
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

/** By sequence and by key: one engine finds rows fast by the former, the other by the latter. */
const find = Effect.fnUntraced(function* (wanted: Wanted, hashes: ReadonlyMap<number, string>) {
  const sequences = [...hashes.keys()]
  const warehouse = yield* Warehouse
  return yield* warehouse.query((db) => {
    const { ipc, last, outcome, types } = wanted
    return db
      .selectFrom("construction.events")
      .select(["sequence", "event_id", "event_type", "event_timestamp", "received_at", "entity", "entity_id"])
      .select(["outcome", "reason", "alarms"])
      .where("sequence", ">=", String(Math.min(...sequences)))
      .where("sequence", "<=", String(Math.max(...sequences)))
      .where("body_sha256", "in", [...hashes.values()])
      .$if(types !== undefined, (query) => query.where("event_type", "in", types ?? []))
      .$if(ipc !== undefined, (query) => query.where("entity", "=", "ipcs").where("entity_id", "=", ipc ?? ""))
      .$if(outcome !== undefined, (query) => query.where("outcome", "=", outcome ?? "applied"))
      .orderBy("sequence", "desc")
      .$if(last !== undefined, (query) => query.limit(last ?? 0))
      .execute()
  })
})

export const events = Effect.fnUntraced(function* (wanted: Wanted) {
  const { deliveries } = yield* Store
  const settled = yield* deliveries.settledThrough
  const after = wanted.after ?? Math.max(0, settled - mostLooked)
  const hashes = yield* stored(after, settled)
  const through = hashes.size < mostLooked ? Math.max(after, settled) : Math.max(...hashes.keys())
  const rows = hashes.size === 0 ? [] : yield* find(wanted, hashes)
  return {
    through,
    events: rows.toReversed().map((row) => ({
      ...row,
      sequence: Number(row.sequence),
      alarms: JSON.parse(String(row.alarms)) as ReadonlyArray<string>
    }))
  } satisfies Answer<"events">
})
