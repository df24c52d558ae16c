/**
 * The step count and its promise on disk. A second's worth of steps is promised at a time, before they happen; a
 * promised step keeps its number and its timestamp even after a crash. While the disk can't be written, no step
 * happens.
 */
import { Clock, Effect, Schedule } from "effect"
import type { Checkpoint, SavedDelivery, SavedSubscription } from "../Checkpoint.ts"
import type { Deliveries, Delivery } from "../Deliveries.ts"
import type { Events } from "../Events.ts"
import type { ResolvedOptions } from "../Options.ts"
import type { Subscription, Subscriptions } from "../Subscriptions.ts"

const mostPromised = 10_000
/** Steps in progress (one by the speed, one by `emit`), whose deliveries may not exist yet. */
const stepsInProgress = 2
/** More deliveries than are made between two writes, so after a crash none of their numbers is used again. */
const numbersReserved = 1_000_000

/** Milliseconds by which an event may be dated too early: a smaller tolerance would add anchors on a busy machine. */
const tolerance = 250

const saved = (
  deliveries: Deliveries,
  { attempts, copy, disguise, event, id, subscription }: Delivery
): SavedDelivery => {
  const last = deliveries.attempts(id).at(-1)
  const attempt =
    last === undefined ? null : ([deliveries.startedAtMillis + last.at, last.tookMillis, last.outcome] as const)
  return [id, subscription, event, copy, disguise, attempts, attempt]
}

/** The deliveries that can't be derived from the events; computed only when they change, because there may be many. */
const makeSavedDeliveries = (deliveries: Deliveries) => {
  let failures = -1
  let failed: ReadonlyArray<SavedDelivery> = []
  return () => {
    if (failures !== deliveries.failures()) {
      failures = deliveries.failures()
      failed = deliveries.list("failed").map((each) => saved(deliveries, each))
    }
    const waiting = deliveries.list("waiting").filter(({ event, replayed }) => event < 0 || replayed)
    return { failed, waiting: waiting.map((each) => saved(deliveries, each)) }
  }
}

const savedSubscription =
  (deliveries: Deliveries, steps: number) =>
  (subscription: Subscription, id: number): SavedSubscription => {
    const unsettled = Math.min(deliveries.oldestWaiting(id), steps - stepsInProgress)
    const unsettledFrom = Math.max(subscription.createdAtStep, unsettled)
    return { ...subscription, id, version: subscription.version.path, unsettledFrom }
  }

/** Each jump adds an anchor. */
const pastJumps = 120

/** When a step that is dated in the past happens; undefined for all other steps. */
const pastOf = ({ pastDays, pastEvents, startAtMillis }: ResolvedOptions) => {
  const together = Math.ceil(pastEvents / pastJumps)
  const millisPerStep = (pastDays * 86_400_000) / Math.max(1, pastEvents)
  return (step: number): number | undefined =>
    step < pastEvents ? Math.floor(startAtMillis + Math.floor(step / together) * together * millisPerStep) : undefined
}

export const make = (checkpoint: Checkpoint, events: Events, subscriptions: Subscriptions, deliveries: Deliveries) => {
  const { eventsPerSecond, isRealTime, maxEvents, microsPerStep } = checkpoint.options
  const past = pastOf(checkpoint.options)
  const stepMillis = microsPerStep / 1000
  const savedDeliveries = makeSavedDeliveries(deliveries)
  const count = { steps: checkpoint.steps }
  let kept = count.steps
  let promised = count.steps
  let reserved = numbersReserved

  const save = checkpoint.save(() => ({
    steps: kept,
    anchors: events.anchors(),
    subscriptions: subscriptions.all().map(savedSubscription(deliveries, count.steps)),
    nextDelivery: deliveries.nextId() + reserved,
    ...savedDeliveries()
  }))
  const insist = save.pipe(
    Effect.tapError((error) => Effect.logWarning(error.message)),
    Effect.catch(() => Effect.orDie(Effect.retry(save, Schedule.spaced("1 second"))))
  )
  /** `wanted`: how many steps are going to happen at once. */
  const promise = Effect.fnUntraced(function* (wanted: number) {
    const further = Math.min(mostPromised, Math.max(wanted, Math.ceil(eventsPerSecond)))
    const upTo = Math.max(count.steps + 1, Math.min(maxEvents, count.steps + further))
    kept = Math.max(kept, upTo)
    yield* insist
    promised = Math.max(promised, upTo)
  })
  /** Moves the simulated clock to the present, or on through the past, if the next steps happen later than it shows. */
  const keepTime = Effect.fnUntraced(function* (wanted: number) {
    const present = Math.floor((yield* Clock.currentTimeMillis) - wanted * stepMillis)
    // A file of an older version began its count at the present.
    const atMillis = Math.min(present, past(count.steps) ?? present)
    if (atMillis - events.counted(count.steps) <= stepMillis + tolerance) return
    events.anchor({ step: count.steps, atMillis })
    if (count.steps < promised) yield* insist
  })
  return {
    steps: () => count.steps,
    /** Returns the number of the next step. */
    next: Effect.fnUntraced(function* (wanted: number) {
      if (isRealTime) yield* keepTime(wanted)
      while (count.steps >= promised) yield* promise(wanted)
      return count.steps++
    }),
    /** Tries once. */
    save,
    /** Tries until it succeeds. */
    insist,
    /** Withdraws the promised steps and numbers that weren't used. */
    close: Effect.suspend(() => {
      kept = count.steps
      reserved = 0
      return save.pipe(Effect.catch((error) => Effect.logWarning(error.message)))
    })
  }
}
