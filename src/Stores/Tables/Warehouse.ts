/**
 * What the Warehouse has beside the resources' tables (`Domain/Resource`) and the books (`Ledger`). Numbers are text.
 */
import { instant, json, optional, required, type Tables, text, wholeNumber, word } from "../Table.ts"

export const warehouse = {
  events: {
    says: "Every signed delivery, once, whatever became of it.",
    key: ["body_sha256"],
    // For "what came late": Status asks for events by their own time.
    indexes: { events_timestamp: { columns: ["event_timestamp"] } },
    columns: {
      body_sha256: required(text, "SHA-256 of the delivery's body as hex: its key."),
      sequence: required(wholeNumber, "Its place in the order in which deliveries were stored."),
      event_id: required(text, "The id of its first delivery."),
      event_type: optional(text, "What the body proves it to be; else what its header says."),
      event_timestamp: optional(instant, "When it happened, by the service's clock; null where the body doesn't say."),
      entity: optional(text, "The table of what it is about."),
      entity_id: optional(text, "The id of what it is about."),
      payload: optional(text, "The whole body, verbatim; null where text can't hold it."),
      issued_at: optional(instant, "When the first delivery was sent, by its header (not signed)."),
      received_at: required(instant, "When its first delivery came, by siteledger's clock."),
      deliveries: required(wholeNumber, "How often it was delivered."),
      outcome: required(word<"applied" | "quarantined">(), "applied, or quarantined: kept, and not in any row."),
      reason: optional(text, "Why it is in quarantine."),
      alarms: required(json, "What was odd about it, as a JSON array of words.")
    }
  }
} satisfies Tables
