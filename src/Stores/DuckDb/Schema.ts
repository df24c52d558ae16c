/**
 * The warehouse's schema as migrations: tables, views for people, and the file's own facts in schema `siteledger`.
 * No index is ever created: DuckDB lost entries of explicit ones after kill -9, and it keeps each in memory whole. The
 * ledger's tables have their keys inline.
 */
import { type Kysely, sql } from "kysely"
import type { Migration } from "kysely/migration"
import { asAtFirst, copiedTables, ledgerTables, type Table } from "../WarehouseTables.ts"

// Days between two times, by their UTC dates: the same in every engine and every session's time zone.
const days = (from: string, to: string): string =>
  `(cast(${to} at time zone 'UTC' as date) - cast(${from} at time zone 'UTC' as date))`

export const views: Readonly<Record<string, string>> = {
  ipc_ageing: `
    select id as ipc_id, project_id, status, certified_amount, submitted_at, certified_at, paid_at,
      ${days("submitted_at", "certified_at")} as days_submitted_to_certified,
      ${days("certified_at", "paid_at")} as days_certified_to_paid,
      case when paid_at is null and submitted_at is not null
        then ${days("submitted_at", "current_timestamp")} end as days_waiting,
      paid_at is not null as is_paid
    from construction.ipcs where _deleted_at is null`,
  vo_exposure: `
    select project_id, status, count(*) as vos, sum(total_cost_impact) as total_cost_impact,
      sum(final_amount) as final_amount,
      sum(coalesce(final_amount, total_cost_impact)) as exposure
    from construction.vos where _deleted_at is null group by project_id, status`,
  open_ncrs: `
    select id as ncr_id, project_id, severity, created_at, ${days("created_at", "current_timestamp")} as days_open
    from construction.ncrs where status = 'open' and _deleted_at is null`,
  expiring_permits: `
    select id as permit_id, permit_type, validity, hours_until_expiry, expiring_at,
      expiring_at + hours_until_expiry * interval '1 hour' as expires_at
    from construction.permits where status = 'expiring' and _deleted_at is null`,
  cashflow_by_month: `
    select cast(date_trunc('month', paid_at at time zone 'UTC') as date) as month, project_id,
      count(*) as ipcs_paid, sum(certified_amount) as certified_amount,
      count(*) - count(certified_amount) as without_amount
    from construction.ipcs where paid_at is not null and _deleted_at is null
    group by 1, project_id`
}

/** Two lines for each entry, balanced and never negative: a negative amount is written on the other side. */
export const ledgerLines = `
  select e.entry_id, l.account, l.debit, l.credit
  from construction.ledger_entries e
  cross join lateral (
    values (e.debit_account, greatest(e.amount, 0), greatest(-e.amount, 0)),
      (e.credit_account, greatest(-e.amount, 0), greatest(e.amount, 0))
  ) as l (account, debit, credit)`

export const viewNames = [...Object.keys(views), "ledger_lines"]

const createTable = (db: Kysely<unknown>, { name, key, columns }: Table): Promise<void> => {
  let builder = db.schema.withSchema("construction").createTable(name)
  for (const [column, type] of columns) {
    builder = builder.addColumn(column, sql.raw(type), (of) => (column === key ? of.primaryKey() : of))
  }
  return builder.execute()
}

const first: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema.createSchema("construction").execute()
    for (const table of copiedTables) await createTable(db, table)
    for (const [name, query] of Object.entries(views)) {
      await sql.raw(`create view construction.${name} as ${query}`).execute(db)
    }
    await sql.raw("create table siteledger.meta (key varchar primary key, value varchar not null)").execute(db)
  }
}

const ledger: Migration = {
  up: async (db: Kysely<unknown>) => {
    for (const table of ledgerTables) await createTable(db, asAtFirst(table))
    await sql.raw(`create view construction.ledger_lines as ${ledgerLines}`).execute(db)
  }
}

const holdAmounts: Migration = {
  up: async (db: Kysely<unknown>) => {
    await sql.raw("alter table construction.ledger_holds add column amount decimal(28,4)").execute(db)
    await sql.raw("alter table construction.ledger_holds add column currency varchar").execute(db)
  }
}

/**
 * DuckDB keeps an index in memory whole: with 10,000,000 events that of their hashes took 1 GB, and no write succeeded
 * any more. Nor does it give back the room of deleted rows in a table that has one.
 */
const withoutIndexes: Migration = {
  up: async (db: Kysely<unknown>) => {
    for (const { name } of copiedTables) {
      const temporary = `${name}_without_index`
      await sql.raw(`create table construction.${temporary} as select * from construction.${name}`).execute(db)
      await db.schema.withSchema("construction").dropTable(name).execute()
      await sql.raw(`alter table construction.${temporary} rename to ${name}`).execute(db)
    }
  }
}

export const migrations: Record<string, Migration> = {
  "0001_warehouse": first,
  "0002_ledger": ledger,
  "0003_hold_amounts": holdAmounts,
  "0004_without_indexes": withoutIndexes
}
