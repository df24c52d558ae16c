-- The two roles of siteledger on PostgreSQL 14 or newer. An administrator runs this once, with psql, connected to the
-- database that is to hold siteledger and nothing else:
--
--   createdb --encoding=UTF8 --template=template0 siteledger
--   psql --dbname=siteledger --file=config/postgres-roles.sql
--   psql --dbname=siteledger --command='\password siteledger' --command='\password analyst'
--
-- (psql hashes a password before it sends it; one in a file like this would end in logs.) Other names:
-- --set=worker=NAME --set=analyst=NAME.
--
-- It can be run again at any time, also while workers run: it puts owners and rights back as they are here, for what is
-- there and for what newer versions will make. Passwords, and limits that you changed, stay. All of it or nothing is
-- done. A superuser can run it, or the database's owner with CREATEROLE (the usual administrator of a hosted service;
-- on version 14 the schema `public` stays open then, until a superuser closes it: a warning says how).

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

-- psql puts no variables into the blocks below.
select set_config('siteledger.worker', :'worker', true), set_config('siteledger.analyst', :'analyst', true);

-- Made with the default attributes, which are the least ones; a role that may more is left alone and refused.
do $$
declare
  worker constant text := current_setting('siteledger.worker');
  analyst constant text := current_setting('siteledger.analyst');
  mighty text;
begin
  if worker = analyst then
    raise exception 'The worker and the analysts are two roles.';
  end if;
  if not exists (select from pg_roles where rolname = worker) then
    execute format('create role %I login', worker);
  end if;
  if not exists (select from pg_roles where rolname = analyst) then
    -- Never more connections than leave the workers theirs (each takes up to 14); no statement, and no transaction that
    -- holds old rows back from vacuum, for ever; never in the way of a migration for long.
    execute format('create role %I login connection limit 20', analyst);
    execute format('alter role %I set statement_timeout = ''5min''', analyst);
    execute format('alter role %I set idle_in_transaction_session_timeout = ''10min''', analyst);
    execute format('alter role %I set lock_timeout = ''10s''', analyst);
    execute format('alter role %I set search_path = construction', analyst);
  end if;
  -- A default, which a session can change; what keeps analysts from writing is that they have no right to.
  execute format('alter role %I set default_transaction_read_only = on', analyst);
  select rolname into mighty from pg_roles
    where rolname in (worker, analyst)
      and (rolsuper or rolcreatedb or rolcreaterole or rolreplication or rolbypassrls);
  if found then
    raise exception 'The role % may more than siteledger needs.', mighty
      using hint = 'Take SUPERUSER, CREATEDB, CREATEROLE, REPLICATION and BYPASSRLS from it, or choose another name.';
  end if;
  -- Whoever isn't a superuser must be a member of a role to make something that belongs to it. Until the end only.
  if not (select rolsuper from pg_roles where rolname = current_user) then
    execute format('grant %I to current_user', worker);
  end if;
end $$;

-- The database is siteledger's own: nobody else comes in, and nobody has a schema or temporary tables by being anybody.
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
  -- Before version 15 it belongs to a superuser, and whoever is none has just changed nothing.
  if has_schema_privilege(current_setting('siteledger.analyst'), 'public', 'create') then
    raise warning 'Whoever may connect to this database may also make tables in the schema "public".'
      using hint = 'Let a superuser run: revoke all on schema public from public;';
  end if;
end $$;

-- The worker owns two schemas, so it needs no right to make any: `siteledger` is the system of record (deliveries,
-- books, sealed secrets), `construction` is for analysts. What an earlier worker made as another role becomes its own,
-- too.
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
    -- ALTER TABLE takes views as well; the sequence of an identity column follows its table.
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

-- What is written for ever can't be changed or removed by the worker either: the ledger's facts, terms, entries and
-- decisions are added to and read. The worker takes these rights from itself when it makes the tables; a backup that was
-- restored without privileges has given them back. Nobody writes through a view.
do $$
declare
  kept record;
begin
  for kept in
    select oid::regclass as name, relowner::regrole as owner, 'update, delete, truncate' as rights from pg_class
      where relnamespace = 'siteledger'::regnamespace
        and relname in ('ledger_facts', 'ledger_terms', 'ledger_entries', 'ledger_hold_decisions')
        -- A worker of an earlier version still has foreign keys on them, which need the right to lock.
        and not exists (select from pg_constraint where contype = 'f' and confrelid = pg_class.oid)
    union all
    select oid::regclass, relowner::regrole, 'insert, update, delete, truncate' from pg_class
      where relnamespace = 'construction'::regnamespace and relkind = 'v'
  loop
    execute format('revoke %s on %s from %s', kept.rights, kept.name, kept.owner);
  end loop;
end $$;

-- Analysts read `construction`, now and in versions to come. The ledger's tables there are views over tables of
-- `siteledger`, read with the rights of the views' owner, the worker: nobody needs a right on `siteledger` for them.
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

-- A person with a name of their own: the rights come with the membership, the settings above don't.
--
--   create role maria login in role analyst connection limit 5;
--   alter role maria set default_transaction_read_only = on;
--   alter role maria set statement_timeout = '5min';
--
-- Whether all of it holds: siteledger doctor.
