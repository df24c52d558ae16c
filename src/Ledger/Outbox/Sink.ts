/**
 * The Sink sends the Outbox to the accounting system: one POST per entry, with the entry's id as Idempotency-Key,
 * signed over the raw body (docs/accounting-sink.md).
 *
 * Guarantees: delivery is at-least-once, and the key makes it exactly-once. An entry counts as delivered once the
 * answer is noted on disk; if the process dies before that, the same bytes are sent again under the same key. One IPC's
 * entries go in the order of the journal, and a stuck entry delays no other IPC. The Sink alone retries: per entry with
 * growing pauses, and through a circuit breaker, which spares a sink that accepts nothing and catches up once it does
 * again.
 */
import { Clock, Duration, Effect, Layer, Option, Schedule } from "effect"
import type { HttpClient } from "effect/http"
import { CircuitBreaker } from "effect/persistence"
import * as Instant from "../../Domain/Instant.ts"
import { steady } from "../../Runtime/Boot.ts"
import { led } from "../../Runtime/Leadership.ts"
import { Reasons } from "../../Runtime/Reasons.ts"
import type { Adapter } from "./Adapter.ts"
import type { Troubles } from "./Backlog.ts"
import { Outbox } from "../Outbox.ts"
import { untilStoreAnswers } from "./Sending.ts"
import * as Sending from "./Sending.ts"
import type * as SinkAnswer from "./SinkAnswer.ts"
import type { Halt } from "./Halt.ts"
import * as LogLine from "../../Runtime/LogLine.ts"

export interface SinkOptions {
  readonly adapter: Adapter
  /** Between two attempts at an entry (from 1 second, growing to a day). */
  readonly pauses?: SinkAnswer.Pauses
  /** Between two attempts at a sink that accepts nothing (from 1 second, growing to a minute). */
  readonly rests?: SinkAnswer.Pauses
}

export const layerWith = (options: SinkOptions): Layer.Layer<never, never, HttpClient.HttpClient | Outbox | Reasons> =>
  Layer.effectDiscard(make(options))

/** Uses the adapter of the configured system. Sends nothing if there is none. */
export const layerFor = <E, R>(
  adapter: Effect.Effect<Option.Option<Adapter>, E, R>
): Layer.Layer<never, E, HttpClient.HttpClient | Outbox | R | Reasons> =>
  Layer.unwrap(
    Effect.map(
      adapter,
      Option.match({
        onNone: () => Layer.effectDiscard(tellLeftover),
        onSome: (found) => layerWith({ adapter: found })
      })
    )
  )

const defaultPauses = { first: Duration.seconds(1), longest: Duration.days(1) }
const defaultRests = { first: Duration.seconds(1), longest: Duration.minutes(1) }

/** After this many failures in a row, the sink itself counts as unavailable. */
const tripsAfter = 5
/** Short, so that a change of the wall clock is soon noticed. */
const longestWait = Duration.minutes(1)

/** Uses a clock that can't be set back; otherwise a circuit could stay open for that long. */
const circuits = Layer.effect(
  CircuitBreaker.CircuitBreakerStore,
  Effect.map(CircuitBreaker.CircuitBreakerStore, ({ admit, record, state }) =>
    CircuitBreaker.CircuitBreakerStore.of({
      admit: (key) => Effect.updateService(admit(key), Clock.Clock, steady),
      record: (outcome) => Effect.updateService(record(outcome), Clock.Clock, steady),
      state: (key) => Effect.updateService(state(key), Clock.Clock, steady)
    })
  )
).pipe(Layer.provide(CircuitBreaker.layerStoreMemory()))

