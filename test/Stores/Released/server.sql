-- Both schemas in PostgreSQL as version 0.1.0 makes them, with rows in every table.

create schema siteledger;
create table siteledger.kysely_migration ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
create table siteledger.kysely_migration_lock ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
create schema "construction";
create function siteledger.digest_of(varchar) returns bytea language sql immutable strict
  as $$ select sha256(convert_to($1, 'UTF8')) $$;
create function siteledger.refuse_change() returns trigger language plpgsql as $$
  begin raise exception '% is append-only', tg_table_name; end $$;
create table siteledger.meta (
  "key" text collate "C" primary key,
  "value" text collate "C" not null
);
create table siteledger.workers (
  "id" text collate "C" primary key,
  "host" text collate "C" not null,
  "pid" integer not null,
  "started_at" text collate "C" not null,
  "seen_at" text collate "C" not null,
  "is_leader" boolean not null,
  "reasons" text collate "C" not null
);
create table siteledger.alerts (
  "id" bigint generated always as identity primary key,
  "status" text collate "C" not null,
  "body" text collate "C" not null,
  "delivered_at" text collate "C"
);
create table siteledger.inbox (
  "sequence" bigint generated always as identity primary key,
  "body_sha256" bytea not null unique,
  "body" bytea not null,
  "event_id" text collate "C" not null,
  "header_type" text collate "C",
  "issued_at" text collate "C",
  "received_at" text collate "C" not null,
  "deliveries" integer not null default 1,
  "replayed" integer not null default 0,
  "other_types" text collate "C"
);
create table siteledger.event_ids (
  "event_id" text collate "C" primary key,
  "sequence" bigint not null
);
create table siteledger.inbox_queue (
  "id" bigint generated always as identity primary key,
  "sequence" bigint not null,
  "is_first" boolean not null,
  "received_at" text collate "C" not null
);
create table siteledger.quarantine (
  "sequence" bigint primary key,
  "reason" text collate "C" not null
);
create table siteledger.uptime (
  "id" bigint generated always as identity primary key,
  "from_ms" bigint not null,
  "to_ms" bigint not null
);
create table siteledger.closed_gaps (
  "from_ms" bigint not null,
  "to_ms" bigint not null,
  "closed_at" text collate "C" not null,
  "reason" text collate "C" not null, primary key ("from_ms", "to_ms")
);
create table siteledger.subscriptions (
  "id" bigint generated always as identity primary key,
  "url" text collate "C" not null,
  "events" text collate "C" not null,
  "created_at" text collate "C" not null,
  "verified_at" text collate "C",
  "retired_at" text collate "C"
);
create table siteledger.webhook_secrets (
  "id" bigint generated always as identity primary key,
  "subscription_id" bigint references siteledger.subscriptions ("id"),
  "sealed" text collate "C",
  "fingerprint" text collate "C" not null,
  "added_at" text collate "C" not null,
  "retired_at" text collate "C",
  "expires_at" text collate "C",
  "last_used_at" text collate "C"
);
create table siteledger.walks (
  "resource" text collate "C" primary key,
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
  "proof_at" text collate "C"
);
create table siteledger.walk_pages (
  "resource" text collate "C" not null,
  "page" integer not null, primary key ("resource", "page")
);
create table siteledger.sightings (
  "resource" text collate "C" not null,
  "id" text collate "C" not null,
  "last_pass" integer not null,
  "prior_pass" integer not null, primary key ("resource", "id")
);
create table siteledger.record_quarantine (
  "resource" text collate "C" not null,
  "sha256" text collate "C" not null,
  "record" text collate "C" not null,
  "reason" text collate "C" not null,
  "first_seen_at" text collate "C" not null,
  "last_seen_at" text collate "C" not null, primary key ("resource", "sha256")
);
create table siteledger.pace (
  "second" bigint primary key,
  "sent" integer not null
);
create table siteledger.exports (
  "run" text collate "C" primary key,
  "started_at" text collate "C" not null,
  "finished_at" text collate "C" not null
);
create table siteledger.schedule (
  "name" text collate "C" primary key,
  "last_scheduled_ms" bigint not null
);
create table siteledger.ledger_facts (
  "number" bigint primary key,
  "ipc_id" text collate "C" not null,
  "kind" text collate "C" not null,
  "known_at" text collate "C" not null,
  "content" text collate "C" not null
);
create index "ledger_facts_ipc" on siteledger.ledger_facts ("ipc_id", "number");
create trigger ledger_facts_append_only before update or delete or truncate on siteledger.ledger_facts
    for each statement execute function siteledger.refuse_change();
