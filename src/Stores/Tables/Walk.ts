/**
 * Progress of the walks, what they saw, what waits to be looked up, and the requests they spent.
 */
import type { LearnedType } from "../../Domain/Fit.ts"
import { instant, int32, int64, json, listedId, oneOf, optional, required, type Tables, text, word } from "../Table.ts"

const resource = "The list, by its resource name."

export const walk = {
  walks: {
    says: "For each list, the current pass and the result of the last one.",
    key: ["resource"],
    columns: {
      resource: required(text, resource),
      pass: required(int32, "The pass number."),
      per_page: required(int32, "Records per page, as granted by the service."),
      pages_total: required(int32, "The number of pages."),
      total: required(int64, "The number of records, as reported by the service."),
      rows: required(int64, "How many distinct records the pass has seen."),
      started_at: required(instant, "When the pass began."),
      disturbed: required(int32, "1 if the list changed during the pass, otherwise 0."),
      disturbed_in_a_row: required(int32, "How many passes in a row were disturbed, up to the last one."),
      finished_at: optional(instant, "When the pass ended; null while it is running."),
      proof: optional(
        text,
        "How sure the copy was at the end of the last pass: unproven, counts-agree, passes-agree or proven."
      ),
      proof_at: optional(instant, "When the last pass ended with that proof."),
      next_from: optional(
        text,
        "Sealed: where the current pass goes on, for a list whose pages say where the next one is.",
        { since: 4 }
      ),
      definition: optional(
        text,
        "A hash of how the list is read; with another one, a pass that was cut off begins again.",
        {
          since: 4
        }
      ),
      pages_before: optional(int32, "How many pages the last finished pass had.", { since: 4 }),
      changed_from: optional(
        instant,
        "From when on, by the service's clock, the list is asked next for what changed; null: from the begin of the last pass.",
        { since: 4 }
      ),
      changed_began: optional(instant, "When that began the last time, by the service's clock.", { since: 4 }),
      changed_at: optional(instant, "When what had changed was last read.", { since: 4 }),
      parents: optional(int32, "For a child list: how many parents the last pass found.", { since: 4 }),
      parents_sure: optional(int32, "For how many of them the copy was proven at its end.", { since: 4 }),
      begun_at: optional(
        instant,
        "When the pass began, by siteledger's clock; null of one that an older version began.",
        { since: 7 }
      )
    }
  },
  walk_parents: {
    says: "For each list below the row of another: how the last pass ended for it.",
    since: 4,
    key: ["resource", "parent"],
    columns: {
      resource: required(text, resource),
      parent: required(text, "The key of the row that it is below."),
      pass: required(int32, "The last pass that came to its end."),
      outcome: required(
        oneOf("read", "absent", "failed"),
        "Whether that pass read it, found no such list (404), or was refused."
      ),
      total: required(int64, "The number of its records, as reported by the service; 0 if it isn't."),
      agreed_pass: required(int32, "The last pass that read it whole; 0 if none did."),
      proof: optional(text, "How sure its copy was at the end of that pass; null while that pass is running.")
    }
  },
  // Not logged, because nothing depends on it.
  walk_passes: {
    says: "The passes that came to their end: of each list the newest 500, and none for longer than 90 days.",
    since: 7,
    key: ["resource", "ended_at"],
    indexes: { walk_passes_ended: { columns: ["ended_at", "resource"] } },
    columns: {
      resource: required(text, resource),
      ended_at: required(instant, "When it ended."),
      pass: required(int32, "The pass number; it begins again at 1 after a rebuild."),
      started_at: required(instant, "When it began, by siteledger's clock."),
      proof: required(text, "How sure the copy was at its end: unproven, counts-agree, passes-agree or proven."),
      disturbance: optional(text, "Why it proved nothing, or what couldn't be read, in a sentence; null: nothing."),
      rows: required(int64, "How many distinct records it saw."),
      total: required(int64, "The number of records, as reported by the service; the rows, if it counts none."),
      pages: required(int32, "How many pages it read."),
      deleted: required(int64, "Records that it found to be deleted."),
      parents: optional(int32, "For a child list: how many parents it found."),
      parents_sure: optional(int32, "For how many of them the copy was proven at its end.")
    }
  },
  walk_pages: {
    says: "Pages that the current pass has finished.",
    key: ["resource", "page"],
    columns: { resource: required(text, resource), page: required(int32, "The page number.") }
  },
  walk_writing: {
    says: "Ids whose rows are being written. If that is cut off, the next pass knows them by this row alone.",
    since: 2,
    key: ["resource"],
    columns: { resource: required(text, resource), ids: required(json, "The ids, as a list of texts.") }
  },
  sightings: {
    says: "For each id, the last two passes that listed it.",
    key: ["resource", "id"],
    columns: {
      resource: required(text, resource),
      id: required(listedId, "The record's id."),
      last_pass: required(
        int32,
        "The last pass that listed it; 0 if the pass that wrote its first row was cut off; below zero, the number of the pass " +
          "after which it was among what changed."
      ),
      prior_pass: required(int32, "The pass that listed it before that one; 0 if none did."),
      parent: optional(text, "The key of the row that it is listed below, in a child list.", { since: 4 })
    }
  },
  record_quarantine: {
    says: "Listed records that can't be copied: they have no usable key, or hold what an engine can't.",
    key: ["resource", "sha256"],
    columns: {
      resource: required(text, resource),
      sha256: required(text, "SHA-256 of the record, as hex."),
      record: required(json, "The record, verbatim."),
      reason: required(text, "The reason, as a keyword."),
      first_seen_at: required(instant, "When it was first listed."),
      last_seen_at: required(instant, "When it was last listed.")
    }
  },
  learned_columns: {
    says: "Columns that tables of lists got by themselves, from fields that records were seen to have.",
    since: 4,
    key: ["resource", "name"],
    isLogged: true,
    columns: {
      resource: required(text, resource),
      name: required(text, "The column."),
      field: required(text, "The field of the records whose value it holds."),
      type: required(word<LearnedType>(), "Its type."),
      beside: optional(text, "The column beside which it stands: it holds what doesn't fit that one."),
      learned_at: required(instant, "When the table got it.")
    }
  },
  lookups: {
    says: "Records that events told of and that are to be looked up; and for payments that wait, what the last look-up found.",
    since: 4,
    key: ["resource", "id"],
    indexes: { lookups_waiting: { columns: ["resource", "since"] } },
    columns: {
      resource: required(text, resource),
      id: required(text, "The record's id."),
      events: required(int32, "How many events have told of it since it was looked up."),
      since: required(instant, "When the first of them was applied; or when the last look-up was made."),
      looked_at: optional(instant, "When the last look-up for a payment was made; null if there was none."),
      found: optional(text, "What it found, in words.")
    }
  },
  unheard: {
    says: "IPCs that the service's list shows as paid, of which no event has told so. Nothing is posted for them.",
    since: 4,
    key: ["ipc_id"],
    columns: {
      ipc_id: required(text, "The IPC's id."),
      paid_at: required(instant, "When it was paid, by the list."),
      seen_at: required(instant, "When siteledger noticed it.")
    }
  },
  pace: {
    says: "Requests that may have been sent: keeps to the plan across restarts.",
    key: ["second"],
    columns: {
      second: required(int64, "The second, in whole seconds since 1970."),
      sent: required(int32, "Requests in that second.")
    }
  }
} satisfies Tables
