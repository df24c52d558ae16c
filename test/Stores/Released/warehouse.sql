-- A Warehouse in DuckDB as version 0.1.0 makes it, with rows in every table.

create schema construction;
create schema siteledger;
CREATE TABLE construction.events(body_sha256 VARCHAR,
  "sequence" BIGINT,
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
CREATE TABLE construction.ledger_entries(entry_id VARCHAR PRIMARY KEY,
  "sequence" BIGINT,
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
CREATE TABLE construction.projects(id BIGINT,
  "name" VARCHAR,
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
CREATE TABLE siteledger.kysely_migration("name" VARCHAR PRIMARY KEY,
  "timestamp" VARCHAR NOT NULL);
CREATE TABLE siteledger.kysely_migration_lock(id VARCHAR PRIMARY KEY,
  is_locked INTEGER DEFAULT(0) NOT NULL);
CREATE TABLE siteledger.meta("key" VARCHAR PRIMARY KEY,
  "value" VARCHAR NOT NULL);
CREATE VIEW construction.cashflow_by_month AS SELECT CAST(date_trunc('month', main.timezone('UTC', paid_at)) AS DATE) AS "month", project_id, count_star() AS ipcs_paid, sum(certified_amount) AS certified_amount, (count_star() - count(certified_amount)) AS without_amount FROM construction.ipcs WHERE ((paid_at IS NOT NULL) AND (_deleted_at IS NULL)) GROUP BY 1, project_id;
CREATE VIEW construction.expiring_permits AS SELECT id AS permit_id, permit_type, validity, hours_until_expiry, expiring_at, (expiring_at + (hours_until_expiry * CAST('1 hour' AS INTERVAL))) AS expires_at FROM construction.permits WHERE ((status = 'expiring') AND (_deleted_at IS NULL));
CREATE VIEW construction.ipc_ageing AS SELECT id AS ipc_id, project_id, status, certified_amount, submitted_at, certified_at, paid_at, (CAST(main.timezone('UTC', certified_at) AS DATE) - CAST(main.timezone('UTC', submitted_at) AS DATE)) AS days_submitted_to_certified, (CAST(main.timezone('UTC', paid_at) AS DATE) - CAST(main.timezone('UTC', certified_at) AS DATE)) AS days_certified_to_paid, CASE  WHEN (((paid_at IS NULL) AND (submitted_at IS NOT NULL))) THEN ((CAST(main.timezone('UTC', current_timestamp) AS DATE) - CAST(main.timezone('UTC', submitted_at) AS DATE))) ELSE NULL END AS days_waiting, (paid_at IS NOT NULL) AS is_paid FROM construction.ipcs WHERE (_deleted_at IS NULL);
create view construction.ledger_lines as
  select e.entry_id, l.account, l.debit, l.credit
  from construction.ledger_entries e
  cross join lateral (
    values (e.debit_account, greatest(e.amount, 0), greatest(-e.amount, 0)),
      (e.credit_account, greatest(-e.amount, 0), greatest(e.amount, 0))
  ) as l (account, debit, credit);
CREATE VIEW construction.open_ncrs AS SELECT id AS ncr_id, project_id, severity, created_at, (CAST(main.timezone('UTC', current_timestamp) AS DATE) - CAST(main.timezone('UTC', created_at) AS DATE)) AS days_open FROM construction.ncrs WHERE ((status = 'open') AND (_deleted_at IS NULL));
CREATE VIEW construction.vo_exposure AS SELECT project_id, status, count_star() AS vos, sum(total_cost_impact) AS total_cost_impact, sum(final_amount) AS final_amount, sum(COALESCE(final_amount, total_cost_impact)) AS exposure FROM construction.vos WHERE (_deleted_at IS NULL) GROUP BY project_id, status;

insert into construction.events ("body_sha256", "sequence", "event_id", "event_type", "event_timestamp", "entity", "entity_id", "payload", "issued_at", "received_at", "deliveries", "outcome", "reason", "alarms") values
  ('0c984d1fd47b6c7c908878ce1e721ed25f7d6be61f1074d6d8432c479249d7d8', '2', 'e-1', 'ipc.created', '2026-11-20 00:00:00+00', 'ipcs', 'IPC-2', '{"event_type":"ipc.created","timestamp":"2026-11-20T07:58:00Z","ipc_id":"IPC-2"}', '2026-11-20 00:00:00+00', '2026-11-20 00:00:01+00', '1', 'applied', null, '["id-reused"]'),
  ('96631f9b39a61b5e596e4dd682cbd6b06c4bf3f991c08ce4f5a71f3f90964aa7', '1', 'e-1', 'ipc.paid', '2026-11-20 00:00:00+00', 'ipcs', 'IPC-1', '{"event_type":"ipc.paid","timestamp":"2026-11-20T07:59:00Z","ipc_id":"IPC-1","payment_reference":"P-1"}', '2026-11-20 00:00:00+00', '2026-11-20 00:00:01+00', '2', 'applied', null, '[]'),
  ('97a3276bbcb3aeb154b88b8cdf6c4e818176fe1f856605fb1edb4d3acbf27523', '3', 'e-3', null, null, null, null, 'not JSON at all: '' \ 
', '2026-11-20 00:00:00+00', '2026-11-20 00:00:01+00', '1', 'quarantined', 'not-json', '[]');

insert into construction.hse_incidents ("id", "status", "classification", "reported_at", "_extra", "_clocks", "_first_seen_at", "_changed_at", "_deleted_at") values
  ('hse_incidents-1', 'reported', 'Zoë''s "x"', '2026-11-20 00:00:01+00', '{"note":"Ñandú 1.10"}', '{"+note":"1795190324983000.1.aaaaaaaaaaaaaaaa","_deleted_at":"1795190324983000.1.aaaaaaaaaaaaaaaa","classification":"1795190324983000.1.aaaaaaaaaaaaaaaa","reported_at":"1795190324983000.1.aaaaaaaaaaaaaaaa"}', '2026-11-20 00:00:01+00', '2026-11-20 00:00:01+00', null);

insert into construction.ipcs ("id", "status", "project_id", "draft_amount", "submitter", "submitted_amount", "certified_amount", "certificate_url", "payment_reference", "created_at", "submitted_at", "certified_at", "paid_at", "_extra", "_clocks", "_first_seen_at", "_changed_at", "_deleted_at") values
  ('ipcs-1', 'paid', '9007199254740993', '123456789012345678901234.5678', 'Zoë''s "x"', '123456789012345678901234.5678', '123456789012345678901234.5678', 'Zoë''s "x"', 'Zoë''s "x"', '2026-11-20 00:00:01+00', '2026-11-20 00:00:01+00', '2026-11-20 00:00:01+00', '2026-11-20 00:00:01+00', '{"note":"Ñandú 1.10"}', '{"+note":"1795190324983000.1.aaaaaaaaaaaaaaaa","_deleted_at":"1795190324983000.1.aaaaaaaaaaaaaaaa","certificate_url":"1795190324983000.1.aaaaaaaaaaaaaaaa","certified_amount":"1795190324983000.1.aaaaaaaaaaaaaaaa","certified_at":"1795190324983000.1.aaaaaaaaaaaaaaaa","created_at":"1795190324983000.1.aaaaaaaaaaaaaaaa","draft_amount":"1795190324983000.1.aaaaaaaaaaaaaaaa","paid_at":"1795190324983000.1.aaaaaaaaaaaaaaaa","payment_reference":"1795190324983000.1.aaaaaaaaaaaaaaaa","project_id":"1795190324983000.1.aaaaaaaaaaaaaaaa","submitted_amount":"1795190324983000.1.aaaaaaaaaaaaaaaa","submitted_at":"1795190324983000.1.aaaaaaaaaaaaaaaa","submitter":"1795190324983000.1.aaaaaaaaaaaaaaaa"}', '2026-11-20 00:00:01+00', '2026-11-20 00:00:01+00', null);

insert into construction.ledger_entries ("entry_id", "sequence", "ipc_id", "project_id", "kind", "amount", "currency", "payment_reference", "certificate_url", "debit_account", "credit_account", "effective_at", "known_at", "event_id", "reverses", "basis") values
  ('43fc410cba4653b231bd72fcc202a6a5', '3', '3', null, 'adjustment', '-0.0001', 'EUR', 'Zahlung "Ü" 7', 'https://c/3', 'bank', 'receivable', '2026-11-20 00:00:03+00', '2026-11-20 00:00:08+00', 'event-3-2-8', null, '[{"at":"2026-11-20T00:00:03.000000Z","eventId":"event-3-3-7","kind":"payment","knownAt":"2026-11-20T00:00:07.000000Z","number":7,"reference":"Zahlung \"Ü\" 7"},{"amount":"29.9999","at":"2026-11-20T00:00:02.000000Z","eventId":"event-3-2-8","kind":"certificate","knownAt":"2026-11-20T00:00:08.000000Z","number":8,"url":"https://c/3"}]'),
  ('7b206d00d56bce489d1b77c4cb575808', '4', '1', '7', 'payment', '20.0000', 'EUR', 'AGAIN', null, 'bank', 'receivable', '2026-11-20 00:00:02+00', '2026-11-22 15:10:57.546+00', 'event-1-2-3', null, '[{"at":"2026-11-20T00:00:02.000000Z","eventId":"event-1-2-3","kind":"payment","knownAt":"2026-11-20T00:00:03.000000Z","number":4,"reference":"AGAIN"},{"amount":"20.0000","by":"Ada","holdId":"02521a745e53b5c01ad57d818704c82a","kind":"decision","knownAt":"2026-11-20T15:10:57.546000Z","number":9,"reason":"On the statement","verdict":"accept"}]'),
  ('de9759df7c2d9fe1081ec7e99e9d71d3', '1', '1', '7', 'payment', '100.0000', 'EUR', 'PAY-1', 'https://c/1', 'bank', 'receivable', '2026-11-20 00:00:02+00', '2026-11-20 00:00:02+00', 'event-1-2-2', null, '[{"at":"2026-11-20T00:00:02.000000Z","eventId":"event-1-2-2","kind":"payment","knownAt":"2026-11-20T00:00:02.000000Z","number":3,"reference":"PAY-1"},{"amount":"100.0000","at":"2026-11-20T00:00:01.000000Z","eventId":"event-1-1-1","kind":"certificate","knownAt":"2026-11-20T00:00:01.000000Z","number":2,"url":"https://c/1"}]'),
  ('ebb728a956ad3e56cabee4f80446e50e', '2', '3', null, 'payment', '30.0000', 'EUR', 'Zahlung "Ü" 7', 'https://c/3', 'bank', 'receivable', '2026-11-20 00:00:03+00', '2026-11-20 00:00:07+00', 'event-3-3-7', null, '[{"at":"2026-11-20T00:00:03.000000Z","eventId":"event-3-3-7","kind":"payment","knownAt":"2026-11-20T00:00:07.000000Z","number":7,"reference":"Zahlung \"Ü\" 7"},{"amount":"30.0000","at":"2026-11-20T00:00:01.000000Z","eventId":"event-3-1-6","kind":"certificate","knownAt":"2026-11-20T00:00:06.000000Z","number":6,"url":"https://c/3"}]');

insert into construction.ledger_hold_decisions ("number", "hold_id", "ipc_id", "payment_reference", "reason", "since", "verdict", "amount", "decided_by", "decided_at", "why") values
  ('1', '02521a745e53b5c01ad57d818704c82a', '1', 'AGAIN', 'second-payment-reference', '2026-11-20 00:00:03+00', 'accept', '20.0000', 'Ada', '2026-11-22 15:10:57.546+00', 'On the statement');

insert into construction.ledger_holds ("hold_id", "ipc_id", "payment_reference", "reason", "since", "basis", "amount", "currency") values
  ('84858664ca5f69549b7ab093eaf20210', '2', 'PAY-2', 'awaiting-certified-amount', '2026-11-20 00:00:04+00', '[{"at":"2026-11-20T00:00:02.000000Z","eventId":"event-2-2-4","kind":"payment","knownAt":"2026-11-20T00:00:04.000000Z","number":5,"reference":"PAY-2"}]', null, null);

insert into construction.ncrs ("id", "status", "project_id", "severity", "closure_date", "created_at", "closed_at", "_extra", "_clocks", "_first_seen_at", "_changed_at", "_deleted_at") values
  ('ncrs-1', 'closed', '9007199254740993', 'Zoë''s "x"', '2026-11-20', '2026-11-20 00:00:01+00', '2026-11-20 00:00:01+00', '{"note":"Ñandú 1.10"}', '{"+note":"1795190324983000.1.aaaaaaaaaaaaaaaa","_deleted_at":"1795190324983000.1.aaaaaaaaaaaaaaaa","closed_at":"1795190324983000.1.aaaaaaaaaaaaaaaa","closure_date":"1795190324983000.1.aaaaaaaaaaaaaaaa","created_at":"1795190324983000.1.aaaaaaaaaaaaaaaa","project_id":"1795190324983000.1.aaaaaaaaaaaaaaaa","severity":"1795190324983000.1.aaaaaaaaaaaaaaaa"}', '2026-11-20 00:00:01+00', '2026-11-20 00:00:01+00', null);

insert into construction.permits ("id", "status", "permit_type", "validity", "hours_until_expiry", "issued_at", "expiring_at", "_extra", "_clocks", "_first_seen_at", "_changed_at", "_deleted_at") values
  ('permits-1', 'expiring', 'Zoë''s "x"', 'Zoë''s "x"', '36.50', '2026-11-20 00:00:01+00', '2026-11-20 00:00:01+00', '{"note":"Ñandú 1.10"}', '{"+note":"1795190324983000.1.aaaaaaaaaaaaaaaa","_deleted_at":"1795190324983000.1.aaaaaaaaaaaaaaaa","expiring_at":"1795190324983000.1.aaaaaaaaaaaaaaaa","hours_until_expiry":"1795190324983000.1.aaaaaaaaaaaaaaaa","issued_at":"1795190324983000.1.aaaaaaaaaaaaaaaa","permit_type":"1795190324983000.1.aaaaaaaaaaaaaaaa","validity":"1795190324983000.1.aaaaaaaaaaaaaaaa"}', '2026-11-20 00:00:01+00', '2026-11-20 00:00:01+00', null);

insert into construction.projects ("id", "name", "status", "_extra", "_clocks", "_first_seen_at", "_changed_at", "_deleted_at") values
  ('7', 'Zoë''s "x"', 'Zoë''s "x"', '{"note":"Ñandú 1.10"}', '{"+note":"1795190324983000.1.aaaaaaaaaaaaaaaa","_deleted_at":"1795190324983000.1.aaaaaaaaaaaaaaaa","name":"1795190324983000.1.aaaaaaaaaaaaaaaa","status":"1795190324983000.1.aaaaaaaaaaaaaaaa"}', '2026-11-20 00:00:01+00', '2026-11-20 00:00:01+00', null);

insert into construction.transmittals ("id", "status", "recipients", "document_count", "sent_at", "_extra", "_clocks", "_first_seen_at", "_changed_at", "_deleted_at") values
  ('transmittals-1', 'sent', '["a" ,  1.10]', '9007199254740993', '2026-11-20 00:00:01+00', '{"note":"Ñandú 1.10"}', '{"+note":"1795190324983000.1.aaaaaaaaaaaaaaaa","_deleted_at":"1795190324983000.1.aaaaaaaaaaaaaaaa","document_count":"1795190324983000.1.aaaaaaaaaaaaaaaa","recipients":"1795190324983000.1.aaaaaaaaaaaaaaaa","sent_at":"1795190324983000.1.aaaaaaaaaaaaaaaa"}', '2026-11-20 00:00:01+00', '2026-11-20 00:00:01+00', null);

insert into construction.vos ("id", "status", "project_id", "description", "total_cost_impact", "final_amount", "time_impact", "boq_revision", "created_at", "priced_at", "agreed_at", "absorbed_at", "_extra", "_clocks", "_first_seen_at", "_changed_at", "_deleted_at") values
  ('vos-1', 'absorbed', '9007199254740993', 'Zoë''s "x"', '123456789012345678901234.5678', '123456789012345678901234.5678', 'Zoë''s "x"', 'Zoë''s "x"', '2026-11-20 00:00:01+00', '2026-11-20 00:00:01+00', '2026-11-20 00:00:01+00', '2026-11-20 00:00:01+00', '{"note":"Ñandú 1.10"}', '{"+note":"1795190324983000.1.aaaaaaaaaaaaaaaa","_deleted_at":"1795190324983000.1.aaaaaaaaaaaaaaaa","absorbed_at":"1795190324983000.1.aaaaaaaaaaaaaaaa","agreed_at":"1795190324983000.1.aaaaaaaaaaaaaaaa","boq_revision":"1795190324983000.1.aaaaaaaaaaaaaaaa","created_at":"1795190324983000.1.aaaaaaaaaaaaaaaa","description":"1795190324983000.1.aaaaaaaaaaaaaaaa","final_amount":"1795190324983000.1.aaaaaaaaaaaaaaaa","priced_at":"1795190324983000.1.aaaaaaaaaaaaaaaa","project_id":"1795190324983000.1.aaaaaaaaaaaaaaaa","time_impact":"1795190324983000.1.aaaaaaaaaaaaaaaa","total_cost_impact":"1795190324983000.1.aaaaaaaaaaaaaaaa"}', '2026-11-20 00:00:01+00', '2026-11-20 00:00:01+00', null);

insert into siteledger.kysely_migration ("name", "timestamp") values
  ('0001', '2026-12-01T00:00:00.000Z');

insert into siteledger.kysely_migration_lock ("id", "is_locked") values
  ('migration_lock', 0);

insert into siteledger.meta ("key", "value") values
  ('applied_through', '3'),
  ('id', 'b78999d2-7fc3-41f3-998e-10f91ef659ce');
