-- The Store (SQLite)

CREATE TABLE alerts (
    id integer primary key autoincrement,
    status text not null,
    body text not null,
    delivered_at text
  ) strict;

CREATE TABLE closed_gaps (
    from_ms integer not null,
    to_ms integer not null,
    closed_at text not null,
    reason text not null,
    primary key (from_ms, to_ms)
  ) strict, without rowid;

CREATE TABLE event_ids (event_id text primary key, sequence integer not null) strict, without rowid;

CREATE TABLE exports (run text primary key, started_at text not null, finished_at text not null) strict;

CREATE TABLE inbox (
    sequence integer primary key autoincrement,
    body_sha256 blob not null unique,
    body blob not null,
    event_id text not null,
    header_type text,
    issued_at text,
    received_at text not null,
    deliveries integer not null default 1,
    replayed integer not null default 0
  , other_types text) strict;

CREATE TABLE inbox_touched (sequence integer primary key) strict;

CREATE TABLE "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);

CREATE TABLE "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);

CREATE TABLE ledger_entries (
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
  ) strict;

CREATE INDEX ledger_entries_ipc on ledger_entries (ipc_id, sequence);

CREATE TRIGGER ledger_entries_no_delete before delete on ledger_entries
      begin select raise(abort, 'ledger_entries is append-only'); end;

CREATE TRIGGER ledger_entries_no_update before update on ledger_entries
      begin select raise(abort, 'ledger_entries is append-only'); end;

CREATE UNIQUE INDEX ledger_entries_payment on ledger_entries (ipc_id, payment_reference) where kind = 'payment';

CREATE TABLE ledger_facts (
    number integer primary key,
    ipc_id text not null,
    kind text not null,
    known_at text not null,
    content text not null
  ) strict;

CREATE INDEX ledger_facts_ipc on ledger_facts (ipc_id, number);

CREATE TRIGGER ledger_facts_no_delete before delete on ledger_facts
      begin select raise(abort, 'ledger_facts is append-only'); end;

CREATE TRIGGER ledger_facts_no_update before update on ledger_facts
      begin select raise(abort, 'ledger_facts is append-only'); end;

CREATE TABLE ledger_hold_decisions (
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
  ) strict;

CREATE TRIGGER ledger_hold_decisions_no_delete before delete on ledger_hold_decisions
      begin select raise(abort, 'ledger_hold_decisions is append-only'); end;

CREATE TRIGGER ledger_hold_decisions_no_update before update on ledger_hold_decisions
      begin select raise(abort, 'ledger_hold_decisions is append-only'); end;

CREATE TABLE ledger_holds (
    hold_id text primary key,
    ipc_id text not null,
    payment_reference text not null,
    reason text not null,
    since text not null,
    basis text not null
  , "amount" text, "currency" text) strict, without rowid;

CREATE INDEX ledger_holds_ipc on ledger_holds (ipc_id);

CREATE TABLE ledger_outbox (
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
  ) strict, without rowid;

CREATE INDEX ledger_outbox_age on ledger_outbox (queued_at, sequence) where state = 'pending';

CREATE INDEX ledger_outbox_dead on ledger_outbox (sequence) where state = 'dead';

CREATE INDEX ledger_outbox_ipc on ledger_outbox (ipc_id, sequence) where state <> 'delivered';

CREATE INDEX ledger_outbox_turn on ledger_outbox (next_attempt_at, sequence) where state = 'pending';

CREATE TABLE ledger_terms (
    number integer primary key autoincrement, from_fact integer not null, content text not null
  ) strict;

CREATE TRIGGER ledger_terms_no_delete before delete on ledger_terms
      begin select raise(abort, 'ledger_terms is append-only'); end;

CREATE TRIGGER ledger_terms_no_update before update on ledger_terms
      begin select raise(abort, 'ledger_terms is append-only'); end;

CREATE TABLE meta (key text primary key, value text not null) strict, without rowid;

CREATE TABLE pace (second integer primary key, sent integer not null) strict;

CREATE TABLE quarantine (sequence integer primary key, reason text not null) strict;

CREATE TABLE record_quarantine (
    resource text not null,
    sha256 text not null,
    record text not null,
    reason text not null,
    first_seen_at text not null,
    last_seen_at text not null,
    primary key (resource, sha256)
  ) strict, without rowid;

CREATE TABLE schedule (name text primary key, last_scheduled_ms integer not null) strict, without rowid;

CREATE TABLE sightings (
    resource text not null,
    id any not null,
    last_pass integer not null,
    prior_pass integer not null,
    primary key (resource, id)
  ) strict, without rowid;

CREATE TABLE sqlite_sequence(name,seq);

CREATE TABLE subscriptions (
    id integer primary key autoincrement,
    url text not null,
    events text not null,
    secret text,
    created_at text not null,
    verified_at text,
    retired_at text
  ) strict;

