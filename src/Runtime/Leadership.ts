/**
 * Leadership: of all workers on one database, one does what must be done only once: walks, exports, the accounting
 * sink, the subscription, alerts. A single worker always leads; of several, `Stores/Postgres/Leadership` elects one.
 *
 * For a moment two may believe that they lead, so everything done here can safely be done twice.
 */
import { Context, Effect, Latch } from "effect"
import { supervised } from "./Supervisor.ts"

export interface Leading {
  readonly isLeading: Effect.Effect<boolean>
  /** Open while this worker leads. */
  readonly leading: Latch.Latch
  /** Open while it doesn't. */
  readonly following: Latch.Latch
}

export const Leadership = Context.Reference<Leading>("siteledger/Leadership", {
  defaultValue: () => ({
    isLeading: Effect.succeed(true),
    leading: Latch.makeUnsafe(true),
    following: Latch.makeUnsafe(false)
  })
})

/** Interrupts the turn when this worker no longer leads. */
export const unlessFollowing = <E, R>(turn: Effect.Effect<unknown, E, R>): Effect.Effect<void, E, R> =>
  Effect.flatMap(Leadership, ({ following }) => Effect.asVoid(Effect.raceFirst(turn, following.await)))

/** Waits until this worker leads; interrupts the turn when it no longer does. */
export const whileLeading = <E, R>(turn: Effect.Effect<unknown, E, R>): Effect.Effect<void, E, R> =>
  Effect.flatMap(Leadership, ({ leading }) => Effect.andThen(leading.await, unlessFollowing(turn)))

/** Repeated while another worker leads. */
export const whileFollowing = <R>(name: string, turn: Effect.Effect<unknown, never, R>) =>
  Effect.flatMap(Leadership, ({ following, leading }) =>
    supervised(name, Effect.andThen(following.await, Effect.raceFirst(turn, leading.await)))
  )

/** A pipeline that only the leader runs. */
export const led = <R>(name: string, turn: Effect.Effect<unknown, never, R>) => supervised(name, whileLeading(turn))
