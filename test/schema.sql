-- In SQLite: the Store

CREATE TABLE "admin_log" ( -- What was asked of the workers that changes something, written before it is done. Append-only.
  -- Its sequence number.
  "number" integer primary key autoincrement,
  -- When it was asked.
  "at" text not null,
  -- Who asked: a principal, admin, or os: and a user of the operating system.
  "principal" text not null,
  -- The verb, as `AdminApi` names it.
  "verb" text not null,
  -- The name given with --by, a note; null if the verb takes none.
  "noted_by" text
) strict;

CREATE TRIGGER admin_log_no_delete before delete on "admin_log"
  begin select raise(abort, 'admin_log is append-only'); end;

CREATE TRIGGER admin_log_no_update before update on "admin_log"
  begin select raise(abort, 'admin_log is append-only'); end;

CREATE TABLE "alerts" ( -- Alerts about Status, sent or still to be sent; the newest one holds the last status reported.
  -- Its sequence number.
  "id" integer primary key autoincrement,
  -- The status that it reports.
  "status" text not null,
  -- Its body, as JSON.
  "body" text not null,
  -- When it was delivered; null until then.
  "delivered_at" text
) strict;

CREATE TABLE "archives" ( -- Beside a single worker: archives of deliveries, each with consecutive numbers, in stored order.
  -- The first delivery (inbox.sequence).
  "first_sequence" integer primary key,
  -- The last delivery (inbox.sequence).
  "last_sequence" integer not null,
  -- Its name, which is its place in the folder archive and on the lake.
  "name" text not null unique,
  -- How many deliveries it has.
  "deliveries" integer not null,
  -- SHA-256 of its file, as hex.
  "sha256" text not null
) strict;

CREATE TRIGGER archives_logs_delete after delete on "archives"
  begin insert into row_changes (table_name, row_key) values ('archives', json_array(old."first_sequence")); end;

CREATE TRIGGER archives_logs_insert after insert on "archives"
  begin insert into row_changes (table_name, row_key) values ('archives', json_array(new."first_sequence")); end;

CREATE TRIGGER archives_logs_update after update on "archives"
  begin insert into row_changes (table_name, row_key) values ('archives', json_array(new."first_sequence")); end;

CREATE TABLE "closed_gaps" ( -- Intervals in which the receiver was down, closed by a person.
  -- Its start, in milliseconds since 1970.
  "from_ms" integer not null,
  -- Its end, in milliseconds since 1970.
  "to_ms" integer not null,
  -- When it was closed.
  "closed_at" text not null,
  -- The reason given.
  "reason" text not null,
  primary key ("from_ms", "to_ms")
) strict, without rowid;

CREATE TRIGGER closed_gaps_logs_delete after delete on "closed_gaps"
  begin insert into row_changes (table_name, row_key) values ('closed_gaps', json_array(old."from_ms", old."to_ms")); end;

CREATE TRIGGER closed_gaps_logs_insert after insert on "closed_gaps"
  begin insert into row_changes (table_name, row_key) values ('closed_gaps', json_array(new."from_ms", new."to_ms")); end;

CREATE TRIGGER closed_gaps_logs_update after update on "closed_gaps"
  begin insert into row_changes (table_name, row_key) values ('closed_gaps', json_array(new."from_ms", new."to_ms")); end;

CREATE TABLE "erased_bodies" ( -- Bodies that have lost something to an erasure, each by the hash of what had come: it is never taken again.
  -- SHA-256 of the body as it had come.
  "body_sha256" text primary key,
  -- The first erasure that it lost something to (erasures.number).
  "erasure" integer not null,
  -- The delivery (inbox.sequence); null for an answer that a fact of a look-up rests on, or in archives of an earlier inbox.
  "sequence" integer
) strict, without rowid;

CREATE TRIGGER erased_bodies_logs_delete after delete on "erased_bodies"
  begin insert into row_changes (table_name, row_key) values ('erased_bodies', json_array(old."body_sha256")); end;

CREATE TRIGGER erased_bodies_logs_insert after insert on "erased_bodies"
  begin insert into row_changes (table_name, row_key) values ('erased_bodies', json_array(new."body_sha256")); end;

CREATE TRIGGER erased_bodies_logs_update after update on "erased_bodies"
  begin insert into row_changes (table_name, row_key) values ('erased_bodies', json_array(new."body_sha256")); end;

CREATE TABLE "erasures" ( -- What people had erased: each value or record by its salted hash, so that it is known when it comes again. Linked by hashes.
  -- Its sequence number.
  "number" integer primary key autoincrement,
  -- When it was asked for.
  "asked_at" text not null,
  -- Who asked for it, as given.
  "asked_by" text not null,
  -- The reason given.
  "reason" text not null,
  -- The table of the record that was erased; null: it was a value.
  "table_name" text,
  -- The name of the fields that a value was erased from; null: all.
  "field" text,
  -- Random, and the same for all that one store erases.
  "salt" text not null,
  -- SHA-256 of the salt, the field and the value, which is nowhere; or of the salt, the table and the record's id.
  "value_sha256" text not null,
  -- How many UTF-16 units the value has; 0 for a record.
  "value_length" integer not null,
  -- 1 if a value was erased from longer texts, too; otherwise 0.
  "is_within" integer not null,
  -- The hash of the erasure before it, of this one, and of the bodies in erased_bodies; null until it is removed from every file.
  "chain" text
) strict;

CREATE TRIGGER erasures_logs_delete after delete on "erasures"
  begin insert into row_changes (table_name, row_key) values ('erasures', json_array(old."number")); end;

CREATE TRIGGER erasures_logs_insert after insert on "erasures"
  begin insert into row_changes (table_name, row_key) values ('erasures', json_array(new."number")); end;

CREATE TRIGGER erasures_logs_update after update on "erasures"
  begin insert into row_changes (table_name, row_key) values ('erasures', json_array(new."number")); end;

CREATE TABLE "exports" ( -- Exports that succeeded.
  -- The run's id.
  "run" text primary key,
  -- When it started.
  "started_at" text not null,
  -- When it finished.
  "finished_at" text not null
) strict, without rowid;

CREATE TABLE "history" ( -- What each worker did in each minute of the last day, for the dashboard's charts.
  -- The worker (workers.id), or alone where there is only one.
  "worker" text not null,
  -- When the minute began.
  "minute" text not null,
  -- Deliveries that it took: answered 2xx.
  "deliveries" integer not null,
  -- How long events took from received to visible, as a JSON object: by n, how many took up to 2^(n/16) ms, but more than the n before.
  "visible" text not null,
  -- The same from received to posted, of entries that an event caused.
  "posted" text not null,
  -- Requests that it sent to the service.
  "requests" integer not null,
  -- How many the plan allows all workers in a minute.
  "request_limit" integer not null,
  primary key ("minute", "worker")
) strict, without rowid;

CREATE TABLE "inbox" ( -- Every signed delivery; each body is stored once. Beside a worker with SQLite they are in the files of the folder inbox, and here only in a backup, or until the worker has started.
  -- Its position in the stored order.
  "sequence" integer primary key autoincrement,
  -- SHA-256 of the body; identifies it.
  "body_sha256" blob not null unique,
  -- The body, byte for byte as it was signed, so it may be compressed.
  "body" blob not null,
  -- The id of its first delivery.
  "event_id" text not null,
  -- The event type in the header of its first delivery (not signed).
  "header_type" text,
  -- When the first delivery was sent, according to its header (not signed).
  "issued_at" text,
  -- When its first delivery arrived, by siteledger's clock.
  "received_at" text not null,
  -- How many times it was delivered.
  "deliveries" integer not null default 1,
  -- 1 if it also arrived under another id.
  "replayed" integer not null default 0,
  -- Other event types in the headers of later deliveries, as a JSON array.
  "other_types" text
, "headers"
  -- All headers of its first delivery; null if version 0.1 stored it.
  text, "secret"
  -- The fingerprint of the secret that verified it; null if version 0.1 stored it.
  text) strict;

CREATE TABLE "inbox_again" ( -- Beside a single worker: bodies that were delivered more than once, as far as they are applied.
  -- The first delivery (inbox.sequence).
  "sequence" integer primary key,
  -- How many times it was delivered.
  "deliveries" integer not null,
  -- 1 if it also arrived under another id.
  "replayed" integer not null,
  -- Other event types in the headers of later deliveries, as a JSON array.
  "other_types" text not null
) strict;

CREATE TABLE "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);

CREATE TABLE "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);

CREATE TABLE "learned_columns" ( -- Columns that tables of lists got by themselves, from fields that records were seen to have.
  -- The list, by its resource name.
  "resource" text not null,
  -- The column.
  "name" text not null,
  -- The field of the records whose value it holds.
  "field" text not null,
  -- Its type.
  "type" text not null,
  -- The column beside which it stands: it holds what doesn't fit that one.
  "beside" text,
  -- When the table got it.
  "learned_at" text not null,
  primary key ("resource", "name")
) strict, without rowid;

CREATE TRIGGER learned_columns_logs_delete after delete on "learned_columns"
  begin insert into row_changes (table_name, row_key) values ('learned_columns', json_array(old."resource", old."name")); end;

CREATE TRIGGER learned_columns_logs_insert after insert on "learned_columns"
  begin insert into row_changes (table_name, row_key) values ('learned_columns', json_array(new."resource", new."name")); end;

CREATE TRIGGER learned_columns_logs_update after update on "learned_columns"
  begin insert into row_changes (table_name, row_key) values ('learned_columns', json_array(new."resource", new."name")); end;

CREATE TABLE "ledger_certified" ( -- The IPCs that are certified, by project and first certificate: what comes before each. It follows from the facts.
  -- The interim payment certificate it is about (ipcs.id).
  "ipc_id" text primary key,
  -- The IPC's project.
  "project_id" text not null,
  -- When its first certificate was made that counts.
  "first_at" text not null,
  -- Those that count, each with its time and amount in ten-thousandths, as JSON.
  "certificates" text not null
) strict, without rowid;

CREATE TRIGGER ledger_certified_logs_delete after delete on "ledger_certified"
  begin insert into row_changes (table_name, row_key) values ('ledger_certified', json_array(old."ipc_id")); end;

CREATE TRIGGER ledger_certified_logs_insert after insert on "ledger_certified"
  begin insert into row_changes (table_name, row_key) values ('ledger_certified', json_array(new."ipc_id")); end;

CREATE TRIGGER ledger_certified_logs_update after update on "ledger_certified"
  begin insert into row_changes (table_name, row_key) values ('ledger_certified', json_array(new."ipc_id")); end;

