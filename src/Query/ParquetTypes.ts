/**
 * Which of DuckDB's types and values a Parquet file holds exactly for any reader, and as which type. A type that isn't
 * named here is refused, at the top level or inside another type. Pure.
 *
 * DuckDB's own writer refuses nothing: intervals lose their microseconds, times lose their zone, wide integers become
 * floats, and an infinite time looks like a distant one to any other reader.
 */
import * as DuckDB from "@duckdb/node-api"
import * as Literal from "../Domain/Literal.ts"

export interface Place {
  /** The type as which it is written. */
  readonly type: string
  /**
   * An SQL condition on a value that is true if the value fits; it is also true for NULL. Undefined if every value
   * fits.
   */
  readonly fits: ((value: string) => string) | undefined
}

const { DuckDBTypeId: Id } = DuckDB

const asItIs: ReadonlySet<DuckDB.DuckDBTypeId> = new Set([
  Id.BOOLEAN,
  Id.TINYINT,
  Id.SMALLINT,
  Id.INTEGER,
  Id.BIGINT,
  Id.UTINYINT,
  Id.USMALLINT,
  Id.UINTEGER,
  Id.UBIGINT,
  Id.FLOAT,
  Id.DOUBLE,
  Id.DECIMAL,
  Id.BLOB,
  Id.UUID
])

const finite = (value: string): string => `coalesce(isfinite(${value}), true)`
const ofADay = (value: string): string => `coalesce(${value} < time '24:00:00', true)`
const widest = "9".repeat(38)
const narrow = (value: string): string => `coalesce(${value} between -${widest} and ${widest}, true)`
const narrowUnsigned = (value: string): string => `coalesce(${value} <= ${widest}, true)`

const others: ReadonlyMap<DuckDB.DuckDBTypeId, Place> = new Map([
  [Id.DATE, { type: "DATE", fits: finite }],
  [Id.TIME, { type: "TIME", fits: ofADay }],
  [Id.TIMESTAMP, { type: "TIMESTAMP", fits: finite }],
  [Id.TIMESTAMP_S, { type: "TIMESTAMP", fits: finite }],
  [Id.TIMESTAMP_MS, { type: "TIMESTAMP", fits: finite }],
  [Id.TIMESTAMP_NS, { type: "TIMESTAMP_NS", fits: finite }],
  [Id.TIMESTAMP_TZ, { type: "TIMESTAMP WITH TIME ZONE", fits: finite }],
  // Parquet's widest integer has 64 bits.
  [Id.HUGEINT, { type: "DECIMAL(38,0)", fits: narrow }],
  [Id.UHUGEINT, { type: "DECIMAL(38,0)", fits: narrowUnsigned }],
  [Id.ENUM, { type: "VARCHAR", fits: undefined }]
])

export const placeOf = (type: DuckDB.DuckDBType): Place | undefined => {
  if (type instanceof DuckDB.DuckDBListType || type instanceof DuckDB.DuckDBArrayType) return listOf(type.valueType)
  if (type instanceof DuckDB.DuckDBStructType) return structOf(type)
  if (type instanceof DuckDB.DuckDBMapType) return mapOf(type)
  if (type.typeId === Id.VARCHAR) return { type: type.alias === "JSON" ? "JSON" : "VARCHAR", fits: undefined }
  return asItIs.has(type.typeId) ? { type: String(type), fits: undefined } : others.get(type.typeId)
}

const ofAnyLength: ReadonlySet<DuckDB.DuckDBTypeId> = new Set([
  Id.VARCHAR,
  Id.BLOB,
  Id.LIST,
  Id.ARRAY,
  Id.STRUCT,
  Id.MAP
])

/** Whether one value may need far more room than another. */
export const isOfAnyLength = ({ typeId }: DuckDB.DuckDBType): boolean => ofAnyLength.has(typeId)

const listOf = (item: DuckDB.DuckDBType): Place | undefined => {
  const place = placeOf(item)
  return place && { type: `${place.type}[]`, fits: place.fits && allFit(place.fits) }
}

/** Lambdas nest, so each names its parameter after what it iterates over: no enclosing one has that name. */
const allFit =
  (fits: (value: string) => string) =>
  (value: string): string => {
    const item = `of_${value.replaceAll(/\W/g, "")}`
    return `coalesce(list_bool_and(list_transform(${value}, lambda ${item}: ${fits(item)})), true)`
  }

const structOf = ({ entryNames, entryTypes }: DuckDB.DuckDBStructType): Place | undefined => {
  const parts: Array<string> = []
  const conditions: Array<(value: string) => string> = []
  for (const [position, name] of entryNames.entries()) {
    const entry = entryTypes[position]
    const place = entry && placeOf(entry)
    // `row(1, 2)` has no names, but Parquet groups need them.
    if (place === undefined || name === "") return undefined
    const { fits } = place
    parts.push(`${identifier(name)} ${place.type}`)
    if (fits !== undefined) conditions.push((value) => fits(`struct_extract(${value}, ${Literal.text(name)})`))
  }
  const all = (value: string): string => conditions.map((condition) => condition(value)).join(" and ")
  return { type: `STRUCT(${parts.join(", ")})`, fits: conditions.length === 0 ? undefined : all }
}

const mapOf = ({ keyType, valueType }: DuckDB.DuckDBMapType): Place | undefined => {
  const key = placeOf(keyType)
  const item = placeOf(valueType)
  if (key === undefined || item === undefined) return undefined
  const sides = [key.fits && side("map_keys", key.fits), item.fits && side("map_values", item.fits)]
  const conditions = sides.filter((condition) => condition !== undefined)
  const all = (value: string): string => conditions.map((condition) => condition(value)).join(" and ")
  return { type: `MAP(${key.type}, ${item.type})`, fits: conditions.length === 0 ? undefined : all }
}

const side = (name: string, fits: (value: string) => string) => (value: string) => allFit(fits)(`${name}(${value})`)

export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`
