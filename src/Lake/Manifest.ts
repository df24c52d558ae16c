/**
 * The names and texts of an export (design §9): run ids, the paths of its files, the manifest that lists them all,
 * and the pointer to the newest manifest. Pure.
 *
 * A run id starts with its time, so ids order as runs do. Files are immutable; a manifest names every file of its
 * export, also those that earlier runs wrote.
 */
import { Duration, Option, Schema } from "effect"
import * as Instant from "../Instant.ts"

const File = Schema.Struct({ path: Schema.String, rows: Schema.Int, bytes: Schema.Int, sha256: Schema.String })

const Table = Schema.Struct({
  rows: Schema.Int,
  columns: Schema.Array(Schema.Struct({ name: Schema.String, type: Schema.String })),
  files: Schema.Array(File)
})

const AsOf = Schema.Struct({
  /** Everything through this sequence is applied. */
  sequence: Schema.Int,
  /** Whatever was received by then is in, or shows as pending. */
  at: Schema.String,
  /** When the oldest delivery that is stored and not in this export came. */
  oldestPending: Schema.NullOr(Schema.String),
  walks: Schema.Record(Schema.String, Schema.Struct({ proof: Schema.String, at: Schema.NullOr(Schema.String) }))
})

export const Manifest = Schema.Struct({
  run: Schema.String,
  asOf: AsOf,
  reconcile: Schema.Unknown,
  /** Its path; null in the manifests of exports that wrote none. */
  journal: Schema.NullOr(Schema.String),
  tables: Schema.Record(Schema.String, Table)
})
export type Manifest = typeof Manifest.Type
export type AsOf = typeof AsOf.Type
export type ManifestFile = typeof File.Type

export const Pointer = Schema.Struct({ run: Schema.String, manifest: Schema.String, sha256: Schema.String })
export type Pointer = typeof Pointer.Type

const readManifest = Schema.decodeUnknownOption(Schema.fromJsonString(Manifest))
const readPointer = Schema.decodeUnknownOption(Schema.fromJsonString(Pointer))

/** None when the text is no manifest. */
export const parse = (text: string): Option.Option<Manifest> => readManifest(text)
export const parsePointer = (text: string): Option.Option<Pointer> => readPointer(text)

export const stringify = (value: Manifest | Pointer): string => `${JSON.stringify(value, null, 2)}\n`

export const pointerPath = "latest.json"
export const manifestFolder = "_manifests/"
export const manifestPath = (run: string): string => `${manifestFolder}${run}.json`

const runPattern = String.raw`\d{8}T\d{6}Z-[0-9a-f]{4}`
const manifestName = new RegExp(`^${manifestFolder}(${runPattern})\\.json$`)
const dataName = new RegExp(`/${runPattern}-(\\d+\\.parquet|journal\\.csv)$`)

/** "20261120T020000Z-1a2b"; `random` is any integer. */
export const runId = (millis: number, random: number): string => {
  const time = Instant.fromMillis(millis).slice(0, 19).replaceAll(/[-:]/g, "")
  return `${time}Z-${(random & 0xffff).toString(16).padStart(4, "0")}`
}

/** The run whose manifest is at this path, when it is one of ours. */
export const runOf = (path: string): string | undefined => manifestName.exec(path)?.[1]

/** True for the files that an export lays below a table's folder. */
export const isData = (path: string): boolean => dataName.test(path)

/** `date`: the UTC date of a partition of events. */
export const filePath = (run: string, table: string, date: string | undefined, number: number): string =>
  `${table}/${date === undefined ? "" : `event_date=${date}/`}${run}-${number}.parquet`

/** The books for spreadsheets, beside their Parquet. */
export const journalPath = (run: string): string => `ledger_entries/${run}-journal.csv`

/** Every file that must stay as long as this manifest does. */
export const files = (manifest: Manifest): ReadonlyArray<string> => [
  ...Object.values(manifest.tables).flatMap((table) => table.files.map((file) => file.path)),
  ...(manifest.journal === null ? [] : [manifest.journal])
]

const keptRuns = 30
const keptFor = Duration.days(30)

/** Which of these runs' manifests may go: neither among the newest, nor young, nor the one that is pointed at. */
export const retired = (
  runs: ReadonlyArray<string>,
  pointedAt: string | undefined,
  nowMillis: number
): ReadonlyArray<string> => {
  const oldest = runId(Math.max(0, nowMillis - Duration.toMillis(keptFor)), 0)
  return runs
    .toSorted()
    .slice(0, -keptRuns)
    .filter((run) => run < oldest && run !== pointedAt)
}
