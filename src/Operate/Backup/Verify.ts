/**
 * Reads a backup back: the tip, that no number is missing, and parts of it, each compared with the frames that the Store has.
 * What was changed or is gone is written again at once.
 */
import { Clock, Duration, Effect } from "effect"
import * as LogLine from "../../Runtime/LogLine.ts"
import { type LogName, logNames } from "../../Stores/Following.ts"
import type { Followed } from "../../Stores/Store.ts"
import { framesIn } from "../../Stores/Segments/Segment.ts"
import * as Files from "./Files.ts"
import * as Part from "./Part.ts"
import type { Place } from "./Place.ts"
import { BackupError, find } from "./Tip.ts"

export interface Verified {
  readonly backup: string
  /** Up to when it reaches. */
  readonly at: string
  /** That were read, and how much of the Store is in them. */
  readonly parts: number
  readonly bytes: number
  /** The numbers up to which it reaches. */
  readonly through: Readonly<Record<LogName, number>>
  /** Sentences. */
  readonly faults: ReadonlyArray<string>
}

/** Which parts are read, by their place in the log. */
export type IsDue = (part: Part.Part, place: number) => boolean

export const verify = Effect.fnUntraced(function* (place: Place, following: Followed, isDue: IsDue) {
  const startedMs = yield* Clock.currentTimeMillis
  const { tip } = yield* find(place)
  if (tip === undefined) return yield* nothing(place)
  const listed = yield* Files.list(place, tip.generation)
  const covers = logNames.map((log) => Part.cover(log, listed, tip.logs[log].through))
  const due = covers.flatMap(({ parts }) => parts.filter(isDue))
  const gaps = covers.flatMap(({ gaps }) => gaps)
  const faults: Array<string> = gaps.map(({ from, log, through }) => `The ${log} from ${from} to ${through} are gone.`)
  const broken: Array<Part.Part> = []
  for (const part of due) {
    const fault = yield* faultOf(place, following, part)
    if (fault === undefined) continue
    faults.push(`${part.path} ${fault}.`)
    broken.push(part)
    yield* place.lake.remove(part.path)
  }
  const again = [...gaps, ...broken.map(({ first: from, last: through, log }) => ({ log, from, through }))]
  yield* Effect.forEach(again, (gap) => Files.copy(place, following, tip.generation, gap))
  const through = { rows: tip.logs.rows.through, inbox: tip.logs.inbox.through }
  const bytes = due.reduce((sum, part) => sum + part.bytes, 0)
  const verified: Verified = { backup: place.lake.name, at: tip.at, parts: due.length, bytes, through, faults }
  if (faults.length > 0) {
    yield* LogLine.write("backup.damaged", { backup: place.lake.name, why: sentence(verified) })
    return verified
  }
  const seconds = LogLine.seconds(Duration.millis((yield* Clock.currentTimeMillis) - startedMs))
  yield* LogLine.write("backup.verified", { backup: place.lake.name, parts: due.length, bytes, seconds })
  return verified
})

/** In one sentence for each of the first faults. */
export const sentence = ({ backup, faults }: Verified): string => {
  const more = faults.length > 3 ? ` And ${faults.length - 3} more.` : ""
  return `The backup on ${backup} was damaged: ${faults.slice(0, 3).join(" ")}${more}`
}

const faultOf = Effect.fnUntraced(function* (place: Place, following: Followed, part: Part.Part) {
  const kept = yield* Files.open(place, part)
  if (typeof kept === "string") return kept
  for (let [next, at] = [part.first, 0]; next <= part.last;) {
    const own = yield* following.frames(part.log, next - 1, part.last)
    if (own === undefined) return "has frames that the store hasn't"
    const same = kept.subarray(at, at + own.bytes.byteLength)
    // The store's own disk may have lost some: the backup has them still.
    if (!same.equals(own.bytes) && !hasLost(own.bytes)) return "differs from the store"
    if (hasLost(own.bytes)) return undefined
    at += own.bytes.byteLength
    next = own.last + 1
  }
  return undefined
})

const hasLost = (frames: Buffer): boolean =>
  [...framesIn(frames)].some((frame) => frame.kind === "hole" && frame.why === "lost")

const nothing = ({ lake: { name } }: Place) =>
  new BackupError({ reason: "Failed", message: `There is no backup on ${name} yet.` })