revoke update, delete, truncate on siteledger.ledger_facts from current_user;
create table siteledger.ledger_terms (
  "number" bigint generated always as identity primary key,
  "from_fact" bigint not null,
  "content" text collate "C" not null
);
create trigger ledger_terms_append_only before update or delete or truncate on siteledger.ledger_terms
    for each statement execute function siteledger.refuse_change();
revoke update, delete, truncate on siteledger.ledger_terms from current_user;
create table siteledger.ledger_entries (
  "entry_id" text collate "C" not null unique,
  "sequence" bigint primary key,
  "ipc_id" text collate "C" not null,
  "project_id" text collate "C",
  "kind" text collate "C" not null check ("kind" in ('payment', 'adjustment', 'reversal')),
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
  "fact" bigint not null
);
create index "ledger_entries_ipc" on siteledger.ledger_entries ("ipc_id", "sequence");
create unique index "ledger_entries_payment" on siteledger.ledger_entries ("ipc_id", siteledger.digest_of("payment_reference")) where kind = 'payment';
create function siteledger.ledger_entries_has_fact() returns trigger language plpgsql as $$
    declare
      missing text;
    begin
      select fact into missing from added
        where (select true from siteledger.ledger_facts where number = added.fact) is null limit 1;
      if found then
        raise exception 'ledger_entries: there is no number % in ledger_facts', missing using errcode = 'foreign_key_violation';
      end if;
      return null;
    end $$;
create trigger ledger_entries_has_fact after insert on siteledger.ledger_entries referencing new table as added
    for each statement execute function siteledger.ledger_entries_has_fact();
create trigger ledger_entries_append_only before update or delete or truncate on siteledger.ledger_entries
    for each statement execute function siteledger.refuse_change();
revoke update, delete, truncate on siteledger.ledger_entries from current_user;
create table siteledger.ledger_holds (
  "hold_id" text collate "C" primary key,
  "ipc_id" text collate "C" not null,
  "payment_reference" text collate "C" not null,
  "reason" text collate "C" not null,
  "since" text collate "C" not null,
  "basis" text collate "C" not null,
  "amount" text collate "C",
  "currency" text collate "C"
);
create index "ledger_holds_ipc" on siteledger.ledger_holds ("ipc_id");
create table siteledger.ledger_hold_decisions (
  "number" bigint generated always as identity primary key,
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
  "fact" bigint not null
);
create function siteledger.ledger_hold_decisions_has_fact() returns trigger language plpgsql as $$
    declare
      missing text;
    begin
      select fact into missing from added
        where (select true from siteledger.ledger_facts where number = added.fact) is null limit 1;
      if found then
        raise exception 'ledger_hold_decisions: there is no number % in ledger_facts', missing using errcode = 'foreign_key_violation';
      end if;
      return null;
    end $$;
create trigger ledger_hold_decisions_has_fact after insert on siteledger.ledger_hold_decisions referencing new table as added
    for each statement execute function siteledger.ledger_hold_decisions_has_fact();
create trigger ledger_hold_decisions_append_only before update or delete or truncate on siteledger.ledger_hold_decisions
    for each statement execute function siteledger.refuse_change();
revoke update, delete, truncate on siteledger.ledger_hold_decisions from current_user;
create table siteledger.ledger_outbox (
  "entry_id" text collate "C" primary key,
  "sequence" bigint not null unique,
  "ipc_id" text collate "C" not null,
  "status" text collate "C" not null check ("status" in ('draft', 'posted')),
  "state" text collate "C" not null default 'pending' check ("state" in ('pending', 'delivered', 'dead')),
  "attempts" integer not null default 0,
  "refusals" integer not null default 0,
  "queued_at" text collate "C" not null,
  "next_attempt_at" text collate "C" not null,
  "last_error" text collate "C",
  "delivered_at" text collate "C"
);
create index "ledger_outbox_turn" on siteledger.ledger_outbox ("next_attempt_at", "sequence") where state = 'pending';
create index "ledger_outbox_age" on siteledger.ledger_outbox ("queued_at", "sequence") where state = 'pending';
create index "ledger_outbox_ipc" on siteledger.ledger_outbox ("ipc_id", "sequence") where state <> 'delivered';
create index "ledger_outbox_dead" on siteledger.ledger_outbox ("sequence") where state = 'dead';
create function siteledger.ledger_outbox_has_entry_id() returns trigger language plpgsql as $$
    declare
      missing text;
    begin
      select entry_id into missing from added
        where (select true from siteledger.ledger_entries where entry_id = added.entry_id) is null limit 1;
      if found then
        raise exception 'ledger_outbox: there is no entry_id % in ledger_entries', missing using errcode = 'foreign_key_violation';
      end if;
      return null;
    end $$;
