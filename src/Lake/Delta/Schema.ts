/**
 * A table's columns as Delta Lake describes them, and what is known of a file's values. Pure.
 */
import * as Instant from "../../Domain/Instant.ts"
import type { Columns, ManifestFile } from "../Manifest.ts"

const simple: Readonly<Record<string, string>> = {
  BIGINT: "long",
  BOOLEAN: "boolean",
  DATE: "date",
  DOUBLE: "double",
  FLOAT: "float",
  INTEGER: "integer",
  SMALLINT: "short",
  "TIMESTAMP WITH TIME ZONE": "timestamp",
  VARCHAR: "string"
}

/** `type`: DuckDB's name. Undefined if Delta Lake has no such type, or none that every reader supports. */
const typeOf = (type: string): string | undefined =>
  simple[type] ?? (/^DECIMAL\(\d+,\d+\)$/.test(type) ? type.toLowerCase() : undefined)

const fieldsOf = ({ description, name, type: ours }: Columns[number]) => {
  const type = typeOf(ours)
  if (type === undefined) return []
  return [{ name, type, nullable: true, metadata: description === undefined ? {} : { comment: description } }]
}

/** Each event lies in the folder of its date. */
const partition = { name: "event_date", type: "DATE", description: "The UTC date of event_timestamp." }

const isPartitioned = (table: string): boolean => table === "events"

/** Empty if the table isn't partitioned. */
export const partitionsOf = (table: string): ReadonlyArray<string> => (isPartitioned(table) ? [partition.name] : [])

/** Leaves out a column that someone has added to the warehouse and whose type Delta Lake lacks. */
export const schemaOf = (table: string, columns: Columns): string => {
  const all = isPartitioned(table) ? [...columns, partition] : columns
  return JSON.stringify({ type: "struct", fields: all.flatMap(fieldsOf) })
}

/** JSON text. Numbers are copied digit by digit; times have milliseconds, and the greatest time is rounded up. */
export const statsOf = (columns: Columns, { nulls, ranges = {}, rows }: ManifestFile): string => {
  const bounds = (of: "max" | "min") =>
    columns.flatMap(({ name, type }) => {
      const range = ranges[name]
      return range === undefined ? [] : [`${JSON.stringify(name)}:${boundOf(type, range[of], of)}`]
    })
  const counts = columns.filter(({ type }) => typeOf(type) !== undefined).map(({ name }) => [name, nulls?.[name] ?? 0])
  const nullCount = nulls === undefined ? "" : `,"nullCount":${JSON.stringify(Object.fromEntries(counts))}`
  return `{"numRecords":${rows},"minValues":{${bounds("min").join()}},"maxValues":{${bounds("max").join()}}${nullCount}}`
}

const boundOf = (type: string, value: string, of: "max" | "min"): string => {
  if (type === "DATE") return JSON.stringify(value)
  if (type !== "TIMESTAMP WITH TIME ZONE") return value
  return JSON.stringify(milliseconds(value, of))
}

const milliseconds = (time: Instant.Instant, of: "max" | "min"): string => {
  const thousands = Instant.toMicros(time) / 1000
  return `${Instant.fromMicros((of === "max" ? Math.ceil(thousands) : Math.floor(thousands)) * 1000).slice(0, 23)}Z`
}
