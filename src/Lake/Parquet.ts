/**
 * Reads the contents of Parquet files with a separate in-memory DuckDB: what their footers say about each column,
 * without reading values; and, when an export is verified, every value.
 */
import { DuckDBInstance } from "@duckdb/node-api"
import { Effect, type Scope } from "effect"
import type { LakeError } from "./Lake.ts"
import { attempt } from "./LocalFiles.ts"
import type { Columns, Range } from "./Manifest.ts"
import * as Literal from "../Domain/Literal.ts"
import { quoted } from "../Stores/Ddl.ts"

export interface Footer {
  /** By column: the exact minimum and maximum. */
  readonly ranges: Readonly<Record<string, Range>>
  /** By column: how many rows have no value. Columns that always have one are left out. */
  readonly nulls: Readonly<Record<string, number>>
}

const nothing: Footer = { ranges: {}, nulls: {} }

export interface File {
  readonly path: string
  readonly columns: Columns
}

export interface Parquet {
  /** By file. */
  readonly footers: (files: ReadonlyArray<File>) => Effect.Effect<ReadonlyMap<string, Footer>, LakeError>
  /** Those of these columns of an entity table that have no value in any row that isn't deleted. */
  readonly unfilled: (file: File) => Effect.Effect<ReadonlyArray<string>, LakeError>
  /** Writes rows given as JSON objects, one per line, with these columns of DuckDB types. */
  readonly fromJson: (
    lines: string,
    columns: Readonly<Record<string, string>>,
    file: string
  ) => Effect.Effect<void, LakeError>
  /** Reads a checkpoint of a Delta log. */
  readonly checkpoint: (file: string) => Effect.Effect<
    {
      readonly id: string
      readonly schema: string
      readonly files: ReadonlyArray<{ readonly path: string; readonly bytes: number; readonly stats: string }>
    },
    LakeError
  >
  /** Decodes every value of a file. */
  readonly read: (
    file: string
  ) => Effect.Effect<{ readonly rows: number; readonly columns: Columns; readonly footer: Footer }, LakeError>
}

const metaDataIn = (found: Rows) => {
  const [id, schema] = found.find(([each]) => each !== null) ?? []
  return { id: String(id ?? ""), schema: String(schema ?? "") }
}

/** Enough for a row group of the widest table; a larger file needs no more. */
const memory = "384MB"

type Rows = ReadonlyArray<ReadonlyArray<unknown>>

export const open: Effect.Effect<Parquet, LakeError, Scope.Scope> = Effect.gen(function* () {
  const connect = async () => {
    const instance = await DuckDBInstance.create(":memory:", { threads: "1", memory_limit: memory })
    const connection = await instance.connect()
    // DuckDB caches files by name, even after a file has changed.
    await connection.run("set temp_directory = ''; set TimeZone = 'UTC'; set enable_external_file_cache = false")
    return { instance, connection }
  }
  const close = ({ connection, instance }: Awaited<ReturnType<typeof connect>>) =>
    Effect.sync(() => {
      connection.disconnectSync()
      instance.closeSync()
    })
  const { connection } = yield* Effect.acquireRelease(attempt(connect), close)
  const rows = (sql: string): Effect.Effect<Rows, LakeError> =>
    attempt(async () => (await connection.runAndReadAll(sql)).getRowsJson())
  const footers: Parquet["footers"] = Effect.fnUntraced(function* (files) {
    const found = Map.groupBy(files.length === 0 ? [] : yield* rows(footersOf(files)), ([file]) => String(file))
    return new Map(files.map(({ columns, path }) => [path, footerOf(columns, found.get(path) ?? [])]))
  })
  return {
    footers,
    unfilled: ({ columns, path }) => {
      const counts = columns.map(({ name }) => `count(${quoted(name)})`).join(", ")
      const source = `read_parquet(${Literal.text(path)}, hive_partitioning = false)`
      return Effect.map(rows(`select ${counts} from ${source} where _deleted_at is null`), ([counted = []]) =>
        columns.flatMap(({ name }, place) => (Number(counted[place]) === 0 ? [name] : []))
      )
    },
    fromJson: (lines, columns, file) => {
      const types = Object.entries(columns).map(([name, type]) => `${quoted(name)}: ${Literal.text(type)}`)
      const source = `read_json(${Literal.text(lines)}, format = 'newline_delimited', columns = {${types.join(", ")}})`
      return Effect.asVoid(rows(`copy (from ${source}) to ${Literal.text(file)} (format parquet)`))
    },
    checkpoint: (file) =>
      Effect.map(
        rows(
          `select metaData.id, metaData.schemaString, add.path, add.size, add.stats from read_parquet(${Literal.text(file)})
           where metaData is not null or add is not null`
        ),
        (found) => ({
          ...metaDataIn(found),
          files: found.flatMap(([, , path, bytes, stats]) =>
            path === null ? [] : [{ path: String(path), bytes: Number(bytes), stats: String(stats) }]
          )
        })
      ),
    read: Effect.fnUntraced(function* (file) {
      const source = `read_parquet(${Literal.text(file)}, hive_partitioning = false)`
      const columns = (yield* rows(`describe from ${source}`)).map(([name, type]) => ({
        name: String(name),
        type: String(type)
      }))
      // Hashes whole rows: a count alone would read only the footer.
      const [counted] = yield* rows(`select count(*), bit_xor(hash(f)) from ${source} f`)
      const found = yield* footers([{ path: file, columns }])
      return { rows: Number(counted?.[0]), columns, footer: found.get(file) ?? nothing }
    })
  }
})

