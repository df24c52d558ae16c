/**
 * Who may do what in the database, for `siteledger doctor`, compared with what config/postgres-roles.sql sets up. The
 * server is asked about every role that reaches one of the schemas, and about no other.
 */
import { Effect } from "effect"
import { type CheckFailed, fail, ok, type CheckResult, warn } from "../Doctor.ts"
import * as JsonbViews from "../../Stores/Postgres/JsonbViews.ts"
import { appendOnly } from "../../Stores/Postgres/Rights.ts"

/** A row of an answer; its values are texts, numbers and booleans. */
export type Answer = Readonly<Record<string, unknown>>
export type Ask = (query: string, values?: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<Answer>, CheckFailed>

export const advice = "Let an administrator run config/postgres-roles.sql (again)."
/** Before PostgreSQL 15, a superuser owns the schema `public`, even if another role owns the database. */
const bySuperuser = "Let a superuser run config/postgres-roles.sql (again)."

const isTrue = (row: Answer, name: string): boolean => row[name] === true

const attributes: Readonly<Record<string, string>> = {
  rolsuper: "SUPERUSER",
  rolcreatedb: "CREATEDB",
  rolcreaterole: "CREATEROLE",
  rolreplication: "REPLICATION",
  rolbypassrls: "BYPASSRLS"
}

/** The schemas for analysts. */
const shown = `('construction', '${JsonbViews.schema}')`
const all = `('ledger', 'siteledger', 'construction', '${JsonbViews.schema}')`

const written = `
  with written as (
    select c.oid, n.nspname || '.' || c.relname as name, n.nspname, c.relkind in ('r', 'p') as is_table,
      c.relname in (${appendOnly.map((table) => `'${table}'`).join(", ")}) as is_append_only, pg_has_role(c.relowner, 'usage') as is_own
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ${all} and c.relkind in ('r', 'p', 'v')
      and c.relname not like 'kysely%'
  )`

/** Tables for which the session's role lacks a privilege. */
const lacking = `${written}
  select coalesce(string_agg(name, ', ' order by name), '') as tables from written
  where is_table
    and not (has_table_privilege(oid, 'select') and has_table_privilege(oid, 'insert')
      and (is_append_only or has_table_privilege(oid, 'update') and has_table_privilege(oid, 'delete')))`

/**
 * What the session must not be able to change: its own append-only tables (`Books` tries the others), and views for
 * analysts.
 */
const changeable = `${written}
  select coalesce(string_agg(name, ', ' order by name), '') as tables from written
  where (is_append_only and is_table and is_own or nspname in ${shown} and not is_table)
    and (has_any_column_privilege(oid, 'update') or has_table_privilege(oid, 'delete, truncate')
      or not is_table and has_any_column_privilege(oid, 'insert'))`

export const worker = (ask: Ask) =>
  Effect.gen(function* () {
    const [role = {}] = yield* ask("select * from pg_roles where rolname = current_user")
    const name = String(role["rolname"])
    const [{ tables: unwritable } = {}] = yield* ask(lacking)
    if (unwritable !== "") return fail(`${name} may not write ${String(unwritable)}.`, advice)
    const excessive = Object.keys(attributes).filter((attribute) => isTrue(role, attribute))
    if (excessive.length > 0) {
      const powers = excessive.map((attribute) => attributes[attribute]).join(", ")
      return warn(`${name} has ${powers}, which the worker doesn't need.`, advice)
    }
    const [{ tables: loose } = {}] = yield* ask(changeable)
    return loose === ""
      ? ok(`${name} may do what the worker needs, and is no superuser.`)
      : warn(`${name} may change or delete what it should only append or read: ${String(loose)}.`, advice)
  })

/** Leaves out those trusted with everything: superusers, the schemas' owners and their members. */
const reaching = `
  with schemas as (
    select oid, nspname, nspowner from pg_namespace where nspname in ${all}
  ),
  relations as (
    select c.oid, s.nspname from pg_class c join schemas s on s.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm')
  )
  select r.rolname as role,
    exists (select from schemas where nspname = 'construction' and has_schema_privilege(r.oid, oid, 'usage')) as enters,
    exists (select from schemas where nspname not in ${shown} and has_schema_privilege(r.oid, oid, 'usage, create'))
      or exists (select from relations where nspname not in ${shown}
        and has_table_privilege(r.oid, oid, 'select, insert, update, delete, truncate')) as sees_store,
    exists (select from schemas where nspname in ${shown} and has_schema_privilege(r.oid, oid, 'create'))
      or exists (select from relations where nspname in ${shown}
        and has_table_privilege(r.oid, oid, 'insert, update, delete, truncate')) as writes,
    (select string_agg(oid::regclass::text, ', ') from relations
      where nspname = 'construction' and not has_table_privilege(r.oid, oid, 'select')) as unreadable,
    exists (select from schemas where nspname = '${JsonbViews.schema}' and not has_schema_privilege(r.oid, oid, 'usage'))
      or exists (select from relations
        where nspname = '${JsonbViews.schema}' and not has_table_privilege(r.oid, oid, 'select')) as lacks_jsonb,
    (select string_agg(distinct n.nspname, ', ') from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname not in ${all} and n.nspname <> 'information_schema' and n.nspname !~ '^pg_'
        and c.relkind in ('r', 'p', 'v', 'm', 'f')
        and has_schema_privilege(r.oid, n.oid, 'usage') and has_table_privilege(r.oid, c.oid, 'select')) as elsewhere,
    (select string_agg(nspname, ', ') from pg_namespace
      where nspname not in ${all} and nspname !~ '^pg_'
        and has_schema_privilege(r.oid, oid, 'create')) as makes,
    exists (select from pg_default_acl d, aclexplode(d.defaclacl) a
      where d.defaclnamespace = (select oid from schemas where nspname = 'construction')
        and d.defaclrole = (select nspowner from schemas where nspname = 'construction')
        and d.defaclobjtype = 'r' and a.privilege_type = 'SELECT'
        and (a.grantee = 0 or pg_has_role(r.oid, a.grantee, 'usage'))) as will_read,
    pg_has_role(r.oid, 'pg_read_all_data', 'usage') as reads_all
  from pg_roles r
  where not r.rolsuper and r.rolname !~ '^pg_' and r.rolname <> current_user
    and not exists (select from schemas where pg_has_role(r.oid, nspowner, 'member'))
  order by r.rolname`

export const analysts = (ask: Ask) =>
  Effect.gen(function* () {
    const roles = (yield* ask(reaching)).filter((row) => isTrue(row, "enters") || isTrue(row, "sees_store"))
    const results = roles.flatMap(judge)
    return results.length > 0 ? results : warn("No role except the worker's can read construction.", advice)
  })

const judge = (row: Answer): ReadonlyArray<CheckResult> => {
  const role = String(row["role"])
  if (isTrue(row, "reads_all") && role !== "analyst" && !isTrue(row, "writes")) {
    return [
      warn(
        `${role} can read everything, as a member of pg_read_all_data.`,
        "That is right for backups, not for people."
      )
    ]
  }
  const problems = [
    isTrue(row, "sees_store")
      ? fail(`${role} reaches siteledger or ledger: the deliveries, the sealed secrets, the books.`, advice)
      : [],
    isTrue(row, "writes") ? fail(`${role} can write in construction.`, advice) : [],
    typeof row["unreadable"] === "string" ? fail(`${role} can't read ${row["unreadable"]}.`, advice) : [],
    isTrue(row, "lacks_jsonb")
      ? warn(`${role} can't read all of ${JsonbViews.schema}, the views with jsonb.`, advice)
      : [],
    typeof row["elsewhere"] === "string" ? warn(`${role} can also read tables in ${row["elsewhere"]}.`, advice) : [],
    typeof row["makes"] === "string" ? warn(`${role} can create tables in ${row["makes"]}.`, bySuperuser) : [],
    isTrue(row, "will_read") ? [] : warn(`${role} won't see what newer versions add to construction.`, advice)
  ].flat()
  return problems.length > 0 ? problems : [ok(`${role} reads construction, and nothing else.`)]
}
