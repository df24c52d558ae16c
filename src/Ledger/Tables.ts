/**
 * The books in the Store: facts and terms in their stored order, the entries and holds that they led to, the decisions
 * of people, and the outbox of the accounting sink. Entries, facts and decisions are append-only: triggers refuse to
 * change or delete one.
 *
 * Amounts are canonical text with four decimals, times Instants, `content` and `basis` JSON.
 */
import { type Generated, type Kysely, sql } from "kysely"
import type { Migration } from "kysely/migration"
import type { Entry, Hold } from "./Fact.ts"

export interface LedgerTables {
  ledger_facts: { number: number; ipc_id: string; kind: string; known_at: string; content: string }
  /** Those of a fact are the last ones with a `from_fact` at or below its number. */
  ledger_terms: { number: Generated<number>; from_fact: number; content: string }
  ledger_entries: {
    /** The journal's number: 1, 2, 3, … without a gap. */
    sequence: number
    entry_id: string
    ipc_id: string
    project_id: string | null
    kind: Entry["kind"]
    amount: string
    currency: string | null
    payment_reference: string
    certificate_url: string | null
    debit_account: string
    credit_account: string
    effective_at: string
    known_at: string
    event_id: string | null
    reverses: string | null
    part: string
    basis: string
    /** The fact that caused it. */
    fact: number
  }
  /** Open ones only. */
  ledger_holds: {
    hold_id: string
    ipc_id: string
    payment_reference: string
    reason: Hold["reason"]
    since: string
    basis: string
    /** What the question is about, where one amount is; and its currency, where that is known. */
    amount: string | null
    currency: string | null
  }
  /** Holds that are closed: by a person, or (`answered`) by a fact that made the question go away. */
  ledger_hold_decisions: {
    number: Generated<number>
    hold_id: string
    ipc_id: string
    payment_reference: string
    reason: Hold["reason"]
    since: string
    verdict: "accept" | "reject" | "answered"
    amount: string | null
    decided_by: string | null
    decided_at: string
    why: string | null
    fact: number
  }
  /** Entries on their way to the accounting sink, each put here in the transaction that made it. */
  ledger_outbox: {
    entry_id: string
    sequence: number
    ipc_id: string
    /** How the sink is to take it, as configured when it was put here: one key always has the same body. */
    status: "draft" | "posted"
    state: Generated<"pending" | "delivered" | "dead">
    /** Since it was put here, replayed, or the sink got well: pauses grow with it. */
    attempts: Generated<number>
    /** How many of them the sink refused for good. */
    refusals: Generated<number>
    queued_at: string
    next_attempt_at: string
    /** What came of the last attempt, or who settled it, in words for a bookkeeper. */
    last_error: string | null
    delivered_at: string | null
  }
}

const appendOnly = (table: string): ReadonlyArray<string> =>
  ["update", "delete"].map(
    (verb) => `create trigger ${table}_no_${verb} before ${verb} on ${table}
      begin select raise(abort, '${table} is append-only'); end`
  )

const statements = [
  `create table ledger_facts (
    number integer primary key,
    ipc_id text not null,
    kind text not null,
    known_at text not null,
    content text not null
  ) strict`,
  `create index ledger_facts_ipc on ledger_facts (ipc_id, number)`,
  `create table ledger_terms (
    number integer primary key autoincrement, from_fact integer not null, content text not null
  ) strict`,
  `create table ledger_entries (
    sequence integer primary key,
    entry_id text not null unique,
    ipc_id text not null,
    project_id text,
    kind text not null check (kind in ('payment', 'adjustment', 'reversal')),
    amount text not null,
    currency text,
    payment_reference text not null,
    certificate_url text,
    debit_account text not null,
    credit_account text not null,
    effective_at text not null,
    known_at text not null,
    event_id text,
    reverses text,
    part text not null,
    basis text not null,
    fact integer not null references ledger_facts (number)
  ) strict`,
  `create index ledger_entries_ipc on ledger_entries (ipc_id, sequence)`,
  // The business key: whatever else goes wrong, no reference of an IPC is paid twice.
  `create unique index ledger_entries_payment on ledger_entries (ipc_id, payment_reference) where kind = 'payment'`,
  `create table ledger_holds (
    hold_id text primary key,
    ipc_id text not null,
    payment_reference text not null,
    reason text not null,
    since text not null,
    basis text not null
  ) strict, without rowid`,
  `create index ledger_holds_ipc on ledger_holds (ipc_id)`,
  `create table ledger_hold_decisions (
    number integer primary key autoincrement,
    hold_id text not null,
    ipc_id text not null,
    payment_reference text not null,
    reason text not null,
    since text not null,
    verdict text not null,
    amount text,
    decided_by text,
    decided_at text not null,
    why text,
    fact integer not null references ledger_facts (number)
  ) strict`,
  `create table ledger_outbox (
    entry_id text primary key references ledger_entries (entry_id),
    sequence integer not null unique,
    ipc_id text not null,
    status text not null check (status in ('draft', 'posted')),
    state text not null default 'pending' check (state in ('pending', 'delivered', 'dead')),
    attempts integer not null default 0,
    refusals integer not null default 0,
    queued_at text not null,
    next_attempt_at text not null,
    last_error text,
    delivered_at text
  ) strict, without rowid`,
  // Only what isn't delivered: these stay small however long the journal gets.
  `create index ledger_outbox_turn on ledger_outbox (next_attempt_at, sequence) where state = 'pending'`,
  `create index ledger_outbox_age on ledger_outbox (queued_at, sequence) where state = 'pending'`,
  `create index ledger_outbox_ipc on ledger_outbox (ipc_id, sequence) where state <> 'delivered'`,
  `create index ledger_outbox_dead on ledger_outbox (sequence) where state = 'dead'`,
  ...["ledger_facts", "ledger_terms", "ledger_entries", "ledger_hold_decisions"].flatMap(appendOnly)
]

export const migration: Migration = {
  up: async (db: Kysely<unknown>) => {
    for (const statement of statements) await sql.raw(statement).execute(db)
  }
}
