-- A Store in SQLite as version 0.1.0 makes it, with rows in every table.

CREATE TABLE "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
CREATE TABLE "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
CREATE TABLE "meta" ( -- Single facts: the service's identity, the warehouse's id, how far the inbox is applied.
  -- What it is about.
  "key" text primary key,
  -- What is known of it.
  "value" text not null
) strict, without rowid;
CREATE TABLE "alerts" ( -- What was, or is to be, told about Status; the newest one says what was told last.
  -- Its place in their order.
  "id" integer primary key autoincrement,
  -- What Status had turned to.
  "status" text not null,
  -- What is sent, as JSON.
  "body" text not null,
  -- When it was taken; null until then.
  "delivered_at" text
) strict;
CREATE TABLE "inbox" ( -- Every signed delivery, its body once.
  -- Its place in the stored order.
  "sequence" integer primary key autoincrement,
  -- SHA-256 of the body, by which it is known.
  "body_sha256" blob not null unique,
  -- The body, verbatim.
  "body" blob not null,
  -- The id of its first delivery.
  "event_id" text not null,
  -- What its first header said that it is (not signed).
  "header_type" text,
  -- When the first delivery was sent, by its header (not signed).
  "issued_at" text,
  -- When its first delivery came, by siteledger's clock.
  "received_at" text not null,
  -- How often it was delivered.
  "deliveries" integer not null default 1,
  -- 1 where it came under another id, too.
  "replayed" integer not null default 0,
  -- What else its later headers said that it is, as a JSON array.
  "other_types" text
) strict;
CREATE TABLE "event_ids" ( -- The ids of events that were looked at.
  -- The id.
  "event_id" text primary key,
  -- The first delivery that came under it (inbox.sequence).
  "sequence" integer not null
) strict, without rowid;
CREATE TABLE "inbox_touched" ( -- The queue of a single worker: deliveries that came again since they were applied.
  -- The delivery (inbox.sequence).
  "sequence" integer primary key
) strict;
CREATE TABLE "quarantine" ( -- Events that couldn't be read or applied.
  -- The delivery (inbox.sequence).
  "sequence" integer primary key,
  -- Why, as a word.
  "reason" text not null
) strict;
CREATE TABLE "uptime" ( -- Intervals in which the receiver was up.
  -- Its place in their order.
  "id" integer primary key autoincrement,
  -- Its beginning, in milliseconds since 1970.
  "from_ms" integer not null,
  -- Its end, in milliseconds since 1970.
  "to_ms" integer not null
) strict;
CREATE TABLE "closed_gaps" ( -- Intervals in which the receiver was down, and which are dealt with.
  -- Its beginning, in milliseconds since 1970.
  "from_ms" integer not null,
  -- Its end, in milliseconds since 1970.
  "to_ms" integer not null,
  -- When it was closed.
  "closed_at" text not null,
  -- Why.
  "reason" text not null,
  primary key ("from_ms", "to_ms")
) strict, without rowid;
CREATE TABLE "subscriptions" ( -- What the service was asked to deliver, and where to.
  -- Its place in their order.
  "id" integer primary key autoincrement,
  -- The callback.
  "url" text not null,
  -- The types of events, as a JSON array.
  "events" text not null,
  -- When it was asked for.
  "created_at" text not null,
  -- When the first signed delivery came; null until then.
  "verified_at" text,
  -- When another took its place; null while it counts.
  "retired_at" text
) strict;
CREATE TABLE "webhook_secrets" ( -- What signs deliveries, sealed.
  -- Its place in their order.
  "id" integer primary key autoincrement,
  -- The subscription that it came with; null: of one that was made by hand.
  "subscription_id" integer references "subscriptions" ("id"),
  -- The secret, encrypted; null while it is awaited, or where the answer with it was lost.
  "sealed" text,
  -- What people know it by.
  "fingerprint" text not null,
  -- When it was added.
  "added_at" text not null,
  -- When a person said that it is to end; null until then.
  "retired_at" text,
  -- When it ends; null where no end is set.
  "expires_at" text,
  -- When it last signed a delivery; null where it never did.
  "last_used_at" text
) strict;
CREATE TABLE "walks" ( -- For each list, the pass under way and how the last one ended.
  -- The list, by its resource's name.
  "resource" text primary key,
  -- The number of the pass.
  "pass" integer not null,
  -- The records of a page, as the service grants them.
  "per_page" integer not null,
  -- How many pages there are.
  "pages_total" integer not null,
  -- How many records there are, as the service says.
  "total" integer not null,
  -- How many distinct ones the pass has seen.
  "rows" integer not null,
  -- When the pass began.
  "started_at" text not null,
  -- Whether the list moved under it: 0 or 1.
  "disturbed" integer not null,
  -- How many of the last passes were disturbed, one after the other.
  "disturbed_in_a_row" integer not null,
  -- When the pass ended; null while it goes on.
  "finished_at" text,
  -- How sure the copy was when the last pass ended: unproven, counts-agree or proven.
  "proof" text,
  -- When that was.
  "proof_at" text
) strict, without rowid;
CREATE TABLE "walk_pages" ( -- The pages that the pass under way is through with.
  -- The list, by its resource's name.
  "resource" text not null,
  -- The number of the page.
  "page" integer not null,
  primary key ("resource", "page")
) strict, without rowid;
CREATE TABLE "sightings" ( -- For every id the last two passes that showed it.
  -- The list, by its resource's name.
  "resource" text not null,
  -- The record's id.
  "id" any not null,
  -- The last pass that showed it.
  "last_pass" integer not null,
  -- The pass that showed it before that one; 0 where none did.
  "prior_pass" integer not null,
  primary key ("resource", "id")
) strict, without rowid;
CREATE TABLE "record_quarantine" ( -- Records of lists that have no usable key.
  -- The list, by its resource's name.
  "resource" text not null,
  -- SHA-256 of the record, as hex.
  "sha256" text not null,
  -- The record, verbatim.
  "record" text not null,
  -- Why, as a word.
  "reason" text not null,
  -- When it was first listed.
  "first_seen_at" text not null,
  -- When it was last listed.
  "last_seen_at" text not null,
  primary key ("resource", "sha256")
) strict, without rowid;
CREATE TABLE "pace" ( -- Requests that may have been sent, so that the plan holds across restarts.
  -- The second of the wall clock, since 1970.
  "second" integer primary key,
  -- How many in it.
  "sent" integer not null
) strict;
CREATE TABLE "exports" ( -- The exports that ended well.
  -- Its run.
  "run" text primary key,
  -- When it began.
  "started_at" text not null,
  -- When it ended.
  "finished_at" text not null
) strict, without rowid;
CREATE TABLE "schedule" ( -- What runs by the clock.
  -- What it is.
  "name" text primary key,
  -- The last time that it was due and taken care of, in milliseconds since 1970.
  "last_scheduled_ms" integer not null
) strict, without rowid;
CREATE TABLE "ledger_facts" ( -- What was learned, in its stored order: from signed events, opening certificates and people. Append-only.
  -- Its place in the stored order.
  "number" integer primary key,
  -- The interim payment certificate that it is about (ipcs.id).
  "ipc_id" text not null,
  -- certificate, payment, project, opening or decision.
  "kind" text not null,
  -- When it was stored: what it causes is known from then on.
  "known_at" text not null,
  -- What it says, as JSON.
  "content" text not null
) strict;
CREATE INDEX "ledger_facts_ipc" on "ledger_facts" ("ipc_id", "number");
CREATE TRIGGER ledger_facts_no_update before update on "ledger_facts"
  begin select raise(abort, 'ledger_facts is append-only'); end;
