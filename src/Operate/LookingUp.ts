/**
 * Looks up single records: those that events mentioned, and those of IPCs whose payments wait for a certificate. The
 * whole record is merged like a page's; a certificate goes to the books.
 *
 * What waits is in the Store (`Stores/LookUps`, and the holds themselves), so a restart continues with it. It is read a
 * few at a time, beside everything else: applying and posting never wait for it. Each list has its own pipeline, so a
 * failing one holds up no other, and a record without an answer goes behind all that wait (`LookingUp/Unanswered`).
 * Repeating a look-up after a crash changes nothing.
 */
import { Clock, Context, Duration, Effect, Layer } from "effect"
import * as Instant from "../Domain/Instant.ts"
import { Copies } from "../Ledger/Copies.ts"
import { Ledger } from "../Ledger/Ledger.ts"
import * as Beat from "../Runtime/Beat.ts"
import { led } from "../Runtime/Leadership.ts"
import { Reasons } from "../Runtime/Reasons.ts"
import * as LookUps from "../Stores/LookUps.ts"
import { Store, type StoreError } from "../Stores/Store.ts"
import { Warehouse, type WarehouseError } from "../Stores/Warehouse.ts"
import { type Detail, Details } from "../Walk/Details.ts"
import type { SourceError } from "../Walk/Source.ts"
import { Unanswered } from "./LookingUp/Unanswered.ts"

type Services = Copies | Ledger | Reasons | Store | Warehouse

export class LookingUp extends Context.Service<
  LookingUp,
  {
    /** By table. */
    readonly status: Effect.Effect<Readonly<Record<string, LookingUpStatus>>, StoreError>
  }
>()("siteledger/LookingUp") {
  static readonly layer: Layer.Layer<LookingUp, never, Services> = Layer.effect(
    LookingUp,
    Effect.gen(function* () {
      const store = yield* Store
      const all = (yield* Details).map((detail): Looking => ({
        detail,
        failures: 0,
        isShown: false,
        scanned: { fact: -1, atMs: 0 },
        unanswered: new Unanswered(),
        done: 0,
        failed: 0
      }))
      for (const looking of all)
        yield* Effect.forkScoped(led(`the look-ups of ${looking.detail.resource}`, turn(looking)))
      const status = Effect.gen(function* () {
        const waiting = yield* store.run(LookUps.waiting)
        const nowMs = yield* Clock.currentTimeMillis
        return Object.fromEntries(all.map((looking) => [looking.detail.resource, statusOf(looking, waiting, nowMs)]))
      })
      return LookingUp.of({ status: all.length === 0 ? Effect.succeed({}) : status })
    })
  )
}

export interface LookingUpStatus {
  /** Records that wait. */
  readonly waiting: number
  /** How long the first of them has waited, or the first one without an answer; 0 if none waits. */
  readonly oldestWaitingAgeMs: number
  /** Look-ups that were answered, since this worker started. */
  readonly done: number
  /** Look-ups that weren't. */
  readonly failed: number
}

interface Looking {
  readonly detail: Detail
  /** Consecutive turns without an answer. */
  failures: number
  isShown: boolean
  /** When holds were last searched to the end, and the newest fact at that time. */
  scanned: { readonly fact: number; readonly atMs: number }
  readonly unanswered: Unanswered
  done: number
  failed: number
}

const statusOf = (
  { detail: { resource }, done, failed, unanswered }: Looking,
  waiting: ReadonlyMap<string, LookUps.Queue>,
  nowMs: number
): LookingUpStatus => {
  const queue = waiting.get(resource)
  const sinceMs = Math.min(
    queue === undefined ? nowMs : Instant.toMicros(queue.since) / 1000,
    unanswered.sinceMs ?? nowMs
  )
  return { waiting: queue?.count ?? 0, oldestWaitingAgeMs: Math.max(0, Math.round(nowMs - sinceMs)), done, failed }
}

interface Due extends LookUps.Waiting {
  /** A payment waits for its certificate. */
  readonly isAwaited: boolean
}

const atOnce = 100
const inFlight = 8
const lookEvery = Duration.seconds(1)
/** Holds change only with facts, but the time since their last look-up also matters. */
const scanEveryMs = 60_000
/** The service may by now know what it didn't know then. */
const againAfterMs = Duration.toMillis(Duration.hours(6))
/** Pauses double from this length. */
const firstPause = Duration.seconds(5)
const longestPause = Duration.minutes(5)

/** A few look-ups, and the pause after them. A failure is reported, and retried after a pause. */
const turn = Effect.fnUntraced(function* (looking: Looking) {
  const { opened } = yield* Warehouse
  yield* opened
  const outcome = yield* Effect.result(some(looking))
  if (outcome._tag === "Failure") {
    yield* show(looking, outcome.failure.message)
    return yield* rest(looking)
  }
  const { count, isAnswered, unread } = outcome.success
  const nowMs = yield* Clock.currentTimeMillis
  looking.unanswered.forget(nowMs)
  const said =
    unread === undefined ? looking.unanswered.sentence(looking.detail, nowMs) : unreadable(looking.detail, unread)
  if (said !== undefined || count > 0 || looking.isShown) yield* show(looking, said)
  if (!isAnswered) return yield* rest(looking)
  looking.failures = 0
  if (count < atOnce) yield* Beat.next(lookEvery)
})

