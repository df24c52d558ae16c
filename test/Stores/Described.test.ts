/**
 * Each table and column is described in a sentence; docs/tables.md and the dbt package have those that analysts see. After a
 * change: UPDATE_DOCS=1 npx vitest run test/Stores/Described.test.ts
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Yaml } from "effect/encoding"
import { type DescribedView, describedViews } from "../../src/Stores/DescribedViews.ts"
import { openWarehouse } from "../../src/Stores/DuckDb/File.ts"
import * as DuckDb from "../../src/Stores/DuckDb/Warehouse.ts"
import * as Sqlite from "../../src/Stores/Sqlite/Store.ts"
import * as Comments from "../../src/Stores/Postgres/Comments.ts"
import { Store } from "../../src/Stores/Store.ts"
import { storeTables } from "../../src/Stores/StoreTables.ts"
import { Warehouse } from "../../src/Stores/Warehouse.ts"
import { tables } from "../../src/Stores/WarehouseTables.ts"
import * as Databases from "../Postgres.ts"
import { ask, database, storesAt } from "./Postgres/World.ts"
import { root } from "../Tidy/Sources.ts"
import { query } from "./Reading.ts"
import * as Schemas from "./Schemas.ts"
import { removeFolder, temporaryFolder } from "../Folders.ts"
import { folder } from "./WarehouseEngines.ts"

const preface = `# Tables

What analysts see in schema \`construction\` of the warehouse, in \`analytics.duckdb\` and as Parquet on the lake. The databases
hold these descriptions as comments, and each manifest holds them too. On PostgreSQL, \`JSON\` is \`json\` in \`construction\` and
\`jsonb\` in \`construction_jsonb\`, which has the same tables and columns ([postgres.md](postgres.md#json)). Times are UTC to the
microsecond, and money is exact. Generated from \`src/Domain/Resource.ts\`, \`src/Stores/Tables/\` and \`src/Stores/DescribedViews.ts\`.`

const views = `# Views

Over these tables, in the warehouse, in \`analytics.duckdb\` and, by \`lake.sql\`, over the lake. Views that add up money group it by currency.`

const shown: ReadonlyArray<DescribedView> = [...tables, ...describedViews]

const section = ({ columns, name, says }: DescribedView): string => {
  const rows = columns.map((column) => `| \`${column.name}\` | \`${column.type}\` | ${column.says} |`)
  return [`## ${name}`, "", says, "", "| column | type | meaning |", "|---|---|---|", ...rows].join("\n")
}

/** What names a row of another table, as `relationships` tests it; a record may name one that no list has shown. */
const references = tables.flatMap(({ columns, name: table }) =>
  columns.flatMap(({ name }) => {
    const of = { project_id: "projects", ipc_id: "ipcs" }[name]
    return of === undefined || of === table ? [] : [{ table, column: name, of }]
  })
)

const diagram = [
  "```mermaid",
  "erDiagram",
  ...references.map(({ column, of, table }) => `  ${of} ||--o{ ${table} : ${column}`),
  "  ledger_entries |o--o{ ledger_entries : reverses",
  "```"
].join("\n")

const yaml = (text: string): string => JSON.stringify(text)

const sourceOf = ({ columns, key, name, says }: DescribedView & { readonly key?: string }): ReadonlyArray<string> => [
  `      - name: ${name}`,
  `        description: ${yaml(says)}`,
  ...(name === "events"
    ? ["        loaded_at_field: received_at", "        freshness: { warn_after: { count: 24, period: hour } }"]
    : []),
  "        columns:",
  ...columns.flatMap((column) => [
    `          - name: ${column.name}`,
    `            description: ${yaml(column.says)}`,
    `            data_type: ${yaml(column.type)}`,
    ...(column.name === key ? ["            data_tests: [unique, not_null]"] : [])
  ])
]

const sources = [
  "# Made from src/Domain/Resource.ts and src/Stores/Tables/, DescribedViews.ts by test/Stores/Described.test.ts.",
  "version: 2",
  "sources:",
  "  - name: construction",
  "    description: What siteledger copies, and the books that it keeps.",
  "    schema: \"{{ var('siteledger_schema', 'construction') }}\"",
  "    tables:",
  ...tables.flatMap(sourceOf),
  ...describedViews.flatMap((view) => sourceOf(view)),
  ""
].join("\n")

const inDuckDb = `
  select schema_name as "schema", table_name as "table", '' as "column", comment as says from duckdb_tables()
    where schema_name = 'construction'
  union all select schema_name, view_name, '', comment from duckdb_views() where schema_name = 'construction'
  union all select schema_name, table_name, column_name, comment from duckdb_columns()
    where schema_name = 'construction' and comment is not null`

const inPostgres = `
  select n.nspname as "schema", c.relname as "table", coalesce(a.attname, '') as "column", d.description as says
  from pg_description d join pg_class c on c.oid = d.objoid join pg_namespace n on n.oid = c.relnamespace
    left join pg_attribute a on a.attrelid = c.oid and a.attnum = d.objsubid and d.objsubid > 0
  where d.classoid = 'pg_class'::regclass and n.nspname in ('ledger', 'siteledger', 'construction', 'construction_jsonb')`

