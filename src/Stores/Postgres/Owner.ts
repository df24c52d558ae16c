/**
 * Who owns the schema `ledger`, and whether a session may change it. The owner is the worker's role where that owns
 * everything, otherwise a separate role, as which `siteledger migrate` connects. What a session may not do is refused
 * in one sentence that says what to run.
 */
import { type Kysely, sql } from "kysely"
import { escapeIdentifier } from "pg"
import { UnusableServer } from "./Failure.ts"

export interface Owner {
  /** The session's own role. */
  readonly role: string
  /** Null if there is no schema `ledger` yet. */
  readonly owner: string | null
  /** The session may act as the owner, or create the schema. */
  readonly mayChange: boolean
  /** The versions that `ledger` has. */
  readonly versions: ReadonlyArray<string>
}

/** What a worker's session knows. */
export interface Worker {
  readonly role: string
  /** The versions of the books where an older version created them. */
  readonly versions: ReadonlyArray<string>
}

export const look = async <DB>(db: Kysely<DB>): Promise<Owner> => {
  const { rows } = await sql<Omit<Owner, "versions"> & { readonly isMade: boolean }>`
    select current_user as role, pg_get_userbyid(n.nspowner) as owner,
      coalesce(pg_has_role(n.nspowner, 'member'), has_database_privilege(current_database(), 'create')) as "mayChange",
      exists (select from pg_class where relnamespace = n.oid and relname = 'kysely_migration') as "isMade"
    from (select) as one left join pg_namespace n on n.nspname = 'ledger'`.execute(db)
  const { isMade = false, ...found } = rows[0] ?? { role: "", owner: null, mayChange: false }
  const made = isMade ? await sql<{ name: string }>`select name from ledger.kysely_migration`.execute(db) : { rows: [] }
  return { ...found, versions: made.rows.map(({ name }) => name).toSorted() }
}

const books = sql<{ name: string }>`
  select oid::regclass::text as name from pg_class
  where relnamespace = 'ledger'::regnamespace and relkind = 'r' and relname not like 'kysely%'`

/**
 * As the owner: grants what a worker of another role needs in `ledger`. Sequences only number rows, so changing them
 * changes no row: the worker reads them for pg_dump, and sets them when a whole store is moved here.
 */
export const letAppend = async <DB>(db: Kysely<DB>, worker: string): Promise<void> => {
  const role = escapeIdentifier(worker)
  const { rows } = await books.execute(db)
  const statements = [
    `grant usage on schema ledger to ${role}`,
    `grant select on all tables in schema ledger to ${role}`,
    `grant select, update on all sequences in schema ledger to ${role}`,
    `grant insert on ${rows.map(({ name }) => name).join(", ")} to ${role}`
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const unmade = "there is no schema ledger, and this role may not make one: let an administrator run"

export type Refusal = (found: Owner) => UnusableServer

/** For a worker, which never knows the owner's password. */
export const refused: Refusal = ({ owner }) =>
  new UnusableServer(
    owner === null
      ? `${unmade} config/postgres-roles.sql, and then run siteledger migrate`
      : "the ledger's tables need a migration, which only their owner may do: run siteledger migrate"
  )

/** For `siteledger migrate`, which can be given the owner's address. */
export const notOwner: Refusal = ({ owner }) =>
  new UnusableServer(
    owner === null
      ? `${unmade} config/postgres-roles.sql`
      : `the ledger's tables are to belong to ${owner}: give that role's address in SITELEDGER_MIGRATE_URL`
  )

/** The tables belong to the worker's role, so tables that another role creates wouldn't. */
export const unseparated = new UnusableServer(
  "the ledger's tables still belong to the worker's role: let an administrator run config/postgres-roles.sql, which gives " +
    "them an owner"
)

export const tooNew = (versions: ReadonlyArray<string>): UnusableServer =>
  new UnusableServer(`the ledger's tables were made by a newer siteledger (${versions.join(", ")}): run that version`)
