/**
 * Plain values to DuckDB's: parameters of statements, and rows of canonical text for an Appender.
 *
 * Guarantees: exact or refused. Decimals keep every digit, times every microsecond; text that isn't canonical,
 * doesn't fit its column or would be rounded throws. (As in every UTF-8 encoder, a lone surrogate in a string becomes
 * U+FFFD.)
 * If `appendRows` throws, or the process dies in the middle of it, the rows before are in the table or not as the
 * transaction that they were appended in says; an Appender outside a transaction commits at `flushSync` and `closeSync`.
 */
import * as DuckDB from "@duckdb/node-api"
import * as Calendar from "./Calendar.ts"

export interface Parameters {
  readonly values: Array<DuckDB.DuckDBValue>
  readonly types: Array<DuckDB.DuckDBType>
}

/** What a statement may bind: text, numbers, bigints, booleans, null and undefined, `Date` as TIMESTAMPTZ, bytes. */
export const parameters = (given: ReadonlyArray<unknown>): Parameters => {
  const bound = given.map(parameter)
  return { values: bound.map(([value]) => value), types: bound.map(([, type]) => type) }
}

const parameter = (given: unknown, index: number): readonly [DuckDB.DuckDBValue, DuckDB.DuckDBType] => {
  if (given === null || given === undefined) return [null, DuckDB.SQLNULL]
  if (typeof given === "string") return [given, DuckDB.VARCHAR]
  if (typeof given === "number") return [given, numberType(given)]
  if (typeof given === "boolean") return [given, DuckDB.BOOLEAN]
  // Bound as wide as it is, not wider: a HUGEINT would make DuckDB cast the BIGINT column it is compared with.
  if (typeof given === "bigint") return [given, BigInt.asIntN(64, given) === given ? DuckDB.BIGINT : DuckDB.HUGEINT]
  if (given instanceof Date)
    return [new DuckDB.DuckDBTimestampTZValue(BigInt(given.getTime()) * 1000n), DuckDB.TIMESTAMPTZ]
  if (given instanceof Uint8Array) return [new DuckDB.DuckDBBlobValue(given), DuckDB.BLOB]
  throw new TypeError(`Parameter $${index + 1} is ${typeof given}: bind its text (JSON.stringify) instead`)
}

const numberType = (number: number): DuckDB.DuckDBType => {
  if (!Number.isSafeInteger(number)) return DuckDB.DOUBLE
  return Math.abs(number) <= 2_147_483_647 ? DuckDB.INTEGER : DuckDB.BIGINT
}

/** Converts one column's canonical text; null stays null. */
export type FromText = (text: string | null) => DuckDB.DuckDBValue

const decimal = /^DECIMAL\((\d+), ?(\d+)\)$/

const named: ReadonlyMap<string, readonly [DuckDB.DuckDBType, () => (text: string) => DuckDB.DuckDBValue]> = new Map([
  ["BIGINT", [DuckDB.BIGINT, () => bigint]],
  ["INTEGER", [DuckDB.INTEGER, () => integer]],
  ["DOUBLE", [DuckDB.DOUBLE, () => double]],
  ["VARCHAR", [DuckDB.VARCHAR, () => (text: string) => text]],
  ["TEXT", [DuckDB.VARCHAR, () => (text: string) => text]],
  ["JSON", [DuckDB.VARCHAR, () => (text: string) => text]],
  ["BOOLEAN", [DuckDB.BOOLEAN, () => boolean]],
  ["DATE", [DuckDB.DATE, () => date]],
  [
    "TIMESTAMP",
    [DuckDB.TIMESTAMP, () => latest((text) => new DuckDB.DuckDBTimestampValue(Calendar.readMicros(text, "")))]
  ],
  [
    "TIMESTAMPTZ",
    [DuckDB.TIMESTAMPTZ, () => latest((text) => new DuckDB.DuckDBTimestampTZValue(Calendar.readMicros(text, "Z")))]
  ]
])

/** DuckDB's type object for a type as it is spelled in SQL: "BIGINT", "DECIMAL(28,4)", "TIMESTAMPTZ", … */
export const duckDbType = (type: string): DuckDB.DuckDBType => {
  const match = decimal.exec(type)
  return match === null ? lookUp(type)[0] : DuckDB.DECIMAL(Number(match[1]), Number(match[2]))
}

/** The conversion of canonical text to DuckDB's values of one type; throws a RangeError on text that doesn't fit. */
export const toDuckDb = (type: string): FromText => {
  const match = decimal.exec(type)
  const convert = match === null ? lookUp(type)[1]() : decimalReader(Number(match[1]), Number(match[2]))
  return (text) => (text === null ? null : convert(text))
}

const lookUp = (type: string) => {
  const found = named.get(type)
  if (found === undefined) throw new TypeError(`No conversion of text to "${type}"`)
  return found
}

const wholeNumber = /^-?\d+$/
const decimalNumber = /^-?\d+(?:\.\d+)?$/
const doubleNumber = /^-?(?:\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|Infinity)$|^NaN$/

const refuse = (text: string, type: string): never => {
  throw new RangeError(`Not a ${type}: "${text.length > 100 ? `${text.slice(0, 100)}…` : text}"`)
}

const bigint = (text: string): bigint => {
  if (!wholeNumber.test(text)) return refuse(text, "BIGINT")
  const value = BigInt(text)
  return BigInt.asIntN(64, value) === value ? value : refuse(text, "BIGINT")
}

const integer = (text: string): number => {
  const value = wholeNumber.test(text) ? Number(text) : NaN
  return (value | 0) === value ? value : refuse(text, "INTEGER")
}

const double = (text: string): number => (doubleNumber.test(text) ? Number(text) : refuse(text, "DOUBLE"))

const boolean = (text: string): boolean => text === "true" || (text !== "false" && refuse(text, "BOOLEAN"))

const date = (text: string) => new DuckDB.DuckDBDateValue(Calendar.readDays(text))

/** Remembers the last text: rows of one batch mostly share their versions. */
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
    // Zeros beyond the scale are no digits; anything else would be rounded.
    if (fraction.length > scale && !isZeros(fraction, scale)) return refuse(text, type)
    const units = BigInt(whole + (fraction + zeros).slice(0, scale))
    return units < limit && units > -limit ? new DuckDB.DuckDBDecimalValue(units, width, scale) : refuse(text, type)
  }
}

const isZeros = (digits: string, from: number): boolean => /^0*$/.test(digits.slice(from))

/** DuckDB's own size of a chunk; it refuses more. */
const chunkRows = 2048

/** Appends rows of canonical text; `columns` are names and types as in SQL, in the order of the table's own. */
export const appendRows = (
  appender: DuckDB.DuckDBAppender,
  columns: ReadonlyArray<{ readonly name: string; readonly type: string }>,
  rows: ReadonlyArray<Readonly<Record<string, string | null>>>
): void => {
  const types = columns.map(({ type }) => duckDbType(type))
  const readers = columns.map(({ name, type }) => [name, toDuckDb(type)] as const)
  // What a chunk is made of is garbage before the collector has to carry it along.
  for (let from = 0; from < rows.length; from += chunkRows) {
    const part = rows.slice(from, from + chunkRows)
    const chunk = DuckDB.DuckDBDataChunk.create(types, part.length)
    chunk.setColumns(readers.map(([name, read]) => part.map((row) => read(row[name] ?? null))))
    appender.appendDataChunk(chunk)
  }
}
