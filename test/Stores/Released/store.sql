-- A Store as the first release made it (2026-11-20), with rows.

CREATE TABLE "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
CREATE TABLE "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
CREATE TABLE meta (key text primary key, value text not null) strict, without rowid;
CREATE TABLE inbox (
  sequence integer primary key autoincrement,
  body_sha256 blob not null unique,
  body blob not null,
  event_id text not null,
  header_type text,
  issued_at text,
  received_at text not null,
  deliveries integer not null default 1,
  replayed integer not null default 0,
  other_types text) strict;
CREATE INDEX inbox_event_id on inbox (event_id);
CREATE TABLE inbox_touched (sequence integer primary key) strict;
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
CREATE TABLE walk_pages (
  resource text not null, page integer not null, primary key (resource, page)
) strict, without rowid;
CREATE TABLE sightings (
  resource text not null,
  id text not null,
  last_pass integer not null,
  prior_pass integer not null,
  primary key (resource, id)
) strict, without rowid;
CREATE TABLE pace (second integer primary key, sent integer not null) strict;
CREATE TABLE uptime (
  id integer primary key autoincrement, from_ms integer not null, to_ms integer not null
) strict;
CREATE TABLE closed_gaps (
  from_ms integer not null,
  to_ms integer not null,
  closed_at text not null,
  reason text not null,
  primary key (from_ms, to_ms)
) strict, without rowid;
CREATE TABLE subscriptions (
  id integer primary key autoincrement,
  url text not null,
  events text not null,
  secret text,
  created_at text not null,
  verified_at text,
  retired_at text
) strict;
CREATE TABLE export_files (
  table_name text not null,
  partition text not null,
  fingerprint text not null,
  path text not null,
  rows integer not null,
  bytes integer not null,
  sha256 text not null,
  primary key (table_name, partition)
) strict, without rowid;
CREATE TABLE exports (run text primary key, started_at text not null, finished_at text not null) strict;
CREATE TABLE schedule (name text primary key, last_scheduled_ms integer not null) strict, without rowid;

insert into kysely_migration (name, timestamp) values
  ('0001_store', '2026-11-20T22:27:49.241Z');
insert into kysely_migration (name, timestamp) values
  ('0002_labels', '2026-11-20T22:27:49.242Z');
insert into kysely_migration_lock (id, is_locked) values
  ('migration_lock', 0);
insert into meta (key, value) values
  ('applied_through', '1');
insert into meta (key, value) values
  ('warehouse_id', '662cb8cd-9b14-470d-ac1f-a57fbad89319');
insert into inbox (sequence, body_sha256, body, event_id, header_type, issued_at, received_at, deliveries, replayed, other_types) values
  (1, x'96631f9b39a61b5e596e4dd682cbd6b06c4bf3f991c08ce4f5a71f3f90964aa7', x'7b226576656e745f74797065223a226970632e70616964222c2274696d657374616d70223a22323032362d31312d32305430373a35393a30305a222c226970635f6964223a224950432d31222c227061796d656e745f7265666572656e6365223a22502d31227d', 'e-1', 'ipc.paid', '2026-11-20T08:00:00.000000Z', '2026-11-20T08:00:00.000000Z', 2, 0, '["ipc.closed"]');
insert into inbox (sequence, body_sha256, body, event_id, header_type, issued_at, received_at, deliveries, replayed, other_types) values
  (3, x'0c984d1fd47b6c7c908878ce1e721ed25f7d6be61f1074d6d8432c479249d7d8', x'7b226576656e745f74797065223a226970632e63726561746564222c2274696d657374616d70223a22323032362d31312d32305430373a35383a30305a222c226970635f6964223a224950432d32227d', 'e-1', null, '2026-11-20T08:00:00.000000Z', '2026-11-20T08:00:00.000000Z', 1, 0, null);
insert into inbox_touched (sequence) values
  (1);
insert into record_quarantine (resource, sha256, record, reason, first_seen_at, last_seen_at) values
  ('projects', 'abababababababababababababababababababababababababababababababab', '{}', 'no-key', '2026-11-20T08:00:00.000000Z', '2026-11-20T08:00:00.000000Z');
insert into walks (resource, pass, per_page, pages_total, total, rows, started_at, disturbed, disturbed_in_a_row, finished_at, proof, proof_at) values
  ('projects', 2, 100, 1, 5, 5, '2026-11-20T07:00:00.000000Z', 0, 0, null, null, null);
insert into walk_pages (resource, page) values
  ('projects', 1);
insert into sightings (resource, id, last_pass, prior_pass) values
  ('projects', cast(x'0061626162616261626162616261626162616261626162616261626162616261626162616261626162616261626162616261626162616261626162616261626162' as text), 2, 1);
insert into sightings (resource, id, last_pass, prior_pass) values
  ('projects', '-3', 2, 1);
insert into sightings (resource, id, last_pass, prior_pass) values
  ('projects', '007', 2, 1);
insert into sightings (resource, id, last_pass, prior_pass) values
  ('projects', '1234567890123456789', 2, 1);
insert into sightings (resource, id, last_pass, prior_pass) values
  ('projects', '7', 2, 1);
insert into sightings (resource, id, last_pass, prior_pass) values
  ('projects', 'zone-b', 1, 0);
insert into uptime (id, from_ms, to_ms) values
  (1, 1795158000000, 1795161600000);
insert into subscriptions (id, url, events, secret, created_at, verified_at, retired_at) values
  (1, 'https://x.example/hook', '["ipc.paid"]', null, '2026-11-20T08:00:00.000000Z', null, null);