type Kind = "number" | "date" | "time"

/** Text has no range: its range says little and may be long. */
const kindOf = (type: string): Kind | undefined => {
  if (type === "BIGINT" || type.startsWith("DECIMAL(")) return "number"
  if (type === "DATE") return "date"
  return type === "TIMESTAMP WITH TIME ZONE" ? "time" : undefined
}

/** In the order of the columns. */
const footerOf = (columns: Columns, found: Rows): Footer => {
  const byName = new Map(found.map(([, name, ...said]) => [String(name), said]))
  const ranges: Record<string, Range> = {}
  const nulls: Record<string, number> = {}
  for (const { name } of columns) {
    const [min, max, without] = byName.get(name) ?? []
    if (typeof min === "string" && typeof max === "string") ranges[name] = { min, max }
    if (Number(without ?? 0) > 0) nulls[name] = Number(without)
  }
  return { ranges, nulls }
}

/** DuckDB gives each row group's range exactly, as text. A column has no range if a row group with values has none. */
const footersOf = (files: ReadonlyArray<File>): string => `
  select file_name, path_in_schema,
    case when bool_or(low is null and has_values) then null else case kind
      when 'number' then arg_min(low, try_cast(low as decimal(38, 4)))
      when 'date' then cast(min(try_cast(low as date)) as varchar)
      when 'time' then ${timeText("min", "low")} end end,
    case kind
      when 'number' then arg_max(high, try_cast(high as decimal(38, 4)))
      when 'date' then cast(max(try_cast(high as date)) as varchar)
      when 'time' then ${timeText("max", "high")} end,
    cast(sum(without) as integer)
  from (
    select file_name, path_in_schema, stats_min_value as low, stats_max_value as high, stats_null_count as without,
      num_values > coalesce(stats_null_count, 0) as has_values
    from parquet_metadata([${files.map(({ path }) => Literal.text(path)).join(", ")}])
  ) join (
    select each.file, unnest(each.names) as name, unnest(each.kinds) as kind
    from (select unnest(from_json(${Literal.text(JSON.stringify(files.map(kindsOf)))}, ${Literal.text(kindsShape)})) as each)
  ) as wanted on wanted.file = file_name and wanted.name = path_in_schema
  group by file_name, path_in_schema, kind`

/** Rows of a VALUES clause would take as long as reading the footers. */
const kindsShape = JSON.stringify([{ file: "VARCHAR", names: ["VARCHAR"], kinds: ["VARCHAR"] }])

const kindsOf = ({ columns, path: file }: File) => {
  return { file, names: columns.map(({ name }) => name), kinds: columns.map(({ type }) => kindOf(type) ?? "other") }
}

const timeText = (pick: "min" | "max", value: string): string =>
  `strftime(${pick}(try_cast(${value} as timestamptz)) at time zone 'UTC', '%Y-%m-%dT%H:%M:%S.%fZ')`
