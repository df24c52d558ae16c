/**
 * Reads a backup back: the tip, whether any number is missing, and its chunks, each compared with the frames that the
 * Store has. What was changed or is gone is rewritten at once.
 */
import { Clock, Duration, Effect } from "effect"
import * as LogLine from "../../Runtime/LogLine.ts"
import { track } from "../../Runtime/Progress.ts"
import { type LogName, logNames } from "../../Stores/Following.ts"
import type { Followed } from "../../Stores/Store.ts"
import { framesIn } from "../../Stores/Segments/Segment.ts"
import * as Files from "./Files.ts"
import * as Chunk from "./Chunk.ts"
import type { Vault } from "./Vault.ts"
import { BackupError, find } from "./Tip.ts"

export interface Verified {
  readonly backup: string
  /** The time up to which it reaches. */
  readonly at: string
  /** How many chunks were read, and how much of the Store they hold. */
  readonly chunks: number
  readonly bytes: number
  /** The numbers up to which it reaches. */
  readonly through: Readonly<Record<LogName, number>>
  /** Sentences. */
  readonly faults: ReadonlyArray<string>
}

/** Which chunks are read, by their position in the log. */
export type IsDue = (chunk: Chunk.Chunk, place: number) => boolean

export const verify = Effect.fnUntraced(function* (vault: Vault, following: Followed, isDue: IsDue) {
  const startedMs = yield* Clock.currentTimeMillis
  const { tip } = yield* find(vault)
  if (tip === undefined) return yield* nothing(vault)
  const listed = yield* Files.list(vault, tip.generation)
  const covers = logNames.map((log) => Chunk.cover(log, listed, tip.logs[log].through))
  const due = covers.flatMap(({ chunks }) => chunks.filter(isDue))
  const gaps = covers.flatMap(({ gaps }) => gaps)
  const faults: Array<string> = gaps.map(({ from, log, through }) => `The ${log} from ${from} to ${through} are gone.`)
  const broken: Array<Chunk.Chunk> = []
  const look = Effect.fnUntraced(function* (chunk: Chunk.Chunk) {
    const fault = yield* faultOf(vault, following, chunk)
    if (fault === undefined) return
    faults.push(`${chunk.path} ${fault}.`)
    broken.push(chunk)
    yield* vault.lake.remove(chunk.path)
  })
  yield* track("backup verify", { unit: "chunks", total: due.length }, (reached) =>
    Effect.forEach(due, (chunk, index) => Effect.map(look(chunk), () => reached(index + 1)), { discard: true })
  )
  const again = [...gaps, ...broken.map(({ first: from, last: through, log }) => ({ log, from, through }))]
  yield* Effect.forEach(again, (gap) => Files.copy(vault, following, tip.generation, gap))
  const through = { rows: tip.logs.rows.through, inbox: tip.logs.inbox.through }
  const bytes = due.reduce((sum, chunk) => sum + chunk.bytes, 0)
  const verified: Verified = { backup: vault.lake.name, at: tip.at, chunks: due.length, bytes, through, faults }
  if (faults.length > 0) {
    yield* LogLine.write("backup.damaged", { backup: vault.lake.name, why: sentence(verified) })
    return verified
  }
  const seconds = LogLine.seconds(Duration.millis((yield* Clock.currentTimeMillis) - startedMs))
  yield* LogLine.write("backup.verified", { backup: vault.lake.name, chunks: due.length, bytes, seconds })
  return verified
})

/** One sentence for each of the first faults. */
export const sentence = ({ backup, faults }: Verified): string => {
  const more = faults.length > 3 ? ` And ${faults.length - 3} more.` : ""
  return `The backup on ${backup} was damaged: ${faults.slice(0, 3).join(" ")}${more}`
}

const faultOf = Effect.fnUntraced(function* (vault: Vault, following: Followed, chunk: Chunk.Chunk) {
  const kept = yield* Files.open(vault, chunk)
  if (typeof kept === "string") return kept
  for (let [next, at] = [chunk.first, 0]; next <= chunk.last;) {
    const own = yield* following.frames(chunk.log, next - 1, chunk.last)
    if (own === undefined) return "has frames that the store hasn't"
    const same = kept.subarray(at, at + own.bytes.byteLength)
    // The store's own disk may have lost some frames that the backup still has.
    if (!same.equals(own.bytes) && !hasLost(own.bytes)) return "differs from the store"
    if (hasLost(own.bytes)) return undefined
    at += own.bytes.byteLength
    next = own.last + 1
  }
  return undefined
})

const hasLost = (frames: Buffer): boolean =>
  [...framesIn(frames)].some((frame) => frame.kind === "hole" && frame.why === "lost")

const nothing = ({ lake: { name } }: Vault) =>
  new BackupError({ reason: "Failed", message: `There is no backup on ${name} yet.` })
