/**
 * Which rows of a table are wanted, as SQL that both engines understand. A name gets into it only if the table has such
 * a column, and then quoted; a value only as a parameter, cast to the column's type after it was validated. Pure.
 */
import { type RawBuilder, sql } from "kysely"
import * as Json from "../../Domain/Json.ts"
import { isText } from "../../Domain/Limits.ts"
import type { Column, ColumnType } from "../../Domain/Resource.ts"
import { readValue } from "../../Domain/Value.ts"
import type { EntityTable } from "../../Stores/EntityTables.ts"
import type { Payload } from "../AdminApi.ts"

export type Condition = NonNullable<Payload<"records">["where"]>[number]

/** A failure is a sentence. */
type Fits = RawBuilder<boolean> | string

/** In a spelling that both engines accept. */
const casts: Readonly<Record<ColumnType, string>> = {
  BIGINT: "bigint",
  VARCHAR: "text",
  "DECIMAL(28,4)": "decimal(28,4)",
  "DECIMAL(10,2)": "decimal(10,2)",
  TIMESTAMPTZ: "timestamptz",
  DATE: "date",
  JSON: "text",
  BOOLEAN: "boolean",
  DOUBLE: "float8"
}

/** JSON has no order and no equality. */
const comparable = ({ name, type }: Column): RawBuilder<unknown> => (type === "JSON" ? textOf(name) : sql.id(name))

const textOf = (name: string): RawBuilder<unknown> => sql`cast(${sql.id(name)} as text)`

/** As a parameter. */
export const typed = (type: ColumnType, value: string): RawBuilder<unknown> =>
  sql`cast(${value} as ${sql.raw(casts[type])})`

/** Canonical; undefined if it isn't a valid value for such a column. */
export const read = (type: ColumnType, text: string): string | undefined => {
  if (type === "JSON") return text
  const isPlain = type === "BOOLEAN" || type === "DOUBLE"
  return readValue(type, isPlain ? Json.parse(text) : text) ?? undefined
}

const operators = { equals: sql`=`, less: sql`<`, more: sql`>` } as const

/** Ignores case. */
const lower = (of: RawBuilder<unknown>): RawBuilder<unknown> => sql`lower(${of})`

const wanted = (column: Column, { is, value }: Condition): Fits => {
  const { name, type } = column
  if (is === "null") return sql<boolean>`${sql.id(name)} is null`
  if (is === "not-null") return sql<boolean>`${sql.id(name)} is not null`
  if (value === undefined) return `Give the value to compare ${name} with.`
  if (!isText(value)) return `The value to compare ${name} with isn't text that a table can hold.`
  if (is === "contains") return sql<boolean>`strpos(${lower(textOf(name))}, ${lower(sql`cast(${value} as text)`)}) > 0`
  if (is === "begins") return sql<boolean>`starts_with(${lower(textOf(name))}, ${lower(sql`cast(${value} as text)`)})`
  const canonical = read(type, value)
  if (canonical === undefined) return `${name} is ${type}, and the value to compare it with isn't.`
  return sql<boolean>`${comparable(column)} ${operators[is]} ${typed(type, canonical)}`
}

export const fits = ({ columns, name }: EntityTable, condition: Condition): Fits => {
  const column = columns.find((each) => each.name === condition.column)
  if (column === undefined)
    return `${name} has no column ${condition.column}: \`siteledger tables ${name}\` shows its columns.`
  return wanted(column, condition)
}
