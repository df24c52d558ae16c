/**
 * The marks that a move leaves in both stores, read at a worker's start. The old one names the new place and is refused.
 * The new one has no warehouse yet: a file counts as foreign; on a server, everything is applied and walked again.
 */
import { Effect } from "effect"
import { readMeta, Store, StoreError } from "../../Stores/Store.ts"
import { adoptMoved } from "../../Stores/Projection.ts"

export const key = "moved_to"

export const settle = Effect.gen(function* () {
  const store = yield* Store
  const movedTo = yield* store.run((db) => readMeta(db, key))
  if (movedTo !== undefined) return yield* movedAway(movedTo)
  yield* adoptMoved(store)
})

/** Two stores of one service would each subscribe, and each post to accounting. */
const movedAway = (movedTo: string) =>
  new StoreError({
    reason: "Foreign",
    message: `This store was moved to ${movedTo}: set SITELEDGER_WAREHOUSE to that, or move it back (siteledger move).`
  })
