/**
 * What makes the Store's tables in SQLite: migrations in the order of their names. One that was released stays as it is.
 */
import { type Kysely, sql } from "kysely"
import type { Migration } from "kysely/migration"
import * as HoldAmounts from "../../Ledger/HoldAmounts.ts"
import * as Ledger from "../../Ledger/Tables.ts"

const migration = (statements: ReadonlyArray<string>): Migration => ({
  up: async (db: Kysely<unknown>) => {
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
    replayed integer not null default 0
  ) strict`,
  `create index inbox_event_id on inbox (event_id)`,
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
    id text not null,
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

const labels = ["alter table inbox add column other_types text"]

/**
 * As `listedIds` writes them: whole numbers as such, if they are written in the one usual way. The mark of a record
 * without a key was a zero byte.
 */
const asListed = `case
  when cast(cast(id as integer) as text) = id and cast(id as integer) between -${"9".repeat(18)} and ${"9".repeat(18)}
    then cast(id as integer)
  when substr(cast(id as blob), 1, 1) = x'00' then char(1) || cast(substr(cast(id as blob), 2) as text)
  else id end`

const fasterIds = [
  `create table event_ids (event_id text primary key, sequence integer not null) strict, without rowid`,
  `insert into event_ids select event_id, min(sequence) from inbox group by event_id`,
  `drop index inbox_event_id`,
  `alter table sightings rename to sightings_before`,
  `create table sightings (
    resource text not null,
    id any not null,
    last_pass integer not null,
    prior_pass integer not null,
    primary key (resource, id)
  ) strict, without rowid`,
  `insert into sightings select resource, ${asListed}, last_pass, prior_pass from sightings_before`,
  `drop table sightings_before`
]

const secretsAndAlerts = [
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

/** Which files an export may name again is told by the manifest before it. */
export const noExportFiles = ["drop table export_files"]

export const migrations: Record<string, Migration> = {
  "0001_store": migration(first),
  "0002_labels": migration(labels),
  "0003_ids": migration(fasterIds),
  "0004_webhook_secrets_and_alerts": migration(secretsAndAlerts),
  "0005_ledger": Ledger.migration,
  "0006_hold_amounts": HoldAmounts.migration,
  "0007_no_export_files": migration(noExportFiles)
}
