/**
 * Which parent of a child list a pass reads next: first those that were in flight when it was interrupted, then rows
 * that changed since the previous pass, then all others that it hasn't finished. Hands out one at a time, to any reader
 * that asks.
 */
import { Effect, Semaphore } from "effect"
import type { Store, StoreError } from "../Stores/Store.ts"
import type { Warehouse } from "../Stores/Warehouse.ts"
import type { Begun, Bookmarks } from "./Bookmarks.ts"
import * as ParentProofs from "./ParentProofs.ts"
import * as Parents from "./Parents.ts"
import type { Numbered } from "./Sightings.ts"
import type { ChildList, Parent, SourceError } from "./Source.ts"

interface Below {
  readonly list: ChildList
  readonly store: Store["Service"]
  readonly warehouse: Warehouse["Service"]
}

/** Undefined if there are no more. */
export const waitingBelow = (
  { list, store, warehouse }: Below,
  pass: Numbered,
  bookmarks: Bookmarks
): Effect.Effect<Begun | undefined, SourceError | StoreError> => {
  const oneAtATime = Semaphore.makeUnsafe(1)
  const cutOff = [...bookmarks.begun]
  let rows: Array<Parent> = []
  const more = Effect.gen(function* () {
    // Read before the query: a parent that is finished meanwhile is in one of the two sets.
    const { underWay } = bookmarks
    const found = yield* Parents.next(warehouse, list.parent, bookmarks.asked)
    const last = found.at(-1)
    if (last === undefined) return bookmarks.turn()
    const keys = found.map(({ key }) => key)
    const finished = yield* ParentProofs.finished(store, pass, keys)
    rows = found.filter(({ key }) => !underWay.has(key) && !finished.has(key))
    if (rows.length === 0) bookmarks.skip(last.key)
    return true
  })
  const next = Effect.gen(function* () {
    const resumed = cutOff.shift()
    if (resumed !== undefined) return resumed
    while (rows.length === 0) if (!(yield* more)) return undefined
    const row = rows.shift()
    return row && bookmarks.begin(row)
  })
  return oneAtATime.withPermits(1)(next)
}