const make = Effect.fnUntraced(function* (options: SinkOptions) {
  const { pollEvery } = yield* Outbox
  const rests = options.rests ?? defaultRests
  const breaker = yield* CircuitBreaker.make({
    tripPolicy: CircuitBreaker.consecutive(tripsAfter),
    openDuration: Schedule.min([Schedule.exponential(rests.first), Schedule.spaced(rests.longest)]),
    maxOpenDuration: Duration.days(1)
  }).pipe(Effect.provide(circuits))
  const sending: Sending.Sending = {
    adapter: options.adapter,
    pauses: options.pauses ?? defaultPauses,
    breaker,
    inHand: new Set(),
    scope: yield* Effect.scope,
    // Entries that another worker posted don't open the latch here.
    longestWaitMs: Duration.toMillis(Duration.min(longestWait, pollEvery))
  }
  yield* tellUnsent
  yield* Effect.forkScoped(led("finding entries for the accounting sink", Sending.round(sending)))
  yield* Effect.forkScoped(led("watching the accounting sink", watch))
})

const watchEvery = Duration.seconds(10)
const tolerated = Duration.minutes(10)

/** Reports what waits for a person, and what has waited too long. */
const watch = Effect.gen(function* () {
  const outbox = yield* Outbox
  yield* Effect.raceFirst(outbox.troubled.await, Effect.sleep(watchEvery))
  yield* outbox.troubled.close
  const reasons = yield* Reasons
  const { dead, drafts, heldBack, oldest } = yield* untilStoreAnswers(outbox.troubles)
  if (dead === 0) yield* reasons.clear("dead messages")
  else yield* reasons.set("dead messages", deadSentence(dead))
  if (heldBack === 0) yield* reasons.clear("held back")
  else yield* reasons.set("held back", heldBackSentence(heldBack))
  if (drafts === 0) yield* reasons.clear("held drafts")
  else yield* reasons.set("held drafts", draftsSentence(drafts))
  const waits = yield* untilStoreAnswers(outbox.waits)
  if (waits === undefined) yield* reasons.clear("outbox waits")
  else yield* reasons.set("outbox waits", haltSentence(waits), "critical")
  const since = Instant.fromMillis((yield* Clock.currentTimeMillis) - Duration.toMillis(tolerated))
  if (waits !== undefined || oldest === undefined || oldest.queuedAt > since)
    return yield* reasons.clear("accounting sink")
  yield* reasons.set("accounting sink", waitingSentence(oldest))
})

const deadSentence = (dead: number): string =>
  `${dead === 1 ? "1 entry was" : `${dead} entries were`} refused by the accounting sink permanently; later entries of ` +
  "the same IPCs wait. `siteledger ledger sink dead` says why, `siteledger ledger sink replay` sends them again."

const heldBackSentence = (heldBack: number): string =>
  `${heldBack === 1 ? "1 entry is" : `${heldBack} entries are`} held back: an earlier entry of the same IPC was posted ` +
  "before an accounting sink was configured. `siteledger ledger sink dead` says which, and what to do."

const draftsSentence = (drafts: number): string =>
  `${drafts === 1 ? "1 entry is a draft" : `${drafts} entries are drafts`}, and the accounting system has no drafts; later ` +
  "entries of the same IPCs wait. Review them (`siteledger ledger sink dead`), then release them: " +
  "`siteledger ledger sink release --all --reason WHY`."

const haltSentence = ({ since, why }: Halt): string =>
  `Nothing is sent to the accounting sink since ${since}. ${why} Compare the books with what accounting has: ` +
  "`siteledger ledger sink compare FILE`."

const waitingSentence = ({ entryId, ipcId, queuedAt, reason }: NonNullable<Troubles["oldest"]>): string =>
  `Entry ${entryId} of IPC ${ipcId} has been waiting for the accounting sink since ${queuedAt} and is sent as soon as ` +
  `possible.${reason === null ? "" : ` ${reason}`}`

/** Entries posted before a sink was configured aren't sent without being asked for. */
const tellUnsent = Effect.gen(function* () {
  const unsent = yield* untilStoreAnswers((yield* Outbox).unsent)
  if (unsent === 0) return
  yield* LogLine.write("outbox.unsent", { entries: unsent })
})

const tellLeftover = Effect.gen(function* () {
  const status = yield* Effect.orDie((yield* Outbox).status)
  if (status === null) return
  yield* LogLine.write("outbox.stranded", { entries: status.backlog + status.dead })
})
