/**
 * Deliveries under way (interface document §3.2, §8): each is attempted when due until it is delivered or has failed
 * permanently. A failed one can be replayed by hand.
 *
 * Each subscription has its own lane of at most `concurrency` attempts at once, so a dead receiver neither piles up
 * sockets nor delays others. When memory runs short, the oldest deliveries of a long-dead receiver fail permanently. A
 * delivery holds only numbers; its body is made when it is sent. HTTP stays outside: `attempt` returns the answer.
 */
import { Clock, Effect, type Scope } from "effect"
import * as Book from "./Deliveries/Book.ts"
import type {
  Attempt,
  Delivery,
  DeliveryCounts,
  DeliveryState,
  Disguise,
  Kept,
  StateCounts
} from "./Deliveries/Book.ts"
import * as Lane from "./Deliveries/Lane.ts"

export type { Attempt, Delivery, DeliveryCounts, DeliveryState, Outcome, StateCounts } from "./Deliveries/Book.ts"

export interface DeliveriesOptions extends Lane.LaneOptions {
  /** The document's retry schedule is divided by this. */
  readonly timeScale: number
  /** The most deliveries that may wait, over all subscriptions. */
  readonly maxWaiting: number
  /** The number of the first delivery. Default 1. */
  readonly firstId?: number
}

export interface Added {
  /** By the clock of `now`. Default: now. */
  readonly due?: number
  readonly copy?: boolean
  readonly disguise?: Disguise
  /** Set for a delivery of an earlier run, which keeps its number. */
  readonly id?: number
}

export interface Failed {
  readonly id: number
  readonly subscription: number
  readonly event: number
  readonly copy: boolean
  readonly disguise: Disguise
  readonly attempts: number
  readonly lastAttempt: Attempt | undefined
}

export interface Deliveries {
  /** The zero of the instants of deliveries and attempts: milliseconds since 1970. */
  readonly startedAtMillis: number
  /** Milliseconds since `startedAtMillis`. */
  readonly now: Effect.Effect<number>
  /** Opens the lane of the next subscription; returns its number. */
  readonly subscribe: Effect.Effect<number>
  /** Starts no new attempts until it is resumed; attempts in flight finish. */
  readonly pause: (subscription: number) => Effect.Effect<void>
  /** Attempts what is due. The pause doesn't count towards the retry schedule. */
  readonly resume: (subscription: number) => Effect.Effect<void>
  /** Ends the lane: waiting deliveries are dropped, attempts in flight aren't retried. */
  readonly remove: (subscription: number) => Effect.Effect<void>
  readonly add: (subscription: number, event: number, added?: Added) => Effect.Effect<void>
  /** Puts back one that failed permanently in an earlier run. */
  readonly restore: (failed: Failed) => Effect.Effect<void>
  /** The number of the next delivery. */
  readonly nextId: () => number
  /** Grows whenever the failed deliveries change, or which of them are being replayed. */
  readonly failures: () => number
  /** Deliveries due at this instant or later wait until a later horizon is set. Initially Infinity. */
  readonly setHorizon: (instant: number) => Effect.Effect<void>
  /**
   * Attempts a permanently failed delivery again, with a whole schedule of retries; false: there is no such delivery.
   */
  readonly replay: (id: number) => Effect.Effect<boolean>
  /** All waiting deliveries; of the failed or delivered ones only the latest thousands. */
  readonly list: (state: DeliveryState) => ReadonlyArray<Delivery>
  readonly find: (id: number) => Delivery | undefined
  /** The latest attempts, oldest first. Empty once they are forgotten. */
  readonly attempts: (id: number) => ReadonlyArray<Attempt>
  readonly counts: () => DeliveryCounts
  readonly countsOf: (subscription: number) => StateCounts
  /** The lowest event whose delivery waits for this subscription, apart from replays; Infinity: none. */
  readonly oldestWaiting: (subscription: number) => number
  /**
   * True while fewer than `maxWaiting` deliveries wait. Makes room if one subscription has been dead or paused for an
   * hour (divided by `timeScale`) while another is alive: the oldest deliveries of the dead one fail permanently.
   */
  readonly hasRoom: Effect.Effect<boolean>
  /** Waits until the counts satisfy this. */
  readonly until: (reached: (counts: DeliveryCounts) => boolean) => Effect.Effect<void>
}

