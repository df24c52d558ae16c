/**
 * What earlier processes and other workers have spent of the plan. A second's share is reserved before it is spent, so a
 * crash can only make the next process slower.
 */
import { Context, Effect, Layer, Schema } from "effect"
import type { Spent } from "./Slots.ts"

/** Requests of a wall-clock second that are reserved and not sent. */
export interface Share {
  readonly second: number
  readonly left: number
}

/** The spending can't be read or written for now. */
export class Uncounted extends Schema.TaggedError<Uncounted>()("Uncounted", { message: Schema.String }) {}

export class Spending extends Context.Service<
  Spending,
  {
    /** By all processes, in the last minute. */
    readonly recent: (nowMs: number) => Effect.Effect<ReadonlyArray<Spent>, Uncounted>
    /** Gives back the rest of one share and takes the next; returns what all have spent lately, including `next`. */
    readonly reserve: (previous: Share, next: Share) => Effect.Effect<ReadonlyArray<Spent>, Uncounted>
  }
>()("siteledger/Spending") {
  /** For a process that shares its plan with no other: Pace counts its own requests. */
  static readonly layerAlone: Layer.Layer<Spending> = Layer.succeed(Spending, {
    recent: () => Effect.succeed([]),
    reserve: () => Effect.succeed([])
  })
}
