-- The three roles of siteledger on PostgreSQL 14 or newer. An administrator runs this once, with psql, in a database that
-- siteledger will have for itself:
--
--   createdb --encoding=UTF8 --template=template0 siteledger
--   psql --dbname=siteledger --file=config/postgres-roles.sql
--   psql --dbname=siteledger --command='\password siteledger' --command='\password siteledger_owner' \
--     --command='\password analyst'
--
-- (psql hashes a password before it sends it; a password in a file like this would end up in logs.) For other names:
-- --set=worker=NAME --set=owner=NAME --set=analyst=NAME. Then `siteledger migrate` makes the tables (docs/postgres.md).
--
-- It can be run again at any time, also while workers run. It restores owners and rights, for existing tables and for
-- those that newer versions will make; passwords and changed limits stay. It does everything or nothing. It needs a
-- superuser, or the database's owner with CREATEROLE (the usual administrator of a hosted service; on version 14 the
-- schema `public` then stays open until a superuser closes it, and a warning says how).

\set ON_ERROR_STOP on
\if :{?worker}
\else
  \set worker siteledger
\endif
\if :{?owner}
\else
  \set owner siteledger_owner
\endif
\if :{?analyst}
\else
  \set analyst analyst
\endif

begin;

-- psql replaces no variables in the blocks below.
select set_config('siteledger.worker', :'worker', true), set_config('siteledger.owner', :'owner', true),
  set_config('siteledger.analyst', :'analyst', true);

-- Created with the default attributes, which are the least. An existing role with more is refused, not changed.
do $$
declare
  worker constant text := current_setting('siteledger.worker');
  owner constant text := current_setting('siteledger.owner');
  analyst constant text := current_setting('siteledger.analyst');
  mighty text;
begin
  if worker = analyst or worker = owner or owner = analyst then
    raise exception 'The worker, the owner of the ledger and the analysts need different roles.';
  end if;
  if not exists (select from pg_roles where rolname = worker) then
    execute format('create role %I login', worker);
  end if;
  if not exists (select from pg_roles where rolname = owner) then
    -- It connects only for migrations.
    execute format('create role %I login connection limit 5', owner);
  end if;
  if not exists (select from pg_roles where rolname = analyst) then
    -- The limits leave connections for the workers (each takes up to 18), end statements and forgotten transactions,
    -- which would keep old rows from vacuum, and let migrations wait only briefly.
    execute format('create role %I login connection limit 20', analyst);
    execute format('alter role %I set statement_timeout = ''5min''', analyst);
    execute format('alter role %I set idle_in_transaction_session_timeout = ''10min''', analyst);
    execute format('alter role %I set lock_timeout = ''10s''', analyst);
    execute format('alter role %I set search_path = construction_jsonb, construction', analyst);
  end if;
  -- Only a default, which a session can change: what keeps analysts from writing is the lack of rights.
  execute format('alter role %I set default_transaction_read_only = on', analyst);
  select rolname into mighty from pg_roles
    where rolname in (worker, owner, analyst)
      and (rolsuper or rolcreatedb or rolcreaterole or rolreplication or rolbypassrls);
  if found then
    raise exception 'The role % has more rights than siteledger needs.', mighty
      using hint = 'Take SUPERUSER, CREATEDB, CREATEROLE, REPLICATION and BYPASSRLS from it, or choose another name.';
  end if;
  select rolname into mighty from pg_roles
    where rolname in (worker, analyst) and pg_has_role(rolname, owner, 'member');
  if found then
    raise exception 'The role % is a member of %, and so could change the books.', mighty, owner
      using hint = 'Revoke the membership, or choose another name.';
  end if;
  -- A non-superuser must be a member of a role to create objects for it. Taken back at the end.
  if not (select rolsuper from pg_roles where rolname = current_user) then
    execute format('grant %I, %I to current_user', worker, owner);
  end if;
end $$;

-- The database is siteledger's own: only the three roles may connect, and PUBLIC may create nothing.
do $$
begin
  execute format('revoke all on database %I from public', current_database());
  execute format('grant connect on database %I to %I, %I, %I', current_database(),
    current_setting('siteledger.worker'), current_setting('siteledger.owner'), current_setting('siteledger.analyst'));
