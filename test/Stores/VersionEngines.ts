/** Databases of each engine before a migration: empty, or as version 0.1.0 left them (`Released/`). */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { DuckDBInstance } from "@duckdb/node-api"
import { Effect, Redacted, type Scope } from "effect"
import { Kysely } from "kysely"
import type { Migration } from "kysely/migration"
import { openWarehouse } from "../../src/Stores/DuckDb/File.ts"
import * as DuckDb from "../../src/Stores/DuckDb/Migrations.ts"
import { Connections } from "../../src/Stores/Postgres/Connections.ts"
import * as Postgres from "../../src/Stores/Postgres/Migrations.ts"
import * as Sqlite from "../../src/Stores/Sqlite/Migrations.ts"
import { openFile } from "../../src/Stores/Sqlite/Opening.ts"
import { dialect } from "../../src/Stores/Sqlite/Dialect.ts"
import * as SqliteStore from "../../src/Stores/Sqlite/Store.ts"
import type { StoreTables } from "../../src/Stores/StoreTables.ts"
import type { Schema } from "../../src/Stores/SchemaVersions.ts"
import * as Databases from "../Postgres.ts"
import { database } from "./Postgres/World.ts"
import { query } from "./Reading.ts"
import * as Schemas from "./Schemas.ts"
import { folder } from "./WarehouseEngines.ts"

type Rows = ReadonlyArray<Readonly<Record<string, unknown>>>
/** By version. A version of PostgreSQL's has two parts. */
type Migrations = Readonly<Record<string, object>>
type Plain = Readonly<Record<string, Migration>>

export interface Made {
  /** A path or a URL. */
  readonly at: string
  readonly migrate: (to: Migrations) => Promise<void>
  /** Runs several statements; returns the rows of the last one. */
  readonly ask: (sql: string) => Promise<Rows>
  /** Without descriptions. */
  readonly schema: () => Promise<ReadonlyArray<string>>
}

export interface Engine {
  readonly name: string
  readonly isSkipped: boolean
  readonly migrations: Migrations
  readonly migrationsOf: (schema: Schema) => Migrations
  readonly empty: Effect.Effect<Made, never, Scope.Scope>
  readonly released: Effect.Effect<Made, never, Scope.Scope>
  /** A query for all columns, except those of Kysely's own tables. */
  readonly columns: string
}

const dumped = (name: string) => readFileSync(join(import.meta.dirname, "Released", `${name}.sql`), "utf8")

const filled = (empty: Engine["empty"], dump: string): Engine["released"] =>
  Effect.tap(empty, ({ ask }) => Effect.promise(() => ask(dumped(dump))))

const inSqlite: Engine["empty"] = Effect.map(folder, (path) => {
  const file = join(path, "store.sqlite")
  const use = <A>(body: (opened: DatabaseSync) => A): A => {
    const opened = new DatabaseSync(file)
    try {
      return body(opened)
    } finally {
      opened.close()
    }
  }
  return {
    at: file,
    migrate: async (to) => {
      const db = new Kysely<StoreTables>({ dialect: dialect(openFile(file)) })
      await SqliteStore.migrate(db, to as Plain).finally(() => db.destroy())
    },
    ask: async (sql) =>
      use((opened) =>
        sql.startsWith("select")
          ? opened
              .prepare(sql)
              .all()
              .map((row) => ({ ...row }))
          : (opened.exec(sql), [])
      ),
    schema: async () => Schemas.ofSqlite(file).map((text) => text.replaceAll(/ -- .*$/gm, ""))
  }
})

const inDuckDb: Engine["empty"] = Effect.map(folder, (path) => {
  const file = join(path, "warehouse.duckdb")
  return {
    at: file,
    migrate: async (to) => (await openWarehouse(file, { to: to as Plain })).close(),
    ask: async (sql) => {
      if (sql.startsWith("select")) return query(file, sql)
      const instance = await DuckDBInstance.create(file)
      const connection = await instance.connect()
      try {
        await connection.run(sql)
        return []
      } finally {
        connection.disconnectSync()
        instance.closeSync()
      }
    },
    schema: () => Schemas.ofDuckDb(file)
  }
})

const inPostgres: Engine["empty"] = Effect.map(database, (own) => ({
  at: own.url,
  migrate: async (to) => {
    const connections = new Connections(Redacted.make(own.url))
    await Postgres.migrate(connections, to as Postgres.Migrations).finally(() => connections.close())
  },
  // The books' tables move from one schema to another, and are the same.
  ask: (sql) => own.query(`set search_path = ledger, siteledger; ${sql}`),
  schema: () => Schemas.ofPostgres(own)
}))

/** The Store's without its schema. */
const bare = "replace(replace(table_schema || '.', 'siteledger.', ''), 'ledger.', '') || table_name"

const inSchemas = `
  from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
  where table_schema in ('ledger', 'siteledger', 'construction') and t.table_type = 'BASE TABLE' and table_name not like 'kysely%'`

export const engines: ReadonlyArray<Engine> = [
  {
    name: "SQLite",
    isSkipped: false,
    ...Sqlite,
    empty: inSqlite,
    released: filled(inSqlite, "store"),
    columns: `select t.name as "table", c.name as "column" from sqlite_schema t, pragma_table_info(t.name) c
      where t.type = 'table' and t.name not like 'kysely%' and t.name not like 'sqlite%'`
  },
  {
    name: "DuckDB",
    isSkipped: false,
    ...DuckDb,
    empty: inDuckDb,
    released: filled(inDuckDb, "warehouse"),
    columns: `select table_schema || '.' || table_name as "table", column_name as "column" ${inSchemas}`
  },
  {
    name: "PostgreSQL",
    isSkipped: Databases.skipped !== undefined,
    migrations: Postgres.migrations,
    migrationsOf: Postgres.migrationsOf,
    empty: inPostgres,
    released: filled(inPostgres, "server"),
    columns: `select ${bare} as "table", column_name as "column" ${inSchemas}`
  }
]

/** All rows, by table. */
export const contents = async (
  { ask }: Made,
  columns: Rows
): Promise<Readonly<Record<string, ReadonlyArray<string>>>> => {
  const all: Record<string, ReadonlyArray<string>> = {}
  for (const [table, named] of Map.groupBy(columns, (row) => String(row["table"]))) {
    const list = named.map((row) => `"${String(row["column"])}"`).join(", ")
    all[table] = (await ask(`select ${list} from ${table}`)).map((row) => JSON.stringify(row)).toSorted()
  }
  return all
}
