/**
 * The verbs about what comes in: events, single deliveries, the quarantine, and how much of it there was.
 */
import { Schema } from "effect"
import { alarms } from "../../Domain/Event.ts"
import { verb } from "./Verb.ts"

const Time = Schema.NullOr(Schema.String)

const Event = Schema.Struct({
  sequence: Schema.Int,
  event_id: Schema.String,
  event_type: Schema.NullOr(Schema.String),
  event_timestamp: Time,
  received_at: Schema.String,
  entity: Schema.NullOr(Schema.String),
  entity_id: Schema.NullOr(Schema.String),
  outcome: Schema.Literals(["applied", "quarantined"]),
  /** Why it is in quarantine. */
  reason: Schema.NullOr(Schema.String),
  alarms: Schema.Array(Schema.String)
})

const Delivery = Schema.Struct({
  ...Event.fields,
  issued_at: Time,
  /** How often the body came. */
  deliveries: Schema.Int,
  body_sha256: Schema.String,
  /** Of the first delivery, in the order in which they came, without those that hold credentials. */
  headers: Schema.Array(Schema.Struct({ name: Schema.String, value: Schema.String })),
  /** Unpacked, if it was compressed; null if it isn't text, or lost. */
  body: Schema.NullOr(Schema.String),
  /** As it was signed; null if a damaged disk has lost it. */
  bodyBase64: Schema.NullOr(Schema.String),
  /** Columns of its record whose values are still the ones that it said. */
  columns: Schema.Array(Schema.String),
  /** What was posted on its ground. */
  entries: Schema.Array(
    Schema.Struct({
      entry_id: Schema.String,
      kind: Schema.String,
      amount: Schema.String,
      currency: Schema.NullOr(Schema.String),
      payment_reference: Schema.String
    })
  )
})

const QuarantineReason = Schema.Struct({
  reason: Schema.String,
  count: Schema.Int,
  /** What would make them readable, in a sentence. */
  toDo: Schema.String
})

const QuarantineRow = Schema.Struct({
  sequence: Schema.Int,
  /** Null if a damaged disk has lost the delivery. */
  event_id: Schema.NullOr(Schema.String),
  received_at: Time,
  /** That the body proves; otherwise a header's. */
  event_type: Schema.NullOr(Schema.String),
  reason: Schema.String,
  /** When it is read again by itself; null for most reasons. */
  due_at: Time
})

const Exported = Schema.Struct({
  sequence: Schema.Int,
  event_id: Schema.String,
  event_type: Time,
  received_at: Schema.String,
  issued_at: Time,
  reason: Schema.String,
  /** Of the first delivery, in the order in which they came, without those that hold credentials. */
  headers: Delivery.fields.headers,
  /** As it was signed. */
  bodyBase64: Schema.String,
  /** The same as text, if it is UTF-8 as it was signed. */
  body: Schema.NullOr(Schema.String)
})

/** A step of the history, of all workers together. */
const Point = Schema.Struct({
  /** When it began. */
  at: Schema.String,
  deliveries: Schema.Int,
  /** Which the half, and 99 of 100 events, took no longer to have their rows written; null: there was none. */
  visibleP50Ms: Schema.NullOr(Schema.Finite),
  visibleP99Ms: Schema.NullOr(Schema.Finite),
  /** The same until they were posted, of entries that an event caused. */
  postedP50Ms: Schema.NullOr(Schema.Finite),
  postedP99Ms: Schema.NullOr(Schema.Finite),
  requests: Schema.Int,
  /** As many requests the plan allows in a whole step. */
  limit: Schema.Int
})

export const intakeVerbs = [
  /** The newest events that are like this, in the order in which they came. */
  verb("events", {
    needs: "read",
    payload: Schema.Struct({
      /** Those after this sequence; absent: the newest. */
      after: Schema.optionalKey(Schema.Int),
      /** The `next` of the page before: those that came earlier. */
      before: Schema.optionalKey(Schema.String),
      /** At most so many. */
      last: Schema.optionalKey(Schema.Int),
      types: Schema.optionalKey(Schema.Array(Schema.String)),
      ipc: Schema.optionalKey(Schema.String),
      /** About a record of this table. */
      table: Schema.optionalKey(Schema.String),
      /** About the record with this id, or those, if several tables have one. */
      record: Schema.optionalKey(Schema.String),
      outcome: Schema.optionalKey(Schema.Literals(["applied", "quarantined"])),
      alarm: Schema.optionalKey(Schema.Literals(alarms)),
      /** Received then or later; ISO 8601, in UTC if it doesn't say. */
      from: Schema.optionalKey(Schema.String),
      /** Received before. */
      to: Schema.optionalKey(Schema.String)
    }),
    answer: Schema.Struct({
      /** The sequence up to which they were looked at. */
      through: Schema.Int,
      events: Schema.Array(Event),
      /** Before which earlier ones come; null: there are none. With fewer events than asked for, it looked so far and no further. */
      next: Schema.NullOr(Schema.String)
    })
  }),
  /** What came under an id, or with the sequence that `events` shows: as received, and what came of it. */
  verb("delivery", {
    needs: "read",
    payload: Schema.Struct({ id: Schema.String }),
    answer: Schema.Struct({ deliveries: Schema.Array(Delivery) })
  }),
  /** What is in quarantine, in stored order, and all reasons for it. */
  verb("quarantine", {
    needs: "read",
    payload: Schema.Struct({
      reason: Schema.optionalKey(Schema.String),
      /** Those after this sequence. */
      after: Schema.optionalKey(Schema.Int),
      /** At most so many. */
      limit: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 })))
    }),
    /** `total` counts all of the reason, before and behind the page. */
    answer: Schema.Struct({
      total: Schema.Int,
      reasons: Schema.Array(QuarantineReason),
      rows: Schema.Array(QuarantineRow)
    })
  }),
  /** The same deliveries whole, to look at elsewhere or to send to who runs the service: as many as fit into an answer. */
  verb("quarantine-export", {
    needs: "read",
    payload: Schema.Struct({
      reason: Schema.optionalKey(Schema.String),
      /** The `next` of the part before. */
      after: Schema.optionalKey(Schema.Int)
    }),
    answer: Schema.Struct({
      deliveries: Schema.Array(Exported),
      /** After which the next part begins; null: there is none. */
      next: Schema.NullOr(Schema.Int)
    })
  }),
  /** What was done in each minute of the last hour, or in ten of the last day, oldest first; none in which no worker ran. */
  verb("history", {
    needs: "read",
    payload: Schema.Struct({ range: Schema.Literals(["hour", "day"]) }),
    answer: Schema.Struct({ stepSeconds: Schema.Int, points: Schema.Array(Point) })
  })
] as const
