/**
 * The staging folder: where the files of one export are written, from one snapshot, before any of them reaches the
 * Lake.
 *
 * If a part of a table or an event date has the same rows as in the previous export, it isn't written again: its file
 * is referenced once more, provided that the Lake still has one of the right length. The written files are removed when
 * the export ends. The run's own folder is removed only if the export ends well. After any other end, even `kill -9`,
 * it stays and tells the next export whose leftovers to sweep.
 */
import { createHash } from "node:crypto"
import { mkdir, readdir, rm, rmdir } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Exit, type Scope } from "effect"
import { type Instant, readMicros } from "../Domain/Instant.ts"
import type { LakeError } from "./Lake.ts"
import { track } from "../Runtime/Progress.ts"
import type { Partition, Snapshot, TableShape, WarehouseError } from "../Stores/Warehouse.ts"
import * as TableParts from "../Stores/TableParts.ts"
import * as JournalFile from "./JournalFile.ts"
import * as LocalFiles from "./LocalFiles.ts"
import { digest, unlessMissing } from "./LocalFiles.ts"
import * as Manifest from "./Manifest.ts"
import type { Parquet } from "./Parquet.ts"
import { sameJournal, type StillThere, unchanged } from "./StillThere.ts"

/** A file of the export: in the staging folder, or already in the Lake from an earlier run. */
export interface Staged {
  readonly table: string
  readonly file: Manifest.ManifestFile
  readonly localFile: string | undefined
}

export interface Staging {
  readonly folder: string
  readonly run: string
  readonly snapshot: Snapshot
  readonly parquet: Parquet
  readonly before: StillThere
  /** Rows per part of a table. */
  readonly partRows: number
}

const attempt = <A>(dataDir: string, run: () => Promise<A>) =>
  LocalFiles.attempt(run, `The folder ${folderIn(dataDir)}`)

const folderIn = (dataDir: string): string => join(dataDir, "staging")

const remove = (path: string) => rm(path, { recursive: true, force: true })

const namesIn = async (folder: string): Promise<ReadonlyArray<string>> => (await unlessMissing(readdir(folder))) ?? []

/**
 * The runs of this data directory that haven't ended well. Only one process uses the directory, and one export runs at
 * a time, so these runs are dead. Clears away what they had written here.
 */
export const leftBehind = (dataDir: string): Effect.Effect<ReadonlyArray<string>, LakeError> =>
  attempt(dataDir, async () => {
    const names = await namesIn(folderIn(dataDir))
    for (const name of names) {
      const path = join(folderIn(dataDir), name)
      await (Manifest.isRun(name) ? empty(path) : remove(path))
    }
    return names.filter(Manifest.isRun)
  })

const empty = async (folder: string): Promise<void> => {
  for (const name of await namesIn(folder)) await remove(join(folder, name))
}

/** Nothing of these runs is left in the Lake. */
export const forget = (dataDir: string, runs: ReadonlyArray<string>): Effect.Effect<void, LakeError> =>
  attempt(dataDir, async () => {
    for (const run of runs) await remove(join(folderIn(dataDir), run))
    await removeIfEmpty(folderIn(dataDir))
  })

const removeIfEmpty = (folder: string) => rmdir(folder).catch(() => undefined)

/** An empty folder for as long as the scope lasts. */
export const acquireFolder = (dataDir: string, run: string): Effect.Effect<string, LakeError, Scope.Scope> => {
  const folder = join(folderIn(dataDir), run)
  return Effect.acquireRelease(
    Effect.as(
      attempt(dataDir, () => mkdir(folder, { recursive: true })),
      folder
    ),
    (_, exit) => Effect.ignore(Exit.isSuccess(exit) ? forget(dataDir, [run]) : attempt(dataDir, () => empty(folder)))
  )
}

const isOfEvents = ({ name }: TableShape): boolean => name === "events"

/** Stages all files of the export. The events come first and alone, so that an engine has its whole memory for them. */
export const stage = Effect.fn("Lake.stage")(function* (staging: Staging) {
  const kept: Array<Staged> = []
  const written: Array<Written> = []
  const { tables } = staging.snapshot
  yield* track("export", { unit: "tables written", total: tables.length }, (reached) => {
    let done = 0
    const staged = (table: TableShape) =>
      Effect.map(stageTable(staging, table), (found) => {
        kept.push(...found.kept)
        written.push(...found.written)
        reached(++done)
      })
    return Effect.andThen(
      Effect.forEach(tables.filter(isOfEvents), staged, { discard: true }),
      Effect.forEach(
        tables.filter((table) => !isOfEvents(table)),
        staged,
        { concurrency: atOnce, discard: true }
      )
    )
  })
  const staged = [...kept, ...(yield* describe(staging.parquet, written))]
  return staged.toSorted((a, b) => (a.file.path < b.file.path ? -1 : 1))
})

interface Numbered {
  readonly number: number
  readonly part: TableParts.Span
  readonly fingerprint: string
}

/** Tables, and parts of a table: as many as an engine writes at a time. */
const atOnce = 2

