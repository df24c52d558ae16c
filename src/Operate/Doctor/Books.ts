/**
 * Whether the worker's role can do more in the schema `ledger` than append, for `siteledger doctor`. Privileges are
 * determined by trying, as the worker, in a transaction that is rolled back: any answer but "insufficient privilege"
 * counts as a success, even that of a trigger, which its owner could drop. Each attempt takes one round trip and leaves
 * a line in the server's log.
 *
 * Where the worker's role owns the schema there is nothing to try: it may do everything.
 */
import { Effect } from "effect"
import { CheckFailed, fail, ok, type CheckResult } from "../Doctor.ts"
import { type Ask, advice } from "./Roles.ts"

/** Runs statements; returns the SQLSTATE of the one that failed, if any did. */
export type Attempt = (statements: string) => Effect.Effect<string | undefined, CheckFailed>

const noPrivilege = "42501"

interface Act {
  /** Continues a sentence after "may". */
  readonly says: string
  readonly where: string
  readonly statement: string
}

interface Table {
  readonly name: string
  /** A column that the role may change, if there is one. */
  readonly column: string
}

/** A grant without the right to make it only causes a warning, and changes nothing. */
const granting = (name: string): string => `
  do $$ declare
    before constant text := (select relacl::text from pg_class where oid = '${name}'::regclass);
  begin
    grant update, delete, truncate on ${name} to current_user;
    if (select relacl::text from pg_class where oid = '${name}'::regclass) is not distinct from before then
      raise insufficient_privilege;
    end if;
  end $$`

/** A statement that changes no row requires the same privilege. */
const inTable = ({ column, name }: Table): ReadonlyArray<Act> =>
  Object.entries({
    update: `update ${name} set ${column} = ${column} where false`,
    "delete from": `delete from ${name} where false`,
    truncate: `truncate ${name}`,
    alter: `alter table ${name} add column doctor integer`,
    "disable the triggers of": `alter table ${name} disable trigger user`,
    "put a trigger on": `create trigger doctor before insert on ${name} for each row execute function ledger.refuse_change()`,
    "take over": `alter table ${name} owner to current_user`,
    drop: `drop table ${name}`,
    "grant itself rights on": granting(name)
  }).map(([says, statement]) => ({ says, where: name, statement }))

const inSchema = (owner: string): ReadonlyArray<Act> =>
  Object.entries({
    "create tables in": "create table ledger.doctor ()",
    drop: "drop schema ledger",
    "replace the functions of": "alter function ledger.refuse_change() set search_path = doctor",
    "change the versions of": "update ledger.kysely_migration set name = name where false",
    "act as the owner of": `set local role ${owner}`
  }).map(([says, statement]) => ({ says, where: "the schema ledger", statement }))

const look = `
  select quote_ident(pg_get_userbyid(n.nspowner)) as owner, n.nspowner = r.oid as is_own, r.rolname as role,
    exists (select from pg_class where relnamespace = n.oid and relkind = 'r') as is_made
  from pg_namespace n, pg_roles r where n.nspname = 'ledger' and r.rolname = current_user`

const tables = `
  select format('ledger.%I', relname) as name, (
      select quote_ident(attname) from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped
        and attidentity = '' order by has_column_privilege(c.oid, attnum, 'update') desc, attnum limit 1) as column
  from pg_class c where relnamespace = 'ledger'::regnamespace and relkind = 'r' and relname not like 'kysely%'
  order by relname`

const oneRole = (role: string): CheckResult =>
  ok(
    `${role} holds everything: it could give itself the right to change the books. To give them an owner, let an ` +
      "administrator run config/postgres-roles.sql, then run siteledger migrate."
  )

export const books = (ask: Ask, attempt: Attempt) =>
  Effect.gen(function* () {
    const [found = {}] = yield* ask(look)
    const role = String(found["role"])
    if (found["is_own"] === true) return oneRole(role)
    if (found["is_made"] !== true) return []
    const all = (yield* ask(tables)).map(({ column, name }) => ({ column: String(column), name: String(name) }))
    const acts = [...all.flatMap(inTable), ...inSchema(String(found["owner"]))]
    const allowed = yield* Effect.ensuring(tried(acts, attempt), Effect.ignore(attempt("rollback")))
    const results = [...Map.groupBy(allowed, ({ says }) => says)].map(([says, acts]) =>
      fail(`${role} may ${says} ${acts.map(({ where }) => where).join(", ")}.`, advice)
    )
    return results.length > 0
      ? results
      : ok(`${role} may append to the ledger's tables and no more: ${acts.length} other acts were refused.`)
  })

/** The acts that weren't refused. */
const tried = (acts: ReadonlyArray<Act>, attempt: Attempt) =>
  Effect.gen(function* () {
    const trouble = yield* attempt("begin read write; set local lock_timeout = '1s'; savepoint untouched")
    if (trouble !== undefined) return yield* new CheckFailed({ message: `No transaction can write (${trouble}).` })
    const refusals = yield* Effect.forEach(acts, ({ statement }) =>
      attempt(`rollback to savepoint untouched; ${statement}`)
    )
    return acts.filter((_, place) => refusals[place] !== noPrivilege)
  })