const inSchemas = `
  select nspname as name, obj_description(oid, 'pg_namespace') as says from pg_namespace
  where nspname not like 'pg\\_%' and nspname not in ('information_schema', 'public') order by 1`

interface Described {
  readonly name: string
  readonly says: string
  readonly columns: ReadonlyArray<{ readonly name: string; readonly says: string }>
}

const commentsOf = (schema: string, described: ReadonlyArray<Described>) =>
  described.flatMap(({ columns, name: table, says }) => [
    { schema, table, column: "", says },
    ...columns.map((column) => ({ schema, table, column: column.name, says: column.says }))
  ])

describe("the descriptions of the tables", () => {
  it("are a sentence for each table and each column, also for those that analysts don't see", () => {
    for (const { columns, name, says } of [...shown, ...storeTables]) {
      for (const sentence of [says, ...columns.map((column) => column.says)]) {
        assert.match(sentence, /^[a-zA-Z0-9].*\.$/, name)
      }
    }
  })

  it.live("are in SQLite, in the text of the tables", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "store.sqlite")
      yield* Effect.scoped(Effect.provide(Effect.asVoid(Store), Sqlite.layerAt(path)))
      const texts = Schemas.ofSqlite(path).join("\n")
      for (const { columns, name, only, says } of storeTables) {
        if (only === "postgres") continue
        assert.include(texts, `CREATE TABLE "${name}" ( -- ${says}\n`)
        for (const column of columns) {
          const [says, called] = [`-- ${column.says}\n  `, `"${column.name}"`]
          // An added column has it after its name.
          assert.isTrue(texts.includes(`${says}${called} `) || texts.includes(`${called}\n  ${says}`), called)
        }
      }
    }).pipe(Effect.scoped)
  )

  it.live("are in DuckDB, also in the analysts' copy", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const [warehouse, copy] = [join(path, "warehouse.duckdb"), join(path, "analytics.duckdb")]
      const layer = DuckDb.layerAt(warehouse).pipe(Layer.provide(Sqlite.layerAt(join(path, "store.sqlite"))))
      const published = Effect.flatMap(Warehouse, ({ publish }) => publish(copy))
      yield* Effect.scoped(Effect.provide(published, layer))
      for (const file of [warehouse, copy]) {
        const rows = yield* Effect.promise(() => query(file, inDuckDb))
        assert.sameDeepMembers([...rows], [...commentsOf("construction", shown)])
      }
    }).pipe(Effect.scoped)
  )

  it("name each column of the views, with its type", async () => {
    const path = temporaryFolder()
    const file = join(path, "warehouse.duckdb")
    await (await openWarehouse(file)).close()
    for (const { columns, name } of describedViews) {
      const found = await query(file, `describe construction.${name}`)
      assert.deepStrictEqual(
        found.map((row) => [row["column_name"], row["column_type"]]),
        columns.map((column) => [column.name, column.type.replace("TIMESTAMPTZ", "TIMESTAMP WITH TIME ZONE")])
      )
    }
    removeFolder(path)
  })

  it.live.skipIf(Databases.skipped !== undefined)("are in PostgreSQL, on tables and views", () =>
    Effect.gen(function* () {
      const own = yield* database
      yield* Effect.scoped(Effect.provide(Effect.asVoid(Store), storesAt(own.url)))
      const ofStore = storeTables.filter(({ only }) => only !== "sqlite")
      const { false: changing = [], true: appended = [] } = Object.groupBy(ofStore, ({ isAppendOnly = false }) =>
        isAppendOnly ? "true" : "false"
      )
      const rows = yield* ask(own, inPostgres)
      assert.sameDeepMembers(
        [...rows],
        [
          ...commentsOf("ledger", appended),
          ...commentsOf("siteledger", changing),
          ...commentsOf("construction", shown),
          ...commentsOf("construction_jsonb", shown)
        ]
      )
      const named = yield* ask(own, inSchemas)
      assert.deepStrictEqual(
        named.filter(({ name }) => name !== "construction_jsonb").map(({ name, says }) => [name, says]),
        Object.entries(Comments.schemas)
      )
      assert.isTrue(named.every(({ says }) => says !== null))
    }).pipe(Effect.scoped)
  )

  it.each([
    [
      "docs/tables.md",
      `${[preface, diagram, ...tables.map(section), views, ...describedViews.map(section)].join("\n\n")}\n`
    ],
    ["dbt/models/sources.yml", sources]
  ])("are those in %s", (name, text) => {
    const path = join(root, name)
    if (process.env["UPDATE_DOCS"] !== undefined) writeFileSync(path, text)
    assert.strictEqual(readFileSync(path, "utf8"), text)
  })

  it("are YAML that dbt can read", () => {
    const { sources: found } = Yaml.parse(sources) as {
      readonly sources: ReadonlyArray<{ readonly tables: ReadonlyArray<Described & { readonly description: string }> }>
    }
    const [construction] = found
    assert.deepStrictEqual(
      construction?.tables.map(({ columns, description, name }) => [name, description, columns.length]),
      shown.map(({ columns, name, says }) => [name, says, columns.length])
    )
  })
})
