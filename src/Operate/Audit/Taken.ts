/**
 * Verifies the books, and takes down what they say of events, so that all facts are read once for both. In two parts, which need
 * about the same time with the bodies' reading: three threads then keep two cores busy.
 */
import { Effect } from "effect"
import * as Agreed from "../../Ledger/Agreed.ts"
import { type Joined, joined, type Refolded, refolded, type Verified } from "../../Ledger/Verify.ts"
import type { Head } from "../../Ledger/Verify/Chained.ts"
import { type Reached } from "../../Runtime/Progress.ts"
import type { ReadAt, Reader, StoreError } from "../../Stores/Store.ts"
import { type Said, Saying } from "./Claims.ts"

export interface Taken {
  readonly verified: Verified
  readonly said: Said
}

/** Of each IPC for itself. */
export interface OfIpcs {
  readonly refolded: Refolded
  readonly said: Said
}

/** What a thread is given, and what it answers. */
export interface Task {
  readonly at: ReadAt
  readonly part: "joined" | "ofIpcs"
  /** What someone has kept of the books as they were. */
  readonly since: Head | undefined
}

export interface Parts {
  readonly joined: Joined
  readonly ofIpcs: OfIpcs
}

export type Answer =
  | { readonly reached: number }
  | { readonly done: Parts[keyof Parts] }
  | { readonly failed: Pick<StoreError, "message" | "reason"> }

const toldEvery = 1000

const ofIpcs = Effect.fnUntraced(function* (store: Reader, reached: Reached) {
  const saying = new Saying(yield* store.run(Agreed.agreed))
  let read = 0
  const books = yield* refolded(store, (facts) => {
    saying.note(facts)
    // Told now and then: a thread sends it.
    const before = read
    read += facts.length
    if (Math.floor(read / toldEvery) > Math.floor(before / toldEvery)) reached(read)
  })
  return { refolded: books, said: saying.said } satisfies OfIpcs
})

/** One part. `reached`: hears how many facts were folded. */
export const taken = (
  store: Reader,
  { part, since }: Pick<Task, "part" | "since">,
  reached: Reached
): Effect.Effect<Parts[keyof Parts], StoreError> => (part === "joined" ? joined(store, since) : ofIpcs(store, reached))
