/**
 * The staging folder: where the files of one export are written, from one snapshot, before any of them reaches the
 * Lake.
 *
 * An event date whose rows are those of the newest export is not written again: its file is named once more,
 * provided that the Lake still has it in full. The folder goes when its export ends; what a crash leaves behind is
 * cleared by the next one.
 */
import { createHash } from "node:crypto"
import { mkdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Option } from "effect"
import type { Lake } from "../Lake.ts"
import type { Partition, Snapshot, TableShape } from "../Warehouse.ts"
import type { ExportFile } from "./LastExport.ts"
import { attempt, digest } from "./LocalFiles.ts"
import * as Manifest from "./Manifest.ts"

/** A file of the export: in the staging folder, or in the Lake since an earlier run. */
export interface Staged extends ExportFile {
  readonly localFile: string | undefined
}

export interface Staging {
  readonly folder: string
  readonly run: string
  readonly snapshot: Snapshot
  readonly lake: Lake["Service"]
  /** The event files of the newest export, by date. */
  readonly before: ReadonlyMap<string, ExportFile>
}

/** An empty folder for as long as the scope lasts. One export runs at a time, so all others are leftovers. */
export const acquireFolder = (dataDir: string, run: string) => {
  const all = join(dataDir, "staging")
  const clear = attempt(() => rm(all, { recursive: true, force: true }))
  const create = attempt(() => mkdir(join(all, run), { recursive: true }))
  return Effect.acquireRelease(Effect.as(Effect.andThen(clear, create), join(all, run)), () => Effect.ignore(clear))
}

/** All files of the export, table by table. */
export const stage = Effect.fn("Lake.stage")(function* (staging: Staging) {
  const staged: Array<Staged> = []
  for (const table of staging.snapshot.tables) {
    if (table.name === "events") staged.push(...(yield* stageEvents(staging, table)))
    else staged.push(yield* writeWhole(staging, table, undefined))
  }
  return staged
})

/** A file that no manifest describes further: it is made anew with every export. */
export interface StagedJournal {
  readonly path: string
  readonly localFile: string
}

export const stageJournal = Effect.fn("Lake.stageJournal")(function* ({ folder, run, snapshot }: Staging) {
  const localFile = join(folder, "journal.csv")
  yield* snapshot.writeJournal(localFile)
  return { path: Manifest.journalPath(run), localFile } satisfies StagedJournal
})

const stageEvents = Effect.fnUntraced(function* (staging: Staging, table: TableShape) {
  const partitions = yield* staging.snapshot.eventDates
  if (partitions.length === 0) return [yield* writeWhole(staging, table, dateOf(staging.run))]
  // A column more or less makes an old file differ, though its rows are the same.
  const columns = columnsHash(table)
  const kept: Array<Staged> = []
  const changed: Array<Partition> = []
  for (const found of partitions) {
    const partition = { ...found, fingerprint: `${found.fingerprint}-${columns}` }
    const file = yield* unchanged(staging, partition)
    if (file === undefined) changed.push(partition)
    else kept.push(file)
  }
  const written = changed.length === 0 ? [] : yield* writeDates(staging, changed)
  return [...kept, ...written].toSorted((a, b) => (a.partition < b.partition ? -1 : 1))
})

/** The date that the run id begins with. */
const dateOf = (run: string): string => `${run.slice(0, 4)}-${run.slice(4, 6)}-${run.slice(6, 8)}`

const columnsHash = (table: TableShape): string =>
  createHash("sha256").update(JSON.stringify(table.columns)).digest("hex").slice(0, 16)

const unchanged = Effect.fnUntraced(function* ({ lake, before }: Staging, { date, fingerprint }: Partition) {
  const file = before.get(date)
  if (file === undefined || file.fingerprint !== fingerprint) return undefined
  const size = yield* lake.size(file.path)
  return Option.isSome(size) && size.value === file.bytes ? { ...file, localFile: undefined } : undefined
})

const writeWhole = Effect.fnUntraced(function* (
  { folder, run, snapshot }: Staging,
  { name }: TableShape,
  date: string | undefined
) {
  const localFile = join(folder, `${name}.parquet`)
  const rows = yield* snapshot.writeTable(name, localFile)
  const { bytes, sha256 } = yield* digest(localFile)
  const path = Manifest.filePath(run, name, date, 0)
  return {
    table_name: name,
    partition: date ?? "",
    fingerprint: "",
    path,
    rows,
    bytes,
    sha256,
    localFile
  }
})

const writeDates = Effect.fnUntraced(function* (
  { folder, run, snapshot }: Staging,
  partitions: ReadonlyArray<Partition>
) {
  const fingerprints = new Map(partitions.map(({ date, fingerprint }) => [date, fingerprint]))
  const files = yield* snapshot.writeEvents(partitions, join(folder, "events"))
  return yield* Effect.forEach(
    files,
    Effect.fnUntraced(function* ({ date, path: localFile, rows }) {
      const { bytes, sha256 } = yield* digest(localFile)
      const path = Manifest.filePath(run, "events", date, 0)
      const fingerprint = fingerprints.get(date) ?? ""
      return { table_name: "events", partition: date, fingerprint, path, rows, bytes, sha256, localFile }
    }),
    { concurrency: digestsAtOnce }
  )
})

const digestsAtOnce = 2