end $$;
do $$
begin
  if to_regnamespace('public') is null then
    return;
  end if;
  revoke all on schema public from public;
  -- Before version 15 the schema belongs to a superuser, and the REVOKE of anyone else has no effect.
  if has_schema_privilege(current_setting('siteledger.analyst'), 'public', 'create') then
    raise warning 'Every role that may connect to this database may also make tables in the schema "public".'
      using hint = 'Let a superuser run: revoke all on schema public from public;';
  end if;
end $$;

-- What becomes the owner's must bring nothing along by which somebody else could act as the owner: the server evaluates
-- indexes and rules of a table as its owner. Where nobody but siteledger has changed the books' tables, there is nothing.
do $$
declare
  strange text;
begin
  with books as (
    select oid from pg_class
      where relnamespace in (to_regnamespace('ledger'), to_regnamespace('siteledger')) and relkind in ('r', 'p')
        and exists (select from pg_trigger where tgrelid = pg_class.oid and tgname = relname || '_append_only')
  ), parts as (
    select 'pg_class'::regclass as classid, indexrelid as objid from pg_index join books on books.oid = indrelid
    union all select 'pg_class'::regclass, oid from books
    union all select 'pg_attrdef'::regclass, pg_attrdef.oid from pg_attrdef join books on books.oid = adrelid
    union all select 'pg_constraint'::regclass, pg_constraint.oid from pg_constraint join books on books.oid = conrelid
    union all select 'pg_statistic_ext'::regclass, pg_statistic_ext.oid from pg_statistic_ext join books on books.oid = stxrelid
    union all select 'pg_trigger'::regclass, pg_trigger.oid from pg_trigger join books on books.oid = tgrelid
  ), added as (
    select classid, objid from parts join pg_depend using (classid, objid) left join pg_proc on pg_proc.oid = refobjid
      where refclassid not in ('pg_class'::regclass, 'pg_constraint'::regclass, 'pg_namespace'::regclass)
        and not (refclassid = 'pg_proc'::regclass
          and pronamespace in (to_regnamespace('ledger'), to_regnamespace('siteledger'))
          and proname ~ case when classid = 'pg_trigger'::regclass then '^(refuse_change|ledger_\w+_has_\w+)$' else '^digest_of$' end)
    union all select 'pg_rewrite'::regclass, pg_rewrite.oid from pg_rewrite join books on books.oid = ev_class
    union all select 'pg_policy'::regclass, pg_policy.oid from pg_policy join books on books.oid = polrelid
    union all select 'pg_class'::regclass, inhrelid from pg_inherits join books on books.oid in (inhparent, inhrelid)
  )
  select string_agg(distinct pg_describe_object(classid, objid, 0), ', ') into strange from added;
  if strange is not null then
    raise exception 'The books have what siteledger didn''t make: %.', strange
      using hint = 'Find out who made it and why, drop it, and run this again.';
  end if;
end $$;

-- Each schema has an owner, so that no role needs the right to create any: the worker owns `siteledger` (deliveries, sealed
-- secrets, all that changes in place), `construction` (for analysts) and `construction_jsonb` (the same once more, as views);
-- the owner has `ledger`, with what is append-only in the books. Objects that were made as another role become its own too.
do $$
declare
  worker constant text := current_setting('siteledger.worker');
  owner constant text := current_setting('siteledger.owner');
  books_elsewhere boolean;
  of_books constant text := '^(digest_of|refuse_change|ledger_\w+_has_\w+)$';
  owned record;
