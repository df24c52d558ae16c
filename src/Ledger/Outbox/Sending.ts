/**
 * Finds the entries that are due and sends them: many IPCs at a time, one entry of each.
 *
 * The next entry of an IPC goes only after the outcome of the previous one is on disk. If the process dies in between,
 * the previous entry is sent again under its key.
 */
import { Clock, Duration, Effect, Exit, Random, Schedule, type Scope } from "effect"
import { CircuitBreaker } from "effect/persistence"
import * as Instant from "../../Domain/Instant.ts"
import { unlessFollowing } from "../../Runtime/Leadership.ts"
import { Reasons } from "../../Runtime/Reasons.ts"
import { guarded } from "../../Runtime/Supervisor.ts"
import * as Trace from "../../Runtime/Trace.ts"
import type { StoreError } from "../../Stores/Store.ts"
import { Outbox } from "../Outbox.ts"
import type { Adapter } from "./Adapter.ts"
import type { OutboxMessage } from "./Due.ts"
import * as SinkAnswer from "./SinkAnswer.ts"
import * as LogLine from "../../Runtime/LogLine.ts"
import * as Timings from "../../Runtime/Timings.ts"

export interface Sending {
  readonly adapter: Adapter
  readonly pauses: SinkAnswer.Pauses
  readonly breaker: CircuitBreaker.CircuitBreaker
  /** IPCs with an entry in flight. */
  readonly inHand: Set<string>
  /** The scope of the entries in flight. */
  readonly scope: Scope.Scope
  /** The longest wait when there is no news. */
  readonly longestWaitMs: number
}

/** Each has a kept-alive connection. At 200 ms per answer, this makes 320 entries per second. */
const inFlight = 64

const circuit = "sink"
/** The wait while another entry probes whether the sink is available again. */
const probingPause = Duration.seconds(1)

interface Allowed {
  /** How many entries may be sent now. */
  readonly most: number
  /** Probes whether an unavailable sink accepts entries again. */
  readonly isProbe: boolean
  /** When to ask again if there is no news. */
  readonly againMs: number
}

/** The only place that holds sending back, apart from the rule that nothing is due while the outbox is halted. */
const allowed = Effect.fnUntraced(function* ({ breaker, inHand, longestWaitMs }: Sending) {
  const state = yield* Effect.orDie(breaker.state(circuit))
  const free = inFlight - inHand.size
  const held = (pause: Duration.Duration): Allowed => ({ most: 0, isProbe: false, againMs: Duration.toMillis(pause) })
  if (state._tag === "Closed") return { most: free, isProbe: false, againMs: longestWaitMs } satisfies Allowed
  if (state._tag === "Open" && Duration.isPositive(state.retryAfter)) return held(state.retryAfter)
  if (state._tag === "HalfOpen" && state.probing) return held(probingPause)
  return { most: Math.min(1, free), isProbe: true, againMs: longestWaitMs } satisfies Allowed
})

/** Sends what is due, then waits until more may be due. */
export const round = Effect.fnUntraced(function* (sending: Sending) {
  const { news, next } = yield* Outbox
  // After all deliveries that ended with the same commit, so that they share one look.
  yield* Effect.yieldNow
  // Closed before looking: anything that becomes due from here on opens it again.
  yield* news.close
  const { againMs, isProbe, most } = yield* allowed(sending)
  let waitMs = againMs
  for (const message of most === 0 ? [] : yield* untilStoreAnswers(next(sending.inHand, most))) {
    const dueMs = yield* untilDue(sending, message, isProbe)
    if (dueMs > 0) {
      waitMs = Math.min(waitMs, dueMs)
      continue
    }
    const sent = inHand(sending, message, Trace.within(message.entry.event_id, deliver(sending, message, isProbe)))
    yield* isProbe ? sent : Effect.forkIn(sent, sending.scope, { startImmediately: true })
  }
  yield* Effect.raceFirst(news.await, Effect.sleep(waitMs))
})

/**
 * In milliseconds. An unavailable sink is probed at the circuit's pace, not at the entry's. A time further ahead than
 * any pause comes from a clock that was ahead.
 */
const untilDue = ({ pauses }: Sending, { attempts, dueAt, refusals }: OutboxMessage, isProbe: boolean) =>
  isProbe && refusals === 0
    ? Effect.succeed(0)
    : Effect.map(Clock.currentTimeMillis, (nowMs) => {
        const dueMs = Instant.toMicros(dueAt) / 1000 - nowMs
        return dueMs > (attempts === 0 ? 0 : Duration.toMillis(pauses.longest)) ? 0 : dueMs
      })

