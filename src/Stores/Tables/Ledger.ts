/**
 * The books: facts and terms in their stored order, the entries and holds that they led to, the decisions of people, and the
 * outbox of the accounting sink. What was written for ever is append-only.
 */
import {
  instant,
  int32,
  int64,
  json,
  matching,
  money,
  numbered,
  oneOf,
  optional,
  preset,
  required,
  type Tables,
  text,
  wholeNumber,
  word
} from "../Table.ts"

export type HoldReason =
  /** Accept with the certified amount. */
  | "awaiting-certified-amount"
  /** Certificates of one instant with different amounts. Accept with the right one; reject to disregard them. */
  | "ambiguous-order"
  /** The certificate's amount is zero or negative. Accept with what was paid; reject to disregard it. */
  | "amount-not-positive"
  /** A certificate of another amount after the payment. Accept with the cash that it moved; reject: none. */
  | "recertified-after-payment"
  /** Accept with the amount of the second payment; reject: it is none. */
  | "second-payment-reference"
  /** Accept to post into the open period; reject to post nothing. */
  | "period-closed"
  /** Currencies differ by project, and the IPC's is unknown. The project answers it; or accept with the currency. */
  | "currency-unknown"

const entryId = matching(/^[0-9a-f]{32}$/)
const currency = matching(/^[A-Z]{3}$/)
const fact = required(int64, "The fact that caused it (ledger_facts.number).", {
  isHidden: true,
  references: ["ledger_facts", "number"]
})

const ipcId = required(text, "The interim payment certificate that it is about (ipcs.id).")
const reference = required(text, "The payment's reference, verbatim.")
const basis = required(json, "The facts that it rests on, as JSON.")

const held = {
  hold_id: required(text, "Its id: the same for the same question."),
  ipc_id: ipcId,
  payment_reference: reference,
  reason: required(word<HoldReason>(), "Why it isn't posted, as a word."),
  since: required(instant, "When it began to wait.")
}

export const ledger = {
  ledger_facts: {
    says: "What was learned, in its stored order: from signed events, opening certificates and people. Append-only.",
    key: ["number"],
    isAppendOnly: true,
    indexes: { ledger_facts_ipc: { columns: ["ipc_id", "number"] } },
    columns: {
      number: required(int64, "Its place in the stored order."),
      ipc_id: ipcId,
      kind: required(text, "certificate, payment, project, opening or decision."),
      known_at: required(instant, "When it was stored: what it causes is known from then on."),
      content: required(json, "What it says, as JSON.")
    }
  },
  ledger_terms: {
    says: "How entries are posted, as agreed at a start. Append-only.",
    key: ["number"],
    isAppendOnly: true,
    columns: {
      number: numbered("Its place in their order."),
      from_fact: required(int64, "They hold from this fact on (ledger_facts.number), until later ones do."),
      content: required(json, "The terms, as JSON.")
    }
  },
  ledger_entries: {
    says: "The entries of the books: one for each payment, correction or reversal. Append-only.",
    key: ["sequence"],
    isAppendOnly: true,
    shownBy: "entry_id",
    indexes: {
      ledger_entries_ipc: { columns: ["ipc_id", "sequence"] },
      // The business key: whatever else goes wrong, no reference of an IPC is paid twice.
      ledger_entries_payment: {
        columns: ["ipc_id", "payment_reference"],
        long: ["payment_reference"],
        isUnique: true,
        where: "kind = 'payment'"
      }
    },
    columns: {
      entry_id: required(entryId, "Identifies the entry for ever: the same for the same facts.", { isUnique: true }),
      sequence: required(int64, "The entry's number in the journal: 1, 2, 3, … without a gap."),
      ipc_id: ipcId,
      project_id: optional(wholeNumber, "The project of the certificate; null where no event has told it."),
      kind: required(
        oneOf("payment", "adjustment", "reversal"),
        "payment: an IPC was paid. adjustment: the amount of a payment turned out to be another. reversal: takes an entry back."
      ),
      amount: required(money, "What the entry moves; below zero where it takes money back."),
      currency: optional(currency, "ISO 4217; null where none is configured."),
      payment_reference: reference,
      certificate_url: optional(
        text,
        "Where the certificate lies that the amount comes from; null where none is known."
      ),
      debit_account: required(text, "The account that an amount above zero debits."),
      credit_account: required(text, "The account that an amount above zero credits."),
      effective_at: required(instant, "When the money moved, or the first instant of the open period after it."),
      known_at: required(instant, "When the fact that caused the entry was received."),
      event_id: optional(text, "The service's id of the event that caused it; null where a person did."),
      reverses: optional(entryId, "The entry that a reversal takes back; null for the other kinds."),
      part: required(text, "What it is a part of: the settlement, or the decision of a hold by its id.", {
        isHidden: true
      }),
      basis,
      fact
    }
  },
  ledger_holds: {
    says: "What waits for an amount or for a person before it can be posted.",
    key: ["hold_id"],
    shownBy: "hold_id",
    indexes: { ledger_holds_ipc: { columns: ["ipc_id"] } },
    columns: {
      ...held,
      basis,
      amount: optional(
        money,
        "What it is about: the amount of the certificate in question, or what would be posted; null where none is known."
      ),
      currency: optional(currency, "Of the amount; null where it isn't known.")
    }
  },
  ledger_hold_decisions: {
    says: "The holds that are over, and how they ended. Append-only.",
    key: ["number"],
    isAppendOnly: true,
    shownBy: "number",
    columns: {
      number: numbered("Its place in the order of decisions."),
      ...held,
      verdict: required(
        word<"accept" | "reject" | "answered">(),
        "accept or reject, by a person; or answered, by facts that came later."
      ),
      amount: optional(money, "The amount that a person accepted; null where none was asked for."),
      decided_by: optional(text, "Who decided; null where facts that came later did."),
      decided_at: required(instant, "When."),
      why: optional(text, "The reason that was given."),
      fact
    }
  },
  ledger_outbox: {
    says: "Entries on their way to the accounting sink, each put here in the transaction that made it.",
    key: ["entry_id"],
    // Only of what isn't delivered: these stay small however long the journal gets.
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
      // As configured when it was put here: one key always has the same body.
      status: required(
        oneOf("draft", "posted"),
        "draft: for a person to look at and release in the accounting system. posted: to be booked as it is."
      ),
      state: preset(oneOf("pending", "delivered", "dead"), "pending", "How far it is; dead: only a person can help."),
      attempts: preset(
        int32,
        0,
        "How many since it was put here, replayed, or the sink got well: pauses grow with it."
      ),
      refusals: preset(int32, 0, "How many of them the sink refused for good."),
      queued_at: required(instant, "When it was put here."),
      next_attempt_at: required(instant, "When its turn comes."),
      last_error: optional(text, "What came of the last attempt, or who settled it, in words for a bookkeeper."),
      delivered_at: optional(instant, "When the sink had it; null until then.")
    }
  }
} satisfies Tables
