/**
 * Every tenth commit of a Delta log has a checkpoint: the table's state at that point, as Parquet, so that no reader
 * has to start at the first commit. Commits before a checkpoint that is older than the retention of exports are
 * removed.
 *
 * Only commits count: if the process dies here, the log can still be read from the commits, or from the previous
 * checkpoint.
 */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Duration, Effect, type Scope } from "effect"
import type { Lake, LakeError } from "../Lake.ts"
import { attempt } from "../LocalFiles.ts"
import * as Manifest from "../Manifest.ts"
import * as Parquet from "../Parquet.ts"
import { type Action, folderOf, pathOf, textOf } from "./Actions.ts"
import { settled } from "./Commit.ts"
import type { State } from "./State.ts"

type LakeService = Lake["Service"]
type Checkpoints = State["checkpoints"]

const every = 10

/** Tables to which this export commits and that now need a checkpoint. */
const due = ({ delta = {}, run }: Manifest.Manifest): ReadonlyArray<readonly [table: string, version: number]> =>
  Object.entries(delta).flatMap(([table, log]) =>
    log.run === run && log.version > 0 && log.version % every === 0 ? [[table, log.version] as const] : []
  )

/** `folder`: for a local file. Returns the checkpoints that now exist, by table, oldest first. */
export const make = Effect.fn("Delta.checkpoint")(function* (
  lake: LakeService,
  folder: string,
  manifest: Manifest.Manifest,
  checkpoints: Checkpoints,
  leftAlone: ReadonlyArray<string>
): Effect.fn.Return<Checkpoints, LakeError, Scope.Scope> {
  const all = { ...checkpoints }
  const now = due(manifest).filter(([table]) => !leftAlone.includes(table))
  if (now.length === 0) return all
  const parquet = yield* Parquet.open
  for (const [table, version] of now) {
    const paths = yield* lake.list(`${table}/`)
    const actions = settled(
      manifest,
      table,
      paths.filter((path) => Manifest.writerOf(path) !== undefined)
    )
    yield* write(lake, parquet, folder, pathOf(table, version), actions)
    yield* lake.putText(`${folderOf(table)}_last_checkpoint`, `{"version":${version},"size":${actions.length}}\n`)
    const known = [...(all[table] ?? []).filter((each) => each.version < version), { version, run: manifest.run }]
    const first = firstNeeded(known, manifest, table)
    yield* Effect.forEach(paths.filter(isBefore(table, first)), (path) => lake.remove(path), { discard: true })
    all[table] = known.filter((each) => each.version >= first)
  }
  return all
}, Effect.scoped)

/** The newest checkpoint that is older than the retention of exports; 0 if there is none. */
const firstNeeded = (known: Checkpoints[string], { delta, run }: Manifest.Manifest, table: string): number => {
  const keptMs = Duration.toMillis(Duration.days(delta?.[table]?.keptDays ?? 0))
  const oldest = Manifest.runId(Math.max(0, Date.parse(Manifest.timeOf(run)) - keptMs), 0)
  return known.findLast((each) => each.run < oldest)?.version ?? 0
}

const ofLog = /\/_delta_log\/(\d{20})\.(?:json|checkpoint\.parquet)$/

const isBefore = (table: string, version: number) => (path: string) => {
  const own = path.startsWith(folderOf(table)) ? ofLog.exec(path)?.[1] : undefined
  return own !== undefined && Number(own) < version
}

const write = Effect.fnUntraced(function* (
  lake: LakeService,
  parquet: Parquet.Parquet,
  folder: string,
  commit: string,
  actions: ReadonlyArray<Action>
) {
  const [lines, file] = [join(folder, "checkpoint.json"), join(folder, "checkpoint.parquet")]
  yield* attempt(() => writeFile(lines, textOf(actions)))
  yield* parquet.fromJson(lines, shape, file)
  yield* lake.put(commit.replace(/json$/, "checkpoint.parquet"), file)
})

/** The protocol's actions as DuckDB types. */
const shape = {
  txn: "struct(appId varchar, version bigint, lastUpdated bigint)",
  add: "struct(path varchar, partitionValues map(varchar, varchar), size bigint, modificationTime bigint, dataChange boolean, stats varchar)",
  remove:
    "struct(path varchar, deletionTimestamp bigint, dataChange boolean, extendedFileMetadata boolean, partitionValues map(varchar, varchar), size bigint)",
  metaData:
    "struct(id varchar, name varchar, format struct(provider varchar, options map(varchar, varchar)), schemaString varchar, partitionColumns varchar[], configuration map(varchar, varchar), createdTime bigint)",
  protocol: "struct(minReaderVersion integer, minWriterVersion integer)"
}