CREATE TABLE uptime (
    id integer primary key autoincrement, from_ms integer not null, to_ms integer not null
  ) strict;

CREATE TABLE walk_pages (
    resource text not null, page integer not null, primary key (resource, page)
  ) strict, without rowid;

CREATE TABLE walks (
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
  ) strict;

CREATE TABLE webhook_secrets (
    id integer primary key autoincrement,
    subscription_id integer references subscriptions (id),
    sealed text,
    fingerprint text not null,
    added_at text not null,
    retired_at text,
    expires_at text,
    last_used_at text
  ) strict;

-- The Warehouse (DuckDB)

CREATE TABLE construction.events(body_sha256 VARCHAR, "sequence" BIGINT,
  event_id VARCHAR,
  event_type VARCHAR,
  event_timestamp TIMESTAMP WITH TIME ZONE,
  entity VARCHAR,
  entity_id VARCHAR,
  payload VARCHAR,
  issued_at TIMESTAMP WITH TIME ZONE,
  received_at TIMESTAMP WITH TIME ZONE,
  deliveries BIGINT,
  outcome VARCHAR,
  reason VARCHAR,
  alarms JSON);

CREATE TABLE construction.hse_incidents(id VARCHAR,
  status VARCHAR,
  classification VARCHAR,
  reported_at TIMESTAMP WITH TIME ZONE,
  _extra JSON,
  _clocks JSON,
  _first_seen_at TIMESTAMP WITH TIME ZONE,
  _changed_at TIMESTAMP WITH TIME ZONE,
  _deleted_at TIMESTAMP WITH TIME ZONE);

CREATE TABLE construction.ipcs(id VARCHAR,
  status VARCHAR,
  project_id BIGINT,
  draft_amount DECIMAL(28,4),
  submitter VARCHAR,
  submitted_amount DECIMAL(28,4),
  certified_amount DECIMAL(28,4),
  certificate_url VARCHAR,
  payment_reference VARCHAR,
  created_at TIMESTAMP WITH TIME ZONE,
  submitted_at TIMESTAMP WITH TIME ZONE,
  certified_at TIMESTAMP WITH TIME ZONE,
  paid_at TIMESTAMP WITH TIME ZONE,
  _extra JSON,
  _clocks JSON,
  _first_seen_at TIMESTAMP WITH TIME ZONE,
  _changed_at TIMESTAMP WITH TIME ZONE,
  _deleted_at TIMESTAMP WITH TIME ZONE);

CREATE TABLE construction.ledger_entries(entry_id VARCHAR PRIMARY KEY, "sequence" BIGINT,
  ipc_id VARCHAR,
  project_id BIGINT,
  kind VARCHAR,
  amount DECIMAL(28,4),
  currency VARCHAR,
  payment_reference VARCHAR,
  certificate_url VARCHAR,
  debit_account VARCHAR,
  credit_account VARCHAR,
  effective_at TIMESTAMP WITH TIME ZONE,
  known_at TIMESTAMP WITH TIME ZONE,
  event_id VARCHAR,
  reverses VARCHAR,
  basis JSON);

CREATE TABLE construction.ledger_hold_decisions(number BIGINT PRIMARY KEY,
  hold_id VARCHAR,
  ipc_id VARCHAR,
  payment_reference VARCHAR,
  reason VARCHAR,
  since TIMESTAMP WITH TIME ZONE,
  verdict VARCHAR,
  amount DECIMAL(28,4),
  decided_by VARCHAR,
  decided_at TIMESTAMP WITH TIME ZONE,
  why VARCHAR);

CREATE TABLE construction.ledger_holds(hold_id VARCHAR PRIMARY KEY,
  ipc_id VARCHAR,
  payment_reference VARCHAR,
  reason VARCHAR,
  since TIMESTAMP WITH TIME ZONE,
  basis JSON,
  amount DECIMAL(28,4),
  currency VARCHAR);

CREATE TABLE construction.ncrs(id VARCHAR,
  status VARCHAR,
  project_id BIGINT,
  severity VARCHAR,
  closure_date DATE,
  created_at TIMESTAMP WITH TIME ZONE,
  closed_at TIMESTAMP WITH TIME ZONE,
  _extra JSON,
  _clocks JSON,
  _first_seen_at TIMESTAMP WITH TIME ZONE,
  _changed_at TIMESTAMP WITH TIME ZONE,
  _deleted_at TIMESTAMP WITH TIME ZONE);

