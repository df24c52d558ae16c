/**
 * Merges a row without blocking the event loop: one with thousands of fields takes seconds, in which no delivery would
 * be answered. Other rows are merged synchronously.
 */
import { setImmediate } from "node:timers/promises"
import type { Change } from "../Domain/Change.ts"
import { isLarge, merge, mergeInParts, type Row } from "../Domain/Merge.ts"
import * as Nested from "../Domain/Nested.ts"
import type { Resource } from "../Domain/Resource.ts"

/** Returns a promise only for a large row, because a walk merges a million rows. */
export const mergeGently = (
  resource: Resource,
  stored: Row | undefined,
  changes: ReadonlyArray<Change>
): Row | undefined | Promise<Row | undefined> =>
  isLarge(stored, changes) ? inTurns(mergeInParts(resource, stored, changes)) : merge(resource, stored, changes)

const inTurns = async <A>(parts: Generator<undefined, A>): Promise<A> => {
  let part = parts.next()
  while (part.done !== true) {
    await setImmediate()
    part = parts.next()
  }
  return part.value
}

/** Whether analysts see a change. The nested rows change too once a list has become a table. */
export const isVisible = (before: Row | undefined, after: Row): boolean =>
  before?.["_changed_at"] !== after["_changed_at"] || before?.[Nested.column] !== after[Nested.column]
