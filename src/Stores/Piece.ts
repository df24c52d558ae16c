/**
 * A part of what the stores hold, for the weekly check, which reads all of it, once. It repairs the damage that it
 * finds, or fails with the reason "Fatal"; then a restart repairs it.
 */
import type { Effect } from "effect"

export interface Piece<E> {
  /** For people. */
  readonly name: string
  readonly check: Effect.Effect<void, E>
}
