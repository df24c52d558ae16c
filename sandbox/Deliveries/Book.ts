/**
 * The sole owner of the deliveries' states (interface document §3.2, §8), their counts and the latest attempts of each.
 * It decides when the next attempt is due; all other timing is elsewhere.
 *
 * Memory is bounded. Only the latest settled deliveries are kept; older ones remain in the counts. Attempts are kept
 * for every delivered one that is kept, and for the others that were attempted most recently.
 */
import { Deferred, Effect } from "effect"

export type DeliveryState = "waiting" | "delivered" | "failed"

/** How the request is disguised: with another type, another event id, or the previous event's id. */
export const disguises = ["none", "other-type", "other-id", "used-id"] as const
export type Disguise = (typeof disguises)[number]

export interface Delivery {
  readonly id: number
  readonly subscription: number
  /** The event's number; negative: a ping or a test (`Subscriptions.ts`). */
  readonly event: number
  /** A duplicate, sent although nothing went wrong. */
  readonly copy: boolean
  readonly disguise: Disguise
  /** It failed permanently before. */
  readonly replayed: boolean
  readonly state: DeliveryState
  /** Attempts in the current schedule; a replay starts a new one. */
  readonly attempts: number
  /** Milliseconds since the sandbox started; negative: not attempted yet. */
  readonly firstAttemptAt: number
  readonly due: number
}
export type Kept = { -readonly [Key in keyof Delivery]: Delivery[Key] }

/** The status with which the receiver answered in time, or a few words on why there was none. */
export type Outcome = number | string

export const isSuccess = (outcome: Outcome): boolean => typeof outcome === "number" && outcome >= 200 && outcome < 300

export interface Attempt {
  /** Milliseconds since the sandbox started. */
  readonly at: number
  readonly tookMillis: number
  readonly outcome: Outcome
}

export interface StateCounts {
  readonly delivered: number
  /** Waiting for an attempt, or being attempted. */
  readonly waiting: number
  readonly failed: number
  /** Still waiting when the subscription was deleted. */
  readonly dropped: number
}

export interface DeliveryCounts extends StateCounts {
  readonly attempts: number
}

export const retrySeconds = [60, 300, 1800, 7200, 21_600, 86_400] as const

const deliveredKept = 2_000
const failedKept = 100_000
/** How many undelivered deliveries keep their attempts. */
const attemptedKept = 10_000
/** More attempts than one schedule has, so a replay doesn't hide the earlier ones. */
const attemptsKept = 10

const none: StateCounts = { delivered: 0, waiting: 0, failed: 0, dropped: 0 }
const noAttempts: ReadonlyArray<Attempt> = []

/** Drops the entry that was added longest ago. */
const keep = <A>(kept: Map<number, A>, id: number, a: A, most: number) => {
  kept.delete(id)
  kept.set(id, a)
  const oldest = kept.keys().next()
  if (kept.size > most && oldest.done !== true) kept.delete(oldest.value)
}

const makeAttempts = () => {
  const unsettled = new Map<number, ReadonlyArray<Attempt>>()
  const delivered = new Map<number, ReadonlyArray<Attempt>>()
  const of = (id: number) => unsettled.get(id) ?? delivered.get(id) ?? noAttempts
  return {
    of,
    add: (id: number, attempt: Attempt) => {
      const attempts = [...of(id).slice(1 - attemptsKept), attempt]
      if (!isSuccess(attempt.outcome)) return keep(unsettled, id, attempts, attemptedKept)
      unsettled.delete(id)
      keep(delivered, id, attempts, deliveredKept)
    }
  }
}

/** Fibers that wait for a condition on the counts. */
const makeWaiters = (counts: DeliveryCounts) => {
  const waiters = new Set<{ reached: (counts: DeliveryCounts) => boolean; done: Deferred.Deferred<void> }>()
  return {
    changed: () => {
      for (const waiter of waiters) {
        if (!waiter.reached(counts)) continue
        waiters.delete(waiter)
        Deferred.doneUnsafe(waiter.done, Effect.void)
      }
    },
    until: Effect.fnUntraced(function* (reached: (counts: DeliveryCounts) => boolean) {
      if (reached(counts)) return
      const waiter = { reached, done: yield* Deferred.make<void>() }
      waiters.add(waiter)
      yield* Effect.ensuring(
        Deferred.await(waiter.done),
        Effect.sync(() => waiters.delete(waiter))
      )
    })
  }
}