CREATE TRIGGER ledger_facts_no_delete before delete on "ledger_facts"
  begin select raise(abort, 'ledger_facts is append-only'); end;
CREATE TABLE "ledger_terms" ( -- How entries are posted, as agreed at a start. Append-only.
  -- Its place in their order.
  "number" integer primary key autoincrement,
  -- They hold from this fact on (ledger_facts.number), until later ones do.
  "from_fact" integer not null,
  -- The terms, as JSON.
  "content" text not null
) strict;
CREATE TRIGGER ledger_terms_no_update before update on "ledger_terms"
  begin select raise(abort, 'ledger_terms is append-only'); end;
CREATE TRIGGER ledger_terms_no_delete before delete on "ledger_terms"
  begin select raise(abort, 'ledger_terms is append-only'); end;
CREATE TABLE "ledger_entries" ( -- The entries of the books: one for each payment, correction or reversal. Append-only.
  -- Identifies the entry for ever: the same for the same facts.
  "entry_id" text not null unique,
  -- The entry's number in the journal: 1, 2, 3, … without a gap.
  "sequence" integer primary key,
  -- The interim payment certificate that it is about (ipcs.id).
  "ipc_id" text not null,
  -- The project of the certificate; null where no event has told it.
  "project_id" text,
  -- payment: an IPC was paid. adjustment: the amount of a payment turned out to be another. reversal: takes an entry back.
  "kind" text not null check ("kind" in ('payment', 'adjustment', 'reversal')),
  -- What the entry moves; below zero where it takes money back.
  "amount" text not null,
  -- ISO 4217; null where none is configured.
  "currency" text,
  -- The payment's reference, verbatim.
  "payment_reference" text not null,
  -- Where the certificate lies that the amount comes from; null where none is known.
  "certificate_url" text,
  -- The account that an amount above zero debits.
  "debit_account" text not null,
  -- The account that an amount above zero credits.
  "credit_account" text not null,
  -- When the money moved, or the first instant of the open period after it.
  "effective_at" text not null,
  -- When the fact that caused the entry was received.
  "known_at" text not null,
  -- The service's id of the event that caused it; null where a person did.
  "event_id" text,
  -- The entry that a reversal takes back; null for the other kinds.
  "reverses" text,
  -- What it is a part of: the settlement, or the decision of a hold by its id.
  "part" text not null,
  -- The facts that it rests on, as JSON.
  "basis" text not null,
  -- The fact that caused it (ledger_facts.number).
  "fact" integer not null references "ledger_facts" ("number")
) strict;
CREATE INDEX "ledger_entries_ipc" on "ledger_entries" ("ipc_id", "sequence");
CREATE UNIQUE INDEX "ledger_entries_payment" on "ledger_entries" ("ipc_id", "payment_reference") where kind = 'payment';
CREATE TRIGGER ledger_entries_no_update before update on "ledger_entries"
  begin select raise(abort, 'ledger_entries is append-only'); end;
