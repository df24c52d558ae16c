/**
 * DuckDB's chunks as plain rows. Values are canonical text or null, except for booleans, bytes and numbers that a
 * double holds exactly (INTEGER and smaller, FLOAT, DOUBLE).
 *
 * Guarantees: BIGINT and wider are decimal text (so `count(*)` is text too), DECIMAL is text with its full scale
 * ("12.3400"), DATE "YYYY-MM-DD", TIMESTAMP "YYYY-MM-DDTHH:MM:SS.ffffff", TIMESTAMPTZ the same with "Z", always in UTC.
 * LIST, STRUCT and MAP are arrays and objects of such values; bytes are copies. Pure.
 */
import { setImmediate } from "node:timers/promises"
import * as DuckDB from "@duckdb/node-api"
import * as Calendar from "./Calendar.ts"

export type Row = Record<string, unknown>

type Cell = (value: DuckDB.DuckDBValue) => unknown

/** Reads the rows of one result; the conversions of its columns are looked up once. */
export const reader = (result: DuckDB.DuckDBResult): ((chunk: DuckDB.DuckDBDataChunk) => Array<Row>) => {
  const read = partReader(result)
  return (chunk) => read(chunk, 0, chunk.rowCount)
}

/** Converting a whole chunk takes up to 50 ms, during which nothing would be answered. */
const partRows = 500

/** The same, but other work runs in between. */
export async function* inParts(result: DuckDB.DuckDBResult): AsyncGenerator<Array<Row>> {
  const read = partReader(result)
  for (const chunk of await result.fetchAllChunks()) {
    for (let from = 0; from < chunk.rowCount; from += partRows) {
      yield read(chunk, from, Math.min(partRows, chunk.rowCount - from))
      await setImmediate()
    }
  }
}

const partReader = (result: DuckDB.DuckDBResult) => {
  const names = result.columnNames()
  const cells = result.columnTypes().map(cellOf)
  return (chunk: DuckDB.DuckDBDataChunk, from: number, length: number): Array<Row> => {
    const columns = names.map((name, index) => ({
      name,
      cell: cells[index] ?? asText,
      vector: chunk.getColumnVector(index)
    }))
    return Array.from({ length }, (_, index) => {
      const row: Row = {}
      for (const { name, cell, vector } of columns) {
        const value: DuckDB.DuckDBValue = vector.getItem(from + index)
        row[name] = value === null ? null : cell(value)
      }
      return row
    })
  }
}

const asIs: Cell = (value) => value
const asText: Cell = (value) => String(value)

/** Throws on a value whose class doesn't match the column's type. */
const of =
  <A>(valueClass: abstract new (...args: never) => A, read: (value: A) => unknown): Cell =>
  (value) => {
    if (value instanceof valueClass) return read(value)
    throw new TypeError(`DuckDB gave ${typeof value} where ${valueClass.name} was expected`)
  }

const scalars: ReadonlyMap<DuckDB.DuckDBTypeId, Cell> = new Map<DuckDB.DuckDBTypeId, Cell>([
  [DuckDB.DuckDBTypeId.BOOLEAN, asIs],
  [DuckDB.DuckDBTypeId.TINYINT, asIs],
  [DuckDB.DuckDBTypeId.SMALLINT, asIs],
  [DuckDB.DuckDBTypeId.INTEGER, asIs],
  [DuckDB.DuckDBTypeId.UTINYINT, asIs],
  [DuckDB.DuckDBTypeId.USMALLINT, asIs],
  [DuckDB.DuckDBTypeId.UINTEGER, asIs],
  [DuckDB.DuckDBTypeId.FLOAT, asIs],
  [DuckDB.DuckDBTypeId.DOUBLE, asIs],
  [DuckDB.DuckDBTypeId.VARCHAR, asIs],
  [DuckDB.DuckDBTypeId.DECIMAL, of(DuckDB.DuckDBDecimalValue, ({ scale, value }) => decimalText(value, scale))],
  [DuckDB.DuckDBTypeId.DATE, of(DuckDB.DuckDBDateValue, ({ days }) => Calendar.dateText(days))],
  [DuckDB.DuckDBTypeId.TIME, of(DuckDB.DuckDBTimeValue, ({ micros }) => Calendar.timeText(Number(micros)))],
  [
    DuckDB.DuckDBTypeId.TIMESTAMP_TZ,
    of(DuckDB.DuckDBTimestampTZValue, ({ micros }) => Calendar.timestampText(micros, "Z"))
  ],
  [DuckDB.DuckDBTypeId.TIMESTAMP, of(DuckDB.DuckDBTimestampValue, ({ micros }) => Calendar.timestampText(micros, ""))],
  [
    DuckDB.DuckDBTypeId.TIMESTAMP_S,
    of(DuckDB.DuckDBTimestampSecondsValue, ({ seconds }) => coarseText(seconds, 1_000_000n))
  ],
  [
    DuckDB.DuckDBTypeId.TIMESTAMP_MS,
    of(DuckDB.DuckDBTimestampMillisecondsValue, ({ millis }) => coarseText(millis, 1000n))
  ],
  [DuckDB.DuckDBTypeId.TIMESTAMP_NS, of(DuckDB.DuckDBTimestampNanosecondsValue, ({ nanos }) => nanosText(nanos))],
  [DuckDB.DuckDBTypeId.BLOB, of(DuckDB.DuckDBBlobValue, ({ bytes }) => Uint8Array.from(bytes))]
])

