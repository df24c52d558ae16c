/**
 * Removes what a backup no longer needs: small chunks whose frames are in a larger one, and generations that were
 * replaced a month ago. It never removes what the tip needs, or a file that isn't named like a siteledger chunk.
 */
import { Clock, Duration, Effect } from "effect"
import * as Instant from "../../Domain/Instant.ts"
import * as LogLine from "../../Runtime/LogLine.ts"
import { logNames } from "../../Stores/Following.ts"
import * as Files from "./Files.ts"
import * as Chunk from "./Chunk.ts"
import type { Vault } from "./Vault.ts"
import { find, move, type Tip } from "./Tip.ts"

const keptFor = Duration.days(30)

const remove = ({ lake }: Vault, chunks: ReadonlyArray<Chunk.Chunk>) =>
  Effect.forEach(chunks, ({ path }) => lake.remove(path), { discard: true })

/** Run while nothing else changes the backup. */
export const prune = Effect.fnUntraced(function* (vault: Vault, { generation, writer }: Tip) {
  const found = yield* find(vault)
  const { tip } = found
  if (tip === undefined || tip.generation !== generation || tip.writer !== writer) return
  const listed = yield* Files.list(vault, generation)
  const needed = new Set(logNames.flatMap((log) => Chunk.cover(log, listed, tip.logs[log].through).chunks))
  yield* remove(
    vault,
    listed.filter((chunk) => !needed.has(chunk) && chunk.last <= tip.logs[chunk.log].through)
  )
  const nowMs = yield* Clock.currentTimeMillis
  const isOld = ({ until }: Tip["earlier"][number]) =>
    nowMs - Instant.toMicros(until) / 1000 > Duration.toMillis(keptFor)
  const old = tip.earlier.filter(isOld)
  for (const { generation: replaced } of old) {
    yield* remove(vault, yield* Files.list(vault, replaced))
    yield* LogLine.write("backup.pruned", { backup: vault.lake.name, generation: replaced })
  }
  if (old.length > 0) yield* move(vault, { ...tip, earlier: tip.earlier.filter((each) => !isOld(each)) }, found)
})