CREATE INDEX "ledger_certified_order" on "ledger_certified" ("project_id", "first_at", "ipc_id");

CREATE TABLE "ledger_entries" ( -- The ledger's entries: one for each payment, accrual, correction or reversal. Append-only.
  -- Identifies the entry permanently: the same facts give the same id.
  "entry_id" text not null unique,
  -- The entry's number in the journal: 1, 2, 3, … without gaps.
  "sequence" integer primary key,
  -- The interim payment certificate it is about (ipcs.id).
  "ipc_id" text not null,
  -- The certificate's project; null if no event has named it.
  "project_id" text,
  -- payment: an IPC was paid. adjustment: a correction, or what a person added. reversal: takes back an entry, or several at once. accrual: an IPC was certified, or its certificates changed.
  "kind" text not null check ("kind" in ('payment', 'adjustment', 'reversal', 'accrual')),
  -- The amount it moves; negative if it takes money back.
  "amount" text not null,
  -- ISO 4217; null if none is configured.
  "currency" text,
  -- The payment's reference, verbatim; for an accrual, the id of its IPC.
  "payment_reference" text not null,
  -- The URL of the certificate that the amount comes from; null if none is known.
  "certificate_url" text,
  -- The account that a positive amount debits.
  "debit_account" text not null,
  -- The account that a positive amount credits.
  "credit_account" text not null,
  -- When the money moved, or the first instant of the open period after it.
  "effective_at" text not null,
  -- When the fact that caused the entry was received.
  "known_at" text not null,
  -- For a payment, the id of its ipc.paid event, even if a person's answer posted it; otherwise the id of the event that caused the entry. Null if none did.
  "event_id" text,
  -- The entry that a reversal takes back, or the first of several: book the reversal's own amount. Null for the other kinds.
  "reverses" text,
  -- What it belongs to: the settlement, or the decision on a hold, by its id.
  "part" text not null,
  -- The facts it is based on, as JSON.
  "basis" text not null,
  -- The fact that caused it (ledger_facts.number).
  "fact" integer not null references "ledger_facts" ("number"),
  -- The day it is posted on, in the books' time zone; entries of 0.1 have none.
  "posting_date" text,
  -- Raised whenever the books are restored or moved: epoch and sequence together are never used twice; entries of 0.1 have none.
  "epoch" integer,
  -- How the amount of its certificate was read: each or cumulative, as configured; assumed: as each, because nothing is configured. Null for entries that people added, and in entries of 0.1.
  "certified_as" text,
  -- By account, the amount that the entry moves there, as a JSON object: above zero it is debited. Null: the amount is debited and credited to its two accounts.
  "lines" text,
  -- How it entered the outbox when it was posted; null if there was no accounting sink, or before 0.2.
  "queued" text check ("queued" in ('draft', 'posted')),
  -- A hash over the books up to the fact that caused it: kept elsewhere, it shows whether they were changed since; entries of 0.1 have none.
  "chain" text
) strict;

CREATE INDEX "ledger_entries_ipc" on "ledger_entries" ("ipc_id", "sequence");

CREATE TRIGGER ledger_entries_no_delete before delete on "ledger_entries"
  begin select raise(abort, 'ledger_entries is append-only'); end;

CREATE TRIGGER ledger_entries_no_update before update on "ledger_entries"
  begin select raise(abort, 'ledger_entries is append-only'); end;

CREATE UNIQUE INDEX "ledger_entries_payment" on "ledger_entries" ("ipc_id", "payment_reference") where kind = 'payment';

CREATE TABLE "ledger_evidence" ( -- Answers of the service that facts of look-ups rest on, as they came: each by its hash in the fact. Append-only.
  -- The fact (ledger_facts.number): it names the SHA-256 of the body.
  "fact" integer primary key references "ledger_facts" ("number"),
  -- The body, byte for byte: it is UTF-8.
  "body" text not null
) strict;

CREATE TRIGGER ledger_evidence_no_delete before delete on "ledger_evidence"
  begin select raise(abort, 'ledger_evidence is append-only'); end;

CREATE TRIGGER ledger_evidence_no_update before update on "ledger_evidence"
  begin select raise(abort, 'ledger_evidence is append-only'); end;

CREATE TABLE "ledger_facts" ( -- Facts in their stored order: from signed events, look-ups, opening certificates and people. Append-only.
  -- Its position in the stored order.
  "number" integer primary key,
  -- The interim payment certificate it is about (ipcs.id).
  "ipc_id" text not null,
  -- certificate, payment, project, looked-up (a certificate), opening, decision, posting, reversal, accounting (a comparison), release (of a draft), preceding or terms.
  "kind" text not null,
  -- When it was stored; its consequences are known from then on.
  "known_at" text not null,
  -- Its content, as JSON.
  "content" text not null
, "chain"
  -- The hash of the fact before it, of this one, and of what it brought; facts of 0.1 have none.
  text) strict;

CREATE INDEX "ledger_facts_ipc" on "ledger_facts" ("ipc_id", "number");

CREATE TRIGGER ledger_facts_no_delete before delete on "ledger_facts"
  begin select raise(abort, 'ledger_facts is append-only'); end;

CREATE TRIGGER ledger_facts_no_update before update on "ledger_facts"
  begin select raise(abort, 'ledger_facts is append-only'); end;

CREATE TABLE "ledger_hold_decisions" ( -- Resolved holds, and how each was resolved. Append-only.
  -- Its sequence number.
  "number" integer primary key autoincrement,
  -- Its id: the same question always has the same id.
  "hold_id" text not null,
  -- The interim payment certificate it is about (ipcs.id).
  "ipc_id" text not null,
  -- The payment's reference, verbatim.
  "payment_reference" text not null,
  -- Why it isn't posted, as a keyword.
  "reason" text not null,
  -- Since when it has waited.
  "since" text not null,
  -- accept or reject, by a person; or answered, by later facts.
  "verdict" text not null,
  -- The amount that a person accepted; null if none was asked for.
  "amount" text,
  -- Who decided; null if later facts did.
  "decided_by" text,
  -- When it was resolved.
  "decided_at" text not null,
  -- The reason given.
  "why" text,
  -- The fact that caused it (ledger_facts.number).
  "fact" integer not null references "ledger_facts" ("number")
, "principal"
  -- The principal that decided; null if later facts did, or before principals were kept.
  text) strict;

CREATE TRIGGER ledger_hold_decisions_no_delete before delete on "ledger_hold_decisions"
  begin select raise(abort, 'ledger_hold_decisions is append-only'); end;

CREATE TRIGGER ledger_hold_decisions_no_update before update on "ledger_hold_decisions"
  begin select raise(abort, 'ledger_hold_decisions is append-only'); end;

CREATE TABLE "ledger_holds" ( -- Postings that wait for an amount or for a person.
  -- Its id: the same question always has the same id.
  "hold_id" text primary key,
  -- The interim payment certificate it is about (ipcs.id).
  "ipc_id" text not null,
  -- The payment's reference, verbatim.
  "payment_reference" text not null,
  -- Why it isn't posted, as a keyword.
  "reason" text not null,
  -- Since when it has waited.
  "since" text not null,
  -- The facts it is based on, as JSON.
  "basis" text not null,
  -- The amount in question: the certificate's, or the one that would be posted; null if none is known.
  "amount" text,
  -- The currency of the amount; null if it isn't known.
  "currency" text
, "part"
  -- The part of the books that it is about; holds of 0.1 have none.
  text) strict, without rowid;

CREATE INDEX "ledger_holds_ipc" on "ledger_holds" ("ipc_id");

CREATE TRIGGER ledger_holds_logs_delete after delete on "ledger_holds"
  begin insert into row_changes (table_name, row_key) values ('ledger_holds', json_array(old."hold_id")); end;

CREATE TRIGGER ledger_holds_logs_insert after insert on "ledger_holds"
  begin insert into row_changes (table_name, row_key) values ('ledger_holds', json_array(new."hold_id")); end;

CREATE TRIGGER ledger_holds_logs_update after update on "ledger_holds"
  begin insert into row_changes (table_name, row_key) values ('ledger_holds', json_array(new."hold_id")); end;

CREATE TABLE "ledger_outbox" ( -- Entries for the accounting sink, each added in the transaction that posted it.
  -- The entry (ledger_entries.entry_id).
  "entry_id" text primary key references "ledger_entries" ("entry_id"),
  -- The entry's number in the journal.
  "sequence" integer not null unique,
  -- The interim payment certificate it is about (ipcs.id).
  "ipc_id" text not null,
  -- draft: a person reviews and releases it in the accounting system. posted: it is booked as it is.
  "status" text not null check ("status" in ('draft', 'posted')),
  -- Its delivery state; dead: only a person can help.
  "state" text not null default 'pending' check ("state" in ('pending', 'delivered', 'dead')),
  -- Attempts since it was added or replayed, or the sink recovered; the backoff grows with them.
  "attempts" integer not null default 0,
  -- How many of them the sink refused permanently.
  "refusals" integer not null default 0,
  -- When it was added.
  "queued_at" text not null,
  -- When the next attempt is due.
  "next_attempt_at" text not null,
  -- The result of the last attempt, or who settled it, in words for a bookkeeper.
  "last_error" text,
  -- When the sink accepted it; null until then.
  "delivered_at" text
, "kept_since"
  -- Of a draft: since when it is kept here, because the accounting system has no drafts; null: it may have been handed over.
  text) strict, without rowid;

CREATE INDEX "ledger_outbox_age" on "ledger_outbox" ("queued_at", "sequence") where state = 'pending';

CREATE INDEX "ledger_outbox_dead" on "ledger_outbox" ("sequence") where state = 'dead';

CREATE INDEX "ledger_outbox_ipc" on "ledger_outbox" ("ipc_id", "sequence") where state <> 'delivered';

CREATE TRIGGER ledger_outbox_logs_delete after delete on "ledger_outbox"
  begin insert into row_changes (table_name, row_key) values ('ledger_outbox', json_array(old."entry_id")); end;

CREATE TRIGGER ledger_outbox_logs_insert after insert on "ledger_outbox"
  begin insert into row_changes (table_name, row_key) values ('ledger_outbox', json_array(new."entry_id")); end;

CREATE TRIGGER ledger_outbox_logs_update after update on "ledger_outbox"
  begin insert into row_changes (table_name, row_key) values ('ledger_outbox', json_array(new."entry_id")); end;

CREATE INDEX "ledger_outbox_turn" on "ledger_outbox" ("next_attempt_at", "sequence") where state = 'pending';

