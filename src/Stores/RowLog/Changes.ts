/**
 * Which rows have changed since they were last logged. Rows of append-only tables have growing numbers, so the last
 * logged number is enough. For other tables, triggers note the keys in the table `row_changes`, in the transaction that
 * changes the rows. Rows are read and written as JSON that SQLite produces, so that every number stays exact.
 */
import type { DatabaseSync } from "node:sqlite"
import type { Row } from "../Segments/Frame.ts"
import type { Prepares } from "../Sqlite/Dialect.ts"
import { storeTables } from "../StoreTables.ts"
import type { Listed } from "../Table.ts"
import { unlogged } from "../Tables/Operate.ts"

export const loggedTables: ReadonlyArray<Listed> = storeTables.filter(({ isLogged }) => isLogged === true)

const byName = new Map(loggedTables.map((table) => [table.name, table]))

/** Their key is a single number, greater than those of all earlier rows. */
const appended = loggedTables.filter(({ isAppendOnly }) => isAppendOnly === true)
const others = loggedTables.filter((table) => !appended.includes(table))

/** For each append-only table, the number of the last row in the log; 0 if there is none. */
export type Appended = Readonly<Record<string, number>>

export interface Change {
  readonly table: string
  readonly key: string
}

type Logged = Omit<Row, "number">

export interface Changes {
  readonly rows: ReadonlyArray<Logged>
  /** The greatest number in `row_changes` that they cover; 0 if there is none. */
  readonly through: number
  readonly appended: Appended
  /** Nothing else has changed: with these rows, the log matches the Store's current state. */
  readonly isAll: boolean
}

const keyOf = (table: Listed): string => `json_array(${table.key.map((name) => `"${name}"`).join(", ")})`

const atKey = (table: Listed, key = "?1"): string =>
  table.key.map((name, place) => `"${name}" = json_extract(${key}, '$[${place}]')`).join(" and ")

/** Notes all rows except those of append-only tables, for a log that has none of them. */
export const noteAll = (database: DatabaseSync): void => {
  database.exec("delete from row_changes")
  for (const table of others) {
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

/** The numbers that say that all rows of append-only tables are in the log. */
export const appendedIn = (database: DatabaseSync): Appended =>
  Object.fromEntries(
    appended.map(({ key, name }) => {
      const found = database.prepare(`select coalesce(max("${key.join()}"), 0) as last from "${name}"`).get()
      return [name, Number(found?.["last"])]
    })
  )

/**
 * The next rows, in their current state: at most `limit` of each append-only table; once that is all of them, the rows
 * of other tables, each once. So a row comes after those to which it refers. The Store must not change meanwhile.
 */
export const next = (database: Prepares, appended: Appended, limit: number): Changes => {
  const added = newer(database, appended, limit)
  if (!added.isAll) return { ...added, through: 0 }
  const changed = noted(database, limit)
  return { ...changed, rows: [...added.rows, ...changed.rows], appended: added.appended }
}

const noted = (database: Prepares, limit: number): Omit<Changes, "appended"> => {
  const rows = database
    .prepare("select id, table_name, row_key from row_changes order by id limit ?")
    .all(limit)
    .map((row) => ({ id: Number(row["id"]), table: String(row["table_name"]), key: String(row["row_key"]) }))
  const changes = new Map(rows.map(({ key, table }) => [`${table} ${key}`, { table, key }]))
  const through = rows.at(-1)?.id ?? 0
  return { rows: rowsOf(database, [...changes.values()]), through, isAll: rows.length < limit }
}

/** A row that refers to one that isn't taken yet waits for it, together with everything after it. */
const newer = (database: Prepares, logged: Appended, limit: number): Omit<Changes, "through"> => {
  const through: Record<string, number> = { ...logged }
  const rows: Array<Logged> = []
  let isAll = true
  for (const table of appended) {
    const bound = Math.max(0, ...referred(table).map(({ to }) => through[to] ?? 0))
    const found = database.prepare(newerText.get(table.name)!).all(through[table.name] ?? 0, limit)
    if (found.length === limit) isAll = false
    for (const row of found) {
      if (Number(row["refers"]) > bound) {
        isAll = false
        break
      }
      const key = Number(row["key"])
      rows.push({ kind: "row", table: table.name, key: `[${key}]`, row: String(row["row"]) })
      through[table.name] = key
    }
  }
  return { rows, appended: through, isAll }
}

/** The columns that name a row of an append-only table by its number; at most one. */
const referred = ({ columns }: Listed) =>
  columns.flatMap(({ name, references }) => {
    const to = appended.find((table) => table.name === references?.[0] && table.key.join() === references[1])
    return to === undefined ? [] : [{ column: `"${name}"`, to: to.name }]
  })

/** In the order of the changes, with one statement per table. */
const rowsOf = (database: Prepares, changes: ReadonlyArray<Change>): ReadonlyArray<Logged> => {
  const rows = new Map<Change, string | null>()
  for (const [table, ofTable] of Map.groupBy(changes, (change) => change.table)) {
    const keys = JSON.stringify(ofTable.map(({ key }) => key))
    for (const [place, found] of database.prepare(rowsText.get(table)!).all(keys).entries()) {
      rows.set(ofTable[place]!, found["row"] === null ? null : String(found["row"]))
    }
  }
  return changes.map((change) => ({ kind: "row", ...change, row: rows.get(change) ?? null }))
}

const json = ({ columns }: Listed): string =>
  `json_object(${columns.map(({ name }) => `'${name}', "${name}"`).join(", ")})`

const newerText = new Map(
  appended.map((table) => {
    const key = `"${table.key.join()}"`
    const refers = referred(table)[0]?.column ?? "0"
    const select = `select ${key} as key, ${refers} as refers, ${json(table)} as row from "${table.name}"`
    return [table.name, `${select} where ${key} > ? order by ${key} limit ?`]
  })
)

/** Null for a deleted row. */
const rowsText = new Map(
  loggedTables.map((table) => {
    const row = `select ${json(table)} from "${table.name}" where ${atKey(table, "keys.value")}`
    return [table.name, `select (${row}) as row from json_each(?) as keys order by keys.key`]
  })
)

/** Restores a row to its logged state; returns false if nothing had to be done. */
export const write = (database: DatabaseSync, { key, row, table: name }: Row): boolean => {
  const table = byName.get(name)
  if (table === undefined) return false
  if (row === null) {
    if (table.isAppendOnly === true) return false
    return database.prepare(`delete from "${name}" where ${atKey(table)}`).run(key).changes > 0
  }
  const logged = new Set(Object.keys(JSON.parse(row) as object))
  const columns = table.columns.map((column) => column.name).filter((column) => logged.has(column))
  const values = columns.filter((column) => !table.key.includes(column))
  const onConflict =
    table.isAppendOnly === true || values.length === 0
      ? "do nothing"
      : `do update set ${values.map((column) => `"${column}" = excluded."${column}"`).join(", ")}`
  const { changes } = database
    .prepare(
      `insert into "${name}" (${columns.map((column) => `"${column}"`).join(", ")})
       select ${columns.map((column) => `json_extract(?1, '$.${column}')`).join(", ")} where true
       on conflict (${table.key.map((column) => `"${column}"`).join(", ")}) ${onConflict}`
    )
    .run(row)
  return changes > 0
}
