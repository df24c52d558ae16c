/**
 * The marks of a move in both stores, seen at a worker's start: the old one says where it went, and is refused; the new
 * one has no warehouse of its own. A file is then found to be foreign; on a server, all is applied and walked again here.
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