CREATE TABLE "ledger_terms" ( -- The terms by which entries are posted, as configured at a start, or with what a person has closed. Append-only.
  -- Its sequence number.
  "number" integer primary key autoincrement,
  -- The first fact they apply to (ledger_facts.number), until later terms replace them.
  "from_fact" integer not null,
  -- The terms, as JSON.
  "content" text not null
) strict;

CREATE TRIGGER ledger_terms_no_delete before delete on "ledger_terms"
  begin select raise(abort, 'ledger_terms is append-only'); end;

CREATE TRIGGER ledger_terms_no_update before update on "ledger_terms"
  begin select raise(abort, 'ledger_terms is append-only'); end;

CREATE TABLE "lookups" ( -- Records that events told of and that are to be looked up; and for payments that wait, what the last look-up found.
  -- The list, by its resource name.
  "resource" text not null,
  -- The record's id.
  "id" text not null,
  -- How many events have told of it since it was looked up.
  "events" integer not null,
  -- When the first of them was applied; or when the last look-up was made.
  "since" text not null,
  -- When the last look-up for a payment was made; null if there was none.
  "looked_at" text,
  -- What it found, in words.
  "found" text,
  primary key ("resource", "id")
) strict, without rowid;

CREATE INDEX "lookups_waiting" on "lookups" ("resource", "since");

CREATE TABLE "meta" ( -- Single facts: the service's identity, the warehouse's id, how far the inbox is applied.
  -- The name of the fact.
  "key" text primary key,
  -- Its value.
  "value" text not null
) strict, without rowid;

CREATE TRIGGER meta_logs_delete after delete on "meta" when old.key not in ('applied_through', 'inbox', 'inbox_touched', 'row_log')
  begin insert into row_changes (table_name, row_key) values ('meta', json_array(old."key")); end;

CREATE TRIGGER meta_logs_insert after insert on "meta" when new.key not in ('applied_through', 'inbox', 'inbox_touched', 'row_log')
  begin insert into row_changes (table_name, row_key) values ('meta', json_array(new."key")); end;

CREATE TRIGGER meta_logs_update after update on "meta" when new.key not in ('applied_through', 'inbox', 'inbox_touched', 'row_log')
  begin insert into row_changes (table_name, row_key) values ('meta', json_array(new."key")); end;

CREATE TABLE "pace" ( -- Requests that may have been sent: keeps to the plan across restarts.
  -- The second, in whole seconds since 1970.
  "second" integer primary key,
  -- Requests in that second.
  "sent" integer not null
) strict;

CREATE TABLE "principals" ( -- Who may ask the workers for what, each with a token of their own.
  -- Its name, as decisions record it: never used twice.
  "name" text primary key,
  -- Its roles, as a JSON array: read, decide, operate.
  "roles" text not null,
  -- The SHA-256 of its token, which is nowhere.
  "token_sha256" text not null,
  -- When it was added.
  "added_at" text not null,
  -- The principal that added it.
  "added_by" text not null,
  -- When it got its present token; null if that is the first.
  "rotated_at" text,
  -- Since when it may do nothing; null while it may.
  "revoked_at" text,
  -- The principal that revoked it.
  "revoked_by" text
) strict, without rowid;

CREATE TRIGGER principals_logs_delete after delete on "principals"
  begin insert into row_changes (table_name, row_key) values ('principals', json_array(old."name")); end;

CREATE TRIGGER principals_logs_insert after insert on "principals"
  begin insert into row_changes (table_name, row_key) values ('principals', json_array(new."name")); end;

CREATE TRIGGER principals_logs_update after update on "principals"
  begin insert into row_changes (table_name, row_key) values ('principals', json_array(new."name")); end;

CREATE TABLE "quarantine" ( -- Events that couldn't be read or applied.
  -- The delivery (inbox.sequence).
  "sequence" integer primary key,
  -- The reason, as a keyword.
  "reason" text not null
, "event_type"
  -- The event type that its body proves; otherwise a header's. Null if none names one.
  text, "due_at"
  -- When it is read again by itself, because its event time is then no longer too far ahead; null for other reasons.
  text) strict;

CREATE INDEX "quarantine_ahead" on "quarantine" ("due_at") where reason = 'event-time-ahead';

CREATE TABLE "record_quarantine" ( -- Listed records that can't be copied: they have no usable key, or hold what an engine can't.
  -- The list, by its resource name.
  "resource" text not null,
  -- SHA-256 of the record, as hex.
  "sha256" text not null,
  -- The record, verbatim.
  "record" text not null,
  -- The reason, as a keyword.
  "reason" text not null,
  -- When it was first listed.
  "first_seen_at" text not null,
  -- When it was last listed.
  "last_seen_at" text not null,
  primary key ("resource", "sha256")
) strict, without rowid;

CREATE TABLE "reminders" ( -- Daily reminders of what waits for a person, sent or still to be sent.
  -- Its sequence number.
  "id" integer primary key autoincrement,
  -- Its body, as JSON.
  "body" text not null,
  -- When it was delivered; null until then.
  "delivered_at" text
) strict;

CREATE TABLE "row_changes" ( -- Rows that changed and aren't yet in the log of rows beside the store.
  -- Its sequence number.
  "id" integer primary key autoincrement,
  -- The row's table.
  "table_name" text not null,
  -- The values of its key, as a JSON array.
  "row_key" text not null
) strict;

CREATE TABLE "schedule" ( -- Scheduled jobs.
  -- The job's name.
  "name" text primary key,
  -- The last due time that was handled, in milliseconds since 1970.
  "last_scheduled_ms" integer not null
) strict, without rowid;

CREATE TABLE "sessions" ( -- Who is signed in to the dashboard.
  -- The SHA-256 of the secret in the browser's cookie, which is nowhere.
  "session_sha256" text primary key,
  -- Who signed in: a principal, admin, or os: and a user of the operating system.
  "principal" text not null,
  -- The SHA-256 of the token given to sign in, which must still be valid; null if the operating system named the user.
  "token_sha256" text,
  -- When it began.
  "begun_at" text not null,
  -- When it ends by itself.
  "ends_at" text not null
) strict, without rowid;

CREATE TABLE "sightings" ( -- For each id, the last two passes that listed it.
  -- The list, by its resource name.
  "resource" text not null,
  -- The record's id.
  "id" any not null,
  -- The last pass that listed it; 0 if the pass that wrote its first row was cut off; below zero, the number of the pass after which it was among what changed.
  "last_pass" integer not null,
  -- The pass that listed it before that one; 0 if none did.
  "prior_pass" integer not null, "parent"
  -- The key of the row that it is listed below, in a child list.
  text,
  primary key ("resource", "id")
) strict, without rowid;

CREATE TABLE sqlite_sequence(name,seq);

CREATE TABLE "subscriptions" ( -- Subscriptions requested from the service.
  -- Its sequence number.
  "id" integer primary key autoincrement,
  -- The callback URL.
  "url" text not null,
  -- The event types, as a JSON array.
  "events" text not null,
  -- When it was requested.
  "created_at" text not null,
  -- When the first signed delivery arrived; null until then.
  "verified_at" text,
  -- When another replaced it; null while it is active.
  "retired_at" text
) strict;

CREATE TRIGGER subscriptions_logs_delete after delete on "subscriptions"
  begin insert into row_changes (table_name, row_key) values ('subscriptions', json_array(old."id")); end;

CREATE TRIGGER subscriptions_logs_insert after insert on "subscriptions"
  begin insert into row_changes (table_name, row_key) values ('subscriptions', json_array(new."id")); end;

CREATE TRIGGER subscriptions_logs_update after update on "subscriptions"
  begin insert into row_changes (table_name, row_key) values ('subscriptions', json_array(new."id")); end;

CREATE TABLE "unheard" ( -- IPCs that the service's list shows as paid, of which no event has told so. Nothing is posted for them.
  -- The IPC's id.
  "ipc_id" text primary key,
  -- When it was paid, by the list.
  "paid_at" text not null,
  -- When siteledger noticed it.
  "seen_at" text not null
) strict, without rowid;

CREATE TABLE "uptime" ( -- Intervals in which the receiver was up.
  -- Its sequence number.
  "id" integer primary key autoincrement,
  -- Its start, in milliseconds since 1970.
  "from_ms" integer not null,
  -- Its end, in milliseconds since 1970.
  "to_ms" integer not null
, "boot"
  -- Identifies the boot of the worker's machine; null if version 0.1 recorded it.
  text, "booted_ms"
  -- When that machine had booted, by the clock that its times are from.
  integer) strict;

CREATE TRIGGER uptime_logs_delete after delete on "uptime"
  begin insert into row_changes (table_name, row_key) values ('uptime', json_array(old."id")); end;

CREATE TRIGGER uptime_logs_insert after insert on "uptime"
  begin insert into row_changes (table_name, row_key) values ('uptime', json_array(new."id")); end;

CREATE TABLE "walk_pages" ( -- Pages that the current pass has finished.
  -- The list, by its resource name.
  "resource" text not null,
  -- The page number.
  "page" integer not null,
  primary key ("resource", "page")
) strict, without rowid;

CREATE TABLE "walk_parents" ( -- For each list below the row of another: how the last pass ended for it.
  -- The list, by its resource name.
  "resource" text not null,
  -- The key of the row that it is below.
  "parent" text not null,
  -- The last pass that came to its end.
  "pass" integer not null,
  -- Whether that pass read it, found no such list (404), or was refused.
  "outcome" text not null check ("outcome" in ('read', 'absent', 'failed')),
  -- The number of its records, as reported by the service; 0 if it isn't.
  "total" integer not null,
  -- The last pass that read it whole; 0 if none did.
  "agreed_pass" integer not null,
  -- How sure its copy was at the end of that pass; null while that pass is running.
  "proof" text,
  primary key ("resource", "parent")
) strict, without rowid;

CREATE TABLE "walk_passes" ( -- The passes that came to their end: of each list the newest 500, and none for longer than 90 days.
  -- The list, by its resource name.
  "resource" text not null,
  -- When it ended.
  "ended_at" text not null,
  -- The pass number; it begins again at 1 after a rebuild.
  "pass" integer not null,
  -- When it began, by siteledger's clock.
  "started_at" text not null,
  -- How sure the copy was at its end: unproven, counts-agree, passes-agree or proven.
  "proof" text not null,
  -- Why it proved nothing, or what couldn't be read, in a sentence; null: nothing.
  "disturbance" text,
  -- How many distinct records it saw.
  "rows" integer not null,
  -- The number of records, as reported by the service; the rows, if it counts none.
  "total" integer not null,
  -- How many pages it read.
  "pages" integer not null,
  -- Records that it found to be deleted.
  "deleted" integer not null,
  -- For a child list: how many parents it found.
  "parents" integer,
  -- For how many of them the copy was proven at its end.
  "parents_sure" integer,
  primary key ("resource", "ended_at")
) strict, without rowid;

