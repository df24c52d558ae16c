/**
 * The names and texts of an export (design §9): run ids, the paths of its files, the manifest that lists them all, and
 * the pointer to the newest manifest. Pure.
 *
 * A run id starts with its time, so ids sort as runs do. Files are immutable; a manifest names every file of its
 * export, including those that earlier runs wrote. Optional fields were added after the first release: older manifests
 * lack them and can still be read. `docs/manifest.schema.json` is made from this file.
 *
 * Anyone who can write to the Lake can write a manifest. It is accepted only if its paths stay below the Lake, and if
 * its names and times are harmless in SQL, in a path and on a terminal.
 */
import { Option, Schema } from "effect"
import * as Instant from "../Domain/Instant.ts"

/** The description goes into docs/manifest.schema.json. */
const said = <S extends Schema.Top>(schema: S, description: string) => schema.annotate({ description })

const runPattern = String.raw`\d{8}T\d{6}Z-[0-9a-f]{4}`
const runName = new RegExp(`^${runPattern}$`, "u")

/** JSON Schema accepts only patterns with the flag `u`. */
const matching = (pattern: RegExp) => Schema.String.check(Schema.isPattern(pattern))

const Sha256 = matching(/^[0-9a-f]{64}$/u)
export const Run = matching(runName)
/** Relative; no part of it begins with a dot. */
const Path = matching(/^([\w=-][\w.=-]*\/)*[\w=-][\w.=-]*$/u)
/** Of tables and columns. */
export const Name = matching(/^[a-z_][a-z0-9_]*$/u)
const Time = matching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/u)
const Day = matching(/^\d{4}-\d{2}-\d{2}$/u)
/** Keyed by such names. A pattern on the keys themselves would silently drop other keys. */
export const byName = <S extends Schema.Top>(value: S) =>
  Schema.Record(Schema.String, value).check(Schema.isPropertyNames(Name))

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const Range = Schema.Struct({ min: Schema.String, max: Schema.String })

const File = Schema.Struct({
  path: said(Path, "Relative to the prefix of the lake."),
  rows: Count,
  bytes: Count,
  sha256: Sha256,
  fingerprint: Schema.optionalKey(
    said(Schema.String, "Changes with any row or column. Only siteledger can compute it.")
  ),
  ranges: Schema.optionalKey(
    said(byName(Range), "The exact least and greatest value of each column of numbers, dates or times that has values.")
  ),
  nulls: Schema.optionalKey(
    said(byName(Count), "In how many rows each column has no value; those that always have one aren't named.")
  )
})

const Column = Schema.Struct({
  name: Name,
  type: said(Schema.String, "As DuckDB's DESCRIBE names it."),
  format: Schema.optionalKey(said(matching(/^json$/u), "What the text of the column is.")),
  description: Schema.optionalKey(Schema.String),
  empty: Schema.optionalKey(
    said(
      Schema.Boolean,
      "True: no record that the service's list shows has a value there, so it may have no such field any more."
    )
  )
})

const Table = Schema.Struct({
  rows: said(Count, "Of all files together."),
  columns: Schema.Array(Column),
  files: said(Schema.Array(File), "All files of the table in this export, including those that earlier runs wrote.")
})

export const AsOf = Schema.Struct({
  sequence: said(Count, "Every delivery through this sequence is applied."),
  at: said(Time, "Everything that was received by then is included, or counts as pending."),
  oldestPending: said(
    Schema.NullOr(Schema.String),
    "When the oldest delivery arrived that is stored and not in this export."
  ),
  walks: said(
    Schema.Record(Schema.String, Schema.Struct({ proof: Schema.String, at: Schema.NullOr(Schema.String) })),
    "By list, how sure the copy of it is, and since when."
  )
})

const Change = Schema.Struct({
  table: Name,
  column: Name,
  before: said(Schema.NullOr(Schema.String), "Its type in the previous export; null: the column is new."),
  after: said(Schema.NullOr(Schema.String), "Its type in this export; null: the column is gone.")
})

export const Uuid = matching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u)

const DeltaLog = Schema.Struct({
  id: said(Uuid, "The table's, as its log says."),
  version: said(Count, "The commit of the log that has this export of the table."),
  run: said(Run, "Whose commit that is: an unchanged table needs none."),
  keptDays: said(Count, "For how many days a file stays that the table no longer has.")
})