CREATE TRIGGER ledger_entries_no_delete before delete on "ledger_entries"
  begin select raise(abort, 'ledger_entries is append-only'); end;
CREATE TABLE "ledger_holds" ( -- What waits for an amount or for a person before it can be posted.
  -- Its id: the same for the same question.
  "hold_id" text primary key,
  -- The interim payment certificate that it is about (ipcs.id).
  "ipc_id" text not null,
  -- The payment's reference, verbatim.
  "payment_reference" text not null,
  -- Why it isn't posted, as a word.
  "reason" text not null,
  -- When it began to wait.
  "since" text not null,
  -- The facts that it rests on, as JSON.
  "basis" text not null,
  -- What it is about: the amount of the certificate in question, or what would be posted; null where none is known.
  "amount" text,
  -- Of the amount; null where it isn't known.
  "currency" text
) strict, without rowid;
CREATE INDEX "ledger_holds_ipc" on "ledger_holds" ("ipc_id");
CREATE TABLE "ledger_hold_decisions" ( -- The holds that are over, and how they ended. Append-only.
  -- Its place in the order of decisions.
  "number" integer primary key autoincrement,
  -- Its id: the same for the same question.
  "hold_id" text not null,
  -- The interim payment certificate that it is about (ipcs.id).
  "ipc_id" text not null,
  -- The payment's reference, verbatim.
  "payment_reference" text not null,
  -- Why it isn't posted, as a word.
  "reason" text not null,
  -- When it began to wait.
  "since" text not null,
  -- accept or reject, by a person; or answered, by facts that came later.
  "verdict" text not null,
  -- The amount that a person accepted; null where none was asked for.
  "amount" text,
  -- Who decided; null where facts that came later did.
  "decided_by" text,
  -- When.
  "decided_at" text not null,
  -- The reason that was given.
  "why" text,
  -- The fact that caused it (ledger_facts.number).
  "fact" integer not null references "ledger_facts" ("number")
) strict;
CREATE TRIGGER ledger_hold_decisions_no_update before update on "ledger_hold_decisions"
  begin select raise(abort, 'ledger_hold_decisions is append-only'); end;
