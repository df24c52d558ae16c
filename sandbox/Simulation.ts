/**
 * The service at work: one owner of the step count. Each step is one event, delivered to every subscription that lists
 * its type, with the faults that are on. Steps come at `eventsPerSecond`, or by `emit`. While too many deliveries wait,
 * the simulation stands still.
 *
 * With a checkpoint, a step is promised on disk before it happens, a second's worth at a time, and a subscription is
 * saved before it is answered. After a kill -9 the promised steps count as done, and what may have been under way is
 * delivered again, with the same bytes. While the disk can't be written, nothing happens.
 */
import { Clock, Deferred, Effect, Schedule, type Scope } from "effect"
import type { Checkpoint } from "./Checkpoint.ts"
import type { Deliveries } from "./Deliveries.ts"
import type { Events } from "./Events.ts"
import type { ResolvedOptions } from "./Options.ts"
import type { Faults } from "./Faults.ts"
import * as FaultyDeliveries from "./FaultyDeliveries.ts"
import { pingEvent, type Subscription, type Subscriptions, type SubscriptionState } from "./Subscriptions.ts"

export interface Simulation {
  /** Events so far. */
  readonly steps: () => number
  /**
   * Emits `count` events now, regardless of the speed but not beyond `maxEvents`. `at`: when they happen by the
   * deliveries' clock, if not now.
   */
  readonly emit: (count: number, at?: number) => Effect.Effect<void>
  /** Makes a subscription and sends its ping. */
  readonly subscribe: (url: string, events: ReadonlyArray<string>) => Effect.Effect<Subscription>
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
const mostPromised = 10_000
/** A restart delivers at most this many events again, so that a long-dead receiver doesn't delay it. */
const mostRedelivered = 50_000
/** Steps in progress (one by the speed, one by `emit`) may not have their deliveries yet. */
const stepsInProgress = 2

/** The step count and its promise on disk. */
const makeCount = (checkpoint: Checkpoint, subscriptions: Subscriptions, deliveries: Deliveries) => {
  const { eventsPerSecond, maxEvents } = checkpoint.options
  const count = { steps: checkpoint.steps }
  let saved = count.steps
  let promised = count.steps

  const save = checkpoint.save(() => ({
    steps: saved,
    subscriptions: subscriptions.all().map((subscription, id) => {
      const unsettled = Math.min(deliveries.oldestWaiting(id), count.steps - stepsInProgress)
      return { id, ...subscription, unsettledFrom: Math.max(subscription.createdAtStep, unsettled) }
    })
  }))
  const insist = save.pipe(
    Effect.tapError((error) => Effect.logWarning(error.message)),
    Effect.catch(() => Effect.orDie(Effect.retry(save, Schedule.spaced("1 second"))))
  )
  /** `wanted`: how many steps are going to happen at once. */
  const promise = Effect.fnUntraced(function* (wanted: number) {
    const further = Math.min(mostPromised, Math.max(wanted, Math.ceil(eventsPerSecond)))
    const upTo = Math.max(count.steps + 1, Math.min(maxEvents, count.steps + further))
    saved = Math.max(saved, upTo)
    yield* insist
    promised = Math.max(promised, upTo)
  })
  return {
    steps: () => count.steps,
    /** Returns the number of the next step. */
    next: Effect.fnUntraced(function* (wanted: number) {
      while (count.steps >= promised) yield* promise(wanted)
      return count.steps++
    }),
    save: insist,
    /** Withdraws promised steps that weren't needed. */
    close: Effect.suspend(() => {
      saved = count.steps
      return save.pipe(Effect.catch((error) => Effect.logWarning(error.message)))
    })
  }
}

/** Milliseconds until a promised step that hasn't happened is due; 0 if the simulated time is ahead on purpose. */
const untilDue = ({ eventsPerSecond, microsPerStep }: ResolvedOptions, dueMillis: number, nowMillis: number) => {
  const most = eventsPerSecond > 0 ? (Math.ceil(eventsPerSecond) * microsPerStep) / 1000 : 0
  return dueMillis > nowMillis && dueMillis - nowMillis <= most ? dueMillis - nowMillis : 0
}

const applyState = (deliveries: Deliveries, number: number, state: SubscriptionState) => {
  if (state === "deleted") return deliveries.remove(number)
  return state === "paused" ? deliveries.pause(number) : deliveries.resume(number)
}

/** Opens the lanes of the saved subscriptions and delivers again what they may have missed. */
const redeliver = Effect.fnUntraced(function* (
  { options, steps, subscriptions: saved }: Checkpoint,
  events: Events,
  subscriptions: Subscriptions,
  deliveries: Deliveries
) {
  const now = yield* Clock.currentTimeMillis
  const at = yield* deliveries.now
  const from = saved.map(({ createdAtStep, unsettledFrom }) =>
    Math.max(createdAtStep, steps - mostRedelivered, Math.min(unsettledFrom, steps - options.redeliver))
  )
  for (const { state } of subscriptions.all()) {
    const number = yield* deliveries.subscribe
    yield* applyState(deliveries, number, state)
  }
  for (let event = Math.min(steps, ...from); event < steps; event++) {
    const held = untilDue(options, events.millis(event) + 1, now)
    for (const subscription of subscriptions.listening(events.at(event).type)) {
      if (event >= (from[subscription] ?? steps)) yield* deliveries.add(subscription, event, { due: at + held })
    }
    if (event % 256 === 0) yield* Effect.yieldNow
  }
})

export const make = Effect.fnUntraced(function* (
  checkpoint: Checkpoint,
  events: Events,
  subscriptions: Subscriptions,
  deliveries: Deliveries,
  faults: Faults
): Effect.fn.Return<Simulation, never, Scope.Scope> {
  const { options } = checkpoint
  const { maxEvents } = options
  const count = makeCount(checkpoint, subscriptions, deliveries)
  const subscribed = yield* Deferred.make<void>()
  const finished = yield* Deferred.make<void>()
  yield* redeliver(checkpoint, events, subscriptions, deliveries)
  if (subscriptions.all().length > 0) yield* Deferred.succeed(subscribed, undefined)
  if (count.steps() >= maxEvents) yield* Deferred.succeed(finished, undefined)
  yield* Effect.addFinalizer(() => count.close)

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
    subscribe: Effect.fnUntraced(function* (url: string, types: ReadonlyArray<string>) {
      const createdAtMillis = yield* Clock.currentTimeMillis
      const subscription = subscriptions.create({ url, events: types, createdAtMillis, createdAtStep: count.steps() })
      const number = yield* deliveries.subscribe
      yield* count.save
      yield* deliveries.add(number, pingEvent(number))
      yield* Deferred.succeed(subscribed, undefined)
      return subscription
    }),
    subscribed: Deferred.await(subscribed),
    rotateSecret: Effect.fnUntraced(function* (subscription: number) {
      const secret = subscriptions.rotateSecret(subscription)
      if (secret !== undefined) yield* count.save
      return secret
    }),
    setState: Effect.fnUntraced(function* (number: number, state: SubscriptionState) {
      subscriptions.setState(number, state)
      yield* count.save
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

/** Runs the steps at their speed, from this instant on if it is near. */
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
