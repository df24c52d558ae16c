/**
 * The rows of nested tables in a copy for analysts. What is a view in the warehouse is a table there, so it is read as
 * fast as any other. It is filled from the view, in the transaction that copies the records: completely, or for the
 * records that have changed.
 */
import type { DuckDBConnection } from "@duckdb/node-api"
import { comments, seen } from "../Ddl.ts"
import type { NestedTable } from "../NestedTables.ts"
import { listed } from "./TableRows.ts"

/** Replaces the view in a copy that was made with the warehouse's schema. */
export const copying = (own: string, table: NestedTable): ReadonlyArray<string> => {
  const name = seen(table.name)
  return [
    `drop view copied.${name}`,
    `create table copied.${name} as select * from "${own}".${name}`,
    ...comments("table", `copied.${name}`, table)
  ]
}

/** For records with these keys. `changed`: the keys by table. */
export const copyChanged = async (
  connection: DuckDBConnection,
  own: string,
  tables: ReadonlyArray<NestedTable>,
  changed: ReadonlyMap<string, ReadonlyArray<string>>
): Promise<void> => {
  for (const { name, owner } of tables) {
    const keys = owner === undefined ? undefined : changed.get(owner.table)
    if (owner !== undefined && keys === undefined) continue
    const [where, values] =
      owner === undefined ? ["", []] : [`where _parent in (${listed(owner.key)})`, [JSON.stringify(keys)]]
    await connection.run(`delete from copied.${seen(name)} ${where}`, values)
    await connection.run(`insert into copied.${seen(name)} select * from "${own}".${seen(name)} ${where}`, values)
  }
}
