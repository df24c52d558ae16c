/**
 * The Sink sends the Outbox to the accounting system: one POST per entry, with the entry's id as Idempotency-Key, signed
 * over the raw body (docs/accounting-sink.md).
 *
 * Guarantees: at least once, so exactly once by key. An entry counts as delivered when the answer is noted on disk; if
 * the process dies before that, the same bytes are sent again under the same key. One IPC's entries go in the order of
 * the journal, and a stuck entry delays no other IPC. The Sink is the only owner of its retries: per entry with growing
 * pauses, and through a circuit breaker that spares a sink which takes nothing and catches up when it does again.
 */
import { Clock, Duration, Effect, Exit, Layer, Option, Random, Redacted, Schedule } from "effect"
import type { HttpClient } from "effect/http"
import { CircuitBreaker } from "effect/persistence"
import { Settings } from "../../../config/Settings.ts"
import * as Instant from "../../Domain/Instant.ts"
import { led } from "../../Runtime/Leadership.ts"
import { Reasons } from "../../Runtime/Reasons.ts"
import type { StoreError } from "../../Stores/Store.ts"
import type { OutboxMessage, Troubles } from "./Messages.ts"
import { Outbox } from "../Outbox.ts"
import * as SinkAnswer from "./SinkAnswer.ts"
import * as SinkPost from "./SinkPost.ts"

export interface SinkOptions {
  readonly url: URL
  readonly secret: Redacted.Redacted
  /** Between two attempts at an entry (1 second, growing to a day). */
  readonly pauses?: SinkAnswer.Pauses
  /** For an answer (10 seconds). */
  readonly patience?: Duration.Duration
  /** Between two attempts at a sink that takes nothing (1 second, growing to a minute). */
  readonly rests?: SinkAnswer.Pauses
}

export const layerWith = (options: SinkOptions): Layer.Layer<never, never, HttpClient.HttpClient | Outbox | Reasons> =>
  Layer.effectDiscard(make(options))

/** Sends nothing where no sink is configured. */
export const layer: Layer.Layer<never, never, HttpClient.HttpClient | Outbox | Reasons | Settings> = Layer.unwrap(
  Effect.map(Settings, ({ ledgerSink }) =>
    Option.match(ledgerSink, { onNone: () => Layer.effectDiscard(tellLeftover), onSome: layerWith })
  )
)

const inFlight = 8
const defaultPauses = { first: Duration.seconds(1), longest: Duration.days(1) }
const defaultRests = { first: Duration.seconds(1), longest: Duration.minutes(1) }
const defaultPatience = Duration.seconds(10)

/** After this many failures in a row, the sink itself counts as unavailable. */
const tripsAfter = 5
const circuit = "sink"
/** While another entry probes whether the sink is available again. */
const probingPause = Duration.seconds(1)
/** Short, to notice soon when the wall clock is set. */
const longestWait = Duration.minutes(1)

interface Sending {
  readonly target: SinkPost.Target
  readonly pauses: SinkAnswer.Pauses
  readonly breaker: CircuitBreaker.CircuitBreaker
  /** IPCs with an entry under way. */
  readonly inHand: Set<string>
  /** Attempts so far. */
  ended: number
  readonly longestWaitMs: number
}

const make = Effect.fnUntraced(function* (options: SinkOptions) {
  const { pollEvery } = yield* Outbox
  const rests = options.rests ?? defaultRests
  const breaker = yield* CircuitBreaker.make({
    tripPolicy: CircuitBreaker.consecutive(tripsAfter),
    openDuration: Schedule.min([Schedule.exponential(rests.first), Schedule.spaced(rests.longest)]),
    maxOpenDuration: Duration.days(1)
  }).pipe(Effect.provide(CircuitBreaker.layerStoreMemory()))
  const sending: Sending = {
    target: SinkPost.target(options.url, Redacted.value(options.secret), options.patience ?? defaultPatience),
    pauses: options.pauses ?? defaultPauses,
    breaker,
    inHand: new Set(),
    ended: 0,
    // Entries that another worker posted open no latch here.
    longestWaitMs: Duration.toMillis(Duration.min(longestWait, pollEvery))
  }
  yield* tellUnsent
  for (let sender = 0; sender < inFlight; sender++) {
    yield* Effect.forkScoped(led("sending entries to the accounting sink", turn(sending)))
  }
  yield* Effect.forkScoped(led("watching the accounting sink", watch))
})

/** Sends the entry that is due, or waits until there may be one. */
const turn = Effect.fnUntraced(function* (sending: Sending) {
  const { breaker, inHand } = sending
  const { news, next } = yield* Outbox
  // Closed before looking: anything that becomes due from here on opens it again.
  yield* news.close
  const state = yield* Effect.orDie(breaker.state(circuit))
  if (state._tag === "Open" && Duration.isPositive(state.retryAfter)) return yield* Effect.sleep(state.retryAfter)
  if (state._tag === "HalfOpen" && state.probing) {
    return yield* Effect.raceFirst(news.await, Effect.sleep(probingPause))
  }
  const isUnavailable = state._tag !== "Closed"
  const { ended } = sending
  const message = yield* untilStoreAnswers(next(inHand))
  const waitMs = message === undefined ? Infinity : yield* untilDue(message, isUnavailable)
  if (message === undefined || waitMs > 0) {
    return yield* Effect.raceFirst(news.await, Effect.sleep(Math.min(waitMs, sending.longestWaitMs)))
  }
  const ipcId = message.entry.ipc_id
  // Another sender was faster. If one has ended meanwhile, this message may have been sent.
  if (inHand.has(ipcId) || sending.ended !== ended) return
  inHand.add(ipcId)
  yield* Effect.ensuring(
    deliver(sending, message, isUnavailable),
    Effect.sync(() => {
      inHand.delete(ipcId)
      sending.ended++
    })
  )
  yield* news.open
})