export const Manifest = Schema.Struct({
  run: Run,
  asOf: AsOf,
  reconcile: Schema.Unknown,
  journal: said(Schema.NullOr(Path), "The path of the books as CSV; null: an export that wrote none."),
  tables: byName(Table),
  journalFile: Schema.optionalKey(
    said(
      Schema.Struct({ rows: Count, bytes: Count, sha256: Sha256 }),
      "The file at the path `journal`; rows without the heading."
    )
  ),
  head: Schema.optionalKey(
    said(
      Schema.NullOr(Schema.String),
      "The newest entry of the ledger and its link in the chain of the books, for `ledger verify --since`; null: no entry has one."
    )
  ),
  delta: Schema.optionalKey(
    said(
      byName(DeltaLog),
      "The Delta logs, by table; a table that is gone has one without files. Absent: there are none."
    )
  ),
  before: Schema.optionalKey(
    said(
      Schema.NullOr(Run),
      "The run that `latest.json` named until this one; null: there was no such file; absent: unknown."
    )
  ),
  shownAt: Schema.optionalKey(said(Time, "When readers were shown this export: just after its manifest was written.")),
  keptSeconds: Schema.optionalKey(
    said(Count, "For how long this export stays, with all its files, after another has replaced it.")
  ),
  restated: Schema.optionalKey(
    said(
      Schema.Array(Day),
      "The dates of events in the previous export whose rows have changed since; absent: unknown, it couldn't be read."
    )
  ),
  changes: Schema.optionalKey(
    said(
      Schema.Array(Change),
      "The columns that have changed since the previous export; absent: unknown, it couldn't be read."
    )
  )
})
export type Manifest = typeof Manifest.Type
export type AsOf = typeof AsOf.Type
export type ManifestFile = typeof File.Type
export type Columns = (typeof Table.Type)["columns"]
export type Range = typeof Range.Type
export type Change = typeof Change.Type

export const Pointer = Schema.Struct({
  run: Run,
  manifest: said(Path, "Its path, relative to the prefix of the lake."),
  sha256: said(Sha256, "Of the manifest's bytes.")
})
export type Pointer = typeof Pointer.Type

const readManifest = Schema.decodeUnknownOption(Schema.fromJsonString(Manifest))
const readPointer = Schema.decodeUnknownOption(Schema.fromJsonString(Pointer))

/** In characters. */
const longestPointer = 4096

/** None if the text isn't a manifest. The Lake returns no text that is too long for one. */
export const parse = (text: string): Option.Option<Manifest> => readManifest(text)
export const parsePointer = (text: string): Option.Option<Pointer> =>
  text.length > longestPointer ? Option.none() : readPointer(text)

/** Whether the next export and every reader will accept it. */
export const isReadable = (manifest: Manifest): boolean => Option.isSome(parse(stringify(manifest)))

export const stringify = (value: Manifest | Pointer): string => `${JSON.stringify(value, null, 2)}\n`

export const pointerPath = "latest.json"
export const manifestFolder = "_manifests/"
export const manifestPath = (run: string): string => `${manifestFolder}${run}.json`

const manifestName = new RegExp(`^${manifestFolder}(${runPattern})\\.json$`)
const dataName = new RegExp(`/(${runPattern})-(?:\\d+\\.parquet|journal\\.csv)$`)
const dateName = /^events\/event_date=(\d{4}-\d{2}-\d{2})\//

/** "20261120T020000Z-1a2b"; `random` is any integer. */
export const runId = (millis: number, random: number): string => {
  const time = Instant.fromMillis(millis).slice(0, 19).replaceAll(/[-:]/g, "")
  return `${time}Z-${(random & 0xffff).toString(16).padStart(4, "0")}`
}

export const isRun = (text: string): boolean => runName.test(text)

/** "2026-11-20T02:00:00Z" */
export const timeOf = (run: string): string =>
  run.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-.*$/, "$1-$2-$3T$4:$5:$6Z")

/** The run whose manifest is at this path; undefined if it isn't the path of a manifest. */
export const runOf = (path: string): string | undefined => manifestName.exec(path)?.[1]

/** The run that wrote this file; undefined if an export would not give this name to a file in a table's folder. */
export const writerOf = (path: string): string | undefined => dataName.exec(path)?.[1]

/** `date`: the UTC date of a partition of events. */
export const filePath = (run: string, table: string, date: string | undefined, number: number): string =>
  `${table}/${date === undefined ? "" : `event_date=${date}/`}${run}-${number}.parquet`

/** The UTC date of a file of events. */
export const dateOf = (path: string): string | undefined => dateName.exec(path)?.[1]

/** The books for spreadsheets, next to their Parquet. */
export const journalPath = (run: string): string => `ledger_entries/${run}-journal.csv`

/** Every file that must stay as long as this manifest does. */
export const files = (manifest: Manifest): ReadonlyArray<string> => [
  ...Object.values(manifest.tables).flatMap((table) => table.files.map((file) => file.path)),
  ...(manifest.journal === null ? [] : [manifest.journal])
]

/** By date. A file without rows exists only because a table without rows also has a file. */
export const eventFiles = (tables: Manifest["tables"]): ReadonlyMap<string, ManifestFile> =>
  new Map(
    (tables["events"]?.files ?? []).flatMap((file) => {
      const date = dateOf(file.path)
      return date === undefined || file.rows === 0 ? [] : [[date, file]]
    })
  )
