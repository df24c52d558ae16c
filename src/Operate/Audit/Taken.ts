/**
 * Verifies the books and collects what they say about events, so that all facts are read once for both purposes. Split
 * into parts, which threads share.
 */
import { Effect } from "effect"
import * as Agreed from "../../Ledger/Agreed.ts"
import { followed, type Differences, joined, type Refolded, refolded, type Verified } from "../../Ledger/Verify.ts"
import type { Range } from "../../Ledger/WholeBooks.ts"
import type { Reached } from "../../Runtime/Progress.ts"
import type { ReadAt, Reader, StoreError } from "../../Stores/Store.ts"
import { type Said, Saying } from "./Claims.ts"
import type { Key } from "./KeyedHash.ts"

export interface Taken {
  readonly verified: Verified
  readonly said: Said
}

/** Some IPCs, each on its own. */
export interface OfIpcs {
  readonly refolded: Refolded
  readonly said: Said
}

export type Part =
  | { readonly what: "joined" }
  /** `key`: what facts say is numbered under this key. */
  | { readonly what: "ofIpcs"; readonly range: Range; readonly key: Key }
  /** Only if some fact lacks its own link or the previous one. */
  | { readonly what: "followed" }

/** What each part finds. */
export type Found =
  | { readonly what: "joined"; readonly joined: Differences }
  | { readonly what: "ofIpcs"; readonly ofIpcs: OfIpcs }
  | { readonly what: "followed"; readonly followed: Differences }

/** The input of a thread. */
export interface Task {
  readonly at: ReadAt
  readonly parts: ReadonlyArray<Part>
  /** The next part that no thread has begun. */
  readonly next: Int32Array
}

/** The output of a thread. */
export type Answer =
  /** How many more facts were folded. */
  | { readonly more: number }
  | { readonly part: number; readonly found: Found }
  /** No part is left. */
  | { readonly isThrough: true }
  | { readonly failed: Pick<StoreError, "message" | "reason"> }

/** Runs one part. `reached`: is told how many more facts were folded. */
export const found = (store: Reader, part: Part, reached: Reached): Effect.Effect<Found, StoreError> => {
  const { what } = part
  switch (what) {
    case "joined":
      return Effect.map(joined(store), (each) => ({ what, joined: each }))
    case "followed":
      return Effect.map(followed(store), (each) => ({ what, followed: each }))
    case "ofIpcs":
      return Effect.map(ofIpcs(store, part, reached), (each) => ({ what, ofIpcs: each }))
  }
}

type OfRange = Extract<Part, { readonly what: "ofIpcs" }>

const toldEvery = 1000

const ofIpcs = Effect.fnUntraced(function* (store: Reader, { key, range }: OfRange, reached: Reached) {
  const saying = new Saying(yield* store.run(Agreed.agreed), key)
  let untold = 0
  const tell = () => {
    reached(untold)
    untold = 0
  }
  const books = yield* refolded(store, range, (facts) => {
    saying.note(facts)
    untold += facts.length
    // Only now and then, because a thread sends it as a message.
    if (untold >= toldEvery) tell()
  })
  tell()
  return { refolded: books, said: saying.said } satisfies OfIpcs
})

/** Takes parts that no other thread has begun, one after the other. */
export const share = Effect.fnUntraced(function* (
  store: Reader,
  task: Omit<Task, "at">,
  tell: (answer: Answer) => void
) {
  const { next, parts } = task
  for (;;) {
    const number = Atomics.add(next, 0, 1)
    const part = parts[number]
    if (part === undefined) return
    const each = yield* found(store, part, (more) => tell({ more }))
    tell({ part: number, found: each })
  }
})
