/**
 * Gives a DuckDB file the entity tables and columns that it lacks for this worker, and the comments on its views. Runs
 * between two checkpoints, so that its log doesn't mix them with rows. New tables are created in separate transactions,
 * since nothing uses them yet. All new columns of existing tables are added in one transaction, so after a crash the
 * file has all of them or none.
 */
import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api"
import type { ColumnType } from "../../Domain/Resource.ts"
import { type Comment, outdatedComments } from "../DescribedViews.ts"
import { type EntityTable, type EntityTables, evolutionOf, type Found } from "../EntityTables.ts"
import type { FoundColumn } from "../NestedTables.ts"
import * as Ddl from "./Ddl.ts"
import { partsOf } from "./Parts.ts"
import { withConnection } from "./ReadAll.ts"

/** Statements per call: 60 tables of 65 columns with their comments take 2.0 s of CPU instead of 4.6 s. */
const atOnce = 100

/**
 * Columns of new tables in one transaction. Each comment makes a new version of its table in memory, and DuckDB keeps
 * all of them until the commit: 500 tables of 65 columns took 1.2 GB.
 */
const columnsAtOnce = 1000

const typeOf: Readonly<Record<string, ColumnType>> = {
  BIGINT: "BIGINT",
  VARCHAR: "VARCHAR",
  "DECIMAL(28,4)": "DECIMAL(28,4)",
  "DECIMAL(10,2)": "DECIMAL(10,2)",
  "TIMESTAMP WITH TIME ZONE": "TIMESTAMPTZ",
  DATE: "DATE",
  JSON: "JSON",
  BOOLEAN: "BOOLEAN",
  DOUBLE: "DOUBLE"
}

const foundIn = async (connection: DuckDBConnection): Promise<Found> => {
  // One row for each table: 30,000 rows of columns would take longer to fetch than to find. The pattern matches the way
  // in which DuckDB prints what `Ddl` creates: a nested table's view ends with the table that it reads.
  const found = await connection.runAndReadAll(`
    with views as (
      select view_name, nullif(regexp_extract(sql, 'FROM construction\\."?(\\w+)"?\\);$', 1), '') as read
      from duckdb_views() where database_name = current_database() and schema_name = 'construction'
    )
    select table_name, any_value(view_name) is not null as is_view,
      to_json(list([column_name, data_type, case column_name when '_parent' then read end] order by column_index))
    from duckdb_columns() left join views on view_name = table_name
    where database_name = current_database() and schema_name = 'construction' and not internal
    group by table_name
    order by table_name`)
  const [tables, views] = [new Map<string, Array<FoundColumn>>(), new Map<string, Array<FoundColumn>>()]
  for (const [table, isView, columns] of found.getRowsJson()) {
    const into = isView === true ? views : tables
    into.set(String(table), (JSON.parse(String(columns)) as ReadonlyArray<FoundTexts>).map(columnOf))
  }
  return { tables, views }
}

const viewComments = async (connection: DuckDBConnection): Promise<ReadonlyArray<Comment>> => {
  const found = await connection.runAndReadAll(`
    with views as (
      select view_name, comment from duckdb_views()
      where database_name = current_database() and schema_name = 'construction'
    )
    select view_name, null, comment from views
    union all select table_name, column_name, c.comment from duckdb_columns() c join views on view_name = table_name
      where database_name = current_database() and schema_name = 'construction'`)
  return found.getRowsJson().map(([view, column, says]) => ({
    view: String(view),
    column: column === null ? null : String(column),
    says: says === null ? null : String(says)
  }))
}

type FoundTexts = readonly [name: string, type: string, of: string | null]

const columnOf = ([name, type, of]: FoundTexts): FoundColumn => ({ name, type: typeOf[type], of: of ?? undefined })

/** `wanted`: tables that it must have; other existing tables are kept. Nothing else may use the file meanwhile. */
export const evolve = (instance: DuckDBInstance, wanted: ReadonlyArray<EntityTable>): Promise<EntityTables> =>
  withConnection(instance, async (connection) => {
    const evolution = evolutionOf(wanted, await foundIn(connection))
    const changes = [...Ddl.changing(evolution), ...outdatedComments(await viewComments(connection))]
    if (evolution.made.length === 0 && changes.length === 0) return evolution.tables
    await connection.run("checkpoint")
    for (const tables of partsOf(evolution.made, ({ columns }) => columns.length, columnsAtOnce)) {
      await together(
        connection,
        tables.flatMap((table) => Ddl.making(table))
      )
    }
    await together(connection, changes)
    await connection.run("checkpoint").catch(unmixed)
    return evolution.tables
  })

const together = async (connection: DuckDBConnection, statements: ReadonlyArray<string>): Promise<void> => {
  await connection.run("begin transaction")
  try {
    for (let from = 0; from < statements.length; from += atOnce) {
      await connection.run(statements.slice(from, from + atOnce).join(";\n"))
    }
    await connection.run("commit")
  } catch (cause) {
    await connection.run("rollback").catch(() => undefined)
    throw cause
  }
}

/** Then the file is opened again, which begins with a checkpoint. */
const unmixed = (cause: unknown): never => {
  throw new Error("FATAL: new columns aren't checkpointed, and no rows may follow them", { cause })
}
