/**
 * One turn of a backup: brings the vault up to the Store's current state, and only then moves the tip. If the process
 * dies at any point, the tip stays where it was, with all of its chunks, and what came after it is sent again.
 *
 * The Store's logs are on disk anyway, so an unavailable vault costs no memory: a later turn sends what has
 * accumulated.
 */
import { hostname } from "node:os"
import { Clock, Duration, Effect, type Semaphore } from "effect"
import * as Instant from "../../Domain/Instant.ts"
import * as LogLine from "../../Runtime/LogLine.ts"
import { version } from "../../Runtime/Program.ts"
import { type LogName, logNames } from "../../Stores/Following.ts"
import { latestOf } from "../../Stores/SchemaVersions.ts"
import type { Followed, Store } from "../../Stores/Store.ts"
import { storeTables } from "../../Stores/StoreTables.ts"
import * as Files from "./Files.ts"
import { endOf, type Lineage, taken } from "./Lineage.ts"
import * as Own from "./Own.ts"
import * as Chunk from "./Chunk.ts"
import type { Vault } from "./Vault.ts"
import { BackupError, find, type Found, move, type Tip } from "./Tip.ts"

/** The version of the tables in this program. */
export const schema = latestOf({ store: storeTables, own: [] })

export interface Follower {
  readonly vault: Vault
  readonly store: Store["Service"]
  readonly following: Followed
  /** Random: identifies this process. */
  readonly writer: string
  /** Prevents merging while chunks are read back. */
  readonly tidying: Semaphore.Semaphore
}

export const lastOf = ({ chunks }: Lineage, log: LogName): number => Chunk.lastOf(log, chunks)

/**
 * Returns the time up to which the vault has everything that was acknowledged; undefined if the Store now has other
 * logs.
 */
export const turn = Effect.fnUntraced(function* (follower: Follower, lineage: Lineage) {
  const startedMs = yield* Clock.currentTimeMillis
  const ends = yield* follower.following.ends
  if (logNames.some((log) => ends[log].id !== lineage.logs[log])) return undefined
  const hadGaps = lineage.gaps.length > 0
  yield* fill(follower, lineage)
  for (const log of logNames) {
    const from = Math.max(lastOf(lineage, log), lineage.tip?.logs[log].through ?? 0) + 1
    yield* copy(follower, lineage, { log, from, through: ends[log].last })
  }
  const isNew =
    lineage.tip === undefined || logNames.some((log) => lastOf(lineage, log) > lineage.tip!.logs[log].through)
  if (isNew || hadGaps) yield* reach(follower, lineage, startedMs)
  yield* follower.tidying.withPermitsIfAvailable(1)(merge(follower, lineage))
  return startedMs
})

const copy = ({ following, vault }: Follower, lineage: Lineage, gap: Chunk.Gap) =>
  Files.copy(vault, following, lineage.generation, gap, (chunk) => (lineage.chunks = [...lineage.chunks, chunk]))

/** Sends again what the vault has lost. */
const fill = Effect.fnUntraced(function* (follower: Follower, lineage: Lineage) {
  for (const gap of lineage.gaps) {
    yield* copy(follower, lineage, gap)
    lineage.gaps = lineage.gaps.filter((other) => other !== gap)
  }
})

/** Moves the tip. */
const reach = Effect.fnUntraced(function* (follower: Follower, lineage: Lineage, startedMs: number) {
  const { following, vault, store, writer } = follower
  const found = yield* unchanged(follower, lineage)
  const at = Instant.fromMillis(startedMs)
  const logs = Object.fromEntries(
    yield* Effect.forEach(logNames, (log) => {
      const through = lastOf(lineage, log)
      return Effect.map(
        endOf(following, log, through),
        (end) => [log, { id: lineage.logs[log], through, end }] as const
      )
    })
  ) as Tip["logs"]
  const before = found.tip
  const earlier = before?.earlier ?? []
  const tip: Tip = {
    owner: lineage.owner,
    generation: lineage.generation,
    writer,
    at,
    host: hostname(),
    version,
    schema,
    dataKey: yield* following.dataKey,
    logs,
    earlier:
      before === undefined || before.generation === lineage.generation
        ? earlier
        : [...earlier, { generation: before.generation, until: at }]
  }
  yield* move(vault, tip, found)
  const wasWhole = lineage.tip !== undefined
  lineage.tip = tip
  if (wasWhole) return
  yield* Own.write(store, { owner: lineage.owner, generation: lineage.generation, next: null, isRestored: false })
  const seconds = LogLine.seconds(Duration.millis((yield* Clock.currentTimeMillis) - startedMs))
  const { generation, chunks } = lineage
  yield* LogLine.write("backup.whole", { backup: vault.lake.name, generation, chunks: chunks.length, seconds })
})

/** The tip must be the one with which this lineage began, or which it has moved. */
const unchanged = Effect.fnUntraced(function* ({ vault, writer }: Follower, lineage: Lineage) {
  const found: Found = yield* find(vault)
  const expected = lineage.tip ?? lineage.found.tip
  // Ours even if the answer to its last move was lost.
  if (found.tip?.writer === writer && found.tip.generation === lineage.generation) return found
  if (found.tip === undefined && expected !== undefined) return yield* gone(vault)
  if (found.tip !== undefined && found.tip.writer !== expected?.writer)
    return yield* taken(vault, lineage.owner, found.tip)
  return found
})

const gone = ({ lake: { name } }: Vault) =>
  new BackupError({ reason: "Damaged", message: `Somebody has removed the backup on ${name}: it is made again.` })

/** Small chunks are merged into larger ones, because there would soon be thousands; then the small ones are removed. */
const merge = Effect.fnUntraced(function* ({ following, vault }: Follower, lineage: Lineage) {
  for (const log of logNames) {
    const { chunks } = Chunk.cover(log, lineage.chunks, lastOf(lineage, log))
    const small = Chunk.mergeable(chunks)
    if (small.length === 0) continue
    const merged = yield* Files.merge(vault, following, lineage.generation, small)
    lineage.chunks = [...lineage.chunks.filter((chunk) => !small.includes(chunk)), merged]
    yield* Effect.forEach(small, ({ path }) => vault.lake.remove(path))
  }
})
