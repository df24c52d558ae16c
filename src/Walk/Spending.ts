/**
 * What has been spent of the plan beyond one process: by one before it, and by other workers. A second's share is
 * reserved before it is spent, so that a crash can only make the next process slower.
 */
import { Context, Effect, Layer, Schema } from "effect"
import type { Spent } from "./Slots.ts"

/** Requests of a second of the wall clock that are reserved and not sent. */
export interface Share {
  readonly second: number
  readonly left: number
}

/** What is spent can't be read or written for now. */
export class Uncounted extends Schema.TaggedError<Uncounted>()("Uncounted", { message: Schema.String }) {}

export class Spending extends Context.Service<
  Spending,
  {
    /** By all, in the last minute. */
    readonly recent: (nowMs: number) => Effect.Effect<ReadonlyArray<Spent>, Uncounted>
    /** Gives back what is left of one share and takes the next; then what all have spent lately, `next` included. */
    readonly reserve: (previous: Share, next: Share) => Effect.Effect<ReadonlyArray<Spent>, Uncounted>
  }
>()("siteledger/Spending") {
  /** For a process that shares its plan with no other: what it sends itself, Pace knows. */
  static readonly layerAlone: Layer.Layer<Spending> = Layer.succeed(Spending, {
    recent: () => Effect.succeed([]),
    reserve: () => Effect.succeed([])
  })
}
