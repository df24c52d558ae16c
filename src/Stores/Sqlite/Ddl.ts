/**
 * The Store's tables as SQLite's DDL. SQLite keeps its text, so comments hold the descriptions. Pure.
 *
 * STRICT tables refuse values of the wrong type instead of storing them.
 */
import { asWorded, constraints, createIndex, foreignKey, keys, list, quoted, rewordedIn } from "../Ddl.ts"
import type { Listed } from "../Table.ts"
import { unlogged } from "../Tables/Operate.ts"
import { asOf, cameWith } from "../SchemaVersions.ts"

type Column = Listed["columns"][number]

/** Whether the key is the rowid. */
const isNumber = ({ columns, key }: Listed): boolean =>
  key.length === 1 && columns.some(({ name, type }) => name === key[0] && type.sqlite === "integer")

const definition = (table: Listed, column: Column): string => {
  const words = column.isNumbered === true ? ["primary key autoincrement"] : constraints(table, column)
  return [column.type.sqlite, ...words, ...foreignKey(column, quoted)].join(" ")
}

const createTable = (table: Listed): string => {
  const parts = [
    ...table.columns.map((column) => `-- ${column.says}\n  ${quoted(column.name)} ${definition(table, column)}`),
    ...keys(table)
  ]
  const options = isNumber(table) ? "strict" : "strict, without rowid"
  return `create table ${quoted(table.name)} ( -- ${table.says}\n  ${parts.join(",\n  ")}\n) ${options}`
}

/** SQLite keeps a comment only in this position. */
const addColumn = (table: Listed, column: Column): string =>
  `alter table ${quoted(table.name)} add column ${quoted(column.name)}\n  -- ${column.says}\n  ${definition(table, column)}`

const appendOnly = ({ isAppendOnly, name }: Listed): ReadonlyArray<string> =>
  isAppendOnly === true
    ? ["update", "delete"].map(
        (verb) => `create trigger ${name}_no_${verb} before ${verb} on ${quoted(name)}
  begin select raise(abort, '${name} is append-only'); end`
      )
    : []

/** Changes are logged since this version. */
const loggedSince = 2

/** The heartbeat changes the newest uptime all the time, so it is logged once a minute. */
const noted = ({ name }: Listed): ReadonlyArray<string> =>
  name === "uptime" ? ["insert", "delete"] : ["insert", "update", "delete"]

const logged = (table: Listed): ReadonlyArray<string> =>
  noted(table).map((verb) => {
    const side = verb === "delete" ? "old" : "new"
    const condition = table.name === "meta" ? ` when ${side}.${unlogged}` : ""
    const key = table.key.map((name) => `${side}.${quoted(name)}`).join(", ")
    return `create trigger ${table.name}_logs_${verb} after ${verb} on ${quoted(table.name)}${condition}
  begin insert into row_changes (table_name, row_key) values ('${table.name}', json_array(${key})); end`
  })

const made = (table: Listed): ReadonlyArray<string> => [
  createTable(table),
  ...table.indexes.map((index) => createIndex(quoted(table.name), index)),
  ...appendOnly(table)
]

/**
 * SQLite can't change a constraint, so the table is recreated. Meanwhile rows that refer to it have no referenced row,
 * so only the end of the transaction may check references.
 */
const remade = (table: Listed): ReadonlyArray<string> => {
  const name = quoted(table.name)
  const kept = quoted(`${table.name}_kept`)
  const columns = list(table.columns.map((column) => column.name))
  return [
    "pragma defer_foreign_keys = on",
    `create temporary table ${kept} as select ${columns.slice(1, -1)} from ${name}`,
    `drop table ${name}`,
    ...made(table),
    `insert into ${name} ${columns} select ${columns.slice(1, -1)} from temp.${kept}`,
    `drop table temp.${kept}`
  ]
}

/** What a version adds. */
export const statements = (store: ReadonlyArray<Listed>, version: number): ReadonlyArray<string> => {
  const own = store.filter(({ only }) => only !== "postgres")
  const { columns, indexes, tables } = cameWith(own, version)
  // For append-only tables, the numbers of rows show which are new.
  const log = own
    .filter(({ isAppendOnly, isLogged }) => isLogged === true && isAppendOnly !== true)
    .filter(({ since }) => Math.max(since, loggedSince) === version)
  return [
    ...tables.flatMap((table) => made(asWorded(table, version))),
    ...columns.map(({ column, table }) => addColumn(table, column)),
    ...indexes.map(({ index, table }) => createIndex(quoted(table.name), index)),
    ...log.flatMap(logged),
    ...rewordedIn(own, version).flatMap((table) => remade(asWorded(asOf(table, version), version)))
  ]
}
