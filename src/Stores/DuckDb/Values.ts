/**
 * Converts plain values to DuckDB's: parameters of statements, and rows of canonical text for an Appender.
 *
 * Guarantees: exact or refused. Decimals keep every digit, times every microsecond; text that isn't canonical, doesn't
 * fit its column or would be rounded throws. (As in every UTF-8 encoder, a lone surrogate becomes U+FFFD.) If
 * `appendRows` throws or the process dies in it, the surrounding transaction decides the fate of the rows appended so
 * far; an Appender outside a transaction commits at `flushSync` and `closeSync`.
 */
import * as DuckDB from "@duckdb/node-api"
import type { ColumnType } from "../../Domain/Resource.ts"
import * as Calendar from "./Calendar.ts"

interface Parameters {
  readonly values: Array<DuckDB.DuckDBValue>
  readonly types: Array<DuckDB.DuckDBType>
}

/** What a statement may bind: text, numbers, bigints, booleans, null and undefined, `Date` as TIMESTAMPTZ, bytes. */
export const parameters = (unbound: ReadonlyArray<unknown>): Parameters => {
  const bound = unbound.map(parameter)
  return { values: bound.map(([value]) => value), types: bound.map(([, type]) => type) }
}

const parameter = (value: unknown, index: number): readonly [DuckDB.DuckDBValue, DuckDB.DuckDBType] => {
  if (value === null || value === undefined) return [null, DuckDB.SQLNULL]
  if (typeof value === "string") return [value, DuckDB.VARCHAR]
  if (typeof value === "number") return [value, numberType(value)]
  if (typeof value === "boolean") return [value, DuckDB.BOOLEAN]
  // Never wider than needed: with a HUGEINT, DuckDB would cast the BIGINT column that it is compared with.
  if (typeof value === "bigint") return [value, BigInt.asIntN(64, value) === value ? DuckDB.BIGINT : DuckDB.HUGEINT]
  if (value instanceof Date)
    return [new DuckDB.DuckDBTimestampTZValue(BigInt(value.getTime()) * 1000n), DuckDB.TIMESTAMPTZ]
  if (value instanceof Uint8Array) return [new DuckDB.DuckDBBlobValue(value), DuckDB.BLOB]
  throw new TypeError(`Parameter $${index + 1} is ${typeof value}: bind its text (JSON.stringify) instead`)
}

const numberType = (number: number): DuckDB.DuckDBType => {
  if (!Number.isSafeInteger(number)) return DuckDB.DOUBLE
  return Math.abs(number) <= 2_147_483_647 ? DuckDB.INTEGER : DuckDB.BIGINT
}

/** Converts one column's canonical text; null stays null. */
type FromText = (text: string | null) => DuckDB.DuckDBValue

interface Conversion {
  readonly type: DuckDB.DuckDBType
  /** Throws a RangeError for text that doesn't fit. */
  readonly convert: () => (text: string) => DuckDB.DuckDBValue
}

const same = (text: string): string => text

const conversions: Readonly<Record<ColumnType, Conversion>> = {
  BIGINT: { type: DuckDB.BIGINT, convert: () => bigint },
  VARCHAR: { type: DuckDB.VARCHAR, convert: () => same },
  JSON: { type: DuckDB.VARCHAR, convert: () => same },
  DATE: { type: DuckDB.DATE, convert: () => date },
  TIMESTAMPTZ: { type: DuckDB.TIMESTAMPTZ, convert: () => latest(timestamp) },
  "DECIMAL(28,4)": { type: DuckDB.DECIMAL(28, 4), convert: () => decimalReader(28, 4) },
  "DECIMAL(10,2)": { type: DuckDB.DECIMAL(10, 2), convert: () => decimalReader(10, 2) },
  BOOLEAN: { type: DuckDB.BOOLEAN, convert: () => boolean },
  DOUBLE: { type: DuckDB.DOUBLE, convert: () => double }
}

const wholeNumber = /^-?\d+$/
const decimalNumber = /^-?\d+(?:\.\d+)?$/

const refuse = (text: string, type: string): never => {
  throw new RangeError(`Not a ${type}: "${text.length > 100 ? `${text.slice(0, 100)}…` : text}"`)
}

const bigint = (text: string): bigint => {
  if (!wholeNumber.test(text)) return refuse(text, "BIGINT")
  const value = BigInt(text)
  return BigInt.asIntN(64, value) === value ? value : refuse(text, "BIGINT")
}

const boolean = (text: string): boolean => {
  if (text !== "true" && text !== "false") return refuse(text, "BOOLEAN")
  return text === "true"
}

const double = (text: string): number => {
  const value = Number(text)
  return text !== "" && Number.isFinite(value) ? value : refuse(text, "DOUBLE")
}

const date = (text: string) => new DuckDB.DuckDBDateValue(Calendar.readDays(text))

const timestamp = (text: string) => new DuckDB.DuckDBTimestampTZValue(Calendar.readMicros(text))

/** Remembers the last text, because rows of one batch mostly share their versions. */
const latest = <A>(convert: (text: string) => A): ((text: string) => A) => {
  let last: { readonly text: string; readonly value: A } | undefined
  return (text) => {
    if (last?.text !== text) last = { text, value: convert(text) }
    return last.value
  }
}

const decimalReader = (width: number, scale: number) => {
  const type = `DECIMAL(${width},${scale})`
  const limit = 10n ** BigInt(width)
  const zeros = "0".repeat(scale)
  return (text: string): DuckDB.DuckDBDecimalValue => {
    if (!decimalNumber.test(text)) return refuse(text, type)
    const point = text.indexOf(".")
    const whole = point < 0 ? text : text.slice(0, point)
    const fraction = point < 0 ? "" : text.slice(point + 1)
    // Zeros beyond the scale don't count as digits; anything else would be rounded.
    if (fraction.length > scale && !isZeros(fraction, scale)) return refuse(text, type)
    const units = BigInt(whole + (fraction + zeros).slice(0, scale))
    return units < limit && units > -limit ? new DuckDB.DuckDBDecimalValue(units, width, scale) : refuse(text, type)
  }
}

const reader = (type: ColumnType): FromText => {
  const convert = conversions[type].convert()
  return (text) => (text === null ? null : convert(text))
}

const isZeros = (digits: string, from: number): boolean => /^0*$/.test(digits.slice(from))

/** DuckDB's own chunk size; it refuses more. */
const chunkRows = 2048

type Columns = ReadonlyArray<{ readonly name: string; readonly type: ColumnType }>

/** Appends rows of canonical text; `columns` are in the table's own order. */
export const appendRows = (
  appender: DuckDB.DuckDBAppender,
  columns: Columns,
  rows: ReadonlyArray<Readonly<Record<string, string | null>>>
): void => appendTexts(appender, columns, rows, (row, column) => row[column] ?? null)

/** The same for any object in which `textOf` finds the text of a column. */
export const appendTexts = <A>(
  appender: DuckDB.DuckDBAppender,
  columns: Columns,
  rows: ReadonlyArray<A>,
  textOf: (row: A, column: string) => string | null
): void => {
  const types = columns.map(({ type }) => conversions[type].type)
  const readers = columns.map(({ name, type }) => [name, reader(type)] as const)
  // Chunk by chunk, so that its values become garbage while they are still young.
  for (let from = 0; from < rows.length; from += chunkRows) {
    const part = rows.slice(from, from + chunkRows)
    const chunk = DuckDB.DuckDBDataChunk.create(types, part.length)
    chunk.setColumns(readers.map(([name, read]) => part.map((row) => read(textOf(row, name)))))
    appender.appendDataChunk(chunk)
  }
}
