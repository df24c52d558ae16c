/**
 * Which rows have changed since they were last logged: triggers note their keys in the table `row_changes`, in the
 * transaction that changes them. Rows are read and written as JSON made by SQLite, so that every number stays exact.
 */
import type { DatabaseSync } from "node:sqlite"
import type { Row } from "../Segments/Frame.ts"
import type { Prepares } from "../Sqlite/Dialect.ts"
import { storeTables } from "../StoreTables.ts"
import type { Listed } from "../Table.ts"
import { unlogged } from "../Tables/Operate.ts"

export const loggedTables: ReadonlyArray<Listed> = storeTables.filter(({ isLogged }) => isLogged === true)

const byName = new Map(loggedTables.map((table) => [table.name, table]))

export interface Change {
  readonly table: string
  readonly key: string
}

export interface Changes {
  readonly changes: ReadonlyArray<Change>
  /** The last one's number in `row_changes`. */
  readonly through: number
}

const keyOf = (table: Listed): string => `json_array(${table.key.map((name) => `"${name}"`).join(", ")})`

const atKey = (table: Listed, key = "?1"): string =>
  table.key.map((name, place) => `"${name}" = json_extract(${key}, '$[${place}]')`).join(" and ")

/** Notes all rows, for a log that has none of them. */
export const noteAll = (database: DatabaseSync): void => {
  database.exec("delete from row_changes")
  for (const table of loggedTables) {
    const where = table.name === "meta" ? ` where ${unlogged}` : ""
    database.exec(
      `insert into row_changes (table_name, row_key) select '${table.name}', ${keyOf(table)} from "${table.name}"${where}`
    )
  }
}

/** The newest interval of the receiver's uptime grows without being noted. */
export const noteUptime = (database: DatabaseSync): void => {
  database.exec(
    "insert into row_changes (table_name, row_key) select 'uptime', json_array(max(id)) from uptime having max(id) > 0"
  )
}

/** The next rows that changed, each once. */
export const next = (database: Prepares, limit: number): Changes => {
  const rows = database
    .prepare("select id, table_name, row_key from row_changes order by id limit ?")
    .all(limit)
    .map((row) => ({ id: Number(row["id"]), table: String(row["table_name"]), key: String(row["row_key"]) }))
  const changes = new Map(rows.map(({ key, table }) => [`${table} ${key}`, { table, key }]))
  return { changes: [...changes.values()], through: rows.at(-1)?.id ?? 0 }
}

/** The rows as they are now, in the same order: one statement for each table. */
export const rowsOf = (database: Prepares, changes: ReadonlyArray<Change>): ReadonlyArray<Omit<Row, "number">> => {
  const rows = new Map<Change, string | null>()
  for (const [table, ofTable] of Map.groupBy(changes, (change) => change.table)) {
    const keys = JSON.stringify(ofTable.map(({ key }) => key))
    for (const [place, found] of database.prepare(rowsText.get(table)!).all(keys).entries()) {
      rows.set(ofTable[place]!, found["row"] === null ? null : String(found["row"]))
    }
  }
  return changes.map((change) => ({ kind: "row", ...change, row: rows.get(change) ?? null }))
}

/** Null for a row that is gone. */
const rowsText = new Map(
  loggedTables.map((table) => {
    const fields = table.columns.map(({ name }) => `'${name}', "${name}"`).join(", ")
    const row = `select json_object(${fields}) from "${table.name}" where ${atKey(table, "keys.value")}`
    return [table.name, `select (${row}) as row from json_each(?) as keys order by keys.key`]
  })
)

/** Gives a row the state that was logged. */
export const write = (database: DatabaseSync, { key, row, table: name }: Row): void => {
  const table = byName.get(name)
  if (table === undefined) return
  if (row === null) {
    if (table.isAppendOnly !== true) database.prepare(`delete from "${name}" where ${atKey(table)}`).run(key)
    return
  }
  const logged = new Set(Object.keys(JSON.parse(row) as object))
  const columns = table.columns.map((column) => column.name).filter((column) => logged.has(column))
  const others = columns.filter((column) => !table.key.includes(column))
  const onConflict =
    table.isAppendOnly === true || others.length === 0
      ? "do nothing"
      : `do update set ${others.map((column) => `"${column}" = excluded."${column}"`).join(", ")}`
  database
    .prepare(
      `insert into "${name}" (${columns.map((column) => `"${column}"`).join(", ")})
       select ${columns.map((column) => `json_extract(?1, '$.${column}')`).join(", ")} where true
       on conflict (${table.key.map((column) => `"${column}"`).join(", ")}) ${onConflict}`
    )
    .run(row)
}
