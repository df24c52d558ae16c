/**
 * What comes in: deliveries, what is still to be done with them, when the receiver was up, and what signs them. The inbox is
 * append-only but for its counters, so that a crash can at most leave a delivery uncounted whose 2xx was never sent.
 */
import {
  bytes,
  instant,
  int32,
  int64,
  json,
  numbered,
  optional,
  preset,
  required,
  type Tables,
  text,
  truth
} from "../Table.ts"

export const intake = {
  inbox: {
    says: "Every signed delivery, its body once.",
    key: ["sequence"],
    columns: {
      sequence: numbered("Its place in the stored order."),
      body_sha256: required(bytes, "SHA-256 of the body, by which it is known.", { isUnique: true }),
      body: required(bytes, "The body, verbatim."),
      event_id: required(text, "The id of its first delivery."),
      header_type: optional(text, "What its first header said that it is (not signed)."),
      issued_at: optional(instant, "When the first delivery was sent, by its header (not signed)."),
      received_at: required(instant, "When its first delivery came, by siteledger's clock."),
      deliveries: preset(int32, 1, "How often it was delivered."),
      replayed: preset(int32, 0, "1 where it came under another id, too."),
      other_types: optional(json, "What else its later headers said that it is, as a JSON array.")
    }
  },
  event_ids: {
    says: "The ids of events that were looked at.",
    key: ["event_id"],
    columns: {
      event_id: required(text, "The id."),
      sequence: required(int64, "The first delivery that came under it (inbox.sequence).")
    }
  },
  inbox_touched: {
    says: "The queue of a single worker: deliveries that came again since they were applied.",
    key: ["sequence"],
    only: "sqlite",
    columns: { sequence: required(int64, "The delivery (inbox.sequence).") }
  },
  inbox_queue: {
    says: "The queue of several workers: a row for each delivery, until it is applied.",
    key: ["id"],
    only: "postgres",
    columns: {
      id: numbered("Its place in the queue."),
      sequence: required(int64, "The delivery (inbox.sequence)."),
      is_first: required(truth, "Whether its body was new."),
      received_at: required(instant, "When it came.")
    }
  },
  quarantine: {
    says: "Events that couldn't be read or applied.",
    key: ["sequence"],
    columns: {
      sequence: required(int64, "The delivery (inbox.sequence)."),
      reason: required(text, "Why, as a word.")
    }
  },
  uptime: {
    says: "Intervals in which the receiver was up.",
    key: ["id"],
    columns: {
      id: numbered("Its place in their order."),
      from_ms: required(int64, "Its beginning, in milliseconds since 1970."),
      to_ms: required(int64, "Its end, in milliseconds since 1970.")
    }
  },
  closed_gaps: {
    says: "Intervals in which the receiver was down, and which are dealt with.",
    key: ["from_ms", "to_ms"],
    columns: {
      from_ms: required(int64, "Its beginning, in milliseconds since 1970."),
      to_ms: required(int64, "Its end, in milliseconds since 1970."),
      closed_at: required(instant, "When it was closed."),
      reason: required(text, "Why.")
    }
  },
  subscriptions: {
    says: "What the service was asked to deliver, and where to.",
    key: ["id"],
    columns: {
      id: numbered("Its place in their order."),
      url: required(text, "The callback."),
      events: required(json, "The types of events, as a JSON array."),
      created_at: required(instant, "When it was asked for."),
      verified_at: optional(instant, "When the first signed delivery came; null until then."),
      retired_at: optional(instant, "When another took its place; null while it counts.")
    }
  },
  webhook_secrets: {
    says: "What signs deliveries, sealed.",
    key: ["id"],
    columns: {
      id: numbered("Its place in their order."),
      subscription_id: optional(int64, "The subscription that it came with; null: of one that was made by hand.", {
        references: ["subscriptions", "id"]
      }),
      sealed: optional(text, "The secret, encrypted; null while it is awaited, or where the answer with it was lost."),
      fingerprint: required(text, "What people know it by."),
      added_at: required(instant, "When it was added."),
      retired_at: optional(instant, "When a person said that it is to end; null until then."),
      expires_at: optional(instant, "When it ends; null where no end is set."),
      last_used_at: optional(instant, "When it last signed a delivery; null where it never did.")
    }
  }
} satisfies Tables
