/**
 * Delta Lake beside the manifests: each table's folder has a log, so that tools that support Delta can read the table
 * by its path.
 *
 *   pointer moves ──► a commit to the log of each table that has changed ──► a note of the run
 *
 * A manifest says which commit of each table shows it, and all commits are derived from the manifests. So if the
 * process dies, at most some commits are missing, and the next export makes these first, in order. Delta is consistent
 * per table; only the pointer is consistent across all tables. Once another program has committed to a log, siteledger
 * leaves that log alone and says so.
 */
import { Duration, Effect, Option } from "effect"
import * as LogLine from "../Runtime/LogLine.ts"
import * as Checkpoint from "./Delta/Checkpoint.ts"
import * as Commit from "./Delta/Commit.ts"
import * as Log from "./Delta/Log.ts"
import * as State from "./Delta/State.ts"
import { folderOf, pathOf } from "./Delta/Actions.ts"
import { tables } from "../Stores/WarehouseTables.ts"
import type { Lake, LakeError } from "./Lake.ts"
import { manifestOf } from "./LakePointer.ts"
import * as Manifest from "./Manifest.ts"
import type { Keep } from "./Retention.ts"
import type { Sizes } from "./Sweep.ts"

type LakeService = Lake["Service"]
type Held = ReadonlyMap<string, Commit.Held>

/** How the logs end before an export; its commits come next. */
export interface Logs {
  readonly held: Held
  /** Tables whose logs are left alone. */
  readonly left: ReadonlyArray<string>
  readonly checkpoints: State.State["checkpoints"]
}

/**
 * Makes the missing commits of earlier exports. Reads the log of each table about which `before` says nothing, or whose
 * last commit is gone. `sizes`: the sizes of the files in the tables' folders, if they were listed.
 */
export const ready = Effect.fn("Delta.ready")(function* (
  lake: LakeService,
  before: Option.Option<Manifest.Manifest>,
  sizes: Sizes = new Map()
): Effect.fn.Return<Logs, LakeError> {
  const state = Option.getOrElse(yield* State.read(lake), () => State.none)
  const chain = yield* missed(lake, Option.getOrUndefined(before), state.run)
  const unknown = new Set(state.left)
  const held = new Map<string, Commit.Held>()
  if (chain !== undefined && Option.isSome(before)) {
    for (const [table, known] of Commit.heldBy(before.value)) {
      held.set(table, known)
      const isMade = known.log.run <= state.run
      if (isMade && sizes.size > 0 && !sizes.has(pathOf(table, known.log.version))) unknown.add(table)
    }
    for (const { manifest, since } of chain) yield* commitTo(lake, manifest, since, unknown)
  }
  for (const table of unknown) held.delete(table)
  const left: Array<string> = []
  const known = Option.match(before, { onNone: () => [], onSome: (manifest) => Object.keys(manifest.tables) })
  for (const table of new Set([...tables.map(({ name }) => name), ...known, ...state.left])) {
    if (held.has(table)) continue
    const found = yield* Log.end(lake, table)
    if (found === "not ours") left.push(table)
    else if (found !== undefined) held.set(table, found)
  }
  return { held, left, checkpoints: state.checkpoints }
})

interface Missed {
  readonly manifest: Manifest.Manifest
  /** How the logs ended before this manifest. */
  readonly since: Held
}

/** More exports than a month has hours. */
const longestChain = 1000

/** The exports after this run, in order; undefined if a manifest in between is gone. */
const missed = Effect.fnUntraced(function* (
  lake: LakeService,
  before: Manifest.Manifest | undefined,
  through: string
): Effect.fn.Return<ReadonlyArray<Missed> | undefined, LakeError> {
  const chain: Array<Missed> = []
  let manifest = before
  while (manifest?.delta !== undefined && manifest.run !== through) {
    const run = manifest.before
    const earlier = run == null ? undefined : Option.getOrUndefined(yield* manifestOf(lake, run))
    if (run === undefined || (run !== null && earlier === undefined) || chain.length === longestChain) return undefined
    chain.unshift({ manifest, since: earlier === undefined ? new Map() : Commit.heldBy(earlier) })
    manifest = earlier
  }
  return chain
})

/** Adds to `unknown` the tables whose logs don't end as expected. */
const commitTo = Effect.fnUntraced(function* (
  lake: LakeService,
  manifest: Manifest.Manifest,
  since: Held,
  unknown: Set<string>
) {
  for (const [table, actions] of Commit.commits(manifest, since)) {
    if (unknown.has(table)) continue
    const { version } = manifest.delta![table]!
    // False if it continued a log that the previous export didn't know.
    const isCommitted =
      (version === 0) === !since.has(table) && (yield* Log.commit(lake, table, manifest.run, version, actions))
    if (!isCommitted) unknown.add(table)
  }
})

/** The manifest with what it says about the logs. */
export const planned = (manifest: Manifest.Manifest, { held, left }: Logs, keep: Keep): Manifest.Manifest => {
  const { journal, run } = manifest
  const logged = Object.entries(manifest.tables).filter(([name]) => !left.includes(name))
  const keptDays = Math.ceil(Duration.toDays(keep.for))
  return {
    ...manifest,
    delta: Commit.planned({ run, journal, tables: Object.fromEntries(logged), before: held, keptDays })
  }
}

/**
 * Runs once the pointer has moved to this manifest. `folder`: for local files. Returns a sentence for each log that is
 * left alone.
 */
export const commit = Effect.fn("Delta.commit")(function* (
  lake: LakeService,
  folder: string,
  manifest: Manifest.Manifest,
  { checkpoints, held, left }: Logs
): Effect.fn.Return<ReadonlyArray<string>, LakeError> {
  const unknown = new Set<string>()
  yield* commitTo(lake, manifest, held, unknown)
  const all = [...left, ...unknown]
  const made = yield* Checkpoint.make(lake, folder, manifest, checkpoints, all)
  yield* State.write(lake, { run: manifest.run, left: all, checkpoints: made })
  const sentences = all.map((table) => sentence(lake, table))
  for (const why of sentences) yield* LogLine.write("delta.left", { why })
  return sentences
})

const sentence = ({ name }: LakeService, table: string): string =>
  `The Delta log of ${table} on ${name} isn't as siteledger left it, so nothing is committed to it: remove ` +
  `${folderOf(table)}, and the next export begins a new one.`
