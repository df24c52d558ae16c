/**
 * The running service, and the only owner of the step count. Each step is one event, delivered to every subscription
 * that lists its type, with the faults that are on. Steps come at `eventsPerSecond`, or by `emit`. While too many
 * deliveries wait, the simulation stands still.
 *
 * With a checkpoint, steps are promised on disk before they happen (`Simulation/Steps.ts`) and a subscription is saved
 * before it is answered. After a kill -9 the promised steps count as done, and deliveries go on
 * (`Simulation/Redelivery.ts`). It fails only if the first checkpoint can't be written.
 */
import { Clock, Deferred, Effect, type Scope } from "effect"
import type { Checkpoint, CheckpointError } from "./Checkpoint.ts"
import type { Deliveries } from "./Deliveries.ts"
import type { Events } from "./Events.ts"
import type { ResolvedOptions } from "./Options.ts"
import type { Faults } from "./Faults.ts"
import * as FaultyDeliveries from "./FaultyDeliveries.ts"
import { applyState, redeliver, untilDue } from "./Simulation/Redelivery.ts"
import * as Steps from "./Simulation/Steps.ts"
import {
  pingEvent,
  type Subscription,
  type Subscriptions,
  type SubscriptionState,
  withMicros
} from "./Subscriptions.ts"
import { v1, type Version } from "./Versions.ts"

export interface Simulation {
  /** Events so far. */
  readonly steps: () => number
  /**
   * Emits `count` events now, regardless of the speed but not beyond `maxEvents`. `at`: when they happen by the
   * deliveries' clock. Default: now.
   */
  readonly emit: (count: number, at?: number) => Effect.Effect<void>
  /** Makes a subscription and sends its ping. */
  readonly subscribe: (url: string, events: ReadonlyArray<string>, version?: Version) => Effect.Effect<Subscription>
  /** Waits for the first subscription. */
  readonly subscribed: Effect.Effect<void>
  /** Returns the new secret once it is in the checkpoint; undefined: no such subscription. */
  readonly rotateSecret: (subscription: number) => Effect.Effect<string | undefined>
  /** Pauses, resumes or deletes a subscription; the state is on disk when this returns. */
  readonly setState: (subscription: number, state: SubscriptionState) => Effect.Effect<void>
  /** Sends a test event to one subscription. */
  readonly fireTest: (subscription: number) => Effect.Effect<void>
  /** Waits until `maxEvents` are emitted and nothing waits for delivery. */
  readonly drained: Effect.Effect<void>
}

const shortestTickMillis = 5

export const make = Effect.fnUntraced(function* (
  checkpoint: Checkpoint,
  events: Events,
  subscriptions: Subscriptions,
  deliveries: Deliveries,
  faults: Faults
): Effect.fn.Return<Simulation, CheckpointError, Scope.Scope> {
  const { options } = checkpoint
  const { maxEvents } = options
  const count = Steps.make(checkpoint, events, subscriptions, deliveries)
  const subscribed = yield* Deferred.make<void>()
  const finished = yield* Deferred.make<void>()
  yield* redeliver(checkpoint, events, subscriptions, deliveries)
  yield* count.save
  if (subscriptions.all().length > 0) yield* Deferred.succeed(subscribed, undefined)
  if (count.steps() >= maxEvents) yield* Deferred.succeed(finished, undefined)
  yield* Effect.addFinalizer(() => count.close)
  if (options.statePath !== undefined) yield* Effect.forkScoped(keepFailures(deliveries, count.insist))

  const step = Effect.fnUntraced(function* (wanted: number, at: number) {
    const event = yield* count.next(wanted)
    const planned = FaultyDeliveries.plan(faults, options, event)
    for (const subscription of subscriptions.listening(events.at(event).type)) {
      for (const { delayMillis, ...how } of planned) {
        yield* deliveries.add(subscription, event, { ...how, due: at + delayMillis })
      }
    }
    if (event + 1 >= maxEvents) yield* Deferred.succeed(finished, undefined)
  })
  const emit = Effect.fnUntraced(function* (many: number, at?: number) {
    for (let left = Math.min(many, maxEvents - count.steps()); left >= 1; left--) {
      yield* step(left, at ?? (yield* deliveries.now))
      if (left % 256 === 0) yield* Effect.yieldNow
    }
  })
  if (options.eventsPerSecond > 0) {
    const begin = options.awaitSubscription ? Deferred.await(subscribed) : Effect.void
    const nextAt = checkpoint.anchors.at(-1)?.atMillis ?? 0
    yield* Effect.forkScoped(Effect.andThen(begin, run(options, deliveries, count.steps, emit, nextAt)))
  }

  return {
    steps: count.steps,
    emit,
    subscribe: Effect.fnUntraced(function* (url: string, types: ReadonlyArray<string>, version: Version = v1) {
      const createdAtMillis = yield* Clock.currentTimeMillis
      const createdAtStep = count.steps()
      const createdAt = options.isRealTime ? withMicros(createdAtMillis) : events.timestamp(createdAtStep)
      const subscription = subscriptions.create({
        url,
        events: types,
        createdAtMillis,
        createdAt,
        createdAtStep,
        version
      })
      const number = yield* deliveries.subscribe
      yield* count.insist
      yield* deliveries.add(number, pingEvent(number))
      yield* Deferred.succeed(subscribed, undefined)
      return subscription
    }),
    subscribed: Deferred.await(subscribed),
    rotateSecret: Effect.fnUntraced(function* (subscription: number) {
      const secret = subscriptions.rotateSecret(subscription)
      if (secret !== undefined) yield* count.insist
      return secret
    }),
    setState: Effect.fnUntraced(function* (number: number, state: SubscriptionState) {
      subscriptions.setState(number, state)
      yield* count.insist
      yield* applyState(deliveries, number, state)
    }),
    fireTest: (number) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => deliveries.add(number, subscriptions.testEvent(now))),
    drained: Effect.andThen(
      Deferred.await(finished),
      deliveries.until((counts) => counts.waiting === 0)
    )
  }
})

/** Failures and replays are on disk within a second, even while no step happens. */
const keepFailures = Effect.fnUntraced(function* (deliveries: Deliveries, save: Effect.Effect<void>) {
  let saved = deliveries.failures()
  while (true) {
    yield* Effect.sleep("1 second")
    const failures = deliveries.failures()
    if (failures === saved) continue
    yield* save
    saved = failures
  }
})

/** Runs the steps at their speed, beginning at this instant if it is near. */
const run = Effect.fnUntraced(function* (
  options: ResolvedOptions,
  deliveries: Deliveries,
  steps: () => number,
  emit: Simulation["emit"],
  nextAtMillis: number
) {
  const stepMillis = options.microsPerStep / 1000
  let last = yield* Clock.currentTimeMillis
  let due = -untilDue(options, nextAtMillis, last) / stepMillis
  while (steps() < options.maxEvents) {
    yield* Effect.sleep(Math.max(shortestTickMillis, stepMillis))
    const now = yield* Clock.currentTimeMillis
    // After standing still it catches up on at most one second.
    due = Math.min(due + (now - last) / stepMillis, Math.max(1, options.eventsPerSecond))
    last = now
    if (due < 1 || !(yield* deliveries.hasRoom)) continue
    yield* emit(Math.floor(due))
    due -= Math.floor(due)
  }
})
