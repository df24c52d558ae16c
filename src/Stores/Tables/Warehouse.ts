/**
 * The Warehouse's tables of events and of currencies. Entity tables come from `Domain/Resource`, the books from `Ledger`.
 * Numbers are text.
 */
import { instant, json, optional, required, type Tables, text, wholeNumber, word } from "../Table.ts"

export const warehouse = {
  events: {
    says: "Every signed event once, whether applied or quarantined.",
    key: ["body_sha256"],
    indexes: {
      // Status counts late events by their own time.
      events_timestamp: { columns: ["event_timestamp"] },
      // A person looks an event up by its number, by its id, or by its record.
      events_sequence: { columns: ["sequence"], since: 7 },
      events_id: { columns: ["event_id"], isHashed: true, since: 7 },
      events_record: { columns: ["entity_id"], isHashed: true, since: 7 },
      // People look for events by their time of arrival, newest first, and for odd ones, which are rare.
      events_received: { columns: ["received_at", "sequence"], since: 7 },
      events_odd: {
        columns: ["received_at", "sequence"],
        where: "outcome = 'quarantined' or json_array_length(alarms) > 0",
        since: 7
      }
    },
    columns: {
      body_sha256: required(text, "SHA-256 of the body as it was signed, as hex; the key."),
      sequence: required(wholeNumber, "Its position in the order in which deliveries were stored."),
      event_id: required(text, "The id of its first delivery."),
      event_type: optional(text, "The type that the body proves; otherwise the one in its header."),
      event_timestamp: optional(instant, "When it happened, by the service's clock; null if the body doesn't say."),
      entity: optional(text, "The table of the entity it is about."),
      entity_id: optional(text, "The id of that entity."),
      payload: optional(text, "The whole body, verbatim, unpacked if it was compressed; null if text can't hold it."),
      issued_at: optional(instant, "When the first delivery was sent, according to its header (not signed)."),
      received_at: required(instant, "When its first delivery arrived, by siteledger's clock."),
      deliveries: required(wholeNumber, "How many times it was delivered."),
      outcome: required(
        word<"applied" | "quarantined">(),
        "applied, or quarantined: kept, but not applied to any row."
      ),
      reason: optional(
        text,
        "Why it is in quarantine; label-only: applied to rows, posted nothing, because only an unsigned header names its type."
      ),
      alarms: required(json, "What was odd about it, as a JSON array of keywords.")
    }
  },
  project_currencies: {
    says: "The currencies of projects, as configured (SITELEDGER_LEDGER_CURRENCY); the service's records carry none.",
    since: 2,
    key: ["id"],
    columns: {
      id: required(text, "The project's id, or default."),
      // A key can't be null.
      project_id: optional(wholeNumber, "The project (projects.id); null: every project without a row of its own."),
      currency: required(text, "ISO 4217.")
    }
  }
} satisfies Tables