create trigger ledger_outbox_has_entry_id after insert on siteledger.ledger_outbox referencing new table as added
    for each statement execute function siteledger.ledger_outbox_has_entry_id();
create trigger ledger_outbox_keeps_entry_id before update of entry_id on siteledger.ledger_outbox
    for each statement execute function siteledger.refuse_change();
create table construction.projects (
  "id" bigint,
  "name" text,
  "status" text,
  "_extra" json,
  "_clocks" json,
  "_first_seen_at" timestamptz,
  "_changed_at" timestamptz,
  "_deleted_at" timestamptz, primary key ("id")
);
create table construction.ipcs (
  "id" text,
  "status" text,
  "project_id" bigint,
  "draft_amount" numeric(28,4),
  "submitter" text,
  "submitted_amount" numeric(28,4),
  "certified_amount" numeric(28,4),
  "certificate_url" text,
  "payment_reference" text,
  "created_at" timestamptz,
  "submitted_at" timestamptz,
  "certified_at" timestamptz,
  "paid_at" timestamptz,
  "_extra" json,
  "_clocks" json,
  "_first_seen_at" timestamptz,
  "_changed_at" timestamptz,
  "_deleted_at" timestamptz, primary key ("id")
);
create table construction.vos (
  "id" text,
  "status" text,
  "project_id" bigint,
  "description" text,
  "total_cost_impact" numeric(28,4),
  "final_amount" numeric(28,4),
  "time_impact" text,
  "boq_revision" text,
  "created_at" timestamptz,
  "priced_at" timestamptz,
  "agreed_at" timestamptz,
  "absorbed_at" timestamptz,
  "_extra" json,
  "_clocks" json,
  "_first_seen_at" timestamptz,
  "_changed_at" timestamptz,
  "_deleted_at" timestamptz, primary key ("id")
);
create table construction.ncrs (
  "id" text,
  "status" text,
  "project_id" bigint,
  "severity" text,
  "closure_date" date,
  "created_at" timestamptz,
  "closed_at" timestamptz,
  "_extra" json,
  "_clocks" json,
  "_first_seen_at" timestamptz,
  "_changed_at" timestamptz,
  "_deleted_at" timestamptz, primary key ("id")
);
create table construction.hse_incidents (
  "id" text,
  "status" text,
  "classification" text,
  "reported_at" timestamptz,
  "_extra" json,
  "_clocks" json,
  "_first_seen_at" timestamptz,
  "_changed_at" timestamptz,
  "_deleted_at" timestamptz, primary key ("id")
);
create table construction.permits (
  "id" text,
  "status" text,
  "permit_type" text,
  "validity" text,
  "hours_until_expiry" numeric(10,2),
  "issued_at" timestamptz,
  "expiring_at" timestamptz,
  "_extra" json,
  "_clocks" json,
  "_first_seen_at" timestamptz,
  "_changed_at" timestamptz,
  "_deleted_at" timestamptz, primary key ("id")
);
create table construction.transmittals (
  "id" text,
  "status" text,
  "recipients" json,
  "document_count" bigint,
  "sent_at" timestamptz,
  "_extra" json,
  "_clocks" json,
  "_first_seen_at" timestamptz,
  "_changed_at" timestamptz,
  "_deleted_at" timestamptz, primary key ("id")
);
create table construction.events (
  "body_sha256" text,
  "sequence" bigint,
  "event_id" text,
  "event_type" text,
  "event_timestamp" timestamptz,
  "entity" text,
  "entity_id" text,
  "payload" text,
  "issued_at" timestamptz,
  "received_at" timestamptz,
  "deliveries" bigint,
  "outcome" text,
  "reason" text,
  "alarms" json, primary key ("body_sha256")
);
create index "events_timestamp" on construction.events ("event_timestamp");
create or replace view construction.ledger_entries as select cast("entry_id" as text) as "entry_id", cast("sequence" as bigint) as "sequence", cast("ipc_id" as text) as "ipc_id", cast("project_id" as bigint) as "project_id", cast("kind" as text) as "kind", cast("amount" as numeric(28,4)) as "amount", cast("currency" as text) as "currency", cast("payment_reference" as text) as "payment_reference", cast("certificate_url" as text) as "certificate_url", cast("debit_account" as text) as "debit_account", cast("credit_account" as text) as "credit_account", cast("effective_at" as timestamptz) as "effective_at", cast("known_at" as timestamptz) as "known_at", cast("event_id" as text) as "event_id", cast("reverses" as text) as "reverses", cast("basis" as json) as "basis" from siteledger.ledger_entries;
revoke insert, update, delete, truncate on construction.ledger_entries from current_user;
create or replace view construction.ledger_holds as select cast("hold_id" as text) as "hold_id", cast("ipc_id" as text) as "ipc_id", cast("payment_reference" as text) as "payment_reference", cast("reason" as text) as "reason", cast("since" as timestamptz) as "since", cast("basis" as json) as "basis", cast("amount" as numeric(28,4)) as "amount", cast("currency" as text) as "currency" from siteledger.ledger_holds;
revoke insert, update, delete, truncate on construction.ledger_holds from current_user;
create or replace view construction.ledger_hold_decisions as select cast("number" as bigint) as "number", cast("hold_id" as text) as "hold_id", cast("ipc_id" as text) as "ipc_id", cast("payment_reference" as text) as "payment_reference", cast("reason" as text) as "reason", cast("since" as timestamptz) as "since", cast("verdict" as text) as "verdict", cast("amount" as numeric(28,4)) as "amount", cast("decided_by" as text) as "decided_by", cast("decided_at" as timestamptz) as "decided_at", cast("why" as text) as "why" from siteledger.ledger_hold_decisions;
revoke insert, update, delete, truncate on construction.ledger_hold_decisions from current_user;
create view construction.ipc_ageing as 
    select id as ipc_id, project_id, status, certified_amount, submitted_at, certified_at, paid_at,
      (cast(certified_at at time zone 'UTC' as date) - cast(submitted_at at time zone 'UTC' as date)) as days_submitted_to_certified,
      (cast(paid_at at time zone 'UTC' as date) - cast(certified_at at time zone 'UTC' as date)) as days_certified_to_paid,
      case when paid_at is null and submitted_at is not null
        then (cast(current_timestamp at time zone 'UTC' as date) - cast(submitted_at at time zone 'UTC' as date)) end as days_waiting,
      paid_at is not null as is_paid
    from construction.ipcs where _deleted_at is null;
