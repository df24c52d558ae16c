/** The schema of a database as its engine reports it: every table, index, trigger and view. */
import { DatabaseSync } from "node:sqlite"
import type { Database } from "../Postgres.ts"
import { query } from "./Reading.ts"

type Statements = ReadonlyArray<string>

export const ofSqlite = (file: string): Statements => {
  const database = new DatabaseSync(file, { readOnly: true })
  const rows = database.prepare("select sql from sqlite_schema where sql is not null order by name").all()
  database.close()
  return rows.map((row) => `${String(row["sql"])};`)
}

export const ofDuckDb = async (file: string): Promise<Statements> => {
  const schemas = "('construction', 'siteledger')"
  const tables = await query(
    file,
    `select sql from duckdb_tables() where schema_name in ${schemas} order by schema_name, table_name`
  )
  const views = await query(
    file,
    `select sql from duckdb_views() where schema_name in ${schemas} and not internal order by view_name`
  )
  // Each copy of a view wraps its list of values once more.
  const once = (text: string) =>
    text.replace(/(?:\(SELECT \* FROM )+/g, "(SELECT * FROM ").replace(/(?: AS valueslist\))+/g, " AS valueslist)")
  return [...tables, ...views].map((row) => once(String(row["sql"])).replace(/, (?=\w+ [A-Z]|_|")/g, ",\n  "))
}

const ours =
  "in (select oid from pg_namespace where nspname in ('ledger', 'siteledger', 'construction', 'construction_jsonb'))"

const columns = `
  select c.oid::regclass::text as name, c.relkind = 'v' as is_view, string_agg(
    '  "' || a.attname || '" ' || format_type(a.atttypid, a.atttypmod)
      || coalesce(' collate "' || nullif(l.collname, 'default') || '"', '')
      || case when a.attidentity = 'a' then ' generated always as identity' else '' end
      || case when a.attnotnull then ' not null' else '' end
      || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), ''), E',\\n' order by a.attnum) as columns,
    coalesce((select string_agg(privilege_type, ', ' order by privilege_type) from aclexplode(c.relacl)
      where grantee = c.relowner and privilege_type in ('SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE')), '') as rights
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    left join pg_collation l on l.oid = a.attcollation
  where c.relnamespace ${ours} and c.relkind in ('r', 'v') group by c.oid order by c.relkind, 1`

/** Constraints, indexes, triggers and functions. */
const others = [
  `select pg_get_constraintdef(oid) as sql, 'alter table ' || conrelid::regclass || ' add constraint ' || conname as before
   from pg_constraint where connamespace ${ours} and contype in ('p', 'u', 'f', 'c')`,
  `select pg_get_indexdef(i.indexrelid) as sql, '' as before from pg_index i join pg_class c on c.oid = i.indexrelid
   where c.relnamespace ${ours} and not exists (select from pg_constraint where conindid = i.indexrelid)`,
  `select pg_get_triggerdef(t.oid) as sql, '' as before from pg_trigger t join pg_class c on c.oid = t.tgrelid
   where c.relnamespace ${ours} and not t.tgisinternal`,
  `select pg_get_functiondef(oid) as sql, '' as before from pg_proc where pronamespace ${ours}`
]

/** Of a view only the columns: its query is printed differently by each version of the server. */
export const ofPostgres = async (database: Database): Promise<Statements> => {
  const tables = (await database.query(columns)).map(({ columns: written, is_view: isView, name, rights }) => {
    const owner = rights === "" ? "" : `-- Its owner's rights: ${rights}\n`
    return `${owner}create ${isView === "t" ? "view" : "table"} ${name} (\n${written}\n);`
  })
  const rest: Array<string> = []
  for (const statement of others) {
    const found = await database.query(`select before, sql from (${statement}) as found order by before, sql`)
    rest.push(...found.map(({ before, sql }) => `${before} ${sql?.trim()};`.trim()))
  }
  return [
    ...tables.filter((text) => !text.includes("kysely_migration")),
    ...rest.filter((text) => !text.includes("kysely"))
  ]
}
