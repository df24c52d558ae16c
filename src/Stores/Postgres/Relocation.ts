/**
 * Moves the books from the schema `siteledger`, where an older version created them, into `ledger`. Tables keep their
 * rows, sequences and indexes: only their schema changes, in one transaction.
 *
 * Workers of that version continue meanwhile. A stand-in replaces each table: a view, through which they read and
 * append. The stand-ins are removed by the first start, or `siteledger migrate`, that finds no such worker any more.
 */
import { escapeIdentifier } from "pg"
import { type Kysely, sql } from "kysely"
import { storeTables } from "../StoreTables.ts"
import { ownTables } from "../WarehouseTables.ts"
import * as Ddl from "./Ddl.ts"
import { UnusableServer } from "./Failure.ts"
import * as Rights from "./Rights.ts"

interface Found {
  readonly name: string
  readonly isOurs: boolean
}

/** In `siteledger`: the books as tables, or their stand-ins. Works without privileges on the schema. */
const found = async <DB>(db: Kysely<DB>, kind: "table" | "view"): Promise<ReadonlyArray<Found>> => {
  const names = sql`${[...Rights.appendOnly]}::name[]`
  const { rows } = await sql<Found>`
    select relname as name, pg_has_role(relowner, 'usage') as "isOurs" from pg_class
    where relnamespace = to_regnamespace('siteledger') and relkind = ${kind === "table" ? "r" : "v"}
      and relname = any(${names})
    order by array_position(${names}, relname)`.execute(db)
  return rows
}

/** Whether the books are in `siteledger`. */
export const isDue = async <DB>(db: Kysely<DB>): Promise<boolean> => (await found(db, "table")).length > 0

const functions = `
  select format('siteledger.%I(%s)', proname, pg_get_function_identity_arguments(oid)) as name from pg_proc
  where pronamespace = 'siteledger'::regnamespace and proname ~ '^(digest_of|refuse_change|ledger_\\w+_has_\\w+)$'`

const schema = { store: storeTables, own: ownTables }

const run = async <DB>(db: Kysely<DB>, statements: ReadonlyArray<string>): Promise<void> => {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

/** Restores them as they must be, regardless of what was done to them while the worker's role owned them. */
export const restoreFunctions = <DB>(db: Kysely<DB>, versions: ReadonlyArray<string>): Promise<void> =>
  run(db, [...Rights.functions, ...versions.flatMap((version) => Ddl.referenceFunctions(schema, Number(version)))])

const standIn = (table: string, worker: string): ReadonlyArray<string> => [
  `create view siteledger.${table} as select * from ledger.${table}`,
  `comment on view siteledger.${table} is 'For workers of an older version: the table is in the schema ledger.'`,
  `grant select, insert on siteledger.${table} to ${escapeIdentifier(worker)}`
]

const notPrepared = new UnusableServer(
  "the ledger's tables don't belong to this role yet: let an administrator run config/postgres-roles.sql (again), " +
    "and then run siteledger migrate"
)

/**
 * The versions of the books in `siteledger`; none if they aren't there. Queried as the worker's role, because objects
 * that this role created could act with the privileges of their reader.
 */
export const versionsBefore = async <DB>(db: Kysely<DB>): Promise<ReadonlyArray<string>> => {
  if (!(await isDue(db))) return []
  const { rows } = await sql<{ name: string }>`select name from siteledger.kysely_migration order by name`.execute(db)
  return rows.map(({ name }) => name)
}

/** `worker`: the role of the workers. `versions`: those that the tables have. */
export const relocate = async <DB>(db: Kysely<DB>, worker: string, versions: ReadonlyArray<string>): Promise<void> => {
  const tables = await found(db, "table")
  if (tables.some(({ isOurs }) => !isOurs)) throw notPrepared
  const moved = await sql.raw<{ name: string }>(functions).execute(db)
  await run(db, [
    ...tables.map(({ name }) => `alter table siteledger.${name} set schema ledger`),
    ...moved.rows.map(({ name }) => `alter function ${name} set schema ledger`)
  ])
  await restoreFunctions(db, versions)
  await run(
    db,
    tables.flatMap(({ name }) => standIn(name, worker))
  )
}

/** From version 0.1: a row that doesn't name its worker's version. */
const older = sql<{ count: number }>`
  select count(*)::int as count from siteledger.workers as worker
  where to_jsonb(worker) ->> 'version' is null
    and seen_at::timestamptz between now() - interval '1 minute' and now() + interval '1 minute'`

/** What config/postgres-roles.sql grants the owner until the tables have moved. */
const lent = sql<{ owner: string }>`
  select pg_get_userbyid(ledger.nspowner) as owner from pg_namespace ledger, pg_namespace store, aclexplode(store.nspacl) acl
  where ledger.nspname = 'ledger' and store.nspname = 'siteledger'
    and acl.grantee = ledger.nspowner and acl.grantee <> store.nspowner limit 1`

/**
 * Removes what a relocation left, once it is no longer needed. Returns how many older workers still need the stand-ins.
 */
export const settle = async <DB>(db: Kysely<DB>): Promise<number> => {
  for (const { owner } of (await lent.execute(db)).rows) {
    const role = escapeIdentifier(owner)
    await sql.raw(`revoke all on schema siteledger from ${role}`).execute(db)
  }
  const views = await found(db, "view")
  if (views.length === 0) return 0
  const workers = (await older.execute(db)).rows[0]?.count ?? 0
  if (workers === 0) {
    await sql.raw(`drop view ${views.map(({ name }) => `siteledger.${name}`).join(", ")}`).execute(db)
  }
  return workers
}