revoke insert, update, delete, truncate on construction.ipc_ageing from current_user;
create view construction.vo_exposure as 
    select project_id, status, count(*) as vos, sum(total_cost_impact) as total_cost_impact,
      sum(final_amount) as final_amount,
      sum(coalesce(final_amount, total_cost_impact)) as exposure
    from construction.vos where _deleted_at is null group by project_id, status;
revoke insert, update, delete, truncate on construction.vo_exposure from current_user;
create view construction.open_ncrs as 
    select id as ncr_id, project_id, severity, created_at, (cast(current_timestamp at time zone 'UTC' as date) - cast(created_at at time zone 'UTC' as date)) as days_open
    from construction.ncrs where status = 'open' and _deleted_at is null;
revoke insert, update, delete, truncate on construction.open_ncrs from current_user;
create view construction.expiring_permits as 
    select id as permit_id, permit_type, validity, hours_until_expiry, expiring_at,
      expiring_at + hours_until_expiry * interval '1 hour' as expires_at
    from construction.permits where status = 'expiring' and _deleted_at is null;
revoke insert, update, delete, truncate on construction.expiring_permits from current_user;
create view construction.cashflow_by_month as 
    select cast(date_trunc('month', paid_at at time zone 'UTC') as date) as month, project_id,
      count(*) as ipcs_paid, sum(certified_amount) as certified_amount,
      count(*) - count(certified_amount) as without_amount
    from construction.ipcs where paid_at is not null and _deleted_at is null
    group by 1, project_id;
revoke insert, update, delete, truncate on construction.cashflow_by_month from current_user;
create view construction.ledger_lines as 
  select entry_id, account, cast(debit as numeric(28,4)) as debit, cast(credit as numeric(28,4)) as credit
  from (
  select e.entry_id, l.account, l.debit, l.credit
  from construction.ledger_entries e
  cross join lateral (
    values (e.debit_account, greatest(e.amount, 0), greatest(-e.amount, 0)),
      (e.credit_account, greatest(-e.amount, 0), greatest(e.amount, 0))
  ) as l (account, debit, credit)) as lines;
revoke insert, update, delete, truncate on construction.ledger_lines from current_user;

insert into siteledger.kysely_migration ("name", "timestamp") values
  ('0001', '2026-12-01T00:00:00.000Z');
insert into siteledger.kysely_migration_lock ("id", "is_locked") values
  ('migration_lock', 0);
insert into siteledger.meta ("key", "value") values
  ('ledger_sink', 'draft'),
  ('service', 'https://api.example.com/v1 client-1');
insert into siteledger.workers ("id", "host", "pid", "started_at", "seen_at", "is_leader", "reasons") values
  ('w-1', 'one.example', 7, '2026-11-20T00:00:00.000000Z', '2026-11-20T00:00:09.000000Z', 'true', '[]');
