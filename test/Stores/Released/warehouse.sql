-- A Warehouse as the first release made it (2026-11-20), with rows.

create schema construction;
create schema siteledger;
CREATE TABLE construction.events(body_sha256 VARCHAR PRIMARY KEY, "sequence" BIGINT,
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
CREATE TABLE construction.hse_incidents(id VARCHAR PRIMARY KEY,
  status VARCHAR,
  classification VARCHAR,
  reported_at TIMESTAMP WITH TIME ZONE,
  _extra JSON,
  _clocks JSON,
  _first_seen_at TIMESTAMP WITH TIME ZONE,
  _changed_at TIMESTAMP WITH TIME ZONE,
  _deleted_at TIMESTAMP WITH TIME ZONE);
CREATE TABLE construction.ipcs(id VARCHAR PRIMARY KEY,
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
CREATE TABLE construction.ncrs(id VARCHAR PRIMARY KEY,
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
CREATE TABLE construction.permits(id VARCHAR PRIMARY KEY,
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
CREATE TABLE construction.projects(id BIGINT PRIMARY KEY, "name" VARCHAR,
  status VARCHAR,
  _extra JSON,
  _clocks JSON,
  _first_seen_at TIMESTAMP WITH TIME ZONE,
  _changed_at TIMESTAMP WITH TIME ZONE,
  _deleted_at TIMESTAMP WITH TIME ZONE);
CREATE TABLE construction.transmittals(id VARCHAR PRIMARY KEY,
  status VARCHAR,
  recipients JSON,
  document_count BIGINT,
  sent_at TIMESTAMP WITH TIME ZONE,
  _extra JSON,
  _clocks JSON,
  _first_seen_at TIMESTAMP WITH TIME ZONE,
  _changed_at TIMESTAMP WITH TIME ZONE,
  _deleted_at TIMESTAMP WITH TIME ZONE);
CREATE TABLE construction.vos(id VARCHAR PRIMARY KEY,
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
CREATE TABLE siteledger.kysely_migration("name" VARCHAR PRIMARY KEY, "timestamp" VARCHAR NOT NULL);
CREATE TABLE siteledger.kysely_migration_lock(id VARCHAR PRIMARY KEY,
  is_locked INTEGER DEFAULT(0) NOT NULL);
CREATE TABLE siteledger.meta("key" VARCHAR PRIMARY KEY, "value" VARCHAR NOT NULL);
CREATE VIEW construction.cashflow_by_month AS SELECT CAST(date_trunc('month', main.timezone('UTC', paid_at)) AS DATE) AS "month", project_id, count_star() AS ipcs_paid, sum(certified_amount) AS certified_amount, (count_star() - count(certified_amount)) AS without_amount FROM construction.ipcs WHERE ((paid_at IS NOT NULL) AND (_deleted_at IS NULL)) GROUP BY 1, project_id;
CREATE VIEW construction.expiring_permits AS SELECT id AS permit_id, permit_type, validity, hours_until_expiry, expiring_at, (expiring_at + (hours_until_expiry * CAST('1 hour' AS INTERVAL))) AS expires_at FROM construction.permits WHERE ((status = 'expiring') AND (_deleted_at IS NULL));
CREATE VIEW construction.ipc_ageing AS SELECT id AS ipc_id, project_id, status, certified_amount, submitted_at, certified_at, paid_at, (CAST(main.timezone('UTC', certified_at) AS DATE) - CAST(main.timezone('UTC', submitted_at) AS DATE)) AS days_submitted_to_certified, (CAST(main.timezone('UTC', paid_at) AS DATE) - CAST(main.timezone('UTC', certified_at) AS DATE)) AS days_certified_to_paid, CASE  WHEN (((paid_at IS NULL) AND (submitted_at IS NOT NULL))) THEN ((CAST(main.timezone('UTC', current_timestamp) AS DATE) - CAST(main.timezone('UTC', submitted_at) AS DATE))) ELSE NULL END AS days_waiting, (paid_at IS NOT NULL) AS is_paid FROM construction.ipcs WHERE (_deleted_at IS NULL);
CREATE VIEW construction.open_ncrs AS SELECT id AS ncr_id, project_id, severity, created_at, (CAST(main.timezone('UTC', current_timestamp) AS DATE) - CAST(main.timezone('UTC', created_at) AS DATE)) AS days_open FROM construction.ncrs WHERE ((status = 'open') AND (_deleted_at IS NULL));
CREATE VIEW construction.vo_exposure AS SELECT project_id, status, count_star() AS vos, sum(total_cost_impact) AS total_cost_impact, sum(final_amount) AS final_amount, sum(COALESCE(final_amount, total_cost_impact)) AS exposure FROM construction.vos WHERE (_deleted_at IS NULL) GROUP BY project_id, status;

insert into construction.projects ("id", "name", "status", "_extra", "_clocks", "_first_seen_at", "_changed_at") values
  ('7', 'North', 'open', '{}', '{}', '2026-11-20 08:00:00+00', '2026-11-20 08:00:00+00');
insert into construction.ipcs ("id", "status", "project_id", "certified_amount", "payment_reference", "paid_at", "_extra", "_clocks") values
  ('IPC-1', 'paid', '12', '1234.5000', 'P-1', '2026-11-20 07:59:00+00', '{}', '{}');
insert into construction.events ("body_sha256", "sequence", "event_id", "event_type", "deliveries", "outcome", "alarms") values
  ('96631f9b39a61b5e596e4dd682cbd6b06c4bf3f991c08ce4f5a71f3f90964aa7', '1', 'e-1', 'ipc.paid', '1', 'applied', '[]');
insert into siteledger.kysely_migration ("name", "timestamp") values
  ('0001_warehouse', '2026-11-20T22:27:49.329Z');
insert into siteledger.kysely_migration_lock ("id", "is_locked") values
  ('migration_lock', 0);
insert into siteledger.meta ("key", "value") values
  ('id', '662cb8cd-9b14-470d-ac1f-a57fbad89319');
insert into siteledger.meta ("key", "value") values
  ('applied_through', '1');
