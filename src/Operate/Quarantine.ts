/**
 * The quarantine for a person: how many deliveries wait there, by reason, with what would make them readable; the rows, a
 * page at a time in stored order; and one of them read again.
 */
import { Effect } from "effect"
import type { Event } from "../Domain/Event.ts"
import { Apply } from "../Intake/Apply.ts"
import { Store } from "../Stores/Store.ts"
import { Warehouse } from "../Stores/Warehouse.ts"
import type { Answer, Payload } from "./AdminApi.ts"
import { VerbError } from "./AdminApi/Verb.ts"
import { toDoOf } from "./Quarantine/ToDo.ts"

const usual = 100

const reasons = Effect.flatMap(Store, (store) =>
  store.run((db) =>
    db
      .selectFrom("quarantine")
      .select((all) => ["reason", all.fn.countAll<number>().as("count")])
      .groupBy("reason")
      .orderBy("reason")
      .execute()
  )
)

const page = ({ after = 0, limit = usual, reason }: Payload<"quarantine">) =>
  Effect.flatMap(Store, (store) =>
    store.run((db) =>
      db
        .selectFrom("quarantine")
        .selectAll()
        .where("sequence", ">", after)
        .$if(reason !== undefined, (all) => all.where("reason", "=", reason ?? ""))
        .orderBy("sequence")
        .limit(limit)
        .execute()
    )
  )

/** As many at a time as fit into memory; those that a damaged disk has lost aren't among them. */
const eventsOf = Effect.fnUntraced(function* (sequences: ReadonlyArray<number>) {
  const { deliveries } = yield* Store
  const found = new Map<number, Pick<Event, "eventId" | "receivedAt">>()
  for (let left = sequences; left.length > 0;) {
    const events = yield* deliveries.read(left)
    for (const { eventId, receivedAt, sequence } of events) found.set(sequence, { eventId, receivedAt })
    const last = events.at(-1)?.sequence ?? Infinity
    left = left.filter((sequence) => sequence > last)
  }
  return found
})

export const quarantine = Effect.fnUntraced(function* (wanted: Payload<"quarantine">) {
  const counts = (yield* reasons).map(({ count, reason }) => ({ reason, count: Number(count), toDo: toDoOf(reason) }))
  const rows = yield* page(wanted)
  const events = yield* eventsOf(rows.map(({ sequence }) => sequence))
  const counted = counts.filter(({ reason }) => (wanted.reason ?? reason) === reason)
  return {
    total: counted.reduce((sum, { count }) => sum + count, 0),
    reasons: counts,
    rows: rows.map(({ due_at, event_type, reason, sequence }) => {
      const event = events.get(sequence)
      return {
        sequence,
        event_id: event?.eventId ?? null,
        received_at: event?.receivedAt ?? null,
        event_type,
        reason,
        due_at
      }
    })
  } satisfies Answer<"quarantine">
})

/** A sender may have used an id for several bodies. */
const sequencesOf = (id: string) =>
  /^\d{1,15}$/.test(id)
    ? Effect.succeed([Number(id)])
    : Effect.flatMap(Warehouse, (warehouse) =>
        Effect.map(
          warehouse.query((db) =>
            db.selectFrom("construction.events").select("sequence").where("event_id", "=", id.toLowerCase()).execute()
          ),
          (rows) => rows.map(({ sequence }) => Number(sequence))
        )
      )

const none = (id: string) =>
  new VerbError({
    message: `No delivery in quarantine has the event id or the sequence ${id}: \`siteledger quarantine\` shows them.`
  })

export const replay = Effect.fnUntraced(function* ({ id }: Payload<"replay">) {
  const apply = yield* Apply
  if (id === undefined) return yield* apply.replay
  const replayed = yield* apply.replayOf(yield* sequencesOf(id))
  return replayed.read === 0 ? yield* none(id) : replayed
})