insert into siteledger.alerts ("id", "status", "body", "delivered_at") overriding system value values
  (1, 'red', '{"status":"red"}', '2026-11-20T00:00:03.000000Z');
insert into siteledger.inbox ("sequence", "body_sha256", "body", "event_id", "header_type", "issued_at", "received_at", "deliveries", "replayed", "other_types") overriding system value values
  (1, '\x96631f9b39a61b5e596e4dd682cbd6b06c4bf3f991c08ce4f5a71f3f90964aa7', '\x7b226576656e745f74797065223a226970632e70616964222c2274696d657374616d70223a22323032362d31312d32305430373a35393a30305a222c226970635f6964223a224950432d31222c227061796d656e745f7265666572656e6365223a22502d31227d', 'e-1', 'ipc.paid', '2026-11-20T00:00:00.000000Z', '2026-11-20T00:00:01.000000Z', 2, 0, '["ipc.closed"]'),
  (2, '\x0c984d1fd47b6c7c908878ce1e721ed25f7d6be61f1074d6d8432c479249d7d8', '\x7b226576656e745f74797065223a226970632e63726561746564222c2274696d657374616d70223a22323032362d31312d32305430373a35383a30305a222c226970635f6964223a224950432d32227d', 'e-1', null, '2026-11-20T00:00:00.000000Z', '2026-11-20T00:00:01.000000Z', 1, 0, null),
  (3, '\x97a3276bbcb3aeb154b88b8cdf6c4e818176fe1f856605fb1edb4d3acbf27523', '\x6e6f74204a534f4e20617420616c6c3a2027205c200a', 'e-3', 'ipc.paid', '2026-11-20T00:00:00.000000Z', '2026-11-20T00:00:01.000000Z', 1, 0, null),
  (5, '\x27feb33f2f2794dc07439bd8e5cd2d87c01c7975129341a682b68b4c31ac89e7', '\x7b226576656e745f74797065223a226970632e7375626d6974746564222c2274696d657374616d70223a22323032362d31312d32305430373a35383a33305a222c226970635f6964223a224950432d32222c227375626d6974746572223a225a6fc3ab222c22616d6f756e74223a22312e3130227d', 'e-4', 'ipc.paid', '2026-11-20T00:00:00.000000Z', '2026-11-20T00:00:01.000000Z', 1, 0, null);
insert into siteledger.event_ids ("event_id", "sequence") values
  ('e-1', 1),
  ('e-3', 3);
insert into siteledger.inbox_queue ("id", "sequence", "is_first", "received_at") overriding system value values
  (7, 1, 'false', '2026-11-20T00:00:01.000000Z'),
  (8, 5, 'true', '2026-11-20T00:00:01.000000Z');
insert into siteledger.quarantine ("sequence", "reason") values
  (3, 'not-json');
insert into siteledger.uptime ("id", "from_ms", "to_ms") overriding system value values
  (1, 1795158000000, 1795161600000);
insert into siteledger.closed_gaps ("from_ms", "to_ms", "closed_at", "reason") values
  (1795161600000, 1795165200000, '2026-11-20T00:00:09.000000Z', 'replayed by hand');
insert into siteledger.subscriptions ("id", "url", "events", "created_at", "verified_at", "retired_at") overriding system value values
  (1, 'https://x.example/hook', '["ipc.paid"]', '2026-11-20T00:00:00.000000Z', '2026-11-20T00:00:01.000000Z', null);
insert into siteledger.webhook_secrets ("id", "subscription_id", "sealed", "fingerprint", "added_at", "retired_at", "expires_at", "last_used_at") overriding system value values
  (1, 1, 'sealed1.abc', '0a1b2c3d', '2026-11-20T00:00:00.000000Z', null, null, null);
insert into siteledger.walks ("resource", "pass", "per_page", "pages_total", "total", "rows", "started_at", "disturbed", "disturbed_in_a_row", "finished_at", "proof", "proof_at") values
  ('projects', 2, 100, 2, 5, 5, '2026-11-20T00:00:02.000000Z', 0, 1, '2026-11-20T00:00:01.000000Z', 'counts-agree', '2026-11-20T00:00:01.000000Z');
insert into siteledger.walk_pages ("resource", "page") values
  ('projects', 1);
insert into siteledger.sightings ("resource", "id", "last_pass", "prior_pass") values
  ('projects', -3, 2, 1),
  ('projects', 7, 2, 1),
  ('projects', 'abababababababababababababababababababababababababababababababab', 2, 0),
  ('projects', '007', 2, 1),
  ('projects', '1234567890123456789', 2, 1),
  ('projects', 'zone-b', 1, 0);