/** Undefined if nothing is wrong. */
const show = Effect.fnUntraced(function* (looking: Looking, sentence: string | undefined) {
  const reasons = yield* Reasons
  const key = `look-up ${looking.detail.resource}` as const
  looking.isShown = sentence !== undefined
  yield* sentence === undefined ? reasons.clear(key) : reasons.set(key, sentence)
})

/** Nothing is answered, so the pause grows. */
const rest = (looking: Looking) => {
  const growing = Duration.times(firstPause, 2 ** Math.min(looking.failures++, 10))
  return Effect.sleep(Duration.min(growing, longestPause))
}

const unreadable = ({ read }: Detail, id: string): string =>
  `${read} answers no record that can be copied, for example for ${id}: lookUp.record of its list in the review file says where ` +
  "the answer has it, and its key what names it."

const some = (looking: Looking) =>
  Effect.gen(function* () {
    const all = yield* dueIn(looking)
    const outcomes = yield* Effect.forEach(all, (due) => answered(looking, due), { concurrency: inFlight })
    return {
      count: all.length,
      isAnswered: outcomes.length === 0 || outcomes.some((outcome) => outcome !== "unanswered"),
      unread: all.find((_, place) => outcomes[place] === "unread")?.id
    }
  })

const dueIn = Effect.fnUntraced(function* (looking: Looking) {
  const { certificate, resource } = looking.detail
  const { unanswered } = looking
  const store = yield* Store
  const nowMs = yield* Clock.currentTimeMillis
  const next = yield* store.run((db) => LookUps.next(db, resource, atOnce + unanswered.count))
  const waiting = next.filter(({ id }) => unanswered.isDue(id, nowMs)).slice(0, atOnce)
  if (resource !== "ipcs" || certificate === undefined)
    return waiting.map((each): Due => ({ ...each, isAwaited: false }))
  const asked = yield* awaitedIn(looking)
  const known = new Set(waiting.map(({ id }) => id))
  const holds = yield* store.run((db) => LookUps.awaited(db, [...known]))
  return [
    ...asked.filter((id) => !known.has(id)).map((id): Due => ({ id, events: 0, isAwaited: true })),
    ...waiting.map((each): Due => ({ ...each, isAwaited: holds.has(each.id) }))
  ]
})

/** IPCs whose payments wait, and that haven't been looked up recently. */
const awaitedIn = Effect.fnUntraced(function* (looking: Looking) {
  const store = yield* Store
  const atMs = yield* Clock.currentTimeMillis
  const fact = yield* store.run(LookUps.newestFact)
  const { scanned } = looking
  if (fact === scanned.fact && atMs - scanned.atMs < scanEveryMs) return []
  yield* store.transaction(async (tx) => void (await LookUps.forget(tx)))
  const before = Instant.fromMillis(atMs - againAfterMs)
  const most = atOnce + looking.unanswered.count
  const found = yield* store.run((db) => LookUps.awaiting(db, before, most))
  if (found.length < most) looking.scanned = { fact, atMs }
  return found.filter((id) => looking.unanswered.isDue(id, atMs)).slice(0, most)
})

/** Concerns a single record: not a failure of the list. */
const isOfRecord = ({ isAbsent, reason }: SourceError): boolean => isAbsent === true || reason === "PageSizeRefused"

const inWords = ({ isAbsent, message }: SourceError): string =>
  isAbsent === true ? "no such record (404)" : `no record: ${message.replace(/\.$/, "")}`

type Outcome = "done" | "unread" | "unanswered"

/** A record without an answer holds up no other. */
const answered = (looking: Looking, due: Due) =>
  Effect.matchEffect(one(looking.detail, due), {
    onSuccess: (outcome) =>
      Effect.sync(() => {
        looking.done++
        looking.unanswered.succeeded(due.id)
        return outcome
      }),
    onFailure: (error) =>
      Effect.gen(function* () {
        looking.failed++
        if (error._tag !== "SourceError" || error.reason !== "Unanswered") return yield* error
        const nowMs = yield* Clock.currentTimeMillis
        looking.unanswered.failed(due.id, error.message, nowMs)
        const at = Instant.fromMillis(nowMs)
        yield* (yield* Store).transaction((tx) => LookUps.postpone(tx, looking.detail.resource, due.id, at))
        return "unanswered" as const
      })
  })

/** `unread`: its answer isn't a record that can be copied. */
const one = (
  detail: Detail,
  { isAwaited, ...waiting }: Due
): Effect.Effect<Outcome, SourceError | StoreError | WarehouseError, Services> =>
  Effect.gen(function* () {
    const { id } = waiting
    const at = Instant.fromMillis(yield* Clock.currentTimeMillis)
    const answer = yield* Effect.catchIf(detail.fetch(id, "lookup"), isOfRecord, (error) =>
      Effect.succeed(inWords(error))
    )
    if (isAwaited)
      yield* (yield* Ledger).lookedUp({ ipcId: id, read: detail.read, places: detail.certificate, at, answer })
    const change = typeof answer === "string" ? undefined : answer.change
    if (change !== undefined) yield* (yield* Warehouse).write({ changes: [change], events: [] })
    if (isAwaited) yield* (yield* Copies).catchUp
    yield* (yield* Store).transaction((tx) => LookUps.done(tx, detail.resource, waiting, at))
    return typeof answer === "string" || change !== undefined ? "done" : "unread"
  })
