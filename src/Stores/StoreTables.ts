/**
 * The tables of the Store, the system of record, as Kysely's types (`SqliteTables`, `PostgresTables`: what makes them).
 *
 * Times are Instants (text) or milliseconds (`_ms`). The inbox is append-only but for its two counters,
 * so that a crash can at most leave a delivery uncounted whose 2xx was never sent.
 */
import type { Generated } from "kysely"
import type * as Ledger from "../Ledger/Tables.ts"

export interface StoreTables extends Ledger.LedgerTables {
  /** Single facts: the service's identity, the warehouse's id, the applied-through sequence. */
  meta: { key: string; value: string }
  inbox: {
    sequence: Generated<number>
    body_sha256: Uint8Array
    body: Uint8Array
    event_id: string
    header_type: string | null
    /** JSON array: what else later deliveries of the same body were labelled. */
    other_types: Generated<string | null>
    issued_at: string | null
    received_at: string
    deliveries: Generated<number>
    replayed: Generated<number>
  }
  /** The first sequence under which an id came, of events that Apply has looked at. */
  event_ids: { event_id: string; sequence: number }
  /** SQLite's queue: stored events whose counters moved since they were applied. */
  inbox_touched: { sequence: number }
  /** PostgreSQL's queue: a row for each delivery that isn't applied. */
  inbox_queue: { id: Generated<number>; sequence: number; is_first: boolean; received_at: string }
  /** PostgreSQL: the workers that share the Store. */
  workers: {
    id: string
    host: string
    pid: number
    started_at: string
    seen_at: string
    is_leader: boolean
    /** JSON array of sentences. */
    reasons: string
  }
  /** Events that could not be read or applied, by their sequence. */
  quarantine: { sequence: number; reason: string }
  /** Records of lists without a usable key. */
  record_quarantine: {
    resource: string
    sha256: string
    record: string
    reason: string
    first_seen_at: string
    last_seen_at: string
  }
  walks: {
    resource: string
    pass: number
    per_page: number
    pages_total: number
    total: number
    rows: number
    started_at: string
    disturbed: number
    disturbed_in_a_row: number
    finished_at: string | null
    proof: string | null
    proof_at: string | null
  }
  /** Checkpoints of the current pass. */
  walk_pages: { resource: string; page: number }
  /** For every id the last two passes that showed it. */
  sightings: { resource: string; id: string | number; last_pass: number; prior_pass: number }
  /** Requests that may have been sent in a second of the wall clock. */
  pace: { second: number; sent: number }
  /** Intervals in which the receiver was up. */
  uptime: { id: Generated<number>; from_ms: number; to_ms: number }
  closed_gaps: { from_ms: number; to_ms: number; closed_at: string; reason: string }
  subscriptions: {
    id: Generated<number>
    url: string
    events: string
    /** Plain, by an older version; sealed into `webhook_secrets` at the next start, and null ever since. */
    secret: string | null
    created_at: string
    verified_at: string | null
    retired_at: string | null
  }
  webhook_secrets: {
    id: Generated<number>
    /** Null: of a subscription made by hand. */
    subscription_id: number | null
    /** Null while the subscription is being made, or when the answer that brings the secret was lost. */
    sealed: string | null
    /** What people know it by. */
    fingerprint: string
    added_at: string
    /** When a person said that it is to end, and when it does. */
    retired_at: string | null
    expires_at: string | null
    last_used_at: string | null
  }
  /** What was, or is to be, told about Status; the newest one says what was told last. */
  alerts: { id: Generated<number>; status: string; body: string; delivered_at: string | null }
  exports: { run: string; started_at: string; finished_at: string }
  schedule: { name: string; last_scheduled_ms: number }
}
