/**
 * Verifies the books, and takes down what they say of events, so that all facts are read once.
 */
import { Effect } from "effect"
import * as Agreed from "../../Ledger/Agreed.ts"
import { type Verified, verify } from "../../Ledger/Verify.ts"
import type { Head } from "../../Ledger/Verify/Chained.ts"
import { type Reached } from "../../Runtime/Progress.ts"
import type { ReadAt, Reader, StoreError } from "../../Stores/Store.ts"
import { type Said, Saying } from "./Claims.ts"

export interface Taken {
  readonly verified: Verified
  readonly said: Said
}

/** What the thread is given, and what it answers. */
export interface Task {
  readonly at: ReadAt
  /** What someone has kept of the books as they were. */
  readonly since: Head | undefined
}

export type Answer =
  | { readonly reached: number }
  | { readonly taken: Taken }
  | { readonly failed: Pick<StoreError, "message" | "reason"> }

const toldEvery = 1000

/** `reached`: hears how many facts were read. */
export const takeFrom = Effect.fnUntraced(function* (store: Reader, since: Head | undefined, reached: Reached) {
  const saying = new Saying(yield* store.run(Agreed.agreed))
  let read = 0
  const verified = yield* verify(store, {
    since,
    onFacts: (facts) => {
      saying.note(facts)
      // Told now and then: a thread sends it.
      const before = read
      read += facts.length
      if (Math.floor(read / toldEvery) > Math.floor(before / toldEvery)) reached(read)
    }
  })
  return { verified, said: saying.said } satisfies Taken
})