CREATE TRIGGER ledger_hold_decisions_no_delete before delete on "ledger_hold_decisions"
  begin select raise(abort, 'ledger_hold_decisions is append-only'); end;
CREATE TABLE "ledger_outbox" ( -- Entries on their way to the accounting sink, each put here in the transaction that made it.
  -- The entry (ledger_entries.entry_id).
  "entry_id" text primary key references "ledger_entries" ("entry_id"),
  -- The entry's number in the journal.
  "sequence" integer not null unique,
  -- The interim payment certificate that it is about (ipcs.id).
  "ipc_id" text not null,
  -- draft: for a person to look at and release in the accounting system. posted: to be booked as it is.
  "status" text not null check ("status" in ('draft', 'posted')),
  -- How far it is; dead: only a person can help.
  "state" text not null default 'pending' check ("state" in ('pending', 'delivered', 'dead')),
  -- How many since it was put here, replayed, or the sink got well: pauses grow with it.
  "attempts" integer not null default 0,
  -- How many of them the sink refused for good.
  "refusals" integer not null default 0,
  -- When it was put here.
  "queued_at" text not null,
  -- When its turn comes.
  "next_attempt_at" text not null,
  -- What came of the last attempt, or who settled it, in words for a bookkeeper.
  "last_error" text,
  -- When the sink had it; null until then.
  "delivered_at" text
) strict, without rowid;
CREATE INDEX "ledger_outbox_turn" on "ledger_outbox" ("next_attempt_at", "sequence") where state = 'pending';
CREATE INDEX "ledger_outbox_age" on "ledger_outbox" ("queued_at", "sequence") where state = 'pending';
CREATE INDEX "ledger_outbox_ipc" on "ledger_outbox" ("ipc_id", "sequence") where state <> 'delivered';
CREATE INDEX "ledger_outbox_dead" on "ledger_outbox" ("sequence") where state = 'dead';

insert into kysely_migration ("name", "timestamp") values
  ('0001', '2026-12-01T00:00:00.000Z');

insert into kysely_migration_lock ("id", "is_locked") values
  ('migration_lock', 0);

insert into meta ("key", "value") values
  ('applied_through', '3'),
  ('ledger_sink', 'draft'),
  ('service', 'https://api.example.com/v1 client-1'),
  ('warehouse_id', 'b78999d2-7fc3-41f3-998e-10f91ef659ce');

insert into alerts ("id", "status", "body", "delivered_at") values
  (1, 'red', '{"status":"red"}', '2026-11-20T00:00:03.000000Z');

