/**
 * The lane of one subscription: its waiting deliveries in the order in which they are due, with at most `concurrency`
 * attempts at once. While the lane is paused, it makes no attempts and its retry schedules stand still. Once removed,
 * it ends; attempts in flight aren't retried.
 */
import { Effect, Latch } from "effect"
import * as DueOrder from "../DueOrder.ts"
import { type Book, type Delivery, isSuccess, type Kept, type Outcome } from "./Book.ts"

export interface Lane {
  readonly order: DueOrder.DueOrder<Kept>
  readonly inFlight: Set<Kept>
  /** Open: something was added, finished or requested since the lane last looked. */
  readonly news: Latch.Latch
  /** The first failure since the last 2xx; Infinity: none. */
  failingSince: number
  /** Infinity: not paused. */
  pausedSince: number
  removed: boolean
  /** Nothing due at this instant or later is attempted. */
  horizon: number
}

export interface LaneOptions {
  readonly attempt: (delivery: Delivery) => Effect.Effect<Outcome>
  readonly concurrency: number
}

export const make = Effect.map(Latch.make(), (news): Lane => ({
  order: DueOrder.make(),
  inFlight: new Set(),
  news,
  failingSince: Infinity,
  pausedSince: Infinity,
  removed: false,
  horizon: Infinity
}))

export const setHorizon = (lane: Lane, horizon: number) => {
  lane.horizon = horizon
  lane.news.openUnsafe()
}

export const waitingIn = (lane: Lane | undefined): ReadonlyArray<Kept> =>
  lane === undefined ? [] : [...lane.inFlight, ...lane.order.all()]

const takeAll = (lane: Lane): ReadonlyArray<Kept> => lane.order.takeOldest(lane.order.size())

export const pause = (lane: Lane, at: number) => {
  lane.pausedSince = Math.min(lane.pausedSince, at)
}

/** Deliveries already attempted continue their schedule as if no time had passed. */
export const resume = (lane: Lane, at: number) => {
  if (lane.pausedSince === Infinity) return
  const pausedMillis = Math.max(0, at - lane.pausedSince)
  lane.pausedSince = Infinity
  for (const record of takeAll(lane)) {
    if (record.firstAttemptAt >= 0) {
      record.firstAttemptAt += pausedMillis
      record.due += pausedMillis
    }
    lane.order.add(record)
  }
  lane.news.openUnsafe()
}

export const remove = (lane: Lane, book: Book) => {
  lane.removed = true
  for (const record of takeAll(lane)) book.drop(record)
  lane.news.openUnsafe()
}

const silentSince = (lane: Lane): number => Math.min(lane.failingSince, lane.pausedSince)

/** The longest lane that has been silent since `deadSince`; undefined while every lane is silent. */
export const deadLane = (lanes: ReadonlyArray<Lane>, deadSince: number): Lane | undefined => {
  const open = lanes.filter((lane) => !lane.removed)
  if (open.every((lane) => silentSince(lane) < Infinity)) return undefined
  const dead = open.filter((lane) => silentSince(lane) <= deadSince && lane.order.size() > 0)
  return dead.toSorted((a, b) => b.order.size() - a.order.size())[0]
}

const settle = (lane: Lane, book: Book, record: Kept, outcome: Outcome, startedAt: number, at: number) => {
  lane.failingSince = isSuccess(outcome) ? Infinity : Math.min(lane.failingSince, at)
  lane.inFlight.delete(record)
  if (book.settle(record, { at: startedAt, tookMillis: at - startedAt, outcome })) {
    if (lane.removed) book.drop(record)
    else lane.order.add(record)
  }
  lane.news.openUnsafe()
}

/** Attempts what is due until the lane is removed and nothing is in flight. */
export const run = (lane: Lane, book: Book, options: LaneOptions, now: Effect.Effect<number>) => {
  const attempt = Effect.fnUntraced(function* (record: Kept, startedAt: number) {
    const outcome = yield* Effect.catchCause(options.attempt(record), () => Effect.succeed("no attempt"))
    settle(lane, book, record, outcome, startedAt, yield* now)
  })
  return Effect.gen(function* () {
    const scope = yield* Effect.scope
    // The end of this scope would interrupt the attempts in flight.
    while (!lane.removed || lane.inFlight.size > 0) {
      lane.news.closeUnsafe()
      // Nothing may yield between reading the first item and taking it: another could be first by then.
      const at = yield* now
      const first = lane.order.first()
      const mayGo = lane.inFlight.size < options.concurrency && lane.pausedSince === Infinity
      if (first === undefined || first.due >= lane.horizon || !mayGo) {
        yield* lane.news.await
        continue
      }
      if (first.due > at) {
        yield* Effect.timeoutOption(lane.news.await, first.due - at)
        continue
      }
      lane.order.takeFirst()
      if (first.firstAttemptAt < 0) first.firstAttemptAt = at
      lane.inFlight.add(first)
      yield* Effect.forkIn(attempt(first, at), scope)
    }
  })
}
