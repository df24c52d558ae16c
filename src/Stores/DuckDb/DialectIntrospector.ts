/**
 * Schemas, tables and views of the current database (not of attached or temporary ones), for Kysely's Migrator
 * and for checks of the schema. Reads DuckDB's catalogue functions; types are spelled as DuckDB spells them.
 * Read-only: nothing to lose when the process dies.
 */
import { sql } from "kysely"
import type { DatabaseIntrospector, DatabaseMetadataOptions, Kysely, SchemaMetadata, TableMetadata } from "kysely"
import { DEFAULT_MIGRATION_LOCK_TABLE, DEFAULT_MIGRATION_TABLE } from "kysely/migration"

interface CatalogueColumn {
  readonly schema: string
  readonly table: string
  readonly isView: boolean
  readonly name: string
  readonly dataType: string
  readonly isNullable: boolean
  readonly defaultValue: string | null
  readonly comment: string | null
}

export class Introspector implements DatabaseIntrospector {
  readonly #db: Kysely<unknown>

  constructor(db: Kysely<unknown>) {
    this.#db = db
  }

  async getSchemas(): Promise<Array<SchemaMetadata>> {
    const { rows } = await sql<SchemaMetadata>`
      SELECT schema_name AS name FROM duckdb_schemas()
      WHERE database_name = current_database() ORDER BY schema_name`.execute(this.#db)
    return rows.map(({ name }) => ({ name }))
  }

  async getTables(
    options: DatabaseMetadataOptions = { withInternalKyselyTables: false }
  ): Promise<Array<TableMetadata>> {
    const { rows } = await sql<CatalogueColumn>`
      SELECT c.schema_name AS "schema", c.table_name AS "table", v.view_name IS NOT NULL AS "isView",
        c.column_name AS name, c.data_type AS "dataType", c.is_nullable AS "isNullable",
        c.column_default AS "defaultValue", c.comment AS comment
      FROM duckdb_columns() c
      LEFT JOIN duckdb_views() v ON v.database_name = c.database_name
        AND v.schema_name = c.schema_name AND v.view_name = c.table_name
      WHERE c.database_name = current_database() AND NOT c.internal
      ORDER BY c.schema_name, c.table_name, c.column_index`.execute(this.#db)
    const isShown = ({ table }: CatalogueColumn) =>
      options.withInternalKyselyTables || (table !== DEFAULT_MIGRATION_TABLE && table !== DEFAULT_MIGRATION_LOCK_TABLE)
    const tables = Map.groupBy(rows.filter(isShown), ({ schema, table }) => JSON.stringify([schema, table]))
    return Array.from(tables.values(), toTable)
  }
}

const toTable = (columns: ReadonlyArray<CatalogueColumn>): TableMetadata => {
  const [{ isView, schema, table }] = columns as readonly [CatalogueColumn]
  return { name: table, schema, isView, isForeign: false, columns: columns.map(toColumn) }
}

const toColumn = ({ comment, dataType, defaultValue, isNullable, name }: CatalogueColumn) => ({
  name,
  dataType,
  isNullable,
  hasDefaultValue: defaultValue !== null,
  isAutoIncrementing: defaultValue?.startsWith("nextval(") ?? false,
  ...(comment === null ? {} : { comment })
})