/** In milliseconds. An unavailable sink is probed at the circuit's pace, not at the entry's. */
const untilDue = ({ dueAt, refusals }: OutboxMessage, isUnavailable: boolean) =>
  isUnavailable && refusals === 0
    ? Effect.succeed(0)
    : Effect.map(Clock.currentTimeMillis, (nowMs) => Instant.toMicros(dueAt) / 1000 - nowMs)

/** One attempt, with its outcome noted on disk. */
const deliver = Effect.fn("Sink.deliver")(function* (sending: Sending, message: OutboxMessage, isUnavailable: boolean) {
  const outbox = yield* Outbox
  const outcome = yield* Effect.result(
    sending.breaker.execute(SinkPost.post(sending.target, message), { key: circuit, classify: classified })
  )
  // Not tried: another entry is probing the sink.
  if (outcome._tag === "Failure") return yield* Effect.sleep(probingPause)
  const verdict = outcome.success
  if (verdict._tag === "Taken") {
    yield* untilStoreAnswers(outbox.delivered(message))
    return isUnavailable ? yield* untilStoreAnswers(outbox.hurry) : undefined
  }
  const isRefused = verdict._tag === "Refused"
  const isDead = isRefused && message.refusals + 1 >= SinkAnswer.mostRefusals
  // Counted apart: an entry that waited long for an unavailable sink starts with short pauses after a refusal.
  const failures = isRefused ? message.refusals + 1 : message.attempts - message.refusals + 1
  const retryAfterMs = isRefused ? undefined : verdict.retryAfterMs
  const pauseMs = SinkAnswer.pauseMs(sending.pauses, failures, retryAfterMs, yield* Random.next)
  const againAt = isDead ? undefined : Instant.fromMillis(Math.ceil((yield* Clock.currentTimeMillis) + pauseMs))
  yield* Effect.logDebug(`Entry ${message.entry.entry_id} isn't delivered: ${verdict.reason}`)
  yield* untilStoreAnswers(outbox.postponed(message, { reason: verdict.reason, isRefused, againAt }))
})

/** A refusal says nothing about the sink's availability. */
const classified = (exit: Exit.Exit<SinkAnswer.Verdict>): CircuitBreaker.Outcome => {
  if (Exit.isFailure(exit)) return CircuitBreaker.failure()
  const verdict = exit.value
  if (verdict._tag === "Unavailable") return CircuitBreaker.failure({ retryAfter: verdict.retryAfterMs })
  return verdict._tag === "Taken" ? CircuitBreaker.success : CircuitBreaker.ignored
}

/** Retries until the Store answers, so an outcome isn't forgotten meanwhile. */
const untilStoreAnswers = <A>(query: Effect.Effect<A, StoreError>) =>
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

const watchEvery = Duration.seconds(10)
const tolerated = Duration.minutes(10)

/** Reports what waits for a person, and what has waited for long. */
const watch = Effect.gen(function* () {
  yield* Effect.sleep(watchEvery)
  const outbox = yield* Outbox
  const reasons = yield* Reasons
  const { dead, heldBack, oldest } = yield* untilStoreAnswers(outbox.troubles)
  if (dead === 0) yield* reasons.clear("dead messages")
  else yield* reasons.set("dead messages", deadSentence(dead))
  if (heldBack === 0) yield* reasons.clear("held back")
  else yield* reasons.set("held back", heldBackSentence(heldBack))
  const since = Instant.fromMillis((yield* Clock.currentTimeMillis) - Duration.toMillis(tolerated))
  if (oldest === undefined || oldest.queuedAt > since) return yield* reasons.clear("accounting sink")
  yield* reasons.set("accounting sink", waitingSentence(oldest))
})

const deadSentence = (dead: number): string =>
  `${dead === 1 ? "1 entry was" : `${dead} entries were`} refused by the accounting sink permanently; later entries of ` +
  "the same IPCs wait. `siteledger ledger sink dead` says why, `siteledger ledger sink replay` sends them again."

const heldBackSentence = (heldBack: number): string =>
  `${heldBack === 1 ? "1 entry is" : `${heldBack} entries are`} held back: an earlier entry of the same IPC was posted ` +
  "before an accounting sink was configured. `siteledger ledger sink dead` says which, and what to do."

const waitingSentence = ({ entryId, ipcId, queuedAt, reason }: NonNullable<Troubles["oldest"]>): string =>
  `Entry ${entryId} of IPC ${ipcId} has been waiting for the accounting sink since ${queuedAt} and is sent as soon as ` +
  `possible.${reason === null ? "" : ` ${reason}`}`

/** Entries posted before a sink was configured aren't sent unasked. */
const tellUnsent = Effect.gen(function* () {
  const unsent = yield* untilStoreAnswers((yield* Outbox).unsent)
  if (unsent === 0) return
  yield* Effect.logInfo(
    `${unsent} entries were posted while no accounting sink was configured and aren't sent; ` +
      "`siteledger ledger sink send --from SEQUENCE` sends them."
  )
})

const tellLeftover = Effect.gen(function* () {
  const status = yield* Effect.orDie((yield* Outbox).status)
  if (status === null) return
  yield* Effect.logWarning(
    `${status.backlog + status.dead} entries wait for an accounting sink, and none is configured (SITELEDGER_LEDGER_SINK_URL).`
  )
})
