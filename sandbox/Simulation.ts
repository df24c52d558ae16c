/**
 * The service at work: one owner of the step count. Each step is one event, delivered to every subscription
 * that lists its type, some twice and some held back; which ones is decided by the seed and the step. Steps
 * come at `eventsPerSecond`, or by `emit`. While too many deliveries wait, the simulation stands still.
 */
import { Clock, Deferred, Effect, type Scope } from "effect"
import type { Deliveries } from "./Deliveries.ts"
import type { Events } from "./Events.ts"
import type { ResolvedOptions } from "./Options.ts"
import * as Seed from "./Seed.ts"
import { pingEvent, type Subscription, type Subscriptions } from "./Subscriptions.ts"

export interface Simulation {
  /** Events so far. */
  readonly steps: () => number
  /** So many more events now, whatever the speed, but none beyond `maxEvents`. */
  readonly emit: (count: number) => Effect.Effect<void>
  /** Makes a subscription and sends its ping. */
  readonly subscribe: (url: string, events: ReadonlyArray<string>) => Effect.Effect<Subscription>
  /** Waits until `maxEvents` are emitted and nothing waits for delivery. */
  readonly drained: Effect.Effect<void>
}

/** A held-back delivery is passed by up to so many later events. */
const heldSteps = 8
const shortestTickMillis = 5

export const make = Effect.fnUntraced(function* (
  options: ResolvedOptions,
  events: Events,
  subscriptions: Subscriptions,
  deliveries: Deliveries
): Effect.fn.Return<Simulation, never, Scope.Scope> {
  const { maxEvents, seed } = options
  const stepMillis = options.microsPerStep / 1000
  const subscribed = yield* Deferred.make<void>()
  const finished = yield* Deferred.make<void>()
  let steps = 0

  /** Milliseconds that this delivery is held back; 0 for most. */
  const heldMillis = (purpose: number, share: number, step: number): number | undefined => {
    const chance = Seed.share(seed, purpose, step)
    return chance < share ? (1 + (chance / share) * (heldSteps - 1)) * stepMillis : undefined
  }
  const step = Effect.fnUntraced(function* () {
    const event = steps++
    const held = heldMillis(Seed.Purpose.held, options.disorder, event) ?? 0
    const copied = heldMillis(Seed.Purpose.copied, options.duplicates, event)
    for (const subscription of subscriptions.listening(events.at(event).type)) {
      yield* deliveries.add(subscription, event, held)
      if (copied !== undefined) yield* deliveries.add(subscription, event, copied, true)
    }
    if (steps >= maxEvents) yield* Deferred.succeed(finished, undefined)
  })
  const emit = Effect.fnUntraced(function* (count: number) {
    for (let left = Math.min(count, maxEvents - steps); left >= 1; left--) {
      yield* step()
      if (left % 256 === 0) yield* Effect.yieldNow
    }
  })
  const run = Effect.gen(function* () {
    if (options.awaitSubscription) yield* Deferred.await(subscribed)
    let last = yield* Clock.currentTimeMillis
    let due = 0
    while (steps < maxEvents) {
      yield* Effect.sleep(Math.max(shortestTickMillis, stepMillis))
      const now = yield* Clock.currentTimeMillis
      // After a stand-still at most one second is caught up.
      due = Math.min(due + (now - last) / stepMillis, Math.max(1, options.eventsPerSecond))
      last = now
      if (deliveries.counts().waiting >= options.maxWaiting) continue
      yield* emit(Math.floor(due))
      due -= Math.floor(due)
    }
  })
  if (options.eventsPerSecond > 0) yield* Effect.forkScoped(run)

  return {
    steps: () => steps,
    emit,
    subscribe: Effect.fnUntraced(function* (url: string, types: ReadonlyArray<string>) {
      const subscription = subscriptions.create(url, types, steps)
      const number = yield* deliveries.subscribe
      yield* deliveries.add(number, pingEvent(number))
      yield* Deferred.succeed(subscribed, undefined)
      return subscription
    }),
    drained: Effect.andThen(
      Deferred.await(finished),
      deliveries.until((counts) => counts.waiting === 0)
    )
  }
})