/** The counts of all deliveries, and of each subscription's. */
const makeTally = () => {
  const counts = { attempts: 0, ...none }
  const bySubscription: Array<{ -readonly [Key in keyof StateCounts]: number }> = []
  return {
    counts,
    count: ({ subscription }: Kept, state: keyof StateCounts, by: 1 | -1) => {
      const own = (bySubscription[subscription] ??= { ...none })
      own[state] += by
      counts[state] += by
    },
    of: (subscription: number): StateCounts => ({ ...none, ...bySubscription[subscription] })
  }
}

/** When the next attempt is due; undefined: this was the last attempt. */
const retryDue = ({ attempts, firstAttemptAt }: Kept, { at, tookMillis }: Attempt, timeScale: number) => {
  const retry = retrySeconds[attempts - 1]
  return retry && Math.max(at + tookMillis, firstAttemptAt + Math.round((retry * 1000) / timeScale))
}

type Tally = ReturnType<typeof makeTally>

/** The permanently failed ones. */
const makeFailed = ({ count }: Tally, attempts: ReturnType<typeof makeAttempts>) => {
  const all = new Map<number, Kept>()
  let changes = 0
  return {
    all,
    changes: () => changes,
    changed: () => void changes++,
    /** Restores a failed delivery of an earlier run, with its last attempt. */
    restore: (record: Kept, attempt: Attempt | undefined) => {
      keep(all, record.id, record, failedKept)
      count(record, "failed", 1)
      if (attempt !== undefined) attempts.add(record.id, attempt)
    },
    /** Takes one out so that it can wait again. */
    reopen: (id: number): Kept | undefined => {
      const record = all.get(id)
      if (record === undefined) return undefined
      all.delete(id)
      changes++
      count(record, "failed", -1)
      return record
    }
  }
}

export const make = (timeScale: number) => {
  const delivered = new Map<number, Kept>()
  const attempts = makeAttempts()
  const tally = makeTally()
  const failed = makeFailed(tally, attempts)
  const { count, counts, of: countsOf } = tally
  const { changed, until } = makeWaiters(counts)
  const leave = (record: Kept, state: Exclude<keyof StateCounts, "waiting">) => {
    count(record, "waiting", -1)
    count(record, state, 1)
    changed()
  }
  const finish = (record: Kept, state: "delivered" | "failed") => {
    record.state = state
    if (state === "delivered") keep(delivered, record.id, record, deliveredKept)
    else keep(failed.all, record.id, record, failedKept)
    if (state === "failed" || record.replayed) failed.changed()
    leave(record, state)
  }
  return {
    delivered,
    failed: failed.all,
    attempts: attempts.of,
    counts: (): DeliveryCounts => ({ ...counts }),
    countsOf,
    waits: (record: Kept) => {
      count(record, "waiting", 1)
      changed()
    },
    finish,
    /** Grows whenever the failed deliveries change, or which of them are being replayed. */
    failures: failed.changes,
    restore: failed.restore,
    reopen: failed.reopen,
    drop: (record: Kept) => leave(record, "dropped"),
    /** True: it is retried when it is due. */
    settle: (record: Kept, attempt: Attempt): boolean => {
      record.attempts++
      counts.attempts++
      attempts.add(record.id, attempt)
      const answered2xx = isSuccess(attempt.outcome)
      const due = retryDue(record, attempt, timeScale)
      if (answered2xx || due === undefined) {
        finish(record, answered2xx ? "delivered" : "failed")
        return false
      }
      record.due = due
      changed()
      return true
    },
    until
  }
}
export type Book = ReturnType<typeof make>
