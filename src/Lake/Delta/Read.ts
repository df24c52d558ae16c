/**
 * A table's Delta log as read by a tool that knows only its path: from the newest checkpoint on, commit by commit.
 */
import { join } from "node:path"
import { Effect, Option, Schema } from "effect"
import type { Lake, LakeError } from "../Lake.ts"
import type { Parquet } from "../Parquet.ts"
import { folderOf, pathOf } from "./Actions.ts"

const Line = Schema.Struct({
  commitInfo: Schema.optionalKey(Schema.Struct({ engineInfo: Schema.optionalKey(Schema.String) })),
  metaData: Schema.optionalKey(Schema.Struct({ id: Schema.String, schemaString: Schema.String })),
  add: Schema.optionalKey(
    Schema.Struct({ path: Schema.String, size: Schema.Int, stats: Schema.optionalKey(Schema.String) })
  ),
  remove: Schema.optionalKey(Schema.Struct({ path: Schema.String }))
})
const decode = Schema.decodeUnknownOption(Schema.Array(Schema.fromJsonString(Line)))
const decodeStats = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ numRecords: Schema.Int })))

export interface File {
  readonly bytes: number
  /** Undefined if the log doesn't say. */
  readonly rows: number | undefined
}

/** A table according to its log. */
export interface Table {
  /** By their paths below the table's folder. */
  readonly files: ReadonlyMap<string, File>
  readonly schema: string
  /** The table's id; a log that was begun again has a different one. */
  readonly id: string
}

export interface Log {
  /** The versions of the commits, in order. */
  readonly versions: ReadonlyArray<number>
  readonly checkpoints: ReadonlyArray<number>
}

export const find = (lake: Lake["Service"], table: string): Effect.Effect<Log, LakeError> =>
  Effect.map(lake.list(folderOf(table)), (paths) => {
    const numbers = (ending: string) =>
      paths.flatMap((path) => {
        const found = new RegExp(`/_delta_log/(\\d{20})\\.${ending}$`).exec(path)?.[1]
        return found === undefined ? [] : [Number(found)]
      })
    return { versions: numbers("json"), checkpoints: numbers(String.raw`checkpoint\.parquet`) }
  })

/** None if there is no such commit, or it can't be read. */
const commit = (lake: Lake["Service"], table: string, version: number) =>
  Effect.map(
    lake.readText(pathOf(table, version)),
    Option.flatMap(({ text }) => decode(text.trimEnd().split("\n")))
  )

/** Whether siteledger wrote this commit. */
export const isOurs = (lake: Lake["Service"], table: string, version: number): Effect.Effect<boolean, LakeError> =>
  Effect.map(
    commit(lake, table, version),
    Option.exists((lines) => lines.some(({ commitInfo }) => commitInfo?.engineInfo === "siteledger"))
  )

const rowsIn = (stats: string | undefined): number | undefined =>
  Option.getOrUndefined(Option.map(decodeStats(stats ?? ""), ({ numRecords }) => numRecords))

interface Place {
  readonly lake: Lake["Service"]
  readonly parquet: Parquet
  /** For a local file. */
  readonly folder: string
}

/** The table as of a version, or the reason why it can't be read, as words that follow "the log". */
export const asOf = Effect.fnUntraced(function* (
  { folder, lake, parquet }: Place,
  table: string,
  { checkpoints }: Log,
  version: number
): Effect.fn.Return<Table | string, LakeError> {
  const files = new Map<string, File>()
  let [schema, id] = ["", ""]
  const first = checkpoints.findLast((each) => each <= version)
  if (first !== undefined) {
    const local = join(folder, "checkpoint.parquet")
    if (!(yield* lake.fetch(pathOf(table, first).replace(/json$/, "checkpoint.parquet"), local)))
      return `lacks its checkpoint ${first}`
    const read = yield* Effect.option(parquet.checkpoint(local))
    if (Option.isNone(read)) return `has a checkpoint ${first} that can't be read`
    schema = read.value.schema
    id = read.value.id
    for (const { bytes, path, stats } of read.value.files) files.set(path, { bytes, rows: rowsIn(stats) })
  }
  for (let next = (first ?? -1) + 1; next <= version; next++) {
    const lines = yield* commit(lake, table, next)
    if (Option.isNone(lines)) return `lacks its commit ${next}, or that can't be read`
    for (const { add, metaData, remove } of lines.value) {
      if (metaData !== undefined) [schema, id] = [metaData.schemaString, metaData.id]
      if (remove !== undefined) files.delete(decodeURIComponent(remove.path))
      if (add !== undefined) files.set(decodeURIComponent(add.path), { bytes: add.size, rows: rowsIn(add.stats) })
    }
  }
  return { files, schema, id }
})
