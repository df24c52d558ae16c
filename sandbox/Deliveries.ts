/**
 * Deliveries and their states (interface document §3.2, §8): delivered at the first 2xx; else waiting, with
 * retries 1 min, 5 min, 30 min, 2 h, 6 h and 24 h after the first attempt, divided by `timeScale`; then
 * permanently failed, until replayed by hand.
 *
 * Every subscription has its own lane of at most `concurrency` attempts at once, so that a dead receiver
 * piles up no sockets and delays no other; nor does one that has been dead for long fill the memory, since its
 * oldest then fail for good. A delivery holds numbers only; the body is made when it is sent.
 * Knows nothing of HTTP: `attempt` says whether the receiver answered 2xx in time.
 */
import { Clock, Deferred, Effect, Latch, type Scope } from "effect"
import * as DueOrder from "./DueOrder.ts"

export type DeliveryState = "waiting" | "delivered" | "failed"

export interface Delivery {
  readonly id: number
  readonly subscription: number
  /** The event's number; below 0: the ping of a new subscription. */
  readonly event: number
  /** Sent a second time although nothing was wrong. */
  readonly copy: boolean
  readonly state: DeliveryState
  /** Attempts of the present schedule: a replay begins again. */
  readonly attempts: number
  /** Milliseconds since the sandbox started; below 0: not attempted yet. */
  readonly firstAttemptAt: number
  readonly due: number
}
type Kept = { -readonly [Key in keyof Delivery]: Delivery[Key] }

export interface DeliveriesOptions {
  readonly attempt: (delivery: Delivery) => Effect.Effect<boolean>
  readonly timeScale: number
  /** Attempts at once per subscription. */
  readonly concurrency: number
  /** Waiting deliveries of all subscriptions together. */
  readonly maxWaiting: number
}

export interface DeliveryCounts {
  readonly attempts: number
  readonly delivered: number
  /** Waiting for an attempt or in one. */
  readonly waiting: number
  readonly failed: number
}

export interface Deliveries {
  /** Opens the lane of the next subscription; answers its number. */
  readonly subscribe: Effect.Effect<number>
  readonly add: (subscription: number, event: number, delayMillis?: number, copy?: boolean) => Effect.Effect<void>
  /** A new attempt of a permanently failed delivery, and the whole schedule after it; false: no such one. */
  readonly replay: (id: number) => Effect.Effect<boolean>
  /** All that wait; the latest thousands that failed or were delivered. */
  readonly list: (state: DeliveryState) => ReadonlyArray<Delivery>
  readonly counts: () => DeliveryCounts
  /** The lowest event that this subscription waits for; Infinity: none. */
  readonly oldestWaiting: (subscription: number) => number
  /**
   * True while fewer than `maxWaiting` wait. Makes room where a subscription has been dead for an hour (divided
   * by `timeScale`) and another lives: the dead one's oldest fail for good.
   */
  readonly hasRoom: Effect.Effect<boolean>
  /** Waits until the counts are so. */
  readonly until: (reached: (counts: DeliveryCounts) => boolean) => Effect.Effect<void>
}

export const retrySeconds = [60, 300, 1800, 7200, 21_600, 86_400] as const

/** Older ones are dropped to the counters, so that memory stays bounded. */
const deliveredKept = 2_000
const failedKept = 100_000

const keep = (kept: Map<number, Kept>, record: Kept, most: number) => {
  kept.set(record.id, record)
  const oldest = kept.keys().next()
  if (kept.size > most && oldest.done !== true) kept.delete(oldest.value)
}

/** Owns the states; decides nothing about time but when the next attempt is due. */
const makeBook = (timeScale: number) => {
  const delivered = new Map<number, Kept>()
  const failed = new Map<number, Kept>()
  const counts = { attempts: 0, delivered: 0, waiting: 0, failed: 0 }
  const waiters = new Set<{ reached: (counts: DeliveryCounts) => boolean; done: Deferred.Deferred<void> }>()
  const changed = () => {
    for (const waiter of waiters) {
      if (!waiter.reached(counts)) continue
      waiters.delete(waiter)
      Deferred.doneUnsafe(waiter.done, Effect.void)
    }
  }
  const finish = (record: Kept, state: "delivered" | "failed") => {
    record.state = state
    counts.waiting--
    counts[state]++
    if (state === "delivered") keep(delivered, record, deliveredKept)
    else keep(failed, record, failedKept)
    changed()
  }
  /** True: try again when it is due. */
  const settle = (record: Kept, answered2xx: boolean, now: number): boolean => {
    record.attempts++
    counts.attempts++
    const retry = retrySeconds[record.attempts - 1]
    if (answered2xx || retry === undefined) {
      finish(record, answered2xx ? "delivered" : "failed")
      return false
    }
    record.due = Math.max(now, record.firstAttemptAt + Math.round((retry * 1000) / timeScale))
    changed()
    return true
  }
  const until = Effect.fnUntraced(function* (reached: (counts: DeliveryCounts) => boolean) {
    if (reached(counts)) return
    const waiter = { reached, done: yield* Deferred.make<void>() }
    waiters.add(waiter)
    yield* Effect.ensuring(
      Deferred.await(waiter.done),
      Effect.sync(() => waiters.delete(waiter))
    )
  })
  return { delivered, failed, counts, changed, finish, settle, until }
}
type Book = ReturnType<typeof makeBook>

