/**
 * Removes what a backup no longer needs: small parts whose frames are in a larger one, and generations that were replaced
 * a month ago. Nothing that the tip needs, and nothing that isn't named as siteledger names parts.
 */
import { Clock, Duration, Effect } from "effect"
import * as Instant from "../../Domain/Instant.ts"
import * as LogLine from "../../Runtime/LogLine.ts"
import { logNames } from "../../Stores/Following.ts"
import * as Files from "./Files.ts"
import * as Part from "./Part.ts"
import type { Place } from "./Place.ts"
import { find, move, type Tip } from "./Tip.ts"

const keptFor = Duration.days(30)

const remove = ({ lake }: Place, parts: ReadonlyArray<Part.Part>) =>
  Effect.forEach(parts, ({ path }) => lake.remove(path), { discard: true })

/** While nothing else changes the backup. */
export const prune = Effect.fnUntraced(function* (place: Place, { generation, writer }: Tip) {
  const found = yield* find(place)
  const { tip } = found
  if (tip === undefined || tip.generation !== generation || tip.writer !== writer) return
  const listed = yield* Files.list(place, generation)
  const needed = new Set(logNames.flatMap((log) => Part.cover(log, listed, tip.logs[log].through).parts))
  yield* remove(
    place,
    listed.filter((part) => !needed.has(part) && part.last <= tip.logs[part.log].through)
  )
  const nowMs = yield* Clock.currentTimeMillis
  const isOld = ({ until }: Tip["earlier"][number]) =>
    nowMs - Instant.toMicros(until) / 1000 > Duration.toMillis(keptFor)
  const old = tip.earlier.filter(isOld)
  for (const { generation: replaced } of old) {
    yield* remove(place, yield* Files.list(place, replaced))
    yield* LogLine.write("backup.pruned", { backup: place.lake.name, generation: replaced })
  }
  if (old.length > 0) yield* move(place, { ...tip, earlier: tip.earlier.filter((each) => !isOld(each)) }, found)
})
