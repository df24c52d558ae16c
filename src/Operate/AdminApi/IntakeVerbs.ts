/**
 * The verbs about what comes in: events, single deliveries, the quarantine, and how much of it there was over time.
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
  /** How often the body arrived. */
  deliveries: Schema.Int,
  body_sha256: Schema.String,
  /** Headers of the first delivery, in the order in which they came, without those that hold credentials. */
  headers: Schema.Array(Schema.Struct({ name: Schema.String, value: Schema.String })),
  /** Unpacked if it was compressed; null if it isn't text, or is lost. */
  body: Schema.NullOr(Schema.String),
  /** As it was signed; null if a damaged disk has lost it. */
  bodyBase64: Schema.NullOr(Schema.String),
  /** Columns of its record that still have the values from this event. */
  columns: Schema.Array(Schema.String),
  /** Entries that rest on it. */
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
  /** What would make them readable, as a sentence. */
  toDo: Schema.String
})

const QuarantineRow = Schema.Struct({
  sequence: Schema.Int,
  /** Null if a damaged disk has lost the delivery. */
  event_id: Schema.NullOr(Schema.String),
  received_at: Time,
  /** The type that the body proves; otherwise a header's. */
  event_type: Schema.NullOr(Schema.String),
  reason: Schema.String,
  /** When it is automatically read again; null for most reasons. */
  due_at: Time
})

const Exported = Schema.Struct({
  sequence: Schema.Int,
  event_id: Schema.String,
  event_type: Time,
  received_at: Schema.String,
  issued_at: Time,
  reason: Schema.String,
  /** Headers of the first delivery, in the order in which they came, without those that hold credentials. */
  headers: Delivery.fields.headers,
  /** As it was signed. */
  bodyBase64: Schema.String,
  /** The same as text, if it is UTF-8 in the form in which it was signed. */
  body: Schema.NullOr(Schema.String)
})

/** One step of the history, for all workers together. */
const Point = Schema.Struct({
  /** When it began. */
  at: Schema.String,
  deliveries: Schema.Int,
  /** The time within which half of the events, and 99 of 100, had their rows written; null if there were none. */
  visibleP50Ms: Schema.NullOr(Schema.Finite),
  visibleP99Ms: Schema.NullOr(Schema.Finite),
  /** The same until they were posted, for entries that an event caused. */
  postedP50Ms: Schema.NullOr(Schema.Finite),
  postedP99Ms: Schema.NullOr(Schema.Finite),
  requests: Schema.Int,
  /** How many requests the plan allows in a whole step. */
  limit: Schema.Int
})

export const intakeVerbs = [
  /** The newest events that match, in the order in which they came. */
  verb("events", {
    needs: "read",
    payload: Schema.Struct({
      /** Those after this sequence; absent for the newest. */
      after: Schema.optionalKey(Schema.Int),
      /** The `next` of the previous page: those that came earlier. */
      before: Schema.optionalKey(Schema.String),
      /** The most to return. */
      last: Schema.optionalKey(Schema.Int),
      types: Schema.optionalKey(Schema.Array(Schema.String)),
      ipc: Schema.optionalKey(Schema.String),
      /** About a record of this table. */
      table: Schema.optionalKey(Schema.String),
      /** About the record with this id, or about several if several tables have one. */
      record: Schema.optionalKey(Schema.String),
      outcome: Schema.optionalKey(Schema.Literals(["applied", "quarantined"])),
      alarm: Schema.optionalKey(Schema.Literals(alarms)),
      /** Received then or later; ISO 8601, in UTC if it has no offset. */
      from: Schema.optionalKey(Schema.String),
      /** Received before. */
      to: Schema.optionalKey(Schema.String)
    }),
    answer: Schema.Struct({
      /** The sequence up to which events were looked at. */
      through: Schema.Int,
      events: Schema.Array(Event),
      /**
       * Earlier events come before this; null if there are none. If there are fewer events than asked for, the search
       * stopped here.
       */
      next: Schema.NullOr(Schema.String)
    })
  }),
  /** What came under an id, or with the sequence that `events` shows: as received, and its outcome. */
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
      /** The most to return. */
      limit: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 })))
    }),
    /** `total` counts everything with the reason, before and after the page. */
    answer: Schema.Struct({
      total: Schema.Int,
      reasons: Schema.Array(QuarantineReason),
      rows: Schema.Array(QuarantineRow)
    })
  }),
  /**
   * The same deliveries in full, to inspect elsewhere or to send to the people who run the service: as many as fit into
   * an answer.
   */
  verb("quarantine-export", {
    needs: "read",
    payload: Schema.Struct({
      reason: Schema.optionalKey(Schema.String),
      /** The `next` of the previous part. */
      after: Schema.optionalKey(Schema.Int)
    }),
    answer: Schema.Struct({
      deliveries: Schema.Array(Exported),
      /** The next part begins after this; null if there is none. */
      next: Schema.NullOr(Schema.Int)
    })
  }),
  /**
   * What was done in each minute of the last hour, or in each ten minutes of the last day, oldest first; steps without
   * a worker are left out.
   */
  verb("history", {
    needs: "read",
    payload: Schema.Struct({ range: Schema.Literals(["hour", "day"]) }),
    answer: Schema.Struct({ stepSeconds: Schema.Int, points: Schema.Array(Point) })
  })
] as const