/** Keeps the IPC in hand for as long as its entry is in flight; after a defect, until the pause has passed. */
const inHand = <R>({ inHand }: Sending, { entry }: OutboxMessage, attempt: Effect.Effect<void, never, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => inHand.add(entry.ipc_id)),
    () => guarded("sending entries to the accounting sink", unlessFollowing(attempt)),
    () =>
      Effect.andThen(
        Effect.sync(() => inHand.delete(entry.ipc_id)),
        Effect.flatMap(Outbox, ({ news }) => news.open)
      )
  )

/** One attempt, with its outcome noted on disk. */
const deliver = Effect.fn("Sink.deliver")(function* (sending: Sending, message: OutboxMessage, isProbe: boolean) {
  const outbox = yield* Outbox
  if (!(yield* untilStoreAnswers(outbox.leaving(message)))) return
  const outcome = yield* Effect.result(
    sending.breaker.execute(sending.adapter.post(message), { key: circuit, classify: classified })
  )
  // Not tried: the sink has just become unavailable, or another entry is probing it.
  if (outcome._tag === "Failure") return yield* Effect.sleep(probingPause)
  const verdict = outcome.success
  const isAnswered = verdict._tag === "Taken" || verdict._tag === "Waits"
  if (isProbe && isAnswered) yield* untilStoreAnswers(outbox.hurry)
  const { entry_id: entry, ipc_id: ipc } = message.entry
  if (verdict._tag === "Taken") {
    yield* untilStoreAnswers(outbox.delivered(message))
    const seconds = yield* age(message)
    yield* Timings.observe("acknowledged", seconds)
    yield* LogLine.write("message.delivered", { entry, ipc, seconds })
    return
  }
  const isRefused = verdict._tag === "Refused" || verdict._tag === "Held"
  const isDead = verdict._tag === "Held" || (isRefused && message.refusals + 1 >= SinkAnswer.mostRefusals)
  // Counted separately, so that an entry that waited long for an unavailable sink starts with short pauses after a
  // refusal.
  const failures = isRefused ? message.refusals + 1 : message.attempts - message.refusals + 1
  const pauseMs = SinkAnswer.pauseMs(sending.pauses, failures, verdict, yield* Random.next)
  const againAt = isDead ? undefined : Instant.fromMillis(Math.ceil((yield* Clock.currentTimeMillis) + pauseMs))
  if (!isDead) yield* LogLine.write("message.postponed", { entry, ipc, why: verdict.reason })
  yield* untilStoreAnswers(outbox.postponed(message, { reason: verdict.reason, isRefused, againAt }))
  const attempts = message.attempts + 1
  if (isDead) yield* LogLine.write("message.dead", { entry, ipc, attempts, why: verdict.reason })
})

/** Since it was queued, which is when it was posted. */
const age = ({ queuedAt }: OutboxMessage) =>
  Effect.map(Clock.currentTimeMillis, (nowMs) =>
    LogLine.seconds(Duration.millis(Math.max(0, nowMs - Instant.toMicros(queuedAt) / 1000)))
  )

/** A refusal says nothing about the sink's availability. A system that doesn't show an entry yet has also answered. */
const classified = (exit: Exit.Exit<SinkAnswer.Verdict>): CircuitBreaker.Outcome => {
  if (Exit.isFailure(exit)) return CircuitBreaker.failure()
  const verdict = exit.value
  if (verdict._tag === "Unavailable") return CircuitBreaker.failure({ retryAfter: verdict.retryAfterMs })
  return verdict._tag === "Taken" || verdict._tag === "Waits" ? CircuitBreaker.success : CircuitBreaker.ignored
}

/** Retries until the Store answers, so that an outcome isn't forgotten meanwhile. */
export const untilStoreAnswers = <A>(query: Effect.Effect<A, StoreError>) =>
  Effect.gen(function* () {
    const reasons = yield* Reasons
    const key = "outbox"
    const noticed = Effect.tapError(query, ({ message }) =>
      reasons.set(key, `The entries for the accounting sink can't be read or updated for now: ${message}`)
    )
    const answer = yield* Effect.orDie(Effect.retry(noticed, storePauses))
    yield* reasons.clear(key)
    return answer
  })

const storePauses = Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("10 seconds")])
