/**
 * What comes in: deliveries and their queues, the receiver's uptime, subscriptions and secrets. The inbox is
 * append-only except for its counters. So a crash can at most leave a repeated delivery uncounted, whose 2xx was never
 * sent.
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
    says:
      "Every signed delivery; each body is stored once. Beside a worker with SQLite they are in the files of the folder " +
      "inbox, and here only in a backup, or until the worker has started.",
    key: ["sequence"],
    columns: {
      sequence: numbered("Its position in the stored order."),
      body_sha256: required(bytes, "SHA-256 of the body; identifies it.", { isUnique: true }),
      body: required(bytes, "The body, byte for byte as it was signed, so it may be compressed."),
      event_id: required(text, "The id of its first delivery."),
      header_type: optional(text, "The event type in the header of its first delivery (not signed)."),
      issued_at: optional(instant, "When the first delivery was sent, according to its header (not signed)."),
      received_at: required(instant, "When its first delivery arrived, by siteledger's clock."),
      deliveries: preset(int32, 1, "How many times it was delivered."),
      replayed: preset(int32, 0, "1 if it also arrived under another id."),
      other_types: optional(json, "Other event types in the headers of later deliveries, as a JSON array."),
      headers: optional(json, "All headers of its first delivery; null if version 0.1 stored it.", { since: 2 }),
      secret: optional(text, "The fingerprint of the secret that verified it; null if version 0.1 stored it.", {
        since: 2
      })
    }
  },
  event_ids: {
    says: "Event ids, each with the first delivery that used it.",
    key: ["event_id"],
    only: "postgres",
    columns: {
      event_id: required(text, "The id."),
      sequence: required(int64, "The first delivery that used it (inbox.sequence).")
    }
  },
  inbox_again: {
    says: "Beside a single worker: bodies that were delivered more than once, as far as they are applied.",
    key: ["sequence"],
    only: "sqlite",
    since: 2,
    columns: {
      sequence: required(int64, "The first delivery (inbox.sequence)."),
      deliveries: required(int32, "How many times it was delivered."),
      replayed: required(int32, "1 if it also arrived under another id."),
      other_types: required(json, "Other event types in the headers of later deliveries, as a JSON array.")
    }
  },
  archives: {
    says: "Beside a single worker: archives of deliveries, each with consecutive numbers, in stored order.",
    key: ["first_sequence"],
    only: "sqlite",
    since: 2,
    isLogged: true,
    columns: {
      first_sequence: required(int64, "The first delivery (inbox.sequence)."),
      last_sequence: required(int64, "The last delivery (inbox.sequence)."),
      name: required(text, "Its name, which is its place in the folder archive and on the lake.", { isUnique: true }),
      deliveries: required(int64, "How many deliveries it has."),
      sha256: required(text, "SHA-256 of its file, as hex.")
    }
  },
  inbox_queue: {
    says: "The queue of several workers: a row for each delivery until it is applied.",
    key: ["id"],
    only: "postgres",
    columns: {
      id: numbered("Its position in the queue."),
      sequence: required(int64, "The delivery (inbox.sequence)."),
      is_first: required(truth, "Whether its body was new."),
      received_at: required(instant, "When it arrived.")
    }
  },
  quarantine: {
    says: "Events that couldn't be read or applied.",
    key: ["sequence"],
    columns: {
      sequence: required(int64, "The delivery (inbox.sequence)."),
      reason: required(text, "The reason, as a keyword."),
      event_type: optional(text, "The event type that its body proves; otherwise a header's. Null if none names one.", {
        since: 2
      }),
      due_at: optional(
        instant,
        "When it is read again by itself, because its event time is then no longer too far ahead; null for other reasons.",
        { since: 2 }
      )
    },
    indexes: { quarantine_ahead: { columns: ["due_at"], where: "reason = 'event-time-ahead'", since: 2 } }
  },
  uptime: {
    says: "Intervals in which the receiver was up.",
    key: ["id"],
    isLogged: true,
    columns: {
      id: numbered("Its sequence number."),
      from_ms: required(int64, "Its start, in milliseconds since 1970."),
      to_ms: required(int64, "Its end, in milliseconds since 1970."),
      boot: optional(text, "Identifies the boot of the worker's machine; null if version 0.1 recorded it.", {
        since: 2
      }),
      booted_ms: optional(int64, "When that machine had booted, by the clock that its times are from.", { since: 2 })
    }
  },
  closed_gaps: {
    says: "Intervals in which the receiver was down, closed by a person.",
    key: ["from_ms", "to_ms"],
    isLogged: true,
    columns: {
      from_ms: required(int64, "Its start, in milliseconds since 1970."),
      to_ms: required(int64, "Its end, in milliseconds since 1970."),
      closed_at: required(instant, "When it was closed."),
      reason: required(text, "The reason given.")
    }
  },
  subscriptions: {
    says: "Subscriptions requested from the service.",
    key: ["id"],
    isLogged: true,
    columns: {
      id: numbered("Its sequence number."),
      url: required(text, "The callback URL."),
      events: required(json, "The event types, as a JSON array."),
      created_at: required(instant, "When it was requested."),
      verified_at: optional(instant, "When the first signed delivery arrived; null until then."),
      retired_at: optional(instant, "When another replaced it; null while it is active.")
    }
  },
  webhook_secrets: {
    says: "The secrets that sign deliveries, sealed.",
    key: ["id"],
    isLogged: true,
    columns: {
      id: numbered("Its sequence number."),
      subscription_id: optional(int64, "The subscription it came with; null if that was made by hand.", {
        references: ["subscriptions", "id"]
      }),
      sealed: optional(text, "The secret, encrypted; null while it is awaited, or if the answer with it was lost."),
      fingerprint: required(text, "Identifies it to people."),
      added_at: required(instant, "When it was added."),
      retired_at: optional(instant, "When a person retired it; null until then."),
      expires_at: optional(instant, "When it stops being valid; null if no end is set."),
      last_used_at: optional(instant, "When it last signed a delivery; null if it never did.")
    }
  }
} satisfies Tables