CREATE TABLE construction.permits(id VARCHAR,
  status VARCHAR,
  permit_type VARCHAR,
  validity VARCHAR,
  hours_until_expiry DECIMAL(10,2),
  issued_at TIMESTAMP WITH TIME ZONE,
  expiring_at TIMESTAMP WITH TIME ZONE,
  _extra JSON,
  _clocks JSON,
  _first_seen_at TIMESTAMP WITH TIME ZONE,
  _changed_at TIMESTAMP WITH TIME ZONE,
  _deleted_at TIMESTAMP WITH TIME ZONE);

CREATE TABLE construction.projects(id BIGINT, "name" VARCHAR,
  status VARCHAR,
  _extra JSON,
  _clocks JSON,
  _first_seen_at TIMESTAMP WITH TIME ZONE,
  _changed_at TIMESTAMP WITH TIME ZONE,
  _deleted_at TIMESTAMP WITH TIME ZONE);

CREATE TABLE construction.transmittals(id VARCHAR,
  status VARCHAR,
  recipients JSON,
  document_count BIGINT,
  sent_at TIMESTAMP WITH TIME ZONE,
  _extra JSON,
  _clocks JSON,
  _first_seen_at TIMESTAMP WITH TIME ZONE,
  _changed_at TIMESTAMP WITH TIME ZONE,
  _deleted_at TIMESTAMP WITH TIME ZONE);

CREATE TABLE construction.vos(id VARCHAR,
  status VARCHAR,
  project_id BIGINT,
  description VARCHAR,
  total_cost_impact DECIMAL(28,4),
  final_amount DECIMAL(28,4),
  time_impact VARCHAR,
  boq_revision VARCHAR,
  created_at TIMESTAMP WITH TIME ZONE,
  priced_at TIMESTAMP WITH TIME ZONE,
  agreed_at TIMESTAMP WITH TIME ZONE,
  absorbed_at TIMESTAMP WITH TIME ZONE,
  _extra JSON,
  _clocks JSON,
  _first_seen_at TIMESTAMP WITH TIME ZONE,
  _changed_at TIMESTAMP WITH TIME ZONE,
  _deleted_at TIMESTAMP WITH TIME ZONE);

CREATE VIEW construction.cashflow_by_month AS SELECT CAST(date_trunc('month', main.timezone('UTC', paid_at)) AS DATE) AS "month", project_id, count_star() AS ipcs_paid, sum(certified_amount) AS certified_amount, (count_star() - count(certified_amount)) AS without_amount FROM construction.ipcs WHERE ((paid_at IS NOT NULL) AND (_deleted_at IS NULL)) GROUP BY 1, project_id;

CREATE VIEW construction.expiring_permits AS SELECT id AS permit_id, permit_type, validity, hours_until_expiry, expiring_at, (expiring_at + (hours_until_expiry * CAST('1 hour' AS INTERVAL))) AS expires_at FROM construction.permits WHERE ((status = 'expiring') AND (_deleted_at IS NULL));

CREATE VIEW construction.ipc_ageing AS SELECT id AS ipc_id, project_id, status, certified_amount, submitted_at, certified_at, paid_at, (CAST(main.timezone('UTC', certified_at) AS DATE) - CAST(main.timezone('UTC', submitted_at) AS DATE)) AS days_submitted_to_certified, (CAST(main.timezone('UTC', paid_at) AS DATE) - CAST(main.timezone('UTC', certified_at) AS DATE)) AS days_certified_to_paid, CASE  WHEN (((paid_at IS NULL) AND (submitted_at IS NOT NULL))) THEN ((CAST(main.timezone('UTC', current_timestamp) AS DATE) - CAST(main.timezone('UTC', submitted_at) AS DATE))) ELSE NULL END AS days_waiting, (paid_at IS NOT NULL) AS is_paid FROM construction.ipcs WHERE (_deleted_at IS NULL);

CREATE VIEW construction.ledger_lines AS SELECT e.entry_id, l.account, l.debit, l.credit FROM construction.ledger_entries AS e , (SELECT * FROM (VALUES (e.debit_account, greatest(e.amount, 0), greatest(-(e.amount), 0)), (e.credit_account, greatest(-(e.amount), 0), greatest(e.amount, 0))) AS valueslist) AS l(account, debit, credit);

CREATE VIEW construction.open_ncrs AS SELECT id AS ncr_id, project_id, severity, created_at, (CAST(main.timezone('UTC', current_timestamp) AS DATE) - CAST(main.timezone('UTC', created_at) AS DATE)) AS days_open FROM construction.ncrs WHERE ((status = 'open') AND (_deleted_at IS NULL));

CREATE VIEW construction.vo_exposure AS SELECT project_id, status, count_star() AS vos, sum(total_cost_impact) AS total_cost_impact, sum(final_amount) AS final_amount, sum(COALESCE(final_amount, total_cost_impact)) AS exposure FROM construction.vos WHERE (_deleted_at IS NULL) GROUP BY project_id, status;