insert into inbox ("sequence", "body_sha256", "body", "event_id", "header_type", "issued_at", "received_at", "deliveries", "replayed", "other_types") values
  (1, x'96631f9b39a61b5e596e4dd682cbd6b06c4bf3f991c08ce4f5a71f3f90964aa7', x'7b226576656e745f74797065223a226970632e70616964222c2274696d657374616d70223a22323032362d31312d32305430373a35393a30305a222c226970635f6964223a224950432d31222c227061796d656e745f7265666572656e6365223a22502d31227d', 'e-1', 'ipc.paid', '2026-11-20T00:00:00.000000Z', '2026-11-20T00:00:01.000000Z', 2, 0, '["ipc.closed"]'),
  (2, x'0c984d1fd47b6c7c908878ce1e721ed25f7d6be61f1074d6d8432c479249d7d8', x'7b226576656e745f74797065223a226970632e63726561746564222c2274696d657374616d70223a22323032362d31312d32305430373a35383a30305a222c226970635f6964223a224950432d32227d', 'e-1', null, '2026-11-20T00:00:00.000000Z', '2026-11-20T00:00:01.000000Z', 1, 0, null),
  (3, x'97a3276bbcb3aeb154b88b8cdf6c4e818176fe1f856605fb1edb4d3acbf27523', x'6e6f74204a534f4e20617420616c6c3a2027205c200a', 'e-3', 'ipc.paid', '2026-11-20T00:00:00.000000Z', '2026-11-20T00:00:01.000000Z', 1, 0, null),
  (5, x'27feb33f2f2794dc07439bd8e5cd2d87c01c7975129341a682b68b4c31ac89e7', x'7b226576656e745f74797065223a226970632e7375626d6974746564222c2274696d657374616d70223a22323032362d31312d32305430373a35383a33305a222c226970635f6964223a224950432d32222c227375626d6974746572223a225a6fc3ab222c22616d6f756e74223a22312e3130227d', 'e-4', 'ipc.paid', '2026-11-20T00:00:00.000000Z', '2026-11-20T00:00:01.000000Z', 1, 0, null);

insert into event_ids ("event_id", "sequence") values
  ('e-1', 1),
  ('e-3', 3);

insert into inbox_touched ("sequence") values
  (1);

insert into quarantine ("sequence", "reason") values
  (3, 'not-json');

insert into uptime ("id", "from_ms", "to_ms") values
  (1, 1795158000000, 1795161600000);

insert into closed_gaps ("from_ms", "to_ms", "closed_at", "reason") values
  (1795161600000, 1795165200000, '2026-11-20T00:00:09.000000Z', 'replayed by hand');

insert into subscriptions ("id", "url", "events", "created_at", "verified_at", "retired_at") values
  (1, 'https://x.example/hook', '["ipc.paid"]', '2026-11-20T00:00:00.000000Z', '2026-11-20T00:00:01.000000Z', null);

insert into webhook_secrets ("id", "subscription_id", "sealed", "fingerprint", "added_at", "retired_at", "expires_at", "last_used_at") values
  (1, 1, 'sealed1.abc', '0a1b2c3d', '2026-11-20T00:00:00.000000Z', null, null, null);

insert into walks ("resource", "pass", "per_page", "pages_total", "total", "rows", "started_at", "disturbed", "disturbed_in_a_row", "finished_at", "proof", "proof_at") values
  ('projects', 2, 100, 2, 5, 5, '2026-11-20T00:00:02.000000Z', 0, 1, '2026-11-20T00:00:01.000000Z', 'counts-agree', '2026-11-20T00:00:01.000000Z');

insert into walk_pages ("resource", "page") values
  ('projects', 1);

insert into sightings ("resource", "id", "last_pass", "prior_pass") values
  ('projects', -3, 2, 1),
  ('projects', 7, 2, 1),
  ('projects', 'abababababababababababababababababababababababababababababababab', 2, 0),
  ('projects', '007', 2, 1),
  ('projects', '1234567890123456789', 2, 1),
  ('projects', 'zone-b', 1, 0);

insert into record_quarantine ("resource", "sha256", "record", "reason", "first_seen_at", "last_seen_at") values
  ('projects', 'abababababababababababababababababababababababababababababababab', '{}', 'no-key', '2026-11-20T00:00:02.000000Z', '2026-11-20T00:00:02.000000Z');

insert into pace ("second", "sent") values
  (1795190324, 4);

insert into exports ("run", "started_at", "finished_at") values
  ('20261120T020000Z-1a2b', '2026-11-20T00:00:04.000000Z', '2026-11-20T00:00:05.000000Z');

