/**
 * What a restarted sandbox does with the deliveries of its earlier runs: permanently failed ones are failed again,
 * waiting ones are waiting again, and events that may have been under way are delivered again with the same bytes (at
 * least once). Retry schedules begin again.
 */
import { Clock, Effect } from "effect"
import type { Checkpoint, SavedDelivery } from "../Checkpoint.ts"
import type { Deliveries } from "../Deliveries.ts"
import type { Events } from "../Events.ts"
import type { ResolvedOptions } from "../Options.ts"
import type { Subscriptions, SubscriptionState } from "../Subscriptions.ts"

/** A restart delivers at most this many events again, so that a long-dead receiver doesn't delay it. */
const mostRedelivered = 50_000

/** Milliseconds until a promised step that hasn't happened is due; 0 if the simulated time is ahead on purpose. */
export const untilDue = (
  { eventsPerSecond, microsPerStep }: ResolvedOptions,
  dueMillis: number,
  nowMillis: number
): number => {
  const most = eventsPerSecond > 0 ? (Math.ceil(eventsPerSecond) * microsPerStep) / 1000 : 0
  return dueMillis > nowMillis && dueMillis - nowMillis <= most ? dueMillis - nowMillis : 0
}

export const applyState = (deliveries: Deliveries, number: number, state: SubscriptionState) => {
  if (state === "deleted") return deliveries.remove(number)
  return state === "paused" ? deliveries.pause(number) : deliveries.resume(number)
}

const restored = (
  deliveries: Deliveries,
  [id, subscription, event, copy, disguise, attempts, last]: SavedDelivery
): Parameters<Deliveries["restore"]>[0] => {
  const [atMillis = 0, tookMillis = 0, outcome = ""] = last ?? []
  const lastAttempt = last === null ? undefined : { at: atMillis - deliveries.startedAtMillis, tookMillis, outcome }
  return { id, subscription, event, copy, disguise, attempts, lastAttempt }
}

/** Opens the lanes of the saved subscriptions. */
export const redeliver = Effect.fnUntraced(function* (
  { failed, options, steps, subscriptions: saved, waiting }: Checkpoint,
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
  for (const each of failed) yield* deliveries.restore(restored(deliveries, each))
  for (const [id, subscription, event, copy, disguise] of waiting) {
    yield* deliveries.add(subscription, event, { id, copy, disguise })
  }
  for (let event = Math.min(steps, ...from); event < steps; event++) {
    const held = untilDue(options, events.millis(event) + 1, now)
    for (const subscription of subscriptions.listening(events.at(event).type)) {
      if (event >= (from[subscription] ?? steps)) yield* deliveries.add(subscription, event, { due: at + held })
    }
    if (event % 256 === 0) yield* Effect.yieldNow
  }
})
