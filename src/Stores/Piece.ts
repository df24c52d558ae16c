/**
 * A part of what the stores hold, as the weekly check reads it: all of it, once. What it finds damaged it repairs, or fails
 * with the reason "Fatal", after which a restart does.
 */
import type { Effect } from "effect"

export interface Piece<E> {
  /** For people. */
  readonly name: string
  readonly check: Effect.Effect<void, E>
}
