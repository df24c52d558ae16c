/**
 * What the program keeps about itself.
 */
import { instant, int32, json, numbered, optional, required, type Tables, text, truth } from "../Table.ts"

export const operate = {
  meta: {
    says: "Single facts: the service's identity, the warehouse's id, how far the inbox is applied.",
    key: ["key"],
    columns: { key: required(text, "What it is about."), value: required(text, "What is known of it.") }
  },
  workers: {
    says: "The workers that share the Store.",
    key: ["id"],
    only: "postgres",
    columns: {
      id: required(text, "Its id, new at each start."),
      host: required(text, "The machine that it runs on."),
      pid: required(int32, "Its process there."),
      started_at: required(instant, "When it started."),
      seen_at: required(instant, "When it last said that it is there."),
      is_leader: required(truth, "Whether it does what one of them must do alone."),
      reasons: required(json, "Why it isn't well, as a JSON array of sentences.")
    }
  },
  alerts: {
    says: "What was, or is to be, told about Status; the newest one says what was told last.",
    key: ["id"],
    columns: {
      id: numbered("Its place in their order."),
      status: required(text, "What Status had turned to."),
      body: required(json, "What is sent, as JSON."),
      delivered_at: optional(instant, "When it was taken; null until then.")
    }
  }
} satisfies Tables