CREATE INDEX "walk_passes_ended" on "walk_passes" ("ended_at", "resource");

CREATE TABLE "walk_writing" ( -- Ids whose rows are being written. If that is cut off, the next pass knows them by this row alone.
  -- The list, by its resource name.
  "resource" text primary key,
  -- The ids, as a list of texts.
  "ids" text not null
) strict, without rowid;

CREATE TABLE "walks" ( -- For each list, the current pass and the result of the last one.
  -- The list, by its resource name.
  "resource" text primary key,
  -- The pass number.
  "pass" integer not null,
  -- Records per page, as granted by the service.
  "per_page" integer not null,
  -- The number of pages.
  "pages_total" integer not null,
  -- The number of records, as reported by the service.
  "total" integer not null,
  -- How many distinct records the pass has seen.
  "rows" integer not null,
  -- When the pass began.
  "started_at" text not null,
  -- 1 if the list changed during the pass, otherwise 0.
  "disturbed" integer not null,
  -- How many passes in a row were disturbed, up to the last one.
  "disturbed_in_a_row" integer not null,
  -- When the pass ended; null while it is running.
  "finished_at" text,
  -- How sure the copy was at the end of the last pass: unproven, counts-agree, passes-agree or proven.
  "proof" text,
  -- When the last pass ended with that proof.
  "proof_at" text
, "next_from"
  -- Sealed: where the current pass goes on, for a list whose pages say where the next one is.
  text, "definition"
  -- A hash of how the list is read; with another one, a pass that was cut off begins again.
  text, "pages_before"
  -- How many pages the last finished pass had.
  integer, "changed_from"
  -- From when on, by the service's clock, the list is asked next for what changed; null: from the begin of the last pass.
  text, "changed_began"
  -- When that began the last time, by the service's clock.
  text, "changed_at"
  -- When what had changed was last read.
  text, "parents"
  -- For a child list: how many parents the last pass found.
  integer, "parents_sure"
  -- For how many of them the copy was proven at its end.
  integer, "begun_at"
  -- When the pass began, by siteledger's clock; null of one that an older version began.
  text) strict, without rowid;

CREATE TABLE "webhook_secrets" ( -- The secrets that sign deliveries, sealed.
  -- Its sequence number.
  "id" integer primary key autoincrement,
  -- The subscription it came with; null if that was made by hand.
  "subscription_id" integer references "subscriptions" ("id"),
  -- The secret, encrypted; null while it is awaited, or if the answer with it was lost.
  "sealed" text,
  -- Identifies it to people.
  "fingerprint" text not null,
  -- When it was added.
  "added_at" text not null,
  -- When a person retired it; null until then.
  "retired_at" text,
  -- When it stops being valid; null if no end is set.
  "expires_at" text,
  -- When it last signed a delivery; null if it never did.
  "last_used_at" text
) strict;

CREATE TRIGGER webhook_secrets_logs_delete after delete on "webhook_secrets"
  begin insert into row_changes (table_name, row_key) values ('webhook_secrets', json_array(old."id")); end;

CREATE TRIGGER webhook_secrets_logs_insert after insert on "webhook_secrets"
  begin insert into row_changes (table_name, row_key) values ('webhook_secrets', json_array(new."id")); end;

CREATE TRIGGER webhook_secrets_logs_update after update on "webhook_secrets"
  begin insert into row_changes (table_name, row_key) values ('webhook_secrets', json_array(new."id")); end;

-- In DuckDB: the Warehouse

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
  _deleted_at TIMESTAMP WITH TIME ZONE,
  paid_amount DECIMAL(28,4));

CREATE TABLE construction.ledger_entries(entry_id VARCHAR,
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
  basis JSON,
  posting_date DATE,
  epoch BIGINT,
  certified_as VARCHAR,
  lines JSON,
  "chain" VARCHAR);

CREATE TABLE construction.ledger_hold_decisions(number BIGINT,
  hold_id VARCHAR,
  ipc_id VARCHAR,
  payment_reference VARCHAR,
  reason VARCHAR,
  since TIMESTAMP WITH TIME ZONE,
  verdict VARCHAR,
  amount DECIMAL(28,4),
  decided_by VARCHAR,
  decided_at TIMESTAMP WITH TIME ZONE,
  why VARCHAR,
  principal VARCHAR);

