/**
 * The lineage of a backup: one generation of chunks that a Store continues, and the rules for beginning one.
 *
 * A Store continues a backup that ends with its own frames. If it was restored, moved or rebuilt, its logs are
 * different, and it begins a new generation; the old one stays readable until the new one is complete, and for a while
 * after. A vault with the backup of another Store is refused, and so is one to which a copy of this Store has since
 * written.
 */
import { hash, randomUUID } from "node:crypto"
import { Effect } from "effect"
import * as LogLine from "../../Runtime/LogLine.ts"
import { type LogEnd, type LogName, logNames } from "../../Stores/Following.ts"
import type { Followed, Store } from "../../Stores/Store.ts"
import * as Files from "./Files.ts"
import * as Own from "./Own.ts"
import * as Chunk from "./Chunk.ts"
import type { Vault } from "./Vault.ts"
import { BackupError, find, type Found, type LogTip, type Tip } from "./Tip.ts"

export interface Lineage {
  readonly generation: string
  readonly owner: string
  readonly logs: Readonly<Record<LogName, string>>
  /** In order, including those that were merged since. */
  chunks: ReadonlyArray<Chunk.Chunk>
  /** Numbers before its end that the vault lacks. */
  gaps: ReadonlyArray<Chunk.Gap>
  /** What the vault has when the lineage begins; nothing of the lineage yet if it is new. */
  readonly found: Found
  /** Undefined until the generation is complete. */
  tip: Tip | undefined
}

type Ends = Readonly<Record<LogName, LogEnd>>

/** SHA-256 of a frame; empty if there is none. */
export const endOf = (following: Followed, log: LogName, number: number) =>
  number === 0
    ? Effect.succeed("")
    : Effect.map(following.frames(log, number - 1, number), (frames) =>
        frames === undefined ? "" : hash("sha256", frames.bytes, "hex")
      )

const isSameLog = (following: Followed, log: LogName, { id, last }: LogEnd, tip: LogTip) =>
  id !== tip.id || last < tip.through
    ? Effect.succeed(false)
    : Effect.map(endOf(following, log, tip.through), (end) => end === tip.end)

/** Whether the backup ends with frames of this Store. */
const isOurs = (following: Followed, ends: Ends, { logs }: Tip) =>
  Effect.map(
    Effect.forEach(logNames, (log) => isSameLog(following, log, ends[log], logs[log])),
    (same) => same.every(Boolean)
  )

export const begin = Effect.fnUntraced(function* (vault: Vault, store: Store["Service"], following: Followed) {
  const found = yield* find(vault)
  const own = yield* Own.read(store)
  const ends = yield* following.ends
  const logs = { rows: ends.rows.id, inbox: ends.inbox.id }
  if (found.tip !== undefined && (yield* isOurs(following, ends, found.tip))) {
    const { generation, owner } = found.tip
    yield* Own.write(store, { owner, generation, next: null, isRestored: false })
    const tip = found.tip
    return yield* lineageOf(vault, { generation, owner, logs, found, tip }, (log) => tip.logs[log].through)
  }
  const owner = yield* ownerOf(vault, found.tip, own)
  const isResumed = own?.next?.rows === logs.rows && own.next.inbox === logs.inbox
  const generation = isResumed ? own.next.generation : randomUUID()
  yield* Own.write(store, {
    owner,
    generation: own?.generation ?? null,
    next: { generation, ...logs },
    isRestored: own?.isRestored ?? false
  })
  if (!isResumed) yield* LogLine.write("backup.began", { backup: vault.lake.name, generation })
  return yield* lineageOf(vault, { generation, owner, logs, found, tip: undefined }, Chunk.lastOf)
})

const lineageOf = (
  vault: Vault,
  lineage: Omit<Lineage, "gaps" | "chunks">,
  throughOf: (log: LogName, listed: ReadonlyArray<Chunk.Chunk>) => number
) =>
  Effect.map(Files.list(vault, lineage.generation), (listed): Lineage => {
    const covers = logNames.map((log) => Chunk.cover(log, listed, throughOf(log, listed)))
    return { ...lineage, chunks: covers.flatMap(({ chunks }) => chunks), gaps: covers.flatMap(({ gaps }) => gaps) }
  })

const ownerOf = (vault: Vault, tip: Tip | undefined, own: Own.Own | undefined) => {
  if (tip === undefined) return Effect.succeed(own?.owner ?? randomUUID())
  if (own?.owner !== tip.owner) return another(vault, tip)
  const isLast = own.generation === tip.generation || own.next?.generation === tip.generation
  return isLast || own.isRestored ? Effect.succeed(own.owner) : overtaken(vault, tip)
}

/** Another writer's tip. */
export const taken = (vault: Vault, owner: string, tip: Tip): BackupError =>
  tip.owner === owner ? overtaken(vault, tip) : another(vault, tip)

const another = ({ lake: { name } }: Vault, { at, host }: Tip) =>
  new BackupError({
    reason: "Refused",
    message:
      `${name} has the backup of another store (of ${host}, as of ${at}): nothing is backed up there. Choose another ` +
      `place, or put that backup in this store's place with \`siteledger restore ${name}\`.`
  })

const overtaken = ({ lake: { name } }: Vault, { at, host }: Tip) =>
  new BackupError({
    reason: "Refused",
    message:
      `Another copy of this store, on ${host}, has gone on with the backup on ${name} (as of ${at}): this one isn't ` +
      "backed up any more. If both run, stop one of them."
  })
