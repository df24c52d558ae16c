/**
 * The books: facts and terms in stored order, the entries and holds they led to, people's decisions, and the outbox of
 * the accounting sink (`Outbox`).
 */
import {
  day,
  instant,
  int64,
  json,
  matching,
  money,
  numbered,
  oneOf,
  orSince,
  optional,
  required,
  type Tables,
  text,
  wholeNumber,
  word
} from "../Table.ts"
import type { HoldReason } from "./HoldReason.ts"
import { entryId, ipcId, outbox } from "./Outbox.ts"

/** How an entry's certified amount was interpreted: see its column. */
export type CertifiedAs = "each" | "cumulative" | "assumed"

const link = matching(/^[0-9a-f]{64}$/)
const currency = matching(/^[A-Z]{3}$/)
const fact = required(int64, "The fact that caused it (ledger_facts.number).", {
  isHidden: true,
  references: ["ledger_facts", "number"]
})

const reference = required(text, "The payment's reference, verbatim.")
const basis = required(json, "The facts it is based on, as JSON.")

const held = {
  hold_id: required(text, "Its id: the same question always has the same id."),
  ipc_id: ipcId,
  payment_reference: reference,
  reason: required(word<HoldReason>(), "Why it isn't posted, as a keyword."),
  since: required(instant, "Since when it has waited.")
}