insert into schedule ("name", "last_scheduled_ms") values
  ('export', 1795140000000);

insert into ledger_facts ("number", "ipc_id", "kind", "known_at", "content") values
  (1, '1', 'project', '2026-11-20T00:00:01.000000Z', '{"eventId":"event-1-1-1","projectId":"7"}'),
  (2, '1', 'certificate', '2026-11-20T00:00:01.000000Z', '{"eventId":"event-1-1-1","at":"2026-11-20T00:00:01.000000Z","units":"1000000","url":"https://c/1"}'),
  (3, '1', 'payment', '2026-11-20T00:00:02.000000Z', '{"eventId":"event-1-2-2","at":"2026-11-20T00:00:02.000000Z","reference":"PAY-1"}'),
  (4, '1', 'payment', '2026-11-20T00:00:03.000000Z', '{"eventId":"event-1-2-3","at":"2026-11-20T00:00:02.000000Z","reference":"AGAIN"}'),
  (5, '2', 'payment', '2026-11-20T00:00:04.000000Z', '{"eventId":"event-2-2-4","at":"2026-11-20T00:00:02.000000Z","reference":"PAY-2"}'),
  (6, '3', 'certificate', '2026-11-20T00:00:06.000000Z', '{"eventId":"event-3-1-6","at":"2026-11-20T00:00:01.000000Z","units":"300000","url":"https://c/3"}'),
  (7, '3', 'payment', '2026-11-20T00:00:07.000000Z', '{"eventId":"event-3-3-7","at":"2026-11-20T00:00:03.000000Z","reference":"Zahlung \"Ü\" 7"}'),
  (8, '3', 'certificate', '2026-11-20T00:00:08.000000Z', '{"eventId":"event-3-2-8","at":"2026-11-20T00:00:02.000000Z","units":"299999","url":"https://c/3"}'),
  (9, '1', 'decision', '2026-11-20T15:10:57.546000Z', '{"holdId":"02521a745e53b5c01ad57d818704c82a","verdict":"accept","units":"200000","by":"Ada","reason":"On the statement"}');

insert into ledger_terms ("number", "from_fact", "content") values
  (1, 1, '{"debitAccount":"bank","creditAccount":"receivable","currency":"EUR","currencies":{},"openFrom":null,"inClosedPeriod":"hold"}');