insert into siteledger.record_quarantine ("resource", "sha256", "record", "reason", "first_seen_at", "last_seen_at") values
  ('projects', 'abababababababababababababababababababababababababababababababab', '{}', 'no-key', '2026-11-20T00:00:02.000000Z', '2026-11-20T00:00:02.000000Z');
insert into siteledger.pace ("second", "sent") values
  (1795190324, 4);
insert into siteledger.exports ("run", "started_at", "finished_at") values
  ('20261120T020000Z-1a2b', '2026-11-20T00:00:04.000000Z', '2026-11-20T00:00:05.000000Z');
insert into siteledger.schedule ("name", "last_scheduled_ms") values
  ('export', 1795140000000);
insert into siteledger.ledger_facts ("number", "ipc_id", "kind", "known_at", "content") values
  (1, '1', 'project', '2026-11-20T00:00:01.000000Z', '{"eventId":"event-1-1-1","projectId":"7"}'),
  (2, '1', 'certificate', '2026-11-20T00:00:01.000000Z', '{"eventId":"event-1-1-1","at":"2026-11-20T00:00:01.000000Z","units":"1000000","url":"https://c/1"}'),
  (3, '1', 'payment', '2026-11-20T00:00:02.000000Z', '{"eventId":"event-1-2-2","at":"2026-11-20T00:00:02.000000Z","reference":"PAY-1"}'),
  (4, '1', 'payment', '2026-11-20T00:00:03.000000Z', '{"eventId":"event-1-2-3","at":"2026-11-20T00:00:02.000000Z","reference":"AGAIN"}'),
  (5, '2', 'payment', '2026-11-20T00:00:04.000000Z', '{"eventId":"event-2-2-4","at":"2026-11-20T00:00:02.000000Z","reference":"PAY-2"}'),
  (6, '3', 'certificate', '2026-11-20T00:00:06.000000Z', '{"eventId":"event-3-1-6","at":"2026-11-20T00:00:01.000000Z","units":"300000","url":"https://c/3"}'),
  (7, '3', 'payment', '2026-11-20T00:00:07.000000Z', '{"eventId":"event-3-3-7","at":"2026-11-20T00:00:03.000000Z","reference":"Zahlung \"Ü\" 7"}'),
  (8, '3', 'certificate', '2026-11-20T00:00:08.000000Z', '{"eventId":"event-3-2-8","at":"2026-11-20T00:00:02.000000Z","units":"299999","url":"https://c/3"}'),
  (9, '1', 'decision', '2026-11-20T15:10:57.546000Z', '{"holdId":"02521a745e53b5c01ad57d818704c82a","verdict":"accept","units":"200000","by":"Ada","reason":"On the statement"}');
insert into siteledger.ledger_terms ("number", "from_fact", "content") overriding system value values
  (1, 1, '{"debitAccount":"bank","creditAccount":"receivable","currency":"EUR","currencies":{},"openFrom":null,"inClosedPeriod":"hold"}');
