/**
 * The schemas as PostgreSQL's DDL, with their descriptions: the Store's `ledger` (append-only tables) and `siteledger`
 * (the rest), and `construction` (for analysts). The books in `construction` are views over the Store's tables, so the
 * two can't differ. Pure.
 */
import * as Literal from "../../Domain/Literal.ts"
import type { ColumnType } from "../../Domain/Resource.ts"
import {
  asWorded,
  columnComments,
  comments,
  constraints,
  createIndex,
  foreignKey,
  keys,
  quoted,
  rewordedIn,
  seen,
  wordsOf
} from "../Ddl.ts"
import type { Index, Named, Listed } from "../Table.ts"
import { asOf, cameWith, type Schema } from "../SchemaVersions.ts"
import type { Evolution } from "../EntityTables.ts"
import { type NestedTable, ofRecord } from "../NestedTables.ts"
import { type Shown, shown } from "../WarehouseTables.ts"
import * as Rights from "./Rights.ts"

/** `json` keeps the text as written; `jsonb` doesn't, and refuses some of it. */
const typeNames: Readonly<Record<ColumnType, string>> = {
  BIGINT: "bigint",
  VARCHAR: "text",
  "DECIMAL(28,4)": "numeric(28,4)",
  "DECIMAL(10,2)": "numeric(10,2)",
  TIMESTAMPTZ: "timestamptz",
  DATE: "date",
  JSON: "json",
  BOOLEAN: "boolean",
  DOUBLE: "double precision"
}

export const typeName = (type: ColumnType): string => typeNames[type]

/** One statement for all of them: there are hundreds of comments, and the server may be far away. */
const commented = (...args: Parameters<typeof comments>): string => comments(...args).join(";\n")

type Column = Listed["columns"][number]

/** References to append-only tables are checked by a trigger instead of a foreign key (`Rights`). */
const isChecked = ({ store }: Schema, { references }: Column): boolean =>
  store.some(({ isAppendOnly, name }) => isAppendOnly === true && name === references?.[0])

const definition = (schema: Schema, table: Listed, column: Column): string =>
  [
    quoted(column.name),
    column.type.postgres,
    ...(column.isNumbered === true ? ["generated always as identity"] : []),
    ...constraints(table, column),
    ...(isChecked(schema, column) ? [] : foreignKey(column, (name) => Rights.inStore({ name })))
  ].join(" ")

const referenceCheck = (schema: Schema, table: Listed, column: Column): ReadonlyArray<string> =>
  isChecked(schema, column) ? Rights.checkReference(table, column) : []

/** Indexes a digest if a value may be too long for an index. */
const indexOf = (table: string, index: Named<Index>): string =>
  createIndex(table, index, (column) =>
    index.long?.includes(column) === true ? `ledger.digest_of(${quoted(column)})` : quoted(column)
  )

const createTable = (schema: Schema, table: Listed): ReadonlyArray<string> => {
  const name = Rights.inStore(table)
  const parts = [...table.columns.map((column) => definition(schema, table, column)), ...keys(table)]
  return [
    `create table ${name} (${parts.join(", ")})`,
    commented("table", name, table),
    ...table.indexes.map((index) => indexOf(name, index)),
    ...table.columns.flatMap((column) => referenceCheck(schema, table, column)),
    ...(table.isAppendOnly === true ? Rights.makeAppendOnly(table) : [])
  ]
}

/** PostgreSQL's own names for such constraints. */
const reworded = (table: Listed, version: number): ReadonlyArray<string> =>
  asWorded(table, version)
    .columns.filter(({ type }) => type.addedWords?.since === version)
    .map((column) => {
      const name = quoted(`${table.name}_${column.name}_check`)
      const check = `add constraint ${name} ${wordsOf(column).join(" ")}`
      return `alter table ${Rights.inStore(table)} drop constraint ${name}, ${check}`
    })

const onServer = ({ store }: Schema): ReadonlyArray<Listed> => store.filter(({ only }) => only !== "sqlite")

const ofTables = (schema: Schema, version: number, areAppendOnly: boolean): ReadonlyArray<string> => {
  const own = onServer(schema).filter(({ isAppendOnly = false }) => isAppendOnly === areAppendOnly)
  const { columns, indexes, tables } = cameWith(own, version)
  return [
    ...tables.flatMap((table) => createTable(schema, asWorded(table, version))),
    ...columns.flatMap(({ column, table }) => [
      `alter table ${Rights.inStore(table)} add column ${definition(schema, table, column)}`,
      ...columnComments(Rights.inStore(table), [column]),
      ...referenceCheck(schema, table, column)
    ]),
    ...indexes.map(({ index, table }) => indexOf(Rights.inStore(table), index)),
    ...rewordedIn(own, version).flatMap((table) => reworded(table, version))
  ]
}