begin
  for owned in
    select * from (values ('ledger', owner), ('siteledger', worker), ('construction', worker),
      ('construction_jsonb', worker)) as schema (name, role)
  loop
    if not exists (select from pg_namespace where nspname = owned.name) then
      execute format('create schema %I authorization %I', owned.name, owned.role);
    end if;
  end loop;
  -- An older version made the books in `siteledger`. They become the owner's, who takes them over: `siteledger migrate`
  -- moves them to `ledger`, leaves views for older workers that still run, and gives these rights back.
  books_elsewhere := to_regclass('ledger.ledger_facts') is null and to_regclass('siteledger.ledger_facts') is not null;
  execute format('revoke all on schema siteledger from %I', owner);
  if books_elsewhere then
    execute format('grant usage, create on schema siteledger to %I', owner);
  end if;
  -- An index evaluates this function as the owner, and none may act as its owner.
  for owned in
    select pg_proc.oid::regprocedure as name, proname from pg_proc join pg_namespace on pg_namespace.oid = pronamespace
      where nspname = 'ledger' or books_elsewhere and nspname = 'siteledger' and proname ~ of_books
  loop
    execute format('alter routine %s security invoker', owned.name);
    if owned.proname = 'digest_of' then
      execute format('create or replace function %s returns bytea language sql immutable strict as %L', owned.name,
        ' select pg_catalog.sha256(pg_catalog.convert_to($1, ''UTF8'')) ');
    end if;
  end loop;
  for owned in
    with ours as (
      select oid, nspname, case when nspname = 'ledger' then owner else worker end as role from pg_namespace
        where nspname in ('ledger', 'siteledger', 'construction', 'construction_jsonb')
    ), wanted as (
      select format('schema %I', nspname) as what, nspowner as now, ours.role from ours join pg_namespace using (oid, nspname)
      union all
      -- ALTER TABLE also takes views; the sequence of an identity column follows its table.
      select format('table %I.%I', nspname, relname), relowner,
          case when books_elsewhere
              and exists (select from pg_trigger where tgrelid = pg_class.oid and tgname = relname || '_append_only')
            then owner else ours.role end
        from pg_class join ours on ours.oid = relnamespace where relkind in ('r', 'p', 'v', 'm')
      union all
      -- With the books in `siteledger` are the functions that refuse changes.
      select format('routine %s', pg_proc.oid::regprocedure), proowner,
          case when books_elsewhere and nspname = 'siteledger' and proname ~ of_books then owner else ours.role end
        from pg_proc join ours on ours.oid = pronamespace
    )
    select what, role from wanted where now <> quote_ident(role)::regrole
  loop
    execute format('alter %s owner to %I', owned.what, owned.role);
  end loop;
end $$;

-- The books are append-only for everybody. The worker may read them and append, also through the views for older workers. Of
-- sequences it needs the value when a whole store is moved or dumped. The owner of a table takes the right to change rows
-- from itself when it makes the table, and a backup restored without privileges gives it back. No view for analysts can be
-- written through.
do $$
declare
  worker constant text := current_setting('siteledger.worker');
  owner constant text := current_setting('siteledger.owner');
  kept record;
begin
  execute format('revoke all on schema ledger from public, %I', worker);
  execute format('revoke all on all tables in schema ledger from public, %I', worker);
  execute format('revoke all on all sequences in schema ledger from public, %I', worker);
  execute format('grant usage on schema ledger to %I', worker);
  execute format('grant select on all tables in schema ledger to %I', worker);
  execute format('grant select, update on all sequences in schema ledger to %I', worker);
  for kept in
    select oid::regclass as name from pg_class
      where exists (select from pg_trigger where tgrelid = pg_class.oid and tgname = relname || '_append_only')
        and relnamespace in ('ledger'::regnamespace, 'siteledger'::regnamespace)
  loop
    execute format('revoke update, delete, truncate on %s from %I, %I', kept.name, owner, worker);
    execute format('grant select, insert on %s to %I', kept.name, worker);
  end loop;
  for kept in
    select oid::regclass as name, relowner::regrole as owner from pg_class
      where relnamespace in ('construction'::regnamespace, 'construction_jsonb'::regnamespace) and relkind = 'v'
  loop
    execute format('revoke insert, update, delete, truncate on %s from %s', kept.name, kept.owner);
  end loop;
end $$;

-- Analysts read `construction` and `construction_jsonb`, now and in later versions. The ledger's tables there are views over tables of `ledger` and
-- `siteledger`, read with the rights of their owner, the worker: analysts need no right on those schemas.
revoke all on schema ledger, siteledger, construction, construction_jsonb from public, :"analyst";
revoke all on all tables in schema ledger, siteledger, construction, construction_jsonb from public, :"analyst";
revoke all on all sequences in schema ledger, siteledger from public, :"analyst";
grant usage on schema construction, construction_jsonb to :"analyst";
grant select on all tables in schema construction, construction_jsonb to :"analyst";
alter default privileges for role :"worker" in schema construction, construction_jsonb grant select on tables to :"analyst";

do $$
begin
  if not (select rolsuper from pg_roles where rolname = current_user) then
    execute format('revoke %I, %I from current_user', current_setting('siteledger.worker'),
      current_setting('siteledger.owner'));
  end if;
end $$;

commit;

-- A role for one person: it inherits the rights, but not the settings above.
--
--   create role maria login in role analyst connection limit 5;
--   alter role maria set default_transaction_read_only = on;
--   alter role maria set statement_timeout = '5min';
--
-- To check all of this: siteledger doctor.
