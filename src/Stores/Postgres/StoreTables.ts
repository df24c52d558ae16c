/**
 * The Store's tables in PostgreSQL, schema `siteledger`: the same tables and columns as in SQLite (`Store/Tables`,
 * `Ledger/Tables`), and the queue of what is to be applied, which several workers take from.
 *
 * Text is ordered by its bytes, as it is in SQLite, whatever the database's collation. Facts, terms, entries and
 * decisions are append-only: triggers refuse to change or delete one, also for the owner.
 */

const text = 'text collate "C"'

const appendOnly = (table: string): ReadonlyArray<string> => [
  `create trigger ${table}_append_only before update or delete or truncate on siteledger.${table}
    for each statement execute function siteledger.refuse_change()`
]

const raw = [
  `create table meta (key text primary key, value text not null)`,
  `create table inbox (
    sequence bigint generated always as identity primary key,
    body_sha256 bytea not null unique,
    body bytea not null,
    event_id text not null,
    header_type text,
    issued_at text,
    received_at text not null,
    deliveries integer not null default 1,
    replayed integer not null default 0,
    other_types text
  )`,
  // A row for each delivery that isn't applied yet: whoever applies it deletes the row in the same transaction.
  `create table inbox_queue (
    id bigint generated always as identity primary key,
    sequence bigint not null,
    is_first boolean not null,
    received_at text not null
  )`,
  `create table event_ids (event_id text primary key, sequence bigint not null)`,
  `create table quarantine (sequence bigint primary key, reason text not null)`,
  `create table record_quarantine (
    resource text not null,
    sha256 text not null,
    record text not null,
    reason text not null,
    first_seen_at text not null,
    last_seen_at text not null,
    primary key (resource, sha256)
  )`,
  `create table walks (
    resource text primary key,
    pass integer not null,
    per_page integer not null,
    pages_total integer not null,
    total bigint not null,
    rows bigint not null,
    started_at text not null,
    disturbed integer not null,
    disturbed_in_a_row integer not null,
    finished_at text,
    proof text,
    proof_at text
  )`,
  `create table walk_pages (resource text not null, page integer not null, primary key (resource, page))`,
  `create table sightings (
    resource text not null,
    id text not null,
    last_pass integer not null,
    prior_pass integer not null,
    primary key (resource, id)
  )`,
  `create table pace (second bigint primary key, sent integer not null)`,
  `create table uptime (
    id bigint generated always as identity primary key, from_ms bigint not null, to_ms bigint not null
  )`,
  `create table closed_gaps (
    from_ms bigint not null,
    to_ms bigint not null,
    closed_at text not null,
    reason text not null,
    primary key (from_ms, to_ms)
  )`,
  `create table subscriptions (
    id bigint generated always as identity primary key,
    url text not null,
    events text not null,
    secret text,
    created_at text not null,
    verified_at text,
    retired_at text
  )`,
  `create table webhook_secrets (
    id bigint generated always as identity primary key,
    subscription_id bigint references subscriptions (id),
    sealed text,
    fingerprint text not null,
    added_at text not null,
    retired_at text,
    expires_at text,
    last_used_at text
  )`,
  `create table alerts (
    id bigint generated always as identity primary key, status text not null, body text not null, delivered_at text
  )`,
  `create table export_files (
    table_name text not null,
    partition text not null,
    fingerprint text not null,
    path text not null,
    rows bigint not null,
    bytes bigint not null,
    sha256 text not null,
    primary key (table_name, partition)
  )`,
  `create table exports (run text primary key, started_at text not null, finished_at text not null)`,
  `create table schedule (name text primary key, last_scheduled_ms bigint not null)`
]

const ledger = [
  `create table ledger_facts (
    number bigint primary key, ipc_id text not null, kind text not null, known_at text not null, content text not null
  )`,
  `create index ledger_facts_ipc on ledger_facts (ipc_id, number)`,
  `create table ledger_terms (
    number bigint generated always as identity primary key, from_fact bigint not null, content text not null
  )`,
  `create table ledger_entries (
    sequence bigint primary key,
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
    fact bigint not null references ledger_facts (number)
  )`,
  `create index ledger_entries_ipc on ledger_entries (ipc_id, sequence)`,
  // A reference may be longer than an index takes.
  `create function digest_of(varchar) returns bytea language sql immutable strict
    as $$ select sha256(convert_to($1, 'UTF8')) $$`,
  // The business key: whatever else goes wrong, no reference of an IPC is paid twice.
  `create unique index ledger_entries_payment on ledger_entries (ipc_id, digest_of(payment_reference))
    where kind = 'payment'`,
  `create table ledger_holds (
    hold_id text primary key,
    ipc_id text not null,
    payment_reference text not null,
    reason text not null,
    since text not null,
    basis text not null
  )`,
  `create index ledger_holds_ipc on ledger_holds (ipc_id)`,
  `create table ledger_hold_decisions (
    number bigint generated always as identity primary key,
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
    fact bigint not null references ledger_facts (number)
  )`,
  `create table ledger_outbox (
    entry_id text primary key references ledger_entries (entry_id),
    sequence bigint not null unique,
    ipc_id text not null,
    status text not null check (status in ('draft', 'posted')),
    state text not null default 'pending' check (state in ('pending', 'delivered', 'dead')),
    attempts integer not null default 0,
    refusals integer not null default 0,
    queued_at text not null,
    next_attempt_at text not null,
    last_error text,
    delivered_at text
  )`,
  `create index ledger_outbox_turn on ledger_outbox (next_attempt_at, sequence) where state = 'pending'`,
  `create index ledger_outbox_age on ledger_outbox (queued_at, sequence) where state = 'pending'`,
  `create index ledger_outbox_ipc on ledger_outbox (ipc_id, sequence) where state <> 'delivered'`,
  `create index ledger_outbox_dead on ledger_outbox (sequence) where state = 'dead'`,
  `create function refuse_change() returns trigger language plpgsql as $$
    begin raise exception '% is append-only', tg_table_name; end $$`,
  ...["ledger_facts", "ledger_terms", "ledger_entries", "ledger_hold_decisions"].flatMap(appendOnly)
]

/** What the workers tell each other about themselves. */
const workers = [
  `create table workers (
    id text primary key,
    host text not null,
    pid integer not null,
    started_at text not null,
    seen_at text not null,
    is_leader boolean not null,
    reasons text not null
  )`
]

/** In schema `siteledger`, which the session's search path names. */
export const statements: ReadonlyArray<string> = [...raw, ...ledger, ...workers].map((statement) =>
  statement.replace(/\btext\b(?= (?:primary|not null|unique)|,|\n|\))/g, text)
)