/** The functions that check references, including references of tables in other schemas. */
export const referenceFunctions = (schema: Schema, version: number): ReadonlyArray<string> => {
  const { columns, tables } = cameWith(onServer(schema), version)
  const all = [...tables.flatMap((table) => table.columns.map((column) => ({ column, table }))), ...columns]
  return all
    .filter(({ column }) => isChecked(schema, column))
    .map(({ column, table }) => Rights.referenceFunction(table, column))
}

const ofWarehouse = ({ own }: Schema, version: number): ReadonlyArray<string> => {
  const { columns, indexes, tables } = cameWith(own, version)
  return [
    ...tables.flatMap(making),
    ...columns.flatMap(adding),
    ...indexes.map(({ index, table }) => indexOf(seen(table.name), index))
  ]
}

const typed = ({ name, type }: Shown["columns"][number]): string => `${quoted(name)} ${typeName(type)}`

const making = (table: Shown): ReadonlyArray<string> => [
  `create table ${seen(table.name)} (${[...table.columns.map(typed), `primary key (${quoted(table.key)})`].join(", ")})`,
  commented("table", seen(table.name), table),
  ...table.indexes.map((index) => indexOf(seen(table.name), index))
]

const adding = ({ column, table }: Evolution["added"][number]): ReadonlyArray<string> => [
  `alter table ${seen(table.name)} add column ${typed(column)}`,
  ...columnComments(seen(table.name), [column])
]

/** Every value is a column's canonical text, so no cast fails. */
const createNested = ({ columns, name, owner }: NestedTable): ReadonlyArray<string> => {
  if (owner === undefined) return []
  const items = columns.filter((column) => !ofRecord.has(column.name))
  const shape = items.map((column) => `${quoted(column.name)} text`).join(", ")
  const values = columns.map((column) => {
    const as = quoted(column.name)
    if (column.name === "_parent") return `record.${quoted(owner.keyColumn)} as ${as}`
    return ofRecord.has(column.name) ? `record.${as}` : `cast(item.${as} as ${typeName(column.type)}) as ${as}`
  })
  return [
    `create or replace view ${seen(name)} as select ${values.join(", ")} from ${seen(owner.table)} as record
      cross join lateral json_to_recordset(record._nested -> ${Literal.text(name)}) as item(${shape})`
  ]
}

/** What the entity tables lack. */
export const evolving = ({ added, made, views }: Evolution): ReadonlyArray<string> => [
  ...made.flatMap(making),
  ...added.flatMap(adding),
  ...views.flatMap((view) => [
    ...createNested(view),
    commented("view", seen(view.name), view),
    Rights.readOnly(seen(view.name))
  ])
]

/** Replaced by a version that adds columns; a view accepts new columns only at its end. */
const ofBooks = ({ store }: Schema, version: number): ReadonlyArray<string> => {
  const books = store.filter(({ shownBy }) => shownBy !== undefined)
  const changed = books.filter((table) => shown(table).columns.some(({ since }) => since === version))
  return changed.flatMap((table) => createView(asOf(shown(table), version), Rights.inStore(table)))
}

const createView = (table: Shown, from: string): ReadonlyArray<string> => {
  const cast = table.columns.map(({ name, type }) => `cast(${quoted(name)} as ${typeName(type)}) as ${quoted(name)}`)
  return [
    `create or replace view ${seen(table.name)} as select ${cast.join(", ")} from ${from}`,
    commented("view", seen(table.name), table),
    Rights.readOnly(seen(table.name))
  ]
}

/** What a version adds to `ledger`. It doesn't need the other schemas. */
export const ofLedger = (schema: Schema, version: number): ReadonlyArray<string> => [
  ...referenceFunctions(schema, version),
  ...ofTables(schema, version, true)
]

/** What a version adds to `siteledger` and `construction`, once `ledger` has that version. */
export const ofRest = (schema: Schema, version: number): ReadonlyArray<string> => [
  ...ofTables(schema, version, false),
  ...ofWarehouse(schema, version),
  ...ofBooks(schema, version)
]
