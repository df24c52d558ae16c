/**
 * How far the walks are, what they saw, and what they spent.
 */
import { instant, int32, int64, json, listedId, optional, required, type Tables, text } from "../Table.ts"

const resource = "The list, by its resource's name."

export const walk = {
  walks: {
    says: "For each list, the pass under way and how the last one ended.",
    key: ["resource"],
    columns: {
      resource: required(text, resource),
      pass: required(int32, "The number of the pass."),
      per_page: required(int32, "The records of a page, as the service grants them."),
      pages_total: required(int32, "How many pages there are."),
      total: required(int64, "How many records there are, as the service says."),
      rows: required(int64, "How many distinct ones the pass has seen."),
      started_at: required(instant, "When the pass began."),
      disturbed: required(int32, "Whether the list moved under it: 0 or 1."),
      disturbed_in_a_row: required(int32, "How many of the last passes were disturbed, one after the other."),
      finished_at: optional(instant, "When the pass ended; null while it goes on."),
      proof: optional(text, "How sure the copy was when the last pass ended: unproven, counts-agree or proven."),
      proof_at: optional(instant, "When that was.")
    }
  },
  walk_pages: {
    says: "The pages that the pass under way is through with.",
    key: ["resource", "page"],
    columns: { resource: required(text, resource), page: required(int32, "The number of the page.") }
  },
  sightings: {
    says: "For every id the last two passes that showed it.",
    key: ["resource", "id"],
    columns: {
      resource: required(text, resource),
      id: required(listedId, "The record's id."),
      last_pass: required(int32, "The last pass that showed it."),
      prior_pass: required(int32, "The pass that showed it before that one; 0 where none did.")
    }
  },
  record_quarantine: {
    says: "Records of lists that have no usable key.",
    key: ["resource", "sha256"],
    columns: {
      resource: required(text, resource),
      sha256: required(text, "SHA-256 of the record, as hex."),
      record: required(json, "The record, verbatim."),
      reason: required(text, "Why, as a word."),
      first_seen_at: required(instant, "When it was first listed."),
      last_seen_at: required(instant, "When it was last listed.")
    }
  },
  pace: {
    says: "Requests that may have been sent, so that the plan holds across restarts.",
    key: ["second"],
    columns: {
      second: required(int64, "The second of the wall clock, since 1970."),
      sent: required(int32, "How many in it.")
    }
  }
} satisfies Tables