CREATE TABLE construction.ledger_holds(hold_id VARCHAR,
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

CREATE TABLE construction.project_currencies(id VARCHAR,
  project_id BIGINT,
  currency VARCHAR);

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

CREATE TABLE siteledger.inbox(inbox VARCHAR NOT NULL,
  "first" BIGINT NOT NULL,
  "last" BIGINT NOT NULL,
  frames BLOB NOT NULL);

CREATE TABLE siteledger.kysely_migration("name" VARCHAR PRIMARY KEY,
  "timestamp" VARCHAR NOT NULL);

CREATE TABLE siteledger.kysely_migration_lock(id VARCHAR PRIMARY KEY,
  is_locked INTEGER DEFAULT(0) NOT NULL);

CREATE TABLE siteledger.meta("key" VARCHAR PRIMARY KEY,
  "value" VARCHAR NOT NULL);

CREATE VIEW construction.cashflow_by_month AS SELECT CAST(date_trunc('month', main.timezone('UTC', r.paid_at)) AS DATE) AS "month", r.project_id, count_star() AS ipcs_paid, sum(r.certified_amount) AS certified_amount, (count_star() - count(r.certified_amount)) AS without_amount, COALESCE(e.currency, COALESCE(own.currency, CASE  WHEN (((r.project_id IS NOT NULL) OR ("others".named = 0))) THEN ("others".standard) ELSE NULL END)) AS currency FROM construction.ipcs AS r LEFT JOIN (SELECT ipc_id, max(currency) AS currency FROM construction.ledger_entries GROUP BY ipc_id HAVING (min(currency) = max(currency))) AS e ON ((e.ipc_id = r.id)) LEFT JOIN construction.project_currencies AS own ON ((own.project_id = r.project_id)) , (SELECT max(currency) FILTER (WHERE (project_id IS NULL)) AS standard, count(project_id) AS named FROM construction.project_currencies) AS "others" WHERE ((r.paid_at IS NOT NULL) AND (r._deleted_at IS NULL)) GROUP BY 1, r.project_id, 6;

CREATE VIEW construction.expiring_permits AS SELECT id AS permit_id, permit_type, validity, hours_until_expiry, expiring_at, (expiring_at + (hours_until_expiry * CAST('1 hour' AS INTERVAL))) AS expires_at FROM construction.permits WHERE ((status = 'expiring') AND (_deleted_at IS NULL));

CREATE VIEW construction.ipc_ageing AS SELECT r.id AS ipc_id, r.project_id, r.status, r.certified_amount, r.submitted_at, r.certified_at, r.paid_at, (CAST(main.timezone('UTC', r.certified_at) AS DATE) - CAST(main.timezone('UTC', r.submitted_at) AS DATE)) AS days_submitted_to_certified, (CAST(main.timezone('UTC', r.paid_at) AS DATE) - CAST(main.timezone('UTC', r.certified_at) AS DATE)) AS days_certified_to_paid, CASE  WHEN (((r.paid_at IS NULL) AND (r.submitted_at IS NOT NULL))) THEN ((CAST(main.timezone('UTC', current_timestamp) AS DATE) - CAST(main.timezone('UTC', r.submitted_at) AS DATE))) ELSE NULL END AS days_waiting, (r.paid_at IS NOT NULL) AS is_paid, COALESCE(e.currency, COALESCE(own.currency, CASE  WHEN (((r.project_id IS NOT NULL) OR ("others".named = 0))) THEN ("others".standard) ELSE NULL END)) AS currency FROM construction.ipcs AS r LEFT JOIN (SELECT ipc_id, max(currency) AS currency FROM construction.ledger_entries GROUP BY ipc_id HAVING (min(currency) = max(currency))) AS e ON ((e.ipc_id = r.id)) LEFT JOIN construction.project_currencies AS own ON ((own.project_id = r.project_id)) , (SELECT max(currency) FILTER (WHERE (project_id IS NULL)) AS standard, count(project_id) AS named FROM construction.project_currencies) AS "others" WHERE (r._deleted_at IS NULL);

CREATE VIEW construction.ledger_lines AS (SELECT e.entry_id, l.account, CAST(l.debit AS DECIMAL(28,4)) AS debit, CAST(l.credit AS DECIMAL(28,4)) AS credit, e.currency, COALESCE(e.posting_date, CAST(main.timezone('UTC', e.effective_at) AS DATE)) AS posting_date FROM construction.ledger_entries AS e , (SELECT * FROM (VALUES (e.debit_account, greatest(e.amount, 0), greatest(-(e.amount), 0)), (e.credit_account, greatest(-(e.amount), 0), greatest(e.amount, 0))) AS valueslist) AS l(account, debit, credit) WHERE (e.lines IS NULL)) UNION ALL (SELECT entry_id, account, CAST(greatest(amount, 0) AS DECIMAL(28,4)), CAST(greatest(-(amount), 0) AS DECIMAL(28,4)), currency,
  posting_date FROM (SELECT e.entry_id, l."key" AS account, COALESCE(CAST(CAST(CASE  WHEN ((length("replace"(CAST(l."value" AS VARCHAR), '"', '')) < 19)) THEN ("replace"(CAST(l."value" AS VARCHAR), '"', '')) ELSE NULL END AS DECIMAL(18,4)) AS DECIMAL(28,4)), CAST(CASE  WHEN ((length("replace"(CAST(l."value" AS VARCHAR), '"', '')) > 18)) THEN ("replace"(CAST(l."value" AS VARCHAR), '"', '')) ELSE NULL END AS DECIMAL(28,4))) AS amount, e.currency, COALESCE(e.posting_date, CAST(main.timezone('UTC', e.effective_at) AS DATE)) AS posting_date FROM construction.ledger_entries AS e , json_each(CAST(e.lines AS "json")) AS l WHERE (e.lines IS NOT NULL)) AS several);

CREATE VIEW construction.ledger_trial_balance AS SELECT e.project_id, l.currency, l.account, l.posting_date, sum(l.debit) AS debit, sum(l.credit) AS credit, (sum(l.debit) - sum(l.credit)) AS balance FROM construction.ledger_lines AS l INNER JOIN construction.ledger_entries AS e ON ((e.entry_id = l.entry_id)) GROUP BY e.project_id, l.currency, l.account, l.posting_date;

CREATE VIEW construction.ledger_unposted AS SELECT reason, currency, count_star() AS holds, COALESCE(sum(amount), CAST(0 AS DECIMAL(28,4))) AS amount, (count_star() - count(amount)) AS "unknown", min(since) AS oldest FROM construction.ledger_holds GROUP BY reason, currency;

CREATE VIEW construction.open_ncrs AS SELECT id AS ncr_id, project_id, severity, created_at, (CAST(main.timezone('UTC', current_timestamp) AS DATE) - CAST(main.timezone('UTC', created_at) AS DATE)) AS days_open FROM construction.ncrs WHERE ((status = 'open') AND (_deleted_at IS NULL));

CREATE VIEW construction.vo_exposure AS SELECT r.project_id, r.status, count_star() AS vos, sum(r.total_cost_impact) AS total_cost_impact, sum(r.final_amount) AS final_amount, sum(COALESCE(r.final_amount, r.total_cost_impact)) AS exposure, COALESCE(own.currency, CASE  WHEN (((r.project_id IS NOT NULL) OR ("others".named = 0))) THEN ("others".standard) ELSE NULL END) AS currency FROM construction.vos AS r LEFT JOIN construction.project_currencies AS own ON ((own.project_id = r.project_id)) , (SELECT max(currency) FILTER (WHERE (project_id IS NULL)) AS standard, count(project_id) AS named FROM construction.project_currencies) AS "others" WHERE (r._deleted_at IS NULL) GROUP BY r.project_id, r.status, 7;

-- In PostgreSQL: both

create table construction.events (
  "body_sha256" text not null,
  "sequence" bigint,
  "event_id" text,
  "event_type" text,
  "event_timestamp" timestamp with time zone,
  "entity" text,
  "entity_id" text,
  "payload" text,
  "issued_at" timestamp with time zone,
  "received_at" timestamp with time zone,
  "deliveries" bigint,
  "outcome" text,
  "reason" text,
  "alarms" json
);

create table construction.hse_incidents (
  "id" text not null,
  "status" text,
  "classification" text,
  "reported_at" timestamp with time zone,
  "_extra" json,
  "_clocks" json,
  "_first_seen_at" timestamp with time zone,
  "_changed_at" timestamp with time zone,
  "_deleted_at" timestamp with time zone
);

create table construction.ipcs (
  "id" text not null,
  "status" text,
  "project_id" bigint,
  "draft_amount" numeric(28,4),
  "submitter" text,
  "submitted_amount" numeric(28,4),
  "certified_amount" numeric(28,4),
  "certificate_url" text,
  "payment_reference" text,
  "created_at" timestamp with time zone,
  "submitted_at" timestamp with time zone,
  "certified_at" timestamp with time zone,
  "paid_at" timestamp with time zone,
  "_extra" json,
  "_clocks" json,
  "_first_seen_at" timestamp with time zone,
  "_changed_at" timestamp with time zone,
  "_deleted_at" timestamp with time zone,
  "paid_amount" numeric(28,4)
);

create table construction.ncrs (
  "id" text not null,
  "status" text,
  "project_id" bigint,
  "severity" text,
  "closure_date" date,
  "created_at" timestamp with time zone,
  "closed_at" timestamp with time zone,
  "_extra" json,
  "_clocks" json,
  "_first_seen_at" timestamp with time zone,
  "_changed_at" timestamp with time zone,
  "_deleted_at" timestamp with time zone
);

create table construction.permits (
  "id" text not null,
  "status" text,
  "permit_type" text,
  "validity" text,
  "hours_until_expiry" numeric(10,2),
  "issued_at" timestamp with time zone,
  "expiring_at" timestamp with time zone,
  "_extra" json,
  "_clocks" json,
  "_first_seen_at" timestamp with time zone,
  "_changed_at" timestamp with time zone,
  "_deleted_at" timestamp with time zone
);

create table construction.project_currencies (
  "id" text not null,
  "project_id" bigint,
  "currency" text
);

create table construction.projects (
  "id" bigint not null,
  "name" text,
  "status" text,
  "_extra" json,
  "_clocks" json,
  "_first_seen_at" timestamp with time zone,
  "_changed_at" timestamp with time zone,
  "_deleted_at" timestamp with time zone
);

create table construction.transmittals (
  "id" text not null,
  "status" text,
  "recipients" json,
  "document_count" bigint,
  "sent_at" timestamp with time zone,
  "_extra" json,
  "_clocks" json,
  "_first_seen_at" timestamp with time zone,
  "_changed_at" timestamp with time zone,
  "_deleted_at" timestamp with time zone
);

create table construction.vos (
  "id" text not null,
  "status" text,
  "project_id" bigint,
  "description" text,
  "total_cost_impact" numeric(28,4),
  "final_amount" numeric(28,4),
  "time_impact" text,
  "boq_revision" text,
  "created_at" timestamp with time zone,
  "priced_at" timestamp with time zone,
  "agreed_at" timestamp with time zone,
  "absorbed_at" timestamp with time zone,
  "_extra" json,
  "_clocks" json,
  "_first_seen_at" timestamp with time zone,
  "_changed_at" timestamp with time zone,
  "_deleted_at" timestamp with time zone
);

-- Its owner's rights: INSERT, SELECT
create table ledger.admin_log (
  "number" bigint generated always as identity not null,
  "at" text collate "C" not null,
  "principal" text collate "C" not null,
  "verb" text collate "C" not null,
  "noted_by" text collate "C"
);

-- Its owner's rights: INSERT, SELECT
create table ledger.ledger_entries (
  "entry_id" text collate "C" not null,
  "sequence" bigint not null,
  "ipc_id" text collate "C" not null,
  "project_id" text collate "C",
  "kind" text collate "C" not null,
  "amount" text collate "C" not null,
  "currency" text collate "C",
  "payment_reference" text collate "C" not null,
  "certificate_url" text collate "C",
  "debit_account" text collate "C" not null,
  "credit_account" text collate "C" not null,
  "effective_at" text collate "C" not null,
  "known_at" text collate "C" not null,
  "event_id" text collate "C",
  "reverses" text collate "C",
  "part" text collate "C" not null,
  "basis" text collate "C" not null,
  "fact" bigint not null,
  "posting_date" text collate "C",
  "epoch" bigint,
  "certified_as" text collate "C",
  "lines" text collate "C",
  "queued" text collate "C",
  "chain" text collate "C"
);

-- Its owner's rights: INSERT, SELECT
create table ledger.ledger_evidence (
  "fact" bigint not null,
  "body" text collate "C" not null
);

-- Its owner's rights: INSERT, SELECT
create table ledger.ledger_facts (
  "number" bigint not null,
  "ipc_id" text collate "C" not null,
  "kind" text collate "C" not null,
  "known_at" text collate "C" not null,
  "content" text collate "C" not null,
  "chain" text collate "C"
);

-- Its owner's rights: INSERT, SELECT
create table ledger.ledger_hold_decisions (
  "number" bigint generated always as identity not null,
  "hold_id" text collate "C" not null,
  "ipc_id" text collate "C" not null,
  "payment_reference" text collate "C" not null,
  "reason" text collate "C" not null,
  "since" text collate "C" not null,
  "verdict" text collate "C" not null,
  "amount" text collate "C",
  "decided_by" text collate "C",
  "decided_at" text collate "C" not null,
  "why" text collate "C",
  "fact" bigint not null,
  "principal" text collate "C"
);

-- Its owner's rights: INSERT, SELECT
create table ledger.ledger_terms (
  "number" bigint generated always as identity not null,
  "from_fact" bigint not null,
  "content" text collate "C" not null
);

create table siteledger.alerts (
  "id" bigint generated always as identity not null,
  "status" text collate "C" not null,
  "body" text collate "C" not null,
  "delivered_at" text collate "C"
);

create table siteledger.closed_gaps (
  "from_ms" bigint not null,
  "to_ms" bigint not null,
  "closed_at" text collate "C" not null,
  "reason" text collate "C" not null
);

create table siteledger.erased_bodies (
  "body_sha256" text collate "C" not null,
  "erasure" bigint not null,
  "sequence" bigint
);

create table siteledger.erasures (
  "number" bigint generated always as identity not null,
  "asked_at" text collate "C" not null,
  "asked_by" text collate "C" not null,
  "reason" text collate "C" not null,
  "table_name" text collate "C",
  "field" text collate "C",
  "salt" text collate "C" not null,
  "value_sha256" text collate "C" not null,
  "value_length" integer not null,
  "is_within" integer not null,
  "chain" text collate "C"
);

create table siteledger.event_ids (
  "event_id" text collate "C" not null,
  "sequence" bigint not null
);

create table siteledger.exports (
  "run" text collate "C" not null,
  "started_at" text collate "C" not null,
  "finished_at" text collate "C" not null
);

create table siteledger.history (
  "worker" text collate "C" not null,
  "minute" text collate "C" not null,
  "deliveries" integer not null,
  "visible" text collate "C" not null,
  "posted" text collate "C" not null,
  "requests" integer not null,
  "request_limit" integer not null
);

create table siteledger.inbox (
  "sequence" bigint generated always as identity not null,
  "body_sha256" bytea not null,
  "body" bytea not null,
  "event_id" text collate "C" not null,
  "header_type" text collate "C",
  "issued_at" text collate "C",
  "received_at" text collate "C" not null,
  "deliveries" integer not null default 1,
  "replayed" integer not null default 0,
  "other_types" text collate "C",
  "headers" text collate "C",
  "secret" text collate "C"
);

create table siteledger.inbox_queue (
  "id" bigint generated always as identity not null,
  "sequence" bigint not null,
  "is_first" boolean not null,
  "received_at" text collate "C" not null
);

create table siteledger.learned_columns (
  "resource" text collate "C" not null,
  "name" text collate "C" not null,
  "field" text collate "C" not null,
  "type" text collate "C" not null,
  "beside" text collate "C",
  "learned_at" text collate "C" not null
);

create table siteledger.ledger_certified (
  "ipc_id" text collate "C" not null,
  "project_id" text collate "C" not null,
  "first_at" text collate "C" not null,
  "certificates" text collate "C" not null
);

create table siteledger.ledger_holds (
  "hold_id" text collate "C" not null,
  "ipc_id" text collate "C" not null,
  "payment_reference" text collate "C" not null,
  "reason" text collate "C" not null,
  "since" text collate "C" not null,
  "basis" text collate "C" not null,
  "amount" text collate "C",
  "currency" text collate "C",
  "part" text collate "C"
);

create table siteledger.ledger_outbox (
  "entry_id" text collate "C" not null,
  "sequence" bigint not null,
  "ipc_id" text collate "C" not null,
  "status" text collate "C" not null,
  "state" text collate "C" not null default 'pending'::text,
  "attempts" integer not null default 0,
  "refusals" integer not null default 0,
  "queued_at" text collate "C" not null,
  "next_attempt_at" text collate "C" not null,
  "last_error" text collate "C",
  "delivered_at" text collate "C",
  "kept_since" text collate "C"
);

create table siteledger.lookups (
  "resource" text collate "C" not null,
  "id" text collate "C" not null,
  "events" integer not null,
  "since" text collate "C" not null,
  "looked_at" text collate "C",
  "found" text collate "C"
);

create table siteledger.meta (
  "key" text collate "C" not null,
  "value" text collate "C" not null
);

create table siteledger.pace (
  "second" bigint not null,
  "sent" integer not null
);

create table siteledger.principals (
  "name" text collate "C" not null,
  "roles" text collate "C" not null,
  "token_sha256" text collate "C" not null,
  "added_at" text collate "C" not null,
  "added_by" text collate "C" not null,
  "rotated_at" text collate "C",
  "revoked_at" text collate "C",
  "revoked_by" text collate "C"
);

create table siteledger.quarantine (
  "sequence" bigint not null,
  "reason" text collate "C" not null,
  "event_type" text collate "C",
  "due_at" text collate "C"
);

create table siteledger.record_quarantine (
  "resource" text collate "C" not null,
  "sha256" text collate "C" not null,
  "record" text collate "C" not null,
  "reason" text collate "C" not null,
  "first_seen_at" text collate "C" not null,
  "last_seen_at" text collate "C" not null
);

create table siteledger.reminders (
  "id" bigint generated always as identity not null,
  "body" text collate "C" not null,
  "delivered_at" text collate "C"
);

create table siteledger.schedule (
  "name" text collate "C" not null,
  "last_scheduled_ms" bigint not null
);

create table siteledger.sessions (
  "session_sha256" text collate "C" not null,
  "principal" text collate "C" not null,
  "token_sha256" text collate "C",
  "begun_at" text collate "C" not null,
  "ends_at" text collate "C" not null
);

create table siteledger.sightings (
  "resource" text collate "C" not null,
  "id" text collate "C" not null,
  "last_pass" integer not null,
  "prior_pass" integer not null,
  "parent" text collate "C"
);

create table siteledger.subscriptions (
  "id" bigint generated always as identity not null,
  "url" text collate "C" not null,
  "events" text collate "C" not null,
  "created_at" text collate "C" not null,
  "verified_at" text collate "C",
  "retired_at" text collate "C"
);

create table siteledger.unheard (
  "ipc_id" text collate "C" not null,
  "paid_at" text collate "C" not null,
  "seen_at" text collate "C" not null
);

create table siteledger.uptime (
  "id" bigint generated always as identity not null,
  "from_ms" bigint not null,
  "to_ms" bigint not null,
  "boot" text collate "C",
  "booted_ms" bigint
);

create table siteledger.walk_pages (
  "resource" text collate "C" not null,
  "page" integer not null
);

create table siteledger.walk_parents (
  "resource" text collate "C" not null,
  "parent" text collate "C" not null,
  "pass" integer not null,
  "outcome" text collate "C" not null,
  "total" bigint not null,
  "agreed_pass" integer not null,
  "proof" text collate "C"
);

create table siteledger.walk_passes (
  "resource" text collate "C" not null,
  "ended_at" text collate "C" not null,
  "pass" integer not null,
  "started_at" text collate "C" not null,
  "proof" text collate "C" not null,
  "disturbance" text collate "C",
  "rows" bigint not null,
  "total" bigint not null,
  "pages" integer not null,
  "deleted" bigint not null,
  "parents" integer,
  "parents_sure" integer
);

create table siteledger.walk_writing (
  "resource" text collate "C" not null,
  "ids" text collate "C" not null
);

create table siteledger.walks (
  "resource" text collate "C" not null,
  "pass" integer not null,
  "per_page" integer not null,
  "pages_total" integer not null,
  "total" bigint not null,
  "rows" bigint not null,
  "started_at" text collate "C" not null,
  "disturbed" integer not null,
  "disturbed_in_a_row" integer not null,
  "finished_at" text collate "C",
  "proof" text collate "C",
  "proof_at" text collate "C",
  "next_from" text collate "C",
  "definition" text collate "C",
  "pages_before" integer,
  "changed_from" text collate "C",
  "changed_began" text collate "C",
  "changed_at" text collate "C",
  "parents" integer,
  "parents_sure" integer,
  "begun_at" text collate "C"
);

create table siteledger.webhook_secrets (
  "id" bigint generated always as identity not null,
  "subscription_id" bigint,
  "sealed" text collate "C",
  "fingerprint" text collate "C" not null,
  "added_at" text collate "C" not null,
  "retired_at" text collate "C",
  "expires_at" text collate "C",
  "last_used_at" text collate "C"
);

create table siteledger.workers (
  "id" text collate "C" not null,
  "host" text collate "C" not null,
  "pid" integer not null,
  "started_at" text collate "C" not null,
  "seen_at" text collate "C" not null,
  "is_leader" boolean not null,
  "reasons" text collate "C" not null,
  "reason_details" text collate "C",
  "version" text collate "C"
);

-- Its owner's rights: SELECT
create view construction_jsonb.cashflow_by_month (
  "month" date,
  "project_id" bigint,
  "ipcs_paid" bigint,
  "certified_amount" numeric,
  "without_amount" bigint,
  "currency" text collate "C"
);

-- Its owner's rights: SELECT
create view construction_jsonb.events (
  "body_sha256" text,
  "sequence" bigint,
  "event_id" text,
  "event_type" text,
  "event_timestamp" timestamp with time zone,
  "entity" text,
  "entity_id" text,
  "payload" text,
  "issued_at" timestamp with time zone,
  "received_at" timestamp with time zone,
  "deliveries" bigint,
  "outcome" text,
  "reason" text,
  "alarms" jsonb
);

-- Its owner's rights: SELECT
create view construction_jsonb.expiring_permits (
  "permit_id" text,
  "permit_type" text,
  "validity" text,
  "hours_until_expiry" numeric(10,2),
  "expiring_at" timestamp with time zone,
  "expires_at" timestamp with time zone
);

-- Its owner's rights: SELECT
create view construction_jsonb.hse_incidents (
  "id" text,
  "status" text,
  "classification" text,
  "reported_at" timestamp with time zone,
  "_extra" jsonb,
  "_clocks" jsonb,
  "_first_seen_at" timestamp with time zone,
  "_changed_at" timestamp with time zone,
  "_deleted_at" timestamp with time zone
);

-- Its owner's rights: SELECT
create view construction_jsonb.ipc_ageing (
  "ipc_id" text,
  "project_id" bigint,
  "status" text,
  "certified_amount" numeric(28,4),
  "submitted_at" timestamp with time zone,
  "certified_at" timestamp with time zone,
  "paid_at" timestamp with time zone,
  "days_submitted_to_certified" integer,
  "days_certified_to_paid" integer,
  "days_waiting" integer,
  "is_paid" boolean,
  "currency" text collate "C"
);

-- Its owner's rights: SELECT
create view construction_jsonb.ipcs (
  "id" text,
  "status" text,
  "project_id" bigint,
  "draft_amount" numeric(28,4),
  "submitter" text,
  "submitted_amount" numeric(28,4),
  "certified_amount" numeric(28,4),
  "certificate_url" text,
  "payment_reference" text,
  "created_at" timestamp with time zone,
  "submitted_at" timestamp with time zone,
  "certified_at" timestamp with time zone,
  "paid_at" timestamp with time zone,
  "_extra" jsonb,
  "_clocks" jsonb,
  "_first_seen_at" timestamp with time zone,
  "_changed_at" timestamp with time zone,
  "_deleted_at" timestamp with time zone,
  "paid_amount" numeric(28,4)
);

-- Its owner's rights: SELECT
create view construction_jsonb.ledger_entries (
  "entry_id" text collate "C",
  "sequence" bigint,
  "ipc_id" text collate "C",
  "project_id" bigint,
  "kind" text collate "C",
  "amount" numeric(28,4),
  "currency" text collate "C",
  "payment_reference" text collate "C",
  "certificate_url" text collate "C",
  "debit_account" text collate "C",
  "credit_account" text collate "C",
  "effective_at" timestamp with time zone,
  "known_at" timestamp with time zone,
  "event_id" text collate "C",
  "reverses" text collate "C",
  "basis" jsonb,
  "posting_date" date,
  "epoch" bigint,
  "certified_as" text collate "C",
  "lines" jsonb,
  "chain" text collate "C"
);

-- Its owner's rights: SELECT
create view construction_jsonb.ledger_hold_decisions (
  "number" bigint,
  "hold_id" text collate "C",
  "ipc_id" text collate "C",
  "payment_reference" text collate "C",
  "reason" text collate "C",
  "since" timestamp with time zone,
  "verdict" text collate "C",
  "amount" numeric(28,4),
  "decided_by" text collate "C",
  "decided_at" timestamp with time zone,
  "why" text collate "C",
  "principal" text collate "C"
);

-- Its owner's rights: SELECT
create view construction_jsonb.ledger_holds (
  "hold_id" text collate "C",
  "ipc_id" text collate "C",
  "payment_reference" text collate "C",
  "reason" text collate "C",
  "since" timestamp with time zone,
  "basis" jsonb,
  "amount" numeric(28,4),
  "currency" text collate "C"
);

-- Its owner's rights: SELECT
create view construction_jsonb.ledger_lines (
  "entry_id" text collate "C",
  "account" text collate "C",
  "debit" numeric(28,4),
  "credit" numeric(28,4),
  "currency" text collate "C",
  "posting_date" date
);

-- Its owner's rights: SELECT
create view construction_jsonb.ledger_trial_balance (
  "project_id" bigint,
  "currency" text collate "C",
  "account" text collate "C",
  "posting_date" date,
  "debit" numeric,
  "credit" numeric,
  "balance" numeric
);

-- Its owner's rights: SELECT
create view construction_jsonb.ledger_unposted (
  "reason" text collate "C",
  "currency" text collate "C",
  "holds" bigint,
  "amount" numeric,
  "unknown" bigint,
  "oldest" timestamp with time zone
);

-- Its owner's rights: SELECT
create view construction_jsonb.ncrs (
  "id" text,
  "status" text,
  "project_id" bigint,
  "severity" text,
  "closure_date" date,
  "created_at" timestamp with time zone,
  "closed_at" timestamp with time zone,
  "_extra" jsonb,
  "_clocks" jsonb,
  "_first_seen_at" timestamp with time zone,
  "_changed_at" timestamp with time zone,
  "_deleted_at" timestamp with time zone
);

-- Its owner's rights: SELECT
create view construction_jsonb.open_ncrs (
  "ncr_id" text,
  "project_id" bigint,
  "severity" text,
  "created_at" timestamp with time zone,
  "days_open" integer
);

-- Its owner's rights: SELECT
create view construction_jsonb.permits (
  "id" text,
  "status" text,
  "permit_type" text,
  "validity" text,
  "hours_until_expiry" numeric(10,2),
  "issued_at" timestamp with time zone,
  "expiring_at" timestamp with time zone,
  "_extra" jsonb,
  "_clocks" jsonb,
  "_first_seen_at" timestamp with time zone,
  "_changed_at" timestamp with time zone,
  "_deleted_at" timestamp with time zone
);

-- Its owner's rights: SELECT
create view construction_jsonb.project_currencies (
  "id" text,
  "project_id" bigint,
  "currency" text
);

-- Its owner's rights: SELECT
create view construction_jsonb.projects (
  "id" bigint,
  "name" text,
  "status" text,
  "_extra" jsonb,
  "_clocks" jsonb,
  "_first_seen_at" timestamp with time zone,
  "_changed_at" timestamp with time zone,
  "_deleted_at" timestamp with time zone
);

-- Its owner's rights: SELECT
create view construction_jsonb.transmittals (
  "id" text,
  "status" text,
  "recipients" jsonb,
  "document_count" bigint,
  "sent_at" timestamp with time zone,
  "_extra" jsonb,
  "_clocks" jsonb,
  "_first_seen_at" timestamp with time zone,
  "_changed_at" timestamp with time zone,
  "_deleted_at" timestamp with time zone
);

-- Its owner's rights: SELECT
create view construction_jsonb.vo_exposure (
  "project_id" bigint,
  "status" text,
  "vos" bigint,
  "total_cost_impact" numeric,
  "final_amount" numeric,
  "exposure" numeric,
  "currency" text
);

-- Its owner's rights: SELECT
create view construction_jsonb.vos (
  "id" text,
  "status" text,
  "project_id" bigint,
  "description" text,
  "total_cost_impact" numeric(28,4),
  "final_amount" numeric(28,4),
  "time_impact" text,
  "boq_revision" text,
  "created_at" timestamp with time zone,
  "priced_at" timestamp with time zone,
  "agreed_at" timestamp with time zone,
  "absorbed_at" timestamp with time zone,
  "_extra" jsonb,
  "_clocks" jsonb,
  "_first_seen_at" timestamp with time zone,
  "_changed_at" timestamp with time zone,
  "_deleted_at" timestamp with time zone
);

-- Its owner's rights: SELECT
create view construction.cashflow_by_month (
  "month" date,
  "project_id" bigint,
  "ipcs_paid" bigint,
  "certified_amount" numeric,
  "without_amount" bigint,
  "currency" text collate "C"
);

-- Its owner's rights: SELECT
create view construction.expiring_permits (
  "permit_id" text,
  "permit_type" text,
  "validity" text,
  "hours_until_expiry" numeric(10,2),
  "expiring_at" timestamp with time zone,
  "expires_at" timestamp with time zone
);

-- Its owner's rights: SELECT
create view construction.ipc_ageing (
  "ipc_id" text,
  "project_id" bigint,
  "status" text,
  "certified_amount" numeric(28,4),
  "submitted_at" timestamp with time zone,
  "certified_at" timestamp with time zone,
  "paid_at" timestamp with time zone,
  "days_submitted_to_certified" integer,
  "days_certified_to_paid" integer,
  "days_waiting" integer,
  "is_paid" boolean,
  "currency" text collate "C"
);

-- Its owner's rights: SELECT
create view construction.ledger_entries (
  "entry_id" text collate "C",
  "sequence" bigint,
  "ipc_id" text collate "C",
  "project_id" bigint,
  "kind" text collate "C",
  "amount" numeric(28,4),
  "currency" text collate "C",
  "payment_reference" text collate "C",
  "certificate_url" text collate "C",
  "debit_account" text collate "C",
  "credit_account" text collate "C",
  "effective_at" timestamp with time zone,
  "known_at" timestamp with time zone,
  "event_id" text collate "C",
  "reverses" text collate "C",
  "basis" json,
  "posting_date" date,
  "epoch" bigint,
  "certified_as" text collate "C",
  "lines" json,
  "chain" text collate "C"
);

-- Its owner's rights: SELECT
create view construction.ledger_hold_decisions (
  "number" bigint,
  "hold_id" text collate "C",
  "ipc_id" text collate "C",
  "payment_reference" text collate "C",
  "reason" text collate "C",
  "since" timestamp with time zone,
  "verdict" text collate "C",
  "amount" numeric(28,4),
  "decided_by" text collate "C",
  "decided_at" timestamp with time zone,
  "why" text collate "C",
  "principal" text collate "C"
);

-- Its owner's rights: SELECT
create view construction.ledger_holds (
  "hold_id" text collate "C",
  "ipc_id" text collate "C",
  "payment_reference" text collate "C",
  "reason" text collate "C",
  "since" timestamp with time zone,
  "basis" json,
  "amount" numeric(28,4),
  "currency" text collate "C"
);

-- Its owner's rights: SELECT
create view construction.ledger_lines (
  "entry_id" text collate "C",
  "account" text collate "C",
  "debit" numeric(28,4),
  "credit" numeric(28,4),
  "currency" text collate "C",
  "posting_date" date
);

-- Its owner's rights: SELECT
create view construction.ledger_trial_balance (
  "project_id" bigint,
  "currency" text collate "C",
  "account" text collate "C",
  "posting_date" date,
  "debit" numeric,
  "credit" numeric,
  "balance" numeric
);

-- Its owner's rights: SELECT
create view construction.ledger_unposted (
  "reason" text collate "C",
  "currency" text collate "C",
  "holds" bigint,
  "amount" numeric,
  "unknown" bigint,
  "oldest" timestamp with time zone
);

-- Its owner's rights: SELECT
create view construction.open_ncrs (
  "ncr_id" text,
  "project_id" bigint,
  "severity" text,
  "created_at" timestamp with time zone,
  "days_open" integer
);

-- Its owner's rights: SELECT
create view construction.vo_exposure (
  "project_id" bigint,
  "status" text,
  "vos" bigint,
  "total_cost_impact" numeric,
  "final_amount" numeric,
  "exposure" numeric,
  "currency" text
);

alter table construction.events add constraint events_pkey PRIMARY KEY (body_sha256);

alter table construction.hse_incidents add constraint hse_incidents_pkey PRIMARY KEY (id);

alter table construction.ipcs add constraint ipcs_pkey PRIMARY KEY (id);

alter table construction.ncrs add constraint ncrs_pkey PRIMARY KEY (id);

alter table construction.permits add constraint permits_pkey PRIMARY KEY (id);

alter table construction.project_currencies add constraint project_currencies_pkey PRIMARY KEY (id);

alter table construction.projects add constraint projects_pkey PRIMARY KEY (id);

alter table construction.transmittals add constraint transmittals_pkey PRIMARY KEY (id);

alter table construction.vos add constraint vos_pkey PRIMARY KEY (id);

alter table ledger.admin_log add constraint admin_log_pkey PRIMARY KEY (number);

alter table ledger.ledger_entries add constraint ledger_entries_entry_id_key UNIQUE (entry_id);

alter table ledger.ledger_entries add constraint ledger_entries_kind_check CHECK ((kind = ANY (ARRAY['payment'::text, 'adjustment'::text, 'reversal'::text, 'accrual'::text])));

alter table ledger.ledger_entries add constraint ledger_entries_pkey PRIMARY KEY (sequence);

alter table ledger.ledger_entries add constraint ledger_entries_queued_check CHECK ((queued = ANY (ARRAY['draft'::text, 'posted'::text])));

alter table ledger.ledger_evidence add constraint ledger_evidence_pkey PRIMARY KEY (fact);

alter table ledger.ledger_facts add constraint ledger_facts_pkey PRIMARY KEY (number);

alter table ledger.ledger_hold_decisions add constraint ledger_hold_decisions_pkey PRIMARY KEY (number);

alter table ledger.ledger_terms add constraint ledger_terms_pkey PRIMARY KEY (number);

alter table siteledger.alerts add constraint alerts_pkey PRIMARY KEY (id);

alter table siteledger.closed_gaps add constraint closed_gaps_pkey PRIMARY KEY (from_ms, to_ms);

alter table siteledger.erased_bodies add constraint erased_bodies_pkey PRIMARY KEY (body_sha256);

alter table siteledger.erasures add constraint erasures_pkey PRIMARY KEY (number);

alter table siteledger.event_ids add constraint event_ids_pkey PRIMARY KEY (event_id);

alter table siteledger.exports add constraint exports_pkey PRIMARY KEY (run);

alter table siteledger.history add constraint history_pkey PRIMARY KEY (minute, worker);

alter table siteledger.inbox add constraint inbox_body_sha256_key UNIQUE (body_sha256);

alter table siteledger.inbox add constraint inbox_pkey PRIMARY KEY (sequence);

alter table siteledger.inbox_queue add constraint inbox_queue_pkey PRIMARY KEY (id);

alter table siteledger.learned_columns add constraint learned_columns_pkey PRIMARY KEY (resource, name);

alter table siteledger.ledger_certified add constraint ledger_certified_pkey PRIMARY KEY (ipc_id);

alter table siteledger.ledger_holds add constraint ledger_holds_pkey PRIMARY KEY (hold_id);

alter table siteledger.ledger_outbox add constraint ledger_outbox_pkey PRIMARY KEY (entry_id);

alter table siteledger.ledger_outbox add constraint ledger_outbox_sequence_key UNIQUE (sequence);

alter table siteledger.ledger_outbox add constraint ledger_outbox_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'dead'::text])));

