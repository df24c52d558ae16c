/**
 * Both schemas as PostgreSQL's DDL, with what tables and columns mean: `siteledger` (the Store), `construction` (what
 * analysts see). The books in `construction` are views over the Store's, so they can never tell something else. Pure.
 */
import type { ColumnType } from "../../Domain/Resource.ts"
import { columnComments, comments, constraints, createIndex, foreignKey, keys, quoted } from "../Ddl.ts"
import type { Index, Named, Listed } from "../Table.ts"
import { asOf, cameWith, type Schema } from "../SchemaVersions.ts"
import { type Shown, shown } from "../WarehouseTables.ts"
import * as Rights from "./Rights.ts"

/** JSON as it was written: `jsonb` refuses some of it and keeps no bytes. */
const typeNames: Readonly<Record<ColumnType, string>> = {
  BIGINT: "bigint",
  VARCHAR: "text",
  "DECIMAL(28,4)": "numeric(28,4)",
  "DECIMAL(10,2)": "numeric(10,2)",
  TIMESTAMPTZ: "timestamptz",
  DATE: "date",
  JSON: "json"
}

export const typeName = (type: ColumnType): string => typeNames[type]

/** In one go: there are hundreds, and the server may be far away. */
const said = (...given: Parameters<typeof comments>): string => comments(...given).join(";\n")

type Column = Listed["columns"][number]

const called = (name: string): string => `siteledger.${name}`
const inStore = ({ name }: Pick<Listed, "name">): string => called(name)

/** A reference to what is there for ever is watched by a trigger (`Rights`). */
const isWatched = ({ store }: Schema, { references }: Column): boolean =>
  store.some(({ isAppendOnly, name }) => isAppendOnly === true && name === references?.[0])

const definition = (schema: Schema, table: Listed, column: Column): string =>
  [
    quoted(column.name),
    column.type.postgres,
    ...(column.isNumbered === true ? ["generated always as identity"] : []),
    ...constraints(table, column),
    ...(isWatched(schema, column) ? [] : foreignKey(column, called))
  ].join(" ")

const watch = (schema: Schema, table: Listed, column: Column): ReadonlyArray<string> =>
  isWatched(schema, column) ? Rights.watch(table, column) : []

/** A digest, where a value may be longer than an index takes. */
const indexOf = (table: string, index: Named<Index>): string =>
  createIndex(table, index, (column) =>
    index.long?.includes(column) === true ? `siteledger.digest_of(${quoted(column)})` : quoted(column)
  )

const createTable = (schema: Schema, table: Listed): ReadonlyArray<string> => {
  const name = inStore(table)
  const parts = [...table.columns.map((column) => definition(schema, table, column)), ...keys(table)]
  return [
    `create table ${name} (${parts.join(", ")})`,
    said("table", name, table),
    ...table.indexes.map((index) => indexOf(name, index)),
    ...table.columns.flatMap((column) => watch(schema, table, column)),
    ...(table.isAppendOnly === true ? Rights.keep(table) : [])
  ]
}

const ofStore = (schema: Schema, version: number): ReadonlyArray<string> => {
  const { columns, indexes, tables } = cameWith(
    schema.store.filter(({ only }) => only !== "sqlite"),
    version
  )
  return [
    ...tables.flatMap((table) => createTable(schema, table)),
    ...columns.flatMap(({ column, table }) => [
      `alter table ${inStore(table)} add column ${definition(schema, table, column)}`,
      ...columnComments(inStore(table), [column]),
      ...watch(schema, table, column)
    ]),
    ...indexes.map(({ index, table }) => indexOf(inStore(table), index))
  ]
}

const seen = ({ name }: Pick<Shown, "name">): string => `construction.${name}`

const ofWarehouse = ({ own }: Schema, version: number): ReadonlyArray<string> => {
  const { columns, indexes, tables } = cameWith(own, version)
  const typed = ({ name, type }: Shown["columns"][number]): string => `${quoted(name)} ${typeName(type)}`
  return [
    ...tables.flatMap((table) => [
      `create table ${seen(table)} (${[...table.columns.map(typed), `primary key (${quoted(table.key)})`].join(", ")})`,
      said("table", seen(table), table),
      ...table.indexes.map((index) => indexOf(seen(table), index))
    ]),
    ...columns.flatMap(({ column, table }) => [
      `alter table ${seen(table)} add column ${typed(column)}`,
      ...columnComments(seen(table), [column])
    ]),
    ...indexes.map(({ index, table }) => indexOf(seen(table), index))
  ]
}

/** Made again with what was added, which a view takes at its end. */
const ofBooks = ({ store }: Schema, version: number): ReadonlyArray<string> => {
  const books = store.filter(({ shownBy }) => shownBy !== undefined).map(shown)
  const changed = books.filter(({ columns }) => columns.some(({ since }) => since === version))
  return changed.flatMap((table) => createView(asOf(table, version)))
}

const createView = (table: Shown): ReadonlyArray<string> => {
  const cast = table.columns.map(({ name, type }) => `cast(${quoted(name)} as ${typeName(type)}) as ${quoted(name)}`)
  return [
    `create or replace view ${seen(table)} as select ${cast.join(", ")} from ${inStore(table)}`,
    said("view", seen(table), table),
    Rights.readOnly(seen(table))
  ]
}

/** What a version brought. */
export const statements = (schema: Schema, version: number): ReadonlyArray<string> => [
  ...ofStore(schema, version),
  ...ofWarehouse(schema, version),
  ...ofBooks(schema, version)
]
