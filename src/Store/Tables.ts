/**
 * The tables of the Store, the system of record: Kysely's types and the migrations that make them.
 *
 * Times are Instants (text) or milliseconds (`_ms`). The inbox is append-only but for its two counters,
 * so that a crash can at most leave a delivery uncounted whose 2xx was never sent.
 */
import { type Generated, type Kysely, sql } from "kysely"
import type { Migration } from "kysely/migration"
import * as Ledger from "../Ledger/Tables.ts"

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
  /** Stored events whose counters moved since they were applied. */
  inbox_touched: { sequence: number }
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
  /** The newest export's files, so that unchanged partitions are named again instead of written again. */
  export_files: {
    table_name: string
    partition: string
    fingerprint: string
    path: string
    rows: number
    bytes: number
    sha256: string
  }
  exports: { run: string; started_at: string; finished_at: string }
  schedule: { name: string; last_scheduled_ms: number }
}

const migration = (statements: ReadonlyArray<string>): Migration => ({
  up: async (db: Kysely<StoreTables>) => {
    for (const statement of statements) await sql.raw(statement).execute(db)
  }
})

// STRICT tables refuse values of another type instead of keeping them.
const first = [
  `create table meta (key text primary key, value text not null) strict, without rowid`,
  `create table inbox (
    sequence integer primary key autoincrement,
    body_sha256 blob not null unique,
    body blob not null,
    event_id text not null,
    header_type text,
    issued_at text,
    received_at text not null,
    deliveries integer not null default 1,
    replayed integer not null default 0,
    other_types text
  ) strict`,
  `create table event_ids (event_id text primary key, sequence integer not null) strict, without rowid`,
  `create table inbox_touched (sequence integer primary key) strict`,
  `create table quarantine (sequence integer primary key, reason text not null) strict`,
  `create table record_quarantine (
    resource text not null,
    sha256 text not null,
    record text not null,
    reason text not null,
    first_seen_at text not null,
    last_seen_at text not null,
    primary key (resource, sha256)
  ) strict, without rowid`,
  `create table walks (
    resource text primary key,
    pass integer not null,
    per_page integer not null,
    pages_total integer not null,
    total integer not null,
    rows integer not null,
    started_at text not null,
    disturbed integer not null,
    disturbed_in_a_row integer not null,
    finished_at text,
    proof text,
    proof_at text
  ) strict`,
  `create table walk_pages (
    resource text not null, page integer not null, primary key (resource, page)
  ) strict, without rowid`,
  `create table sightings (
    resource text not null,
    id any not null,
    last_pass integer not null,
    prior_pass integer not null,
    primary key (resource, id)
  ) strict, without rowid`,
  `create table pace (second integer primary key, sent integer not null) strict`,
  `create table uptime (
    id integer primary key autoincrement, from_ms integer not null, to_ms integer not null
  ) strict`,
  `create table closed_gaps (
    from_ms integer not null,
    to_ms integer not null,
    closed_at text not null,
    reason text not null,
    primary key (from_ms, to_ms)
  ) strict, without rowid`,
  `create table subscriptions (
    id integer primary key autoincrement,
    url text not null,
    events text not null,
    secret text,
    created_at text not null,
    verified_at text,
    retired_at text
  ) strict`,
  `create table export_files (
    table_name text not null,
    partition text not null,
    fingerprint text not null,
    path text not null,
    rows integer not null,
    bytes integer not null,
    sha256 text not null,
    primary key (table_name, partition)
  ) strict, without rowid`,
  `create table exports (run text primary key, started_at text not null, finished_at text not null) strict`,
  `create table schedule (name text primary key, last_scheduled_ms integer not null) strict, without rowid`
]

const second = [
  `create table webhook_secrets (
    id integer primary key autoincrement,
    subscription_id integer references subscriptions (id),
    sealed text,
    fingerprint text not null,
    added_at text not null,
    retired_at text,
    expires_at text,
    last_used_at text
  ) strict`,
  `create table alerts (
    id integer primary key autoincrement,
    status text not null,
    body text not null,
    delivered_at text
  ) strict`
]

export const migrations: Record<string, Migration> = {
  "0001_store": migration(first),
  "0002_webhook_secrets_and_alerts": migration(second),
  "0003_ledger": Ledger.migration
}
