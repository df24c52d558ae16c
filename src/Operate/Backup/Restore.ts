/**
 * Rebuilds a Store's file from an off-machine backup, with nothing but the backup's key. Every chunk is authenticated,
 * and no number may be missing up to the tip: the file is complete, or there is none.
 */
import { Effect } from "effect"
import { type Reached, track } from "../../Runtime/Progress.ts"
import { whyNot } from "../../Runtime/SystemFailure.ts"
import { type LogName, logNames } from "../../Stores/Following.ts"
import { Remake, type Remade } from "../../Stores/Sqlite/Remake.ts"
import * as Files from "./Files.ts"
import { schema } from "./Follow.ts"
import * as Own from "./Own.ts"
import * as Chunk from "./Chunk.ts"
import type { Vault } from "./Vault.ts"
import { BackupError, find, type Tip } from "./Tip.ts"

export interface Restored extends Remade {
  readonly chunks: number
}

/** Chunks may be merged while they are read; then they are listed again. */
const mostAttempts = 5

/** What the vault has, before anything is fetched. */
export const tipAt = Effect.fnUntraced(function* (vault: Vault) {
  const { tip } = yield* find(vault)
  if (tip === undefined) return yield* refused(`There is no backup on ${vault.lake.name}.`)
  if (tip.schema > schema) {
    return yield* refused(
      `The backup on ${vault.lake.name} is of siteledger ${tip.version}: restore it with that version.`
    )
  }
  return tip
})

/** Writes into a new file. */
export const into = Effect.fnUntraced(function* (vault: Vault, tip: Tip, file: string) {
  const remake = yield* Effect.acquireRelease(
    Effect.tryPromise({ try: () => Remake.begin(file), catch: notMade(file) }),
    (remake) => Effect.sync(() => remake.close())
  )
  let count = 0
  const total = logNames.reduce((sum, log) => sum + tip.logs[log].through, 0)
  yield* track("restore", { unit: "rows and deliveries", total }, (reached) =>
    Effect.forEach(logNames, (log) => Effect.map(all(vault, tip, log, remake, reached), (read) => (count += read)), {
      discard: true
    })
  )
  const remade = yield* Effect.try({
    try: () => remake.finish(Own.inBackup(tip.owner, tip.generation)),
    catch: notMade(file)
  })
  return { ...remade, chunks: count } satisfies Restored
}, Effect.scoped)

const all = Effect.fnUntraced(function* (vault: Vault, tip: Tip, log: LogName, remake: Remake, reached: Reached) {
  const { through } = tip.logs[log]
  let [count, attempts] = [0, 0]
  while (remake.through(log) < through) {
    const listed = yield* Files.list(vault, tip.generation)
    const { gaps, chunks } = Chunk.cover(log, listed, through)
    const [gap] = gaps
    if (gap !== undefined) {
      return yield* damaged(`The backup on ${vault.lake.name} lacks the ${log} from ${gap.from} to ${gap.through}.`)
    }
    for (const chunk of chunks) {
      if (chunk.last <= remake.through(log)) continue
      const frames = yield* Files.open(vault, chunk)
      if (frames === "is gone" && ++attempts < mostAttempts) break
      if (typeof frames === "string") return yield* damaged(`${chunk.path} on ${vault.lake.name} ${frames}.`)
      yield* Effect.try({ try: () => remake.add(log, frames), catch: notMade(chunk.path) })
      if (remake.through(log) < chunk.last) return yield* damaged(`${chunk.path} on ${vault.lake.name} ends too early.`)
      count++
      reached(logNames.reduce((sum, each) => sum + remake.through(each), 0))
    }
  }
  return count
})

const refused = (message: string) => new BackupError({ reason: "Refused", message })
const damaged = (message: string) => new BackupError({ reason: "Damaged", message })

const notMade = (file: string) => (cause: unknown) =>
  new BackupError({ reason: "Failed", message: `The store can't be made of ${file}: ${whyNot(cause)}.` })
