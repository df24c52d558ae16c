/**
 * What an export commits to the Delta logs of its tables. Pure: it follows from the manifests of this export and of the
 * previous one, so every writer makes the same commit, even after a crash or concurrently.
 *
 * A VACUUM by another tool must never remove our files: those that an export no longer names stay for readers of older
 * manifests until a sweep takes them, so their removal is dated far in the future. The journal of the books isn't a
 * file of the table; it is removed in the same way as soon as it is there.
 */
import { createHash } from "node:crypto"
import * as Manifest from "../Manifest.ts"
import { type Action, type Add, type MetaData, relative, type Remove } from "./Actions.ts"
import { partitionsOf, schemaOf, statsOf } from "./Schema.ts"

type Tables = Manifest.Manifest["tables"]
type Table = Pick<Tables[string], "columns" | "files">
type Logs = NonNullable<Manifest.Manifest["delta"]>

/** A table as its log ends. */
export interface Held extends Table {
  readonly log: Logs[string]
  /** The journal of the books, in whose folder it lies. */
  readonly journal: string | null
}

const none: Table = { columns: [], files: [] }

/** By table. A table that is gone has a log without files. */
export const heldBy = ({ delta = {}, journal, tables }: Manifest.Manifest): ReadonlyMap<string, Held> =>
  new Map(
    Object.entries(delta).map(([name, log]) => [
      name,
      { ...(tables[name] ?? none), log, journal: journalOf(name, journal) }
    ])
  )

const journalOf = (name: string, journal: string | null) => (name === booksTable ? journal : null)

export interface Planned {
  readonly run: string
  readonly journal: string | null
  readonly tables: Tables
  readonly before: ReadonlyMap<string, Held>
  /** For how many days a file stays after it is no longer named. */
  readonly keptDays: number
}

/** Which commit of each table shows this export. If nothing has changed, it is the existing one. */
export const planned = ({ before, journal, keptDays, run, tables }: Planned): Logs =>
  Object.fromEntries(
    [...new Set([...before.keys(), ...Object.keys(tables)])].map((name) => {
      const held = before.get(name)
      if (held === undefined) return [name, { id: idOf(run, name), version: 0, run, keptDays }]
      const { id, version } = held.log
      const now = tables[name]
      const isShown =
        now === undefined
          ? held.files.length === 0
          : isSame(name, held, { ...now, journal: journalOf(name, journal), log: { ...held.log, keptDays } })
      return [name, isShown ? held.log : { id, version: version + 1, run, keptDays }]
    })
  )

const isSame = (name: string, before: Held, now: Held): boolean =>
  settingsOf(name, before) === settingsOf(name, now) &&
  pathsOf(before.files).join("\n") === pathsOf(now.files).join("\n") &&
  before.journal === now.journal

const booksTable = "ledger_entries"

const pathsOf = (files: Table["files"]): ReadonlyArray<string> => files.map(({ path }) => path).toSorted()

/** A UUID. */
const idOf = (run: string, table: string): string =>
  createHash("sha256")
    .update(`${run} ${table}`)
    .digest("hex")
    .slice(0, 32)
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")

/** By table, for the tables to which this export commits. `before`: how each log ended. */
export const commits = (
  manifest: Manifest.Manifest,
  before: ReadonlyMap<string, Held>
): ReadonlyMap<string, ReadonlyArray<Action>> =>
  new Map(
    [...heldBy(manifest)]
      .filter(([, { log }]) => log.run === manifest.run)
      .map(([name, held]) => [name, actions(manifest, name, held, before.get(name))])
  )

const actions = (
  manifest: Manifest.Manifest,
  name: string,
  now: Held,
  before: Held | undefined
): ReadonlyArray<Action> => {
  const timestamp = Date.parse(Manifest.timeOf(manifest.run))
  const [was, is] = [new Set(pathsOf(before?.files ?? [])), new Set(pathsOf(now.files))]
  const added = now.files.filter(({ path }) => !was.has(path))
  const removed = (before?.files ?? []).filter(({ path }) => !is.has(path))
  return [
    {
      commitInfo: {
        timestamp,
        operation: "WRITE",
        operationParameters: { mode: "Overwrite" },
        isBlindAppend: false,
        engineInfo: "siteledger",
        run: manifest.run
      }
    },
    ...(before === undefined ? [{ protocol: { minReaderVersion: 1, minWriterVersion: 2 } } as const] : []),
    ...(name in manifest.tables && (before === undefined || settingsOf(name, before) !== settingsOf(name, now))
      ? [metaData(name, now, timestamp)]
      : []),
    { txn: { appId: "siteledger", version: manifest.asOf.sequence, lastUpdated: timestamp } },
    ...removed.map((file) => remove(name, file)),
    ...(name === booksTable && manifest.journal !== null ? [pinned(name, manifest.journal)] : []),
    ...added.map((file) => add(name, now.columns, file))
  ]
}

/** The table's state as of this export, for a checkpoint. `paths`: all data files in its folder. */
export const settled = (
  manifest: Manifest.Manifest,
  name: string,
  paths: ReadonlyArray<string>
): ReadonlyArray<Action> => {
  const timestamp = Date.parse(Manifest.timeOf(manifest.run))
  const held = heldBy(manifest).get(name)
  if (held === undefined) return []
  const live = new Set(pathsOf(held.files))
  return [
    { protocol: { minReaderVersion: 1, minWriterVersion: 2 } },
    metaData(name, held, timestamp),
    { txn: { appId: "siteledger", version: manifest.asOf.sequence, lastUpdated: timestamp } },
    ...held.files.map((file) => add(name, held.columns, file)),
    // A sweep removes them; until then a VACUUM must not.
    ...paths.filter((path) => !live.has(path)).map((path) => pinned(name, path))
  ]
}

const configurationOf = ({ log }: Held): Readonly<Record<string, string>> => ({
  "delta.deletedFileRetentionDuration": `interval ${log.keptDays} days`
})

/** What `metaData` says besides its id. */
const settingsOf = (name: string, held: Held): string =>
  schemaOf(name, held.columns) + JSON.stringify(configurationOf(held))

const metaData = (name: string, held: Held, createdTime: number): MetaData => ({
  metaData: {
    id: held.log.id,
    name,
    format: { provider: "parquet", options: {} },
    schemaString: schemaOf(name, held.columns),
    partitionColumns: partitionsOf(name),
    configuration: configurationOf(held),
    createdTime
  }
})

const partitionOf = (path: string): Readonly<Record<string, string>> => {
  const date = Manifest.dateOf(path)
  return date === undefined ? {} : { event_date: date }
}

/** The time of the run that wrote the file. */
const writtenAt = (path: string): number => Date.parse(Manifest.timeOf(Manifest.writerOf(path) ?? ""))

const add = (name: string, columns: Manifest.Columns, file: Manifest.ManifestFile): Add => ({
  add: {
    path: relative(name, file.path),
    partitionValues: partitionOf(file.path),
    size: file.bytes,
    modificationTime: writtenAt(file.path),
    dataChange: true,
    stats: statsOf(columns, file)
  }
})

const never = Date.UTC(9999, 11, 31)

const remove = (name: string, { bytes: size, path }: Manifest.ManifestFile): Remove => ({
  remove: {
    path: relative(name, path),
    deletionTimestamp: never,
    dataChange: true,
    extendedFileMetadata: true,
    partitionValues: partitionOf(path),
    size
  }
})

const pinned = (name: string, path: string): Remove => ({
  remove: { path: relative(name, path), deletionTimestamp: never, dataChange: false }
})