alter table siteledger.ledger_outbox add constraint ledger_outbox_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'posted'::text])));

alter table siteledger.lookups add constraint lookups_pkey PRIMARY KEY (resource, id);

alter table siteledger.meta add constraint meta_pkey PRIMARY KEY (key);

alter table siteledger.pace add constraint pace_pkey PRIMARY KEY (second);

alter table siteledger.principals add constraint principals_pkey PRIMARY KEY (name);

alter table siteledger.quarantine add constraint quarantine_pkey PRIMARY KEY (sequence);

alter table siteledger.record_quarantine add constraint record_quarantine_pkey PRIMARY KEY (resource, sha256);

alter table siteledger.reminders add constraint reminders_pkey PRIMARY KEY (id);

alter table siteledger.schedule add constraint schedule_pkey PRIMARY KEY (name);

alter table siteledger.sessions add constraint sessions_pkey PRIMARY KEY (session_sha256);

alter table siteledger.sightings add constraint sightings_pkey PRIMARY KEY (resource, id);

alter table siteledger.subscriptions add constraint subscriptions_pkey PRIMARY KEY (id);

alter table siteledger.unheard add constraint unheard_pkey PRIMARY KEY (ipc_id);

alter table siteledger.uptime add constraint uptime_pkey PRIMARY KEY (id);

