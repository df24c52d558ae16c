/**
 * One turn of a backup: brings the place up to what the Store has now, and only then moves the tip. Dying anywhere leaves the
 * tip where it was, with all of its parts; what came after it is sent again.
 *
 * The Store's logs are on disk anyway, so a place that is away costs no memory: a later turn sends what has come since.
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
import { endOf, type Line, taken } from "./Line.ts"
import * as Own from "./Own.ts"
import * as Part from "./Part.ts"
import type { Place } from "./Place.ts"
import { BackupError, find, type Found, move, type Tip } from "./Tip.ts"

/** Of the tables as this version has them. */
export const schema = latestOf({ store: storeTables, own: [] })

export interface Follower {
  readonly place: Place
  readonly store: Store["Service"]
  readonly following: Followed
  /** Random: this process. */
  readonly writer: string
  /** Nothing is merged while parts are read back. */
  readonly tidying: Semaphore.Semaphore
}

export const lastOf = ({ parts }: Line, log: LogName): number => Part.lastOf(log, parts)

/** Returns the time up to which the place has everything that was acknowledged; undefined: the Store has other logs now. */
export const turn = Effect.fnUntraced(function* (follower: Follower, line: Line) {
  const startedMs = yield* Clock.currentTimeMillis
  const ends = yield* follower.following.ends
  if (logNames.some((log) => ends[log].id !== line.logs[log])) return undefined
  const hadGaps = line.gaps.length > 0
  yield* fill(follower, line)
  for (const log of logNames) {
    const from = Math.max(lastOf(line, log), line.tip?.logs[log].through ?? 0) + 1
    yield* copy(follower, line, { log, from, through: ends[log].last })
  }
  const isNew = line.tip === undefined || logNames.some((log) => lastOf(line, log) > line.tip!.logs[log].through)
  if (isNew || hadGaps) yield* reach(follower, line, startedMs)
  yield* follower.tidying.withPermitsIfAvailable(1)(merge(follower, line))
  return startedMs
})

const copy = ({ following, place }: Follower, line: Line, gap: Part.Gap) =>
  Files.copy(place, following, line.generation, gap, (part) => (line.parts = [...line.parts, part]))

/** What the place has lost. */
const fill = Effect.fnUntraced(function* (follower: Follower, line: Line) {
  for (const gap of line.gaps) {
    yield* copy(follower, line, gap)
    line.gaps = line.gaps.filter((other) => other !== gap)
  }
})

/** Moves the tip. */
const reach = Effect.fnUntraced(function* (follower: Follower, line: Line, startedMs: number) {
  const { following, place, store, writer } = follower
  const found = yield* unchanged(follower, line)
  const at = Instant.fromMillis(startedMs)
  const logs = Object.fromEntries(
    yield* Effect.forEach(logNames, (log) => {
      const through = lastOf(line, log)
      return Effect.map(endOf(following, log, through), (end) => [log, { id: line.logs[log], through, end }] as const)
    })
  ) as Tip["logs"]
  const before = found.tip
  const earlier = before?.earlier ?? []
  const tip: Tip = {
    owner: line.owner,
    generation: line.generation,
    writer,
    at,
    host: hostname(),
    version,
    schema,
    dataKey: yield* following.dataKey,
    logs,
    earlier:
      before === undefined || before.generation === line.generation
        ? earlier
        : [...earlier, { generation: before.generation, until: at }]
  }
  yield* move(place, tip, found)
  const wasWhole = line.tip !== undefined
  line.tip = tip
  if (wasWhole) return
  yield* Own.write(store, { owner: line.owner, generation: line.generation, next: null, isRestored: false })
  const seconds = LogLine.seconds(Duration.millis((yield* Clock.currentTimeMillis) - startedMs))
  const { generation, parts } = line
  yield* LogLine.write("backup.whole", { backup: place.lake.name, generation, parts: parts.length, seconds })
})

/** The tip must be the one that this line began with or has moved. */
const unchanged = Effect.fnUntraced(function* ({ place, writer }: Follower, line: Line) {
  const found: Found = yield* find(place)
  const expected = line.tip ?? line.found.tip
  // Also if the answer to its last move was lost.
  if (found.tip?.writer === writer && found.tip.generation === line.generation) return found
  if (found.tip === undefined && expected !== undefined) return yield* gone(place)
  if (found.tip !== undefined && found.tip.writer !== expected?.writer)
    return yield* taken(place, line.owner, found.tip)
  return found
})

const gone = ({ lake: { name } }: Place) =>
  new BackupError({ reason: "Damaged", message: `Somebody has removed the backup on ${name}: it is made again.` })

/** Small parts become larger ones, or there would soon be thousands; then the small ones go. */
const merge = Effect.fnUntraced(function* ({ following, place }: Follower, line: Line) {
  for (const log of logNames) {
    const { parts } = Part.cover(log, line.parts, lastOf(line, log))
    const small = Part.mergeable(parts)
    if (small.length === 0) continue
    const merged = yield* Files.merge(place, following, line.generation, small)
    line.parts = [...line.parts.filter((part) => !small.includes(part)), merged]
    yield* Effect.forEach(small, ({ path }) => place.lake.remove(path))
  }
})