export const ledger = {
  ledger_facts: {
    says: "Facts in their stored order: from signed events, look-ups, opening certificates and people. Append-only.",
    key: ["number"],
    isLogged: true,
    isAppendOnly: true,
    indexes: { ledger_facts_ipc: { columns: ["ipc_id", "number"] } },
    columns: {
      number: required(int64, "Its position in the stored order."),
      ipc_id: ipcId,
      kind: required(
        text,
        "certificate, payment, project, looked-up (a certificate), opening, decision, posting, reversal, accounting (a comparison), release (of a draft), preceding or terms."
      ),
      known_at: required(instant, "When it was stored; its consequences are known from then on."),
      content: required(json, "Its content, as JSON."),
      chain: optional(
        link,
        "The hash of the fact before it, of this one, and of what it brought; facts of 0.1 have none.",
        { since: 3 }
      )
    }
  },
  ledger_evidence: {
    says: "Answers of the service that facts of look-ups rest on, as they came: each by its hash in the fact. Append-only.",
    key: ["fact"],
    since: 4,
    isLogged: true,
    isAppendOnly: true,
    columns: {
      fact: required(int64, "The fact (ledger_facts.number): it names the SHA-256 of the body.", {
        references: ["ledger_facts", "number"]
      }),
      body: required(text, "The body, byte for byte: it is UTF-8.")
    }
  },
  ledger_terms: {
    says: "The terms by which entries are posted, as configured at a start, or with what a person has closed. Append-only.",
    key: ["number"],
    isLogged: true,
    isAppendOnly: true,
    columns: {
      number: numbered("Its sequence number."),
      from_fact: required(int64, "The first fact they apply to (ledger_facts.number), until later terms replace them."),
      content: required(json, "The terms, as JSON.")
    }
  },
  ledger_entries: {
    says: "The ledger's entries: one for each payment, accrual, correction or reversal. Append-only.",
    key: ["sequence"],
    isLogged: true,
    isAppendOnly: true,
    shownBy: "entry_id",
    indexes: {
      ledger_entries_ipc: { columns: ["ipc_id", "sequence"] },
      // The business key: no payment reference of an IPC can be paid twice.
      ledger_entries_payment: {
        columns: ["ipc_id", "payment_reference"],
        long: ["payment_reference"],
        isUnique: true,
        where: "kind = 'payment'"
      }
    },
    columns: {
      entry_id: required(entryId, "Identifies the entry permanently: the same facts give the same id.", {
        isUnique: true
      }),
      sequence: required(int64, "The entry's number in the journal: 1, 2, 3, … without gaps."),
      ipc_id: ipcId,
      project_id: optional(wholeNumber, "The certificate's project; null if no event has named it."),
      kind: required(
        orSince(oneOf("payment", "adjustment", "reversal"), 3, "accrual"),
        "payment: an IPC was paid. adjustment: a correction, or what a person added. reversal: takes back an entry, or several at once. accrual: an IPC was certified, or its certificates changed."
      ),
      amount: required(money, "The amount it moves; negative if it takes money back."),
      currency: optional(currency, "ISO 4217; null if none is configured."),
      payment_reference: required(text, "The payment's reference, verbatim; for an accrual, the id of its IPC."),
      certificate_url: optional(text, "The URL of the certificate that the amount comes from; null if none is known."),
      debit_account: required(text, "The account that a positive amount debits."),
      credit_account: required(text, "The account that a positive amount credits."),
      effective_at: required(instant, "When the money moved, or the first instant of the open period after it."),
      known_at: required(instant, "When the fact that caused the entry was received."),
      event_id: optional(
        text,
        "For a payment, the id of its ipc.paid event, even if a person's answer posted it; otherwise the id of the event that caused the entry. Null if none did."
      ),
      reverses: optional(
        entryId,
        "The entry that a reversal takes back, or the first of several: book the reversal's own amount. Null for the other kinds."
      ),
      part: required(text, "What it belongs to: the settlement, or the decision on a hold, by its id.", {
        isHidden: true
      }),
      basis,
      fact,
      posting_date: optional(day, "The day it is posted on, in the books' time zone; entries of 0.1 have none.", {
        since: 2
      }),
      epoch: optional(
        int64,
        "Raised whenever the books are restored or moved: epoch and sequence together are never used twice; entries of 0.1 have none.",
        { since: 2 }
      ),
      certified_as: optional(
        word<CertifiedAs>(),
        "How the amount of its certificate was read: each or cumulative, as configured; assumed: as each, because nothing is configured. Null for entries that people added, and in entries of 0.1.",
        { since: 3 }
      ),
      lines: optional(
        json,
        "By account, the amount that the entry moves there, as a JSON object: above zero it is debited. Null: the amount is debited and credited to its two accounts.",
        { since: 3 }
      ),
      queued: optional(
        oneOf("draft", "posted"),
        "How it entered the outbox when it was posted; null if there was no accounting sink, or before 0.2.",
        { since: 3, isHidden: true }
      ),
      chain: optional(
        link,
        "A hash over the books up to the fact that caused it: kept elsewhere, it shows whether they were changed since; entries of 0.1 have none.",
        { since: 3 }
      )
    }
  },
  ledger_certified: {
    says: "The IPCs that are certified, by project and first certificate: what comes before each. It follows from the facts.",
    key: ["ipc_id"],
    since: 3,
    isLogged: true,
    indexes: { ledger_certified_order: { columns: ["project_id", "first_at", "ipc_id"] } },
    columns: {
      ipc_id: ipcId,
      project_id: required(wholeNumber, "The IPC's project."),
      first_at: required(instant, "When its first certificate was made that counts."),
      certificates: required(json, "Those that count, each with its time and amount in ten-thousandths, as JSON.")
    }
  },
  ledger_holds: {
    says: "Postings that wait for an amount or for a person.",
    key: ["hold_id"],
    isLogged: true,
    shownBy: "hold_id",
    indexes: { ledger_holds_ipc: { columns: ["ipc_id"] } },
    columns: {
      ...held,
      basis,
      amount: optional(
        money,
        "The amount in question: the certificate's, or the one that would be posted; null if none is known."
      ),
      currency: optional(currency, "The currency of the amount; null if it isn't known."),
      part: optional(text, "The part of the books that it is about; holds of 0.1 have none.", {
        since: 2,
        isHidden: true
      })
    }
  },
  ledger_hold_decisions: {
    says: "Resolved holds, and how each was resolved. Append-only.",
    key: ["number"],
    isLogged: true,
    isAppendOnly: true,
    shownBy: "number",
    columns: {
      number: numbered("Its sequence number."),
      ...held,
      verdict: required(
        word<"accept" | "reject" | "answered">(),
        "accept or reject, by a person; or answered, by later facts."
      ),
      amount: optional(money, "The amount that a person accepted; null if none was asked for."),
      decided_by: optional(text, "Who decided; null if later facts did."),
      decided_at: required(instant, "When it was resolved."),
      why: optional(text, "The reason given."),
      fact,
      principal: optional(
        text,
        "The principal that decided; null if later facts did, or before principals were kept.",
        { since: 5 }
      )
    }
  },
  ...outbox
} satisfies Tables
