/**
 * The quarantine for a person: how many deliveries wait there, by reason, with what would make them readable; the rows,
 * a page at a time in stored order; all of them in full, for use elsewhere; and some of them read again.
 */
import { isUtf8 } from "node:buffer"
import { Effect } from "effect"
import type { Event } from "../Domain/Event.ts"
import { Apply } from "../Intake/Apply.ts"
import { listedNumbers } from "../Stores/Sql.ts"
import { Store } from "../Stores/Store.ts"
import { Warehouse } from "../Stores/Warehouse.ts"
import type { Answer, Payload } from "./AdminApi.ts"
import { VerbError } from "./AdminApi/Verb.ts"
import { pairs } from "./Delivery.ts"
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

/** As many at a time as fit into memory, without those that a damaged disk has lost. */
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

/** The most in one part of an export, which also has no more bytes of bodies than are read at a time. */
const mostExported = 500

const text = (body: Uint8Array): string | null => (isUtf8(body) ? Buffer.from(body).toString() : null)

export const quarantineExport = Effect.fnUntraced(function* (wanted: Payload<"quarantine-export">) {
  const { deliveries } = yield* Store
  const rows = yield* page({ ...wanted, limit: mostExported })
  const events = yield* deliveries.read(rows.map(({ sequence }) => sequence))
  const last = rows.at(-1)
  // What a damaged disk has lost is skipped.
  const isPart = events.length > 0 && events.at(-1)!.sequence < (last?.sequence ?? 0)
  const reasonsBy = new Map(rows.map(({ event_type, reason, sequence }) => [sequence, { event_type, reason }]))
  const exported = yield* Effect.forEach(events, ({ body, eventId, issuedAt, receivedAt, sequence }) =>
    Effect.map(deliveries.headers(sequence), (headers) => ({
      sequence,
      event_id: eventId,
      event_type: null,
      reason: "",
      ...reasonsBy.get(sequence),
      received_at: receivedAt,
      issued_at: issuedAt,
      headers: pairs(headers),
      bodyBase64: Buffer.from(body).toString("base64"),
      body: text(body)
    }))
  )
  const isMore = isPart || rows.length === mostExported
  const end = isPart ? events.at(-1)?.sequence : last?.sequence
  return { deliveries: exported, next: isMore ? (end ?? null) : null } satisfies Answer<"quarantine-export">
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

const none = (ids: ReadonlyArray<string>) =>
  new VerbError({
    message: `No delivery in quarantine has the event id or the sequence ${ids.join(" or ")}: \`siteledger quarantine\` shows them.`
  })

export const replay = Effect.fnUntraced(function* ({ ids }: Payload<"replay">) {
  const apply = yield* Apply
  if (ids === undefined) return yield* apply.replay
  const sequences = yield* Effect.forEach(ids, sequencesOf)
  const waiting = yield* inQuarantine(sequences.flat())
  const unknown = ids.filter((_, place) => !sequences[place]!.some((each) => waiting.has(each)))
  if (unknown.length > 0) return yield* none(unknown.slice(0, mostNamed))
  return yield* apply.replayOf([...waiting])
})

const inQuarantine = (sequences: ReadonlyArray<number>) =>
  Effect.flatMap(Store, ({ run }) =>
    run(async (db) => {
      const rows = await db
        .selectFrom("quarantine")
        .select("sequence")
        .where("sequence", "in", listedNumbers(db, sequences))
        .execute()
      return new Set(rows.map(({ sequence }) => Number(sequence)))
    })
  )

/** The most named in a sentence. */
const mostNamed = 3