alter table siteledger.walk_pages add constraint walk_pages_pkey PRIMARY KEY (resource, page);

alter table siteledger.walk_parents add constraint walk_parents_outcome_check CHECK ((outcome = ANY (ARRAY['read'::text, 'absent'::text, 'failed'::text])));

alter table siteledger.walk_parents add constraint walk_parents_pkey PRIMARY KEY (resource, parent);

alter table siteledger.walk_passes add constraint walk_passes_pkey PRIMARY KEY (resource, ended_at);

alter table siteledger.walk_writing add constraint walk_writing_pkey PRIMARY KEY (resource);

alter table siteledger.walks add constraint walks_pkey PRIMARY KEY (resource);

alter table siteledger.webhook_secrets add constraint webhook_secrets_pkey PRIMARY KEY (id);

alter table siteledger.webhook_secrets add constraint webhook_secrets_subscription_id_fkey FOREIGN KEY (subscription_id) REFERENCES siteledger.subscriptions(id);

alter table siteledger.workers add constraint workers_pkey PRIMARY KEY (id);

CREATE INDEX events_id ON construction.events USING hash (event_id);

CREATE INDEX events_odd ON construction.events USING btree (received_at, sequence) WHERE ((outcome = 'quarantined'::text) OR (json_array_length(alarms) > 0));