const cellOf = (type: DuckDB.DuckDBType): Cell => {
  if (type instanceof DuckDB.DuckDBListType || type instanceof DuckDB.DuckDBArrayType) return listCell(type.valueType)
  if (type instanceof DuckDB.DuckDBStructType) return structCell(type)
  if (type instanceof DuckDB.DuckDBMapType) return mapCell(type)
  if (type instanceof DuckDB.DuckDBUnionType) {
    return of(DuckDB.DuckDBUnionValue, ({ tag, value }) => nullable(cellOf(type.memberTypeForTag(tag)))(value))
  }
  return scalars.get(type.typeId) ?? asText
}

const nullable =
  (cell: Cell): Cell =>
  (value) =>
    value === null ? null : cell(value)

const listCell = (valueType: DuckDB.DuckDBType): Cell => {
  const item = nullable(cellOf(valueType))
  return (value) => {
    if (value instanceof DuckDB.DuckDBListValue || value instanceof DuckDB.DuckDBArrayValue)
      return value.items.map(item)
    throw new TypeError(`DuckDB gave ${typeof value} where a list was expected`)
  }
}

const structCell = (type: DuckDB.DuckDBStructType): Cell => {
  const cells = type.entryNames.map((name) => [name, nullable(cellOf(type.typeForEntry(name)))] as const)
  return of(DuckDB.DuckDBStructValue, ({ entries }) =>
    Object.fromEntries(cells.map(([name, cell]) => [name, cell(entries[name] ?? null)]))
  )
}

const mapCell = (type: DuckDB.DuckDBMapType): Cell => {
  const key = nullable(cellOf(type.keyType))
  const item = nullable(cellOf(type.valueType))
  return of(DuckDB.DuckDBMapValue, ({ entries }) =>
    Object.fromEntries(entries.map((entry) => [keyText(key(entry.key)), item(entry.value)]))
  )
}

const keyText = (key: unknown): string => (typeof key === "object" ? JSON.stringify(key) : String(key))

const decimalText = (units: bigint, scale: number): string => {
  if (scale === 0) return String(units)
  const text = String(units < 0n ? -units : units).padStart(scale + 1, "0")
  return `${units < 0n ? "-" : ""}${text.slice(0, -scale)}.${text.slice(-scale)}`
}

const infinite = 9_223_372_036_854_775_807n

/** The text of a timestamp in seconds or milliseconds. */
const coarseText = (units: bigint, microsPerUnit: bigint): string =>
  Calendar.timestampText(units === infinite || units === -infinite ? units : units * microsPerUnit, "")

/** Nine digits: this is the only timestamp finer than microseconds. */
const nanosText = (nanos: bigint): string => {
  if (nanos === infinite || nanos === -infinite) return Calendar.timestampText(nanos, "")
  const truncated = nanos / 1000n
  const micros = truncated * 1000n > nanos ? truncated - 1n : truncated
  return Calendar.timestampText(micros, String(nanos - micros * 1000n).padStart(3, "0"))
}