const deadAfterMillis = 3_600_000

const makeRoom = (book: Book.Book, lanes: ReadonlyArray<Lane.Lane>, options: DeliveriesOptions, at: number) => {
  if (book.counts().waiting < options.maxWaiting) return true
  const dead = Lane.deadLane(lanes, at - deadAfterMillis / options.timeScale)
  // Takes many at once, because finding them scans the whole queue.
  for (const record of dead?.order.takeOldest(Math.ceil(options.maxWaiting / 10)) ?? []) book.finish(record, "failed")
  return book.counts().waiting < options.maxWaiting
}

/** The read-only part. */
const look = (book: Book.Book, lanes: ReadonlyArray<Lane.Lane>) => {
  const waiting = () => lanes.flatMap(Lane.waitingIn)
  return {
    list: (state: DeliveryState) => (state === "waiting" ? waiting() : [...book[state].values()]),
    find: (id: number) => book.delivered.get(id) ?? book.failed.get(id) ?? waiting().find((record) => record.id === id),
    attempts: book.attempts,
    counts: book.counts,
    countsOf: book.countsOf,
    failures: book.failures,
    oldestWaiting: (subscription: number) => {
      let oldest = Infinity
      for (const { event, replayed } of Lane.waitingIn(lanes[subscription])) {
        if (event >= 0 && !replayed) oldest = Math.min(oldest, event)
      }
      return oldest
    },
    until: book.until
  }
}

export const make = Effect.fnUntraced(function* (
  options: DeliveriesOptions
): Effect.fn.Return<Deliveries, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const startedAtMillis = yield* Clock.currentTimeMillis
  const now = Effect.map(Clock.currentTimeMillis, (millis) => millis - startedAtMillis)
  const book = Book.make(options.timeScale)
  const lanes: Array<Lane.Lane> = []
  let nextId = options.firstId ?? 1
  let horizon = Infinity

  const enqueue = (record: Kept) => {
    const lane = lanes[record.subscription]
    if (lane === undefined || lane.removed) return
    lane.order.add(record)
    lane.news.openUnsafe()
    book.waits(record)
  }
  const command = (subscription: number, act: (lane: Lane.Lane, at: number) => void) =>
    Effect.map(now, (at) => {
      const lane = lanes[subscription]
      if (lane !== undefined) act(lane, at)
    })
  return {
    startedAtMillis,
    now,
    subscribe: Effect.gen(function* () {
      const lane = yield* Lane.make
      Lane.setHorizon(lane, horizon)
      yield* Effect.forkIn(Effect.scoped(Lane.run(lane, book, options, now)), scope)
      return lanes.push(lane) - 1
    }),
    pause: (subscription) => command(subscription, Lane.pause),
    resume: (subscription) => command(subscription, Lane.resume),
    remove: (subscription) => command(subscription, (lane) => Lane.remove(lane, book)),
    nextId: () => nextId,
    add: (subscription, event, { copy = false, disguise = "none", due, id } = {}) =>
      Effect.map(now, (at) =>
        enqueue({
          id: id ?? nextId++,
          subscription,
          event,
          copy,
          disguise,
          replayed: id !== undefined,
          state: "waiting",
          attempts: 0,
          firstAttemptAt: -1,
          due: Math.round(due ?? at)
        })
      ),
    setHorizon: (instant) =>
      Effect.sync(() => {
        horizon = instant
        for (const lane of lanes) Lane.setHorizon(lane, instant)
      }),
    replay: (id) =>
      Effect.map(now, (at) => {
        const subscription = book.failed.get(id)?.subscription ?? -1
        if (lanes[subscription]?.removed !== false) return false
        const record = book.reopen(id)
        if (record === undefined) return false
        enqueue({ ...record, replayed: true, state: "waiting", attempts: 0, firstAttemptAt: -1, due: at })
        return true
      }),
    restore: ({ lastAttempt, ...failed }) =>
      Effect.sync(() =>
        book.restore({ ...failed, replayed: true, state: "failed", firstAttemptAt: -1, due: 0 }, lastAttempt)
      ),
    hasRoom: Effect.map(now, (at) => makeRoom(book, lanes, options, at)),
    ...look(book, lanes)
  }
})
