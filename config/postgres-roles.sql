-- The two roles of siteledger on PostgreSQL 14 or newer. An administrator runs this once, with psql, in a database that
-- siteledger will have for itself:
--
--   createdb --encoding=UTF8 --template=template0 siteledger
--   psql --dbname=siteledger --file=config/postgres-roles.sql
--   psql --dbname=siteledger --command='\password siteledger' --command='\password analyst'
--
-- (psql hashes a password before it sends it; a password in a file like this would end up in logs.) For other names:
-- --set=worker=NAME --set=analyst=NAME.
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
\if :{?analyst}
\else
  \set analyst analyst
\endif

begin;

-- psql replaces no variables in the blocks below.
select set_config('siteledger.worker', :'worker', true), set_config('siteledger.analyst', :'analyst', true);

-- Created with the default attributes, which are the least. An existing role with more is refused, not changed.
do $$
declare
  worker constant text := current_setting('siteledger.worker');
  analyst constant text := current_setting('siteledger.analyst');
  mighty text;
begin
  if worker = analyst then
    raise exception 'The worker and the analysts need different roles.';
  end if;
  if not exists (select from pg_roles where rolname = worker) then
    execute format('create role %I login', worker);
  end if;
  if not exists (select from pg_roles where rolname = analyst) then
    -- The limits leave connections for the workers (each takes up to 14), end statements and forgotten transactions,
    -- which would keep old rows from vacuum, and let migrations wait only briefly.
    execute format('create role %I login connection limit 20', analyst);
    execute format('alter role %I set statement_timeout = ''5min''', analyst);
    execute format('alter role %I set idle_in_transaction_session_timeout = ''10min''', analyst);
    execute format('alter role %I set lock_timeout = ''10s''', analyst);
    execute format('alter role %I set search_path = construction', analyst);
  end if;
  -- Only a default, which a session can change: what keeps analysts from writing is the lack of rights.
  execute format('alter role %I set default_transaction_read_only = on', analyst);
  select rolname into mighty from pg_roles
    where rolname in (worker, analyst)
      and (rolsuper or rolcreatedb or rolcreaterole or rolreplication or rolbypassrls);
  if found then
    raise exception 'The role % has more rights than siteledger needs.', mighty
      using hint = 'Take SUPERUSER, CREATEDB, CREATEROLE, REPLICATION and BYPASSRLS from it, or choose another name.';
  end if;
  -- A non-superuser must be a member of a role to create objects for it. Taken back at the end.
  if not (select rolsuper from pg_roles where rolname = current_user) then
    execute format('grant %I to current_user', worker);
  end if;
end $$;

-- The database is siteledger's own: only the two roles may connect, and PUBLIC may create nothing.
do $$
begin
  execute format('revoke all on database %I from public', current_database());
  execute format('grant connect on database %I to %I, %I', current_database(),
    current_setting('siteledger.worker'), current_setting('siteledger.analyst'));
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

-- The worker owns two schemas, so it needs no right to create any: `siteledger` is the system of record (deliveries,
-- books, sealed secrets), `construction` is for analysts. Objects that a worker made as another role become its own too.
do $$
declare
  worker constant text := current_setting('siteledger.worker');
  owned record;
begin
  for owned in select unnest(array['siteledger', 'construction']) as name loop
    if not exists (select from pg_namespace where nspname = owned.name) then
      execute format('create schema %I authorization %I', owned.name, worker);
    end if;
  end loop;
  for owned in
    select format('schema %I', nspname) as what from pg_namespace
      where nspname in ('siteledger', 'construction') and nspowner <> quote_ident(worker)::regrole
    union all
    -- ALTER TABLE also takes views; the sequence of an identity column follows its table.
    select format('table %s', oid::regclass) from pg_class
      where relnamespace in (select oid from pg_namespace where nspname in ('siteledger', 'construction'))
        and relkind in ('r', 'p', 'v', 'm') and relowner <> quote_ident(worker)::regrole
    union all
    select format('function %s', oid::regprocedure) from pg_proc
      where pronamespace in (select oid from pg_namespace where nspname in ('siteledger', 'construction'))
        and proowner <> quote_ident(worker)::regrole
  loop
    execute format('alter %s owner to %I', owned.what, worker);
  end loop;
end $$;

-- The worker can't change or remove what is append-only either: it takes these rights from itself when it makes the
-- tables, and a backup restored without privileges gives them back. No view can be written through.
do $$
declare
  kept record;
begin
  for kept in
    select oid::regclass as name, relowner::regrole as owner, 'update, delete, truncate' as rights from pg_class
      where relnamespace = 'siteledger'::regnamespace
        and exists (select from pg_trigger where tgrelid = pg_class.oid and tgname = relname || '_append_only')
    union all
    select oid::regclass, relowner::regrole, 'insert, update, delete, truncate' from pg_class
      where relnamespace = 'construction'::regnamespace and relkind = 'v'
  loop
    execute format('revoke %s on %s from %s', kept.rights, kept.name, kept.owner);
  end loop;
end $$;

-- Analysts read `construction`, now and in later versions. The ledger's tables there are views over tables of
-- `siteledger`, read with the rights of their owner, the worker: analysts need no right on `siteledger`.
revoke all on schema siteledger, construction from public, :"analyst";
revoke all on all tables in schema siteledger from public, :"analyst";
revoke all on all sequences in schema siteledger from public, :"analyst";
revoke all on all tables in schema construction from public, :"analyst";
grant usage on schema construction to :"analyst";
grant select on all tables in schema construction to :"analyst";
alter default privileges for role :"worker" in schema construction grant select on tables to :"analyst";

do $$
begin
  if not (select rolsuper from pg_roles where rolname = current_user) then
    execute format('revoke %I from current_user', current_setting('siteledger.worker'));
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