insert into siteledger.ledger_entries ("entry_id", "sequence", "ipc_id", "project_id", "kind", "amount", "currency", "payment_reference", "certificate_url", "debit_account", "credit_account", "effective_at", "known_at", "event_id", "reverses", "part", "basis", "fact") values
  ('de9759df7c2d9fe1081ec7e99e9d71d3', 1, '1', '7', 'payment', '100.0000', 'EUR', 'PAY-1', 'https://c/1', 'bank', 'receivable', '2026-11-20T00:00:02.000000Z', '2026-11-20T00:00:02.000000Z', 'event-1-2-2', null, 'settlement', '[{"at":"2026-11-20T00:00:02.000000Z","eventId":"event-1-2-2","kind":"payment","knownAt":"2026-11-20T00:00:02.000000Z","number":3,"reference":"PAY-1"},{"amount":"100.0000","at":"2026-11-20T00:00:01.000000Z","eventId":"event-1-1-1","kind":"certificate","knownAt":"2026-11-20T00:00:01.000000Z","number":2,"url":"https://c/1"}]', 3),
  ('ebb728a956ad3e56cabee4f80446e50e', 2, '3', null, 'payment', '30.0000', 'EUR', 'Zahlung "Ü" 7', 'https://c/3', 'bank', 'receivable', '2026-11-20T00:00:03.000000Z', '2026-11-20T00:00:07.000000Z', 'event-3-3-7', null, 'settlement', '[{"at":"2026-11-20T00:00:03.000000Z","eventId":"event-3-3-7","kind":"payment","knownAt":"2026-11-20T00:00:07.000000Z","number":7,"reference":"Zahlung \"Ü\" 7"},{"amount":"30.0000","at":"2026-11-20T00:00:01.000000Z","eventId":"event-3-1-6","kind":"certificate","knownAt":"2026-11-20T00:00:06.000000Z","number":6,"url":"https://c/3"}]', 7),
  ('43fc410cba4653b231bd72fcc202a6a5', 3, '3', null, 'adjustment', '-0.0001', 'EUR', 'Zahlung "Ü" 7', 'https://c/3', 'bank', 'receivable', '2026-11-20T00:00:03.000000Z', '2026-11-20T00:00:08.000000Z', 'event-3-2-8', null, 'settlement', '[{"at":"2026-11-20T00:00:03.000000Z","eventId":"event-3-3-7","kind":"payment","knownAt":"2026-11-20T00:00:07.000000Z","number":7,"reference":"Zahlung \"Ü\" 7"},{"amount":"29.9999","at":"2026-11-20T00:00:02.000000Z","eventId":"event-3-2-8","kind":"certificate","knownAt":"2026-11-20T00:00:08.000000Z","number":8,"url":"https://c/3"}]', 8),
  ('7b206d00d56bce489d1b77c4cb575808', 4, '1', '7', 'payment', '20.0000', 'EUR', 'AGAIN', null, 'bank', 'receivable', '2026-11-20T00:00:02.000000Z', '2026-11-20T15:10:57.546000Z', 'event-1-2-3', null, '02521a745e53b5c01ad57d818704c82a', '[{"at":"2026-11-20T00:00:02.000000Z","eventId":"event-1-2-3","kind":"payment","knownAt":"2026-11-20T00:00:03.000000Z","number":4,"reference":"AGAIN"},{"amount":"20.0000","by":"Ada","holdId":"02521a745e53b5c01ad57d818704c82a","kind":"decision","knownAt":"2026-11-20T15:10:57.546000Z","number":9,"reason":"On the statement","verdict":"accept"}]', 9);
insert into siteledger.ledger_holds ("hold_id", "ipc_id", "payment_reference", "reason", "since", "basis", "amount", "currency") values
  ('84858664ca5f69549b7ab093eaf20210', '2', 'PAY-2', 'awaiting-certified-amount', '2026-11-20T00:00:04.000000Z', '[{"at":"2026-11-20T00:00:02.000000Z","eventId":"event-2-2-4","kind":"payment","knownAt":"2026-11-20T00:00:04.000000Z","number":5,"reference":"PAY-2"}]', null, null);
insert into siteledger.ledger_hold_decisions ("number", "hold_id", "ipc_id", "payment_reference", "reason", "since", "verdict", "amount", "decided_by", "decided_at", "why", "fact") overriding system value values
  (1, '02521a745e53b5c01ad57d818704c82a', '1', 'AGAIN', 'second-payment-reference', '2026-11-20T00:00:03.000000Z', 'accept', '20.0000', 'Ada', '2026-11-20T15:10:57.546000Z', 'On the statement', 9);
insert into siteledger.ledger_outbox ("entry_id", "sequence", "ipc_id", "status", "state", "attempts", "refusals", "queued_at", "next_attempt_at", "last_error", "delivered_at") values
  ('43fc410cba4653b231bd72fcc202a6a5', 3, '3', 'draft', 'pending', 0, 0, '2026-11-20T15:10:57.540000Z', '2026-11-20T15:10:57.540000Z', null, null),
  ('7b206d00d56bce489d1b77c4cb575808', 4, '1', 'draft', 'pending', 0, 0, '2026-11-20T15:10:57.547000Z', '2026-11-20T15:10:57.547000Z', null, null),
  ('de9759df7c2d9fe1081ec7e99e9d71d3', 1, '1', 'draft', 'delivered', 1, 0, '2026-11-20T15:10:57.517000Z', '2026-11-20T15:10:57.517000Z', null, '2026-11-20T15:10:57.645000Z'),
  ('ebb728a956ad3e56cabee4f80446e50e', 2, '3', 'draft', 'pending', 0, 0, '2026-11-20T15:10:57.540000Z', '2026-11-20T15:10:57.540000Z', null, null);
