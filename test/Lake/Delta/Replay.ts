/**
 * A reader of Delta tables, written from the protocol's text alone: it knows nothing of how siteledger writes.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import type { Manifest } from "../../../src/Lake/Manifest.ts"

interface Added {
  readonly path: string
  readonly partitionValues: Readonly<Record<string, string>>
  readonly size: number
  readonly modificationTime: number
  readonly stats: string
}

interface Line {
  readonly protocol?: { readonly minReaderVersion: number; readonly minWriterVersion: number }
  readonly metaData?: {
    readonly id: string
    readonly schemaString: string
    readonly partitionColumns: ReadonlyArray<string>
    readonly configuration: Readonly<Record<string, string>>
  }
  readonly add?: Added
  readonly remove?: { readonly path: string; readonly deletionTimestamp: number; readonly dataChange: boolean }
  readonly txn?: { readonly appId: string; readonly version: number }
  readonly commitInfo?: { readonly run?: string }
}

export interface Replayed {
  readonly version: number
  readonly protocol: Line["protocol"]
  readonly metaData: NonNullable<Line["metaData"]>
  /** By path. */
  readonly files: ReadonlyMap<string, Added>
  readonly removed: ReadonlyMap<string, number>
  readonly sequence: number | undefined
  readonly runs: ReadonlyArray<string | undefined>
}

/** The texts of a log's commits, by version. */
export type Log = ReadonlyMap<number, string>

const commitName = /(?:^|\/)_delta_log\/(\d{20})\.json$/

/** `files`: the texts of all files of the table, or of all tables, by path. */
export const logIn = (files: Iterable<readonly [string, () => string]>): Log =>
  new Map(
    [...files]
      .flatMap(([path, text]) => {
        const version = commitName.exec(path)?.[1]
        return version === undefined ? [] : [[Number(version), text()] as const]
      })
      .toSorted(([a], [b]) => a - b)
  )

export const logInFolder = (folder: string): Log => {
  const log = join(folder, "_delta_log")
  const names = existsSync(log) ? readdirSync(log) : []
  return logIn(names.map((name) => [`_delta_log/${name}`, () => readFileSync(join(log, name), "utf8")]))
}

/** What a checkpoint has. */
export type Base = Pick<Replayed, "files" | "metaData" | "removed" | "version">

/** As of a version, or of the newest one. `base`: what is read instead of the commits through its version. */
export const replay = (log: Log, asOf = Number.POSITIVE_INFINITY, base?: Base): Replayed => {
  const first = (base?.version ?? -1) + 1
  const all = [...log].filter(([version]) => version >= first && version <= asOf)
  all.forEach(([version], place) => {
    if (version !== first + place) throw new Error(`the log lacks the commit ${first + place}`)
  })
  const files = new Map<string, Added>(base?.files)
  const removed = new Map<string, number>(base?.removed)
  const found: { -readonly [Key in "metaData" | "protocol"]?: Line[Key] } =
    base === undefined ? {} : { metaData: base.metaData }
  let sequence: number | undefined
  const runs: Array<string | undefined> = []
  for (const text of all.flatMap(([, commit]) => commit.split("\n").filter((each) => each !== ""))) {
    const line = JSON.parse(text) as Line
    if (line.protocol !== undefined) found.protocol = line.protocol
    if (line.metaData !== undefined) found.metaData = line.metaData
    if (line.txn?.appId === "siteledger") sequence = line.txn.version
    if (line.commitInfo !== undefined) runs.push(line.commitInfo.run)
    if (line.add !== undefined) {
      const path = decodeURIComponent(line.add.path)
      files.set(path, line.add)
      removed.delete(path)
    }
    if (line.remove !== undefined) {
      const path = decodeURIComponent(line.remove.path)
      const isThere = files.delete(path)
      if (isThere !== line.remove.dataChange)
        throw new Error(`${path} is removed, and was ${isThere ? "" : "not "}there`)
      removed.set(path, line.remove.deletionTimestamp)
    }
  }
  if (found.metaData === undefined) throw new Error("the log has no metadata")
  return {
    version: first + all.length - 1,
    protocol: found.protocol,
    metaData: found.metaData,
    files,
    removed,
    sequence,
    runs
  }
}

const pathsOf = (manifest: Manifest, table: string) =>
  (manifest.tables[table]?.files ?? []).map(({ path }) => path.slice(table.length + 1)).toSorted()

/** The newest version of each table has the files that the manifest names, and says so. */
export const assertSame = (manifest: Manifest, logOf: (table: string) => Log): void => {
  for (const table of Object.keys(manifest.tables)) {
    const log = logOf(table)
    // The oldest commits are gone: a checkpoint has what they said (Delta/Checkpoint.test.ts).
    if (!log.has(0)) continue
    const { files, version } = replay(log)
    assert.deepStrictEqual([...files.keys()].toSorted(), pathsOf(manifest, table), table)
    assert.strictEqual(version, manifest.delta?.[table]?.version, table)
  }
}