interface Lane {
  readonly order: DueOrder.DueOrder<Kept>
  readonly inHand: Set<Kept>
  /** Open: something was added or finished since the lane last looked. */
  readonly news: Latch.Latch
  /** The first failure since the last 2xx; Infinity: none. */
  failingSince: number
}

const waitingIn = (lane: Lane | undefined): ReadonlyArray<Kept> =>
  lane === undefined ? [] : [...lane.inHand, ...lane.order.all()]

const deadAfterMillis = 3_600_000

/** The longest of the lanes that nobody has listened to for long; none while nobody listens to any. */
const deadLane = (lanes: ReadonlyArray<Lane>, deadSince: number): Lane | undefined => {
  if (lanes.every((lane) => lane.failingSince < Infinity)) return undefined
  const dead = lanes.filter((lane) => lane.failingSince <= deadSince && lane.order.size() > 0)
  return dead.toSorted((a, b) => b.order.size() - a.order.size())[0]
}

const runLane = (lane: Lane, book: Book, options: DeliveriesOptions, now: Effect.Effect<number>) => {
  const attempt = Effect.fnUntraced(function* (record: Kept) {
    const answered2xx = yield* Effect.catchCause(options.attempt(record), () => Effect.succeed(false))
    const at = yield* now
    lane.failingSince = answered2xx ? Infinity : Math.min(lane.failingSince, at)
    lane.inHand.delete(record)
    if (book.settle(record, answered2xx, at)) lane.order.add(record)
    lane.news.openUnsafe()
  })
  return Effect.gen(function* () {
    const scope = yield* Effect.scope
    for (;;) {
      lane.news.closeUnsafe()
      // Nothing yields between the look at the first and its taking: another could be first by then.
      const at = yield* now
      const first = lane.order.first()
      if (first === undefined || lane.inHand.size >= options.concurrency) {
        yield* lane.news.await
        continue
      }
      if (first.due > at) {
        yield* Effect.timeoutOption(lane.news.await, first.due - at)
        continue
      }
      lane.order.takeFirst()
      if (first.firstAttemptAt < 0) first.firstAttemptAt = at
      lane.inHand.add(first)
      yield* Effect.forkIn(attempt(first), scope)
    }
  })
}

export const make = Effect.fnUntraced(function* (
  options: DeliveriesOptions
): Effect.fn.Return<Deliveries, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const startedAt = yield* Clock.currentTimeMillis
  const now = Effect.map(Clock.currentTimeMillis, (millis) => millis - startedAt)
  const book = makeBook(options.timeScale)
  const lanes: Array<Lane> = []
  let nextId = 1

  const enqueue = (record: Kept) => {
    const lane = lanes[record.subscription]
    if (lane === undefined) return
    lane.order.add(record)
    book.counts.waiting++
    lane.news.openUnsafe()
    book.changed()
  }
  return {
    subscribe: Effect.gen(function* () {
      const lane: Lane = {
        order: DueOrder.make(),
        inHand: new Set(),
        news: yield* Latch.make(),
        failingSince: Infinity
      }
      yield* Effect.forkIn(Effect.scoped(runLane(lane, book, options, now)), scope)
      return lanes.push(lane) - 1
    }),
    add: (subscription, event, delayMillis = 0, copy = false) =>
      Effect.map(now, (at) =>
        enqueue({
          id: nextId++,
          subscription,
          event,
          copy,
          state: "waiting",
          attempts: 0,
          firstAttemptAt: -1,
          due: at + Math.round(delayMillis)
        })
      ),
    replay: (id) =>
      Effect.map(now, (at) => {
        const record = book.failed.get(id)
        if (record === undefined) return false
        book.failed.delete(id)
        book.counts.failed--
        enqueue({ ...record, state: "waiting", attempts: 0, firstAttemptAt: -1, due: at })
        return true
      }),
    list: (state) => (state === "waiting" ? lanes.flatMap(waitingIn) : [...book[state].values()]),
    counts: () => ({ ...book.counts }),
    oldestWaiting: (subscription) => {
      let oldest = Infinity
      for (const { event } of waitingIn(lanes[subscription])) if (event >= 0) oldest = Math.min(oldest, event)
      return oldest
    },
    hasRoom: Effect.map(now, (at) => {
      if (book.counts.waiting < options.maxWaiting) return true
      const dead = deadLane(lanes, at - deadAfterMillis / options.timeScale)
      // Many at once, since finding them takes a look at all.
      for (const record of dead?.order.takeOldest(Math.ceil(options.maxWaiting / 10)) ?? []) {
        book.finish(record, "failed")
      }
      return book.counts.waiting < options.maxWaiting
    }),
    until: book.until
  }
})