select setval('siteledger.alerts_id_seq', (select max(id) from siteledger.alerts));
select setval('siteledger.inbox_sequence_seq', (select max(sequence) from siteledger.inbox));
select setval('siteledger.inbox_queue_id_seq', (select max(id) from siteledger.inbox_queue));
select setval('siteledger.uptime_id_seq', (select max(id) from siteledger.uptime));
select setval('siteledger.subscriptions_id_seq', (select max(id) from siteledger.subscriptions));
select setval('siteledger.webhook_secrets_id_seq', (select max(id) from siteledger.webhook_secrets));
select setval('siteledger.ledger_terms_number_seq', (select max(number) from siteledger.ledger_terms));
select setval('siteledger.ledger_hold_decisions_number_seq', (select max(number) from siteledger.ledger_hold_decisions));
insert into construction.events ("body_sha256", "sequence", "event_id", "event_type", "event_timestamp", "entity", "entity_id", "payload", "issued_at", "received_at", "deliveries", "outcome", "reason", "alarms") values
  ('0c984d1fd47b6c7c908878ce1e721ed25f7d6be61f1074d6d8432c479249d7d8', '2', 'e-1', 'ipc.created', '2026-11-20 00:00:00+00', 'ipcs', 'IPC-2', '{"event_type":"ipc.created","timestamp":"2026-11-20T07:58:00Z","ipc_id":"IPC-2"}', '2026-11-20 00:00:00+00', '2026-11-20 00:00:01+00', '1', 'applied', null, '["id-reused"]'),
  ('96631f9b39a61b5e596e4dd682cbd6b06c4bf3f991c08ce4f5a71f3f90964aa7', '1', 'e-1', 'ipc.paid', '2026-11-20 00:00:00+00', 'ipcs', 'IPC-1', '{"event_type":"ipc.paid","timestamp":"2026-11-20T07:59:00Z","ipc_id":"IPC-1","payment_reference":"P-1"}', '2026-11-20 00:00:00+00', '2026-11-20 00:00:01+00', '2', 'applied', null, '[]'),
  ('97a3276bbcb3aeb154b88b8cdf6c4e818176fe1f856605fb1edb4d3acbf27523', '3', 'e-3', null, null, null, null, 'not JSON at all: '' \ 
', '2026-11-20 00:00:00+00', '2026-11-20 00:00:01+00', '1', 'quarantined', 'not-json', '[]');
insert into construction.hse_incidents ("id", "status", "classification", "reported_at", "_extra", "_clocks", "_first_seen_at", "_changed_at", "_deleted_at") values
  ('hse_incidents-1', 'reported', 'Zoë''s "x"', '2026-11-20 00:00:01+00', '{"note":"Ñandú 1.10"}', '{"+note":"1795190324983000.1.aaaaaaaaaaaaaaaa","_deleted_at":"1795190324983000.1.aaaaaaaaaaaaaaaa","classification":"1795190324983000.1.aaaaaaaaaaaaaaaa","reported_at":"1795190324983000.1.aaaaaaaaaaaaaaaa"}', '2026-11-20 00:00:01+00', '2026-11-20 00:00:01+00', null);
insert into construction.ipcs ("id", "status", "project_id", "draft_amount", "submitter", "submitted_amount", "certified_amount", "certificate_url", "payment_reference", "created_at", "submitted_at", "certified_at", "paid_at", "_extra", "_clocks", "_first_seen_at", "_changed_at", "_deleted_at") values
  ('ipcs-1', 'paid', '9007199254740993', '123456789012345678901234.5678', 'Zoë''s "x"', '123456789012345678901234.5678', '123456789012345678901234.5678', 'Zoë''s "x"', 'Zoë''s "x"', '2026-11-20 00:00:01+00', '2026-11-20 00:00:01+00', '2026-11-20 00:00:01+00', '2026-11-20 00:00:01+00', '{"note":"Ñandú 1.10"}', '{"+note":"1795190324983000.1.aaaaaaaaaaaaaaaa","_deleted_at":"1795190324983000.1.aaaaaaaaaaaaaaaa","certificate_url":"1795190324983000.1.aaaaaaaaaaaaaaaa","certified_amount":"1795190324983000.1.aaaaaaaaaaaaaaaa","certified_at":"1795190324983000.1.aaaaaaaaaaaaaaaa","created_at":"1795190324983000.1.aaaaaaaaaaaaaaaa","draft_amount":"1795190324983000.1.aaaaaaaaaaaaaaaa","paid_at":"1795190324983000.1.aaaaaaaaaaaaaaaa","payment_reference":"1795190324983000.1.aaaaaaaaaaaaaaaa","project_id":"1795190324983000.1.aaaaaaaaaaaaaaaa","submitted_amount":"1795190324983000.1.aaaaaaaaaaaaaaaa","submitted_at":"1795190324983000.1.aaaaaaaaaaaaaaaa","submitter":"1795190324983000.1.aaaaaaaaaaaaaaaa"}', '2026-11-20 00:00:01+00', '2026-11-20 00:00:01+00', null);
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