insert into ledger_entries ("entry_id", "sequence", "ipc_id", "project_id", "kind", "amount", "currency", "payment_reference", "certificate_url", "debit_account", "credit_account", "effective_at", "known_at", "event_id", "reverses", "part", "basis", "fact") values
  ('de9759df7c2d9fe1081ec7e99e9d71d3', 1, '1', '7', 'payment', '100.0000', 'EUR', 'PAY-1', 'https://c/1', 'bank', 'receivable', '2026-11-20T00:00:02.000000Z', '2026-11-20T00:00:02.000000Z', 'event-1-2-2', null, 'settlement', '[{"at":"2026-11-20T00:00:02.000000Z","eventId":"event-1-2-2","kind":"payment","knownAt":"2026-11-20T00:00:02.000000Z","number":3,"reference":"PAY-1"},{"amount":"100.0000","at":"2026-11-20T00:00:01.000000Z","eventId":"event-1-1-1","kind":"certificate","knownAt":"2026-11-20T00:00:01.000000Z","number":2,"url":"https://c/1"}]', 3),
  ('ebb728a956ad3e56cabee4f80446e50e', 2, '3', null, 'payment', '30.0000', 'EUR', 'Zahlung "Ü" 7', 'https://c/3', 'bank', 'receivable', '2026-11-20T00:00:03.000000Z', '2026-11-20T00:00:07.000000Z', 'event-3-3-7', null, 'settlement', '[{"at":"2026-11-20T00:00:03.000000Z","eventId":"event-3-3-7","kind":"payment","knownAt":"2026-11-20T00:00:07.000000Z","number":7,"reference":"Zahlung \"Ü\" 7"},{"amount":"30.0000","at":"2026-11-20T00:00:01.000000Z","eventId":"event-3-1-6","kind":"certificate","knownAt":"2026-11-20T00:00:06.000000Z","number":6,"url":"https://c/3"}]', 7),
  ('43fc410cba4653b231bd72fcc202a6a5', 3, '3', null, 'adjustment', '-0.0001', 'EUR', 'Zahlung "Ü" 7', 'https://c/3', 'bank', 'receivable', '2026-11-20T00:00:03.000000Z', '2026-11-20T00:00:08.000000Z', 'event-3-2-8', null, 'settlement', '[{"at":"2026-11-20T00:00:03.000000Z","eventId":"event-3-3-7","kind":"payment","knownAt":"2026-11-20T00:00:07.000000Z","number":7,"reference":"Zahlung \"Ü\" 7"},{"amount":"29.9999","at":"2026-11-20T00:00:02.000000Z","eventId":"event-3-2-8","kind":"certificate","knownAt":"2026-11-20T00:00:08.000000Z","number":8,"url":"https://c/3"}]', 8),
  ('7b206d00d56bce489d1b77c4cb575808', 4, '1', '7', 'payment', '20.0000', 'EUR', 'AGAIN', null, 'bank', 'receivable', '2026-11-20T00:00:02.000000Z', '2026-11-20T15:10:57.546000Z', 'event-1-2-3', null, '02521a745e53b5c01ad57d818704c82a', '[{"at":"2026-11-20T00:00:02.000000Z","eventId":"event-1-2-3","kind":"payment","knownAt":"2026-11-20T00:00:03.000000Z","number":4,"reference":"AGAIN"},{"amount":"20.0000","by":"Ada","holdId":"02521a745e53b5c01ad57d818704c82a","kind":"decision","knownAt":"2026-11-20T15:10:57.546000Z","number":9,"reason":"On the statement","verdict":"accept"}]', 9);

insert into ledger_holds ("hold_id", "ipc_id", "payment_reference", "reason", "since", "basis", "amount", "currency") values
  ('84858664ca5f69549b7ab093eaf20210', '2', 'PAY-2', 'awaiting-certified-amount', '2026-11-20T00:00:04.000000Z', '[{"at":"2026-11-20T00:00:02.000000Z","eventId":"event-2-2-4","kind":"payment","knownAt":"2026-11-20T00:00:04.000000Z","number":5,"reference":"PAY-2"}]', null, null);

insert into ledger_hold_decisions ("number", "hold_id", "ipc_id", "payment_reference", "reason", "since", "verdict", "amount", "decided_by", "decided_at", "why", "fact") values
  (1, '02521a745e53b5c01ad57d818704c82a', '1', 'AGAIN', 'second-payment-reference', '2026-11-20T00:00:03.000000Z', 'accept', '20.0000', 'Ada', '2026-11-20T15:10:57.546000Z', 'On the statement', 9);

insert into ledger_outbox ("entry_id", "sequence", "ipc_id", "status", "state", "attempts", "refusals", "queued_at", "next_attempt_at", "last_error", "delivered_at") values
  ('43fc410cba4653b231bd72fcc202a6a5', 3, '3', 'draft', 'pending', 0, 0, '2026-11-20T15:10:57.540000Z', '2026-11-20T15:10:57.540000Z', null, null),
  ('7b206d00d56bce489d1b77c4cb575808', 4, '1', 'draft', 'pending', 0, 0, '2026-11-20T15:10:57.547000Z', '2026-11-20T15:10:57.547000Z', null, null),
  ('de9759df7c2d9fe1081ec7e99e9d71d3', 1, '1', 'draft', 'delivered', 1, 0, '2026-11-20T15:10:57.517000Z', '2026-11-20T15:10:57.517000Z', null, '2026-11-20T15:10:57.645000Z'),
  ('ebb728a956ad3e56cabee4f80446e50e', 2, '3', 'draft', 'pending', 0, 0, '2026-11-20T15:10:57.540000Z', '2026-11-20T15:10:57.540000Z', null, null);
