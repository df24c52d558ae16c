/**
 * Makes a Store's file of a backup off the machine, with nothing but the backup's key. Every part is authenticated, and no
 * number may be missing up to the tip: the file is whole, or there is none.
 */
import { Effect } from "effect"
import { whyNot } from "../../Runtime/SystemFailure.ts"
import { type LogName, logNames } from "../../Stores/Following.ts"
import { Remake, type Remade } from "../../Stores/Sqlite/Remake.ts"
import * as Files from "./Files.ts"
import { schema } from "./Follow.ts"
import * as Own from "./Own.ts"
import * as Part from "./Part.ts"
import type { Place } from "./Place.ts"
import { BackupError, find, type Tip } from "./Tip.ts"

export interface Restored extends Remade {
  readonly parts: number
}

/** Parts may be merged while they are read: then they are listed again. */
const mostAttempts = 5

/** What the place has, before anything is fetched. */
export const tipAt = Effect.fnUntraced(function* (place: Place) {
  const { tip } = yield* find(place)
  if (tip === undefined) return yield* refused(`There is no backup on ${place.lake.name}.`)
  if (tip.schema > schema) {
    return yield* refused(
      `The backup on ${place.lake.name} is of siteledger ${tip.version}: restore it with that version.`
    )
  }
  return tip
})

/** Into a new file. */
export const into = Effect.fnUntraced(function* (place: Place, tip: Tip, file: string) {
  const remake = yield* Effect.acquireRelease(
    Effect.tryPromise({ try: () => Remake.begin(file), catch: notMade(file) }),
    (remake) => Effect.sync(() => remake.close())
  )
  let count = 0
  for (const log of logNames) count += yield* all(place, tip, log, remake)
  const remade = yield* Effect.try({
    try: () => remake.finish(Own.inBackup(tip.owner, tip.generation)),
    catch: notMade(file)
  })
  return { ...remade, parts: count } satisfies Restored
}, Effect.scoped)

const all = Effect.fnUntraced(function* (place: Place, tip: Tip, log: LogName, remake: Remake) {
  const { through } = tip.logs[log]
  let [count, attempts] = [0, 0]
  while (remake.through(log) < through) {
    const listed = yield* Files.list(place, tip.generation)
    const { gaps, parts } = Part.cover(log, listed, through)
    const [gap] = gaps
    if (gap !== undefined) {
      return yield* damaged(`The backup on ${place.lake.name} lacks the ${log} from ${gap.from} to ${gap.through}.`)
    }
    for (const part of parts) {
      if (part.last <= remake.through(log)) continue
      const frames = yield* Files.open(place, part)
      if (frames === "is gone" && ++attempts < mostAttempts) break
      if (typeof frames === "string") return yield* damaged(`${part.path} on ${place.lake.name} ${frames}.`)
      yield* Effect.try({ try: () => remake.add(log, frames), catch: notMade(part.path) })
      if (remake.through(log) < part.last) return yield* damaged(`${part.path} on ${place.lake.name} ends too early.`)
      count++
    }
  }
  return count
})

const refused = (message: string) => new BackupError({ reason: "Refused", message })
const damaged = (message: string) => new BackupError({ reason: "Damaged", message })

const notMade = (file: string) => (cause: unknown) =>
  new BackupError({ reason: "Failed", message: `The store can't be made of ${file}: ${whyNot(cause)}.` })
