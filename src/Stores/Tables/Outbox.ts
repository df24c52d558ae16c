/**
 * The outbox of the accounting sink: entries on their way to the accounting system.
 */
import { instant, int32, int64, matching, oneOf, optional, preset, required, type Tables, text } from "../Table.ts"

export const entryId = matching(/^[0-9a-f]{32}$/)

export const ipcId = required(text, "The interim payment certificate it is about (ipcs.id).")

export const outbox = {
  ledger_outbox: {
    says: "Entries for the accounting sink, each added in the transaction that posted it.",
    key: ["entry_id"],
    isLogged: true,
    // Partial, so that they stay small however long the journal becomes.
    indexes: {
      ledger_outbox_turn: { columns: ["next_attempt_at", "sequence"], where: "state = 'pending'" },
      ledger_outbox_age: { columns: ["queued_at", "sequence"], where: "state = 'pending'" },
      ledger_outbox_ipc: { columns: ["ipc_id", "sequence"], where: "state <> 'delivered'" },
      ledger_outbox_dead: { columns: ["sequence"], where: "state = 'dead'" }
    },
    columns: {
      entry_id: required(entryId, "The entry (ledger_entries.entry_id).", {
        references: ["ledger_entries", "entry_id"]
      }),
      sequence: required(int64, "The entry's number in the journal.", { isUnique: true }),
      ipc_id: ipcId,
      // As configured when it was queued, so that an idempotency key always has the same body. A person may release a
      // draft that was never sent.
      status: required(
        oneOf("draft", "posted"),
        "draft: a person reviews and releases it in the accounting system. posted: it is booked as it is."
      ),
      state: preset(
        oneOf("pending", "delivered", "dead"),
        "pending",
        "Its delivery state; dead: only a person can help."
      ),
      attempts: preset(
        int32,
        0,
        "Attempts since it was added or replayed, or the sink recovered; the backoff grows with them."
      ),
      refusals: preset(int32, 0, "How many of them the sink refused permanently."),
      queued_at: required(instant, "When it was added."),
      next_attempt_at: required(instant, "When the next attempt is due."),
      last_error: optional(text, "The result of the last attempt, or who settled it, in words for a bookkeeper."),
      delivered_at: optional(instant, "When the sink accepted it; null until then."),
      kept_since: optional(
        instant,
        "Of a draft: since when it is kept here, because the accounting system has no drafts; null: it may have been handed over.",
        { since: 3 }
      )
    }
  }
} satisfies Tables