CREATE INDEX events_received ON construction.events USING btree (received_at, sequence);

CREATE INDEX events_record ON construction.events USING hash (entity_id);

CREATE INDEX events_sequence ON construction.events USING btree (sequence);

CREATE INDEX events_timestamp ON construction.events USING btree (event_timestamp);

CREATE INDEX hse_incidents__changed_at_idx ON construction.hse_incidents USING btree (_changed_at);

CREATE INDEX hse_incidents__first_seen_at_idx ON construction.hse_incidents USING brin (_first_seen_at);

CREATE INDEX ipcs__changed_at_idx ON construction.ipcs USING btree (_changed_at);

CREATE INDEX ipcs__first_seen_at_idx ON construction.ipcs USING brin (_first_seen_at);

CREATE INDEX ledger_certified_order ON siteledger.ledger_certified USING btree (project_id, first_at, ipc_id);

CREATE INDEX ledger_entries_ipc ON ledger.ledger_entries USING btree (ipc_id, sequence);

CREATE INDEX ledger_facts_ipc ON ledger.ledger_facts USING btree (ipc_id, number);

CREATE INDEX ledger_holds_ipc ON siteledger.ledger_holds USING btree (ipc_id);

CREATE INDEX ledger_outbox_age ON siteledger.ledger_outbox USING btree (queued_at, sequence) WHERE (state = 'pending'::text);

CREATE INDEX ledger_outbox_dead ON siteledger.ledger_outbox USING btree (sequence) WHERE (state = 'dead'::text);

CREATE INDEX ledger_outbox_ipc ON siteledger.ledger_outbox USING btree (ipc_id, sequence) WHERE (state <> 'delivered'::text);

CREATE INDEX ledger_outbox_turn ON siteledger.ledger_outbox USING btree (next_attempt_at, sequence) WHERE (state = 'pending'::text);

CREATE INDEX lookups_waiting ON siteledger.lookups USING btree (resource, since);

CREATE INDEX ncrs__changed_at_idx ON construction.ncrs USING btree (_changed_at);

CREATE INDEX ncrs__first_seen_at_idx ON construction.ncrs USING brin (_first_seen_at);

CREATE INDEX permits__changed_at_idx ON construction.permits USING btree (_changed_at);

CREATE INDEX permits__first_seen_at_idx ON construction.permits USING brin (_first_seen_at);

CREATE INDEX projects__changed_at_idx ON construction.projects USING btree (_changed_at);

CREATE INDEX projects__first_seen_at_idx ON construction.projects USING brin (_first_seen_at);

CREATE INDEX quarantine_ahead ON siteledger.quarantine USING btree (due_at) WHERE (reason = 'event-time-ahead'::text);

CREATE INDEX transmittals__changed_at_idx ON construction.transmittals USING btree (_changed_at);

CREATE INDEX transmittals__first_seen_at_idx ON construction.transmittals USING brin (_first_seen_at);

CREATE INDEX vos__changed_at_idx ON construction.vos USING btree (_changed_at);

CREATE INDEX vos__first_seen_at_idx ON construction.vos USING brin (_first_seen_at);

CREATE INDEX walk_passes_ended ON siteledger.walk_passes USING btree (ended_at, resource);

CREATE UNIQUE INDEX ledger_entries_payment ON ledger.ledger_entries USING btree (ipc_id, ledger.digest_of((payment_reference)::character varying)) WHERE (kind = 'payment'::text);

CREATE TRIGGER admin_log_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger.admin_log FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();

CREATE TRIGGER ledger_entries_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger.ledger_entries FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();

CREATE TRIGGER ledger_entries_has_fact AFTER INSERT ON ledger.ledger_entries REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION ledger.ledger_entries_has_fact();

CREATE TRIGGER ledger_evidence_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger.ledger_evidence FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();

CREATE TRIGGER ledger_evidence_has_fact AFTER INSERT ON ledger.ledger_evidence REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION ledger.ledger_evidence_has_fact();

CREATE TRIGGER ledger_facts_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger.ledger_facts FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();

CREATE TRIGGER ledger_hold_decisions_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger.ledger_hold_decisions FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();

CREATE TRIGGER ledger_hold_decisions_has_fact AFTER INSERT ON ledger.ledger_hold_decisions REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION ledger.ledger_hold_decisions_has_fact();

CREATE TRIGGER ledger_outbox_has_entry_id AFTER INSERT ON siteledger.ledger_outbox REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION ledger.ledger_outbox_has_entry_id();

CREATE TRIGGER ledger_outbox_keeps_entry_id BEFORE UPDATE OF entry_id ON siteledger.ledger_outbox FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();

CREATE TRIGGER ledger_terms_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger.ledger_terms FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();

CREATE OR REPLACE FUNCTION construction_jsonb.as_jsonb(json)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
    select case when $1::pg_catalog.text operator(pg_catalog.~) E'\\\\u(?:0000|[dD][89a-fA-F][0-9a-fA-F]{2})|[eE][+-]?[0-9]{4}|[0-9]{255}'
      then construction_jsonb.mended($1) else $1::pg_catalog.jsonb end$function$;

CREATE OR REPLACE FUNCTION construction_jsonb.mended(json)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
    select pg_catalog.string_agg(case when part[2] operator(pg_catalog.~) E'[eE][+-]?[0-9]{4}|[0-9]{255}' then
        pg_catalog.to_json(part[2])::pg_catalog.text
      else coalesce(part[1], part[2], part[3]) end, '' order by place)::pg_catalog.jsonb
    from pg_catalog.regexp_matches(pg_catalog.regexp_replace(pg_catalog.regexp_replace(pg_catalog.regexp_replace($1::pg_catalog.text, E'(?<!\\\\)((?:\\\\\\\\)*)\\\\u([dD][89abAB][0-9a-fA-F]{2})\\\\u([dD][c-fC-F][0-9a-fA-F]{2})', E'\\1\\\\u{\\2\\3}', 'g'), E'(?<!\\\\)((?:\\\\\\\\)*)\\\\u(?:0000|[dD][89a-fA-F][0-9a-fA-F]{2})', E'\\1\\\\ufffd', 'g'), E'(?<!\\\\)((?:\\\\\\\\)*)\\\\u\\{(.{4})(.{4})\\}', E'\\1\\\\u\\2\\\\u\\3', 'g'), E'("(?:[^"\\\\]|\\\\.)*")|(-?[0-9][-+.eE0-9]*)|([^"0-9-]+)', 'g') with ordinality as found(part, place)$function$;

CREATE OR REPLACE FUNCTION ledger.digest_of(character varying)
 RETURNS bytea
 LANGUAGE sql
 IMMUTABLE STRICT
AS $function$ select pg_catalog.sha256(pg_catalog.convert_to($1, 'UTF8')) $function$;

CREATE OR REPLACE FUNCTION ledger.ledger_entries_has_fact()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    declare
      missing text;
    begin
      select fact into missing from added
        where (select true from ledger.ledger_facts where number operator(pg_catalog.=) added.fact) is null limit 1;
      if found then
        raise exception 'ledger_entries: there is no number % in ledger_facts', missing using errcode = 'foreign_key_violation';
      end if;
      return null;
    end $function$;

CREATE OR REPLACE FUNCTION ledger.ledger_evidence_has_fact()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    declare
      missing text;
    begin
      select fact into missing from added
        where (select true from ledger.ledger_facts where number operator(pg_catalog.=) added.fact) is null limit 1;
      if found then
        raise exception 'ledger_evidence: there is no number % in ledger_facts', missing using errcode = 'foreign_key_violation';
      end if;
      return null;
    end $function$;

CREATE OR REPLACE FUNCTION ledger.ledger_hold_decisions_has_fact()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    declare
      missing text;
    begin
      select fact into missing from added
        where (select true from ledger.ledger_facts where number operator(pg_catalog.=) added.fact) is null limit 1;
      if found then
        raise exception 'ledger_hold_decisions: there is no number % in ledger_facts', missing using errcode = 'foreign_key_violation';
      end if;
      return null;
    end $function$;

CREATE OR REPLACE FUNCTION ledger.ledger_outbox_has_entry_id()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    declare
      missing text;
    begin
      select entry_id into missing from added
        where (select true from ledger.ledger_entries where entry_id operator(pg_catalog.=) added.entry_id) is null limit 1;
      if found then
        raise exception 'ledger_outbox: there is no entry_id % in ledger_entries', missing using errcode = 'foreign_key_violation';
      end if;
      return null;
    end $function$;

CREATE OR REPLACE FUNCTION ledger.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  begin raise exception '% is append-only', tg_table_name; end $function$;