const stageTable = Effect.fnUntraced(function* (staging: Staging, table: TableShape) {
  if (isOfEvents(table)) return yield* stageEvents(staging, table)
  const files = staging.before.tables.get(table.name) ?? []
  const columns = columnsHash(table)
  const kept: Array<Staged> = []
  const changed: Array<Numbered> = []
  const parts = yield* staging.snapshot.parts(table.name, { bounds: boundsOf(files), rows: staging.partRows })
  for (const [number, part] of parts.entries()) {
    const fingerprint = `${part.fingerprint}-${columns}`
    const file = files.map((each) => unchanged(staging.before, each, fingerprint)).find((each) => each !== undefined)
    if (file !== undefined) kept.push({ table: table.name, file, localFile: undefined })
    else changed.push({ number, part, fingerprint })
  }
  const written = yield* Effect.forEach(changed, (part) => writePart(staging, table, part), {
    concurrency: atOnce
  })
  return { kept, written }
})

/** The times at which the rows of its parts were first seen. */
const boundsOf = (files: ReadonlyArray<Manifest.ManifestFile>): ReadonlyArray<Instant> => {
  const beginnings = files.map(({ ranges }) => ranges?.[TableParts.column]?.min).filter((time) => time !== undefined)
  // Anyone who can write to the lake can write a manifest.
  return beginnings.every((time) => readMicros(time) !== undefined) ? beginnings.toSorted().slice(1) : []
}

export interface StagedJournal extends JournalFile.Described {
  readonly path: string
  /** Undefined if the Lake has the file from an earlier run. */
  readonly localFile: string | undefined
}

export const stageJournal = Effect.fn("Lake.stageJournal")(function* ({
  before,
  folder,
  run,
  snapshot
}: Staging): Effect.fn.Return<StagedJournal, LakeError | WarehouseError> {
  const localFile = join(folder, "journal.csv")
  yield* JournalFile.write(localFile, snapshot)
  const said = yield* JournalFile.describe(localFile)
  const path = sameJournal(before, said)
  if (path !== undefined) return { ...said, path, localFile: undefined }
  return { ...said, path: Manifest.journalPath(run), localFile }
})

const stageEvents = Effect.fnUntraced(function* (staging: Staging, table: TableShape) {
  const partitions = yield* staging.snapshot.eventDates
  const kept: Array<Staged> = []
  if (partitions.length === 0) {
    const date = Manifest.timeOf(staging.run).slice(0, 10)
    return { kept, written: [yield* write(staging, table, { date, number: 0 })] }
  }
  // With a column more or less, an old file differs although its rows are the same.
  const columns = columnsHash(table)
  const changed: Array<Partition> = []
  for (const found of partitions) {
    const partition = { ...found, fingerprint: `${found.fingerprint}-${columns}` }
    const file = unchanged(staging.before, staging.before.dates.get(partition.date), partition.fingerprint)
    if (file === undefined) changed.push(partition)
    else kept.push({ table: table.name, file, localFile: undefined })
  }
  return { kept, written: changed.length === 0 ? [] : yield* writeDates(staging, table, changed) }
})

const columnsHash = (table: TableShape): string =>
  createHash("sha256").update(JSON.stringify(table.columns)).digest("hex").slice(0, 16)

interface Written {
  readonly table: TableShape
  readonly path: string
  readonly localFile: string
  readonly rows: number
  readonly fingerprint?: string
}

const write = Effect.fnUntraced(function* (
  staging: Staging,
  table: TableShape,
  { date, number, part }: { readonly date?: string; readonly number: number; readonly part?: TableParts.Span }
) {
  const localFile = join(staging.folder, `${table.name}-${number}.parquet`)
  const rows = yield* staging.snapshot.writeTable(table.name, localFile, part)
  return { table, path: Manifest.filePath(staging.run, table.name, date, number), localFile, rows } satisfies Written
})

const writePart = (staging: Staging, table: TableShape, { fingerprint, number, part }: Numbered) =>
  Effect.map(write(staging, table, { number, part }), (written) => ({ ...written, fingerprint }))

const writeDates = Effect.fnUntraced(function* (
  { folder, run, snapshot }: Staging,
  table: TableShape,
  partitions: ReadonlyArray<Partition>
) {
  const fingerprints = new Map(partitions.map(({ date, fingerprint }) => [date, fingerprint]))
  const files = yield* snapshot.writeEvents(partitions, join(folder, "events"))
  return files.map(({ date, path: localFile, rows }): Written => {
    const path = Manifest.filePath(run, table.name, date, 0)
    return { table, path, localFile, rows, fingerprint: fingerprints.get(date) ?? "" }
  })
})

const digestsAtOnce = 2

const describe = Effect.fnUntraced(function* (parquet: Parquet, written: ReadonlyArray<Written>) {
  const footers = yield* parquet.footers(
    written.map(({ localFile, table }) => ({ path: localFile, columns: table.columns }))
  )
  return yield* Effect.forEach(
    written,
    ({ fingerprint, localFile, path, rows, table }) =>
      Effect.map(digest(localFile), ({ bytes, sha256 }): Staged => {
        const own = fingerprint === undefined ? {} : { fingerprint }
        const file = { path, rows, bytes, sha256, ...own, ...footers.get(localFile) }
        return { table: table.name, file, localFile }
      }),
    { concurrency: digestsAtOnce }
  )
})
