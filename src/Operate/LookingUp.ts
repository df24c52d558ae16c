/**
 * Looks up single records: those that events told of, and those of IPCs whose payments wait for a certificate. The whole record
 * is merged like a page's; a certificate goes to the books.
 *
 * What waits is in the Store (`Stores/LookUps`, and the holds themselves), so a restart goes on with it; it is read some at a time,
 * beside everything else: applying and posting never wait for it. Each list has a pipeline of its own, so one that fails holds up
 * no other. What is done twice, after a crash, changes nothing.
 */
import { Clock, Duration, Effect, Layer } from "effect"
import * as Instant from "../Domain/Instant.ts"
import { Copies } from "../Ledger/Copies.ts"
import { Ledger } from "../Ledger/Ledger.ts"
import { led } from "../Runtime/Leadership.ts"
import { Reasons } from "../Runtime/Reasons.ts"
import * as LookUps from "../Stores/LookUps.ts"
import { Store, type StoreError } from "../Stores/Store.ts"
import { Warehouse, type WarehouseError } from "../Stores/Warehouse.ts"
import { type Detail, Details } from "../Walk/Details.ts"
import type { SourceError } from "../Walk/Source.ts"

type Services = Copies | Ledger | Reasons | Store | Warehouse

export const layer: Layer.Layer<never, never, Services> = Layer.effectDiscard(
  Effect.gen(function* () {
    for (const detail of yield* Details) {
      const looking: Looking = { detail, failures: 0, scanned: { fact: -1, atMs: 0 } }
      yield* Effect.forkScoped(led(`the look-ups of ${detail.resource}`, turn(looking)))
    }
  })
)

interface Looking {
  readonly detail: Detail
  /** In a row. */
  failures: number
  /** When holds were last looked through to the end, and the newest fact then. */
  scanned: { readonly fact: number; readonly atMs: number }
}

interface Due extends LookUps.Waiting {
  /** A payment waits for its certificate. */
  readonly isAwaited: boolean
}

const atOnce = 100
const inFlight = 8
const lookEvery = Duration.seconds(1)
/** Holds change only with facts, but for how long ago they were looked up. */
const scanEveryMs = 60_000
/** The service may know by now what it didn't know then. */
const againAfterMs = Duration.toMillis(Duration.hours(6))
/** Pauses double from here. */
const firstPause = Duration.seconds(5)
const longestPause = Duration.minutes(5)

/** Some look-ups, and the pause after them. A failure is shown, and retried after a pause. */
const turn = Effect.fnUntraced(function* (looking: Looking) {
  const { detail } = looking
  const { opened } = yield* Warehouse
  yield* opened
  const reasons = yield* Reasons
  const key = `look-up ${detail.resource}` as const
  const outcome = yield* Effect.result(some(looking))
  if (outcome._tag === "Failure") {
    yield* reasons.set(key, outcome.failure.message)
    const growing = Duration.times(firstPause, 2 ** Math.min(looking.failures++, 10))
    return yield* Effect.sleep(Duration.min(growing, longestPause))
  }
  looking.failures = 0
  const { count, unread } = outcome.success
  if (unread !== undefined) yield* reasons.set(key, unreadable(detail, unread))
  else if (count > 0) yield* reasons.clear(key)
  if (count < atOnce) yield* Effect.sleep(lookEvery)
})

const unreadable = ({ read }: Detail, id: string): string =>
  `${read} answers no record that can be copied, for example for ${id}: lookUp.record of its list in the review file says where ` +
  "the answer has it, and its key what names it."

const some = (looking: Looking) =>
  Effect.gen(function* () {
    const all = yield* dueIn(looking)
    const read = yield* Effect.forEach(all, (due) => one(looking.detail, due), { concurrency: inFlight })
    return { count: all.length, unread: read.find((id) => id !== undefined) }
  })

const dueIn = Effect.fnUntraced(function* (looking: Looking) {
  const { certificate, resource } = looking.detail
  const store = yield* Store
  const waiting = yield* store.run((db) => LookUps.next(db, resource, atOnce))
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

/** IPCs whose payments wait, and that weren't looked up lately. */
const awaitedIn = Effect.fnUntraced(function* (looking: Looking) {
  const store = yield* Store
  const atMs = yield* Clock.currentTimeMillis
  const fact = yield* store.run(LookUps.newestFact)
  const { scanned } = looking
  if (fact === scanned.fact && atMs - scanned.atMs < scanEveryMs) return []
  yield* store.transaction(async (tx) => void (await LookUps.forget(tx)))
  const before = Instant.fromMillis(atMs - againAfterMs)
  const found = yield* store.run((db) => LookUps.awaiting(db, before, atOnce))
  if (found.length < atOnce) looking.scanned = { fact, atMs }
  return found
})

/** Of a single record: no failure of the list's. */
const isOfRecord = ({ isAbsent, reason }: SourceError): boolean => isAbsent === true || reason === "PageSizeRefused"

const inWords = ({ isAbsent, message }: SourceError): string =>
  isAbsent === true ? "no such record (404)" : `no record: ${message.replace(/\.$/, "")}`

/** Returns the id if its answer isn't a record that can be copied. */
const one = (
  detail: Detail,
  { isAwaited, ...waiting }: Due
): Effect.Effect<string | undefined, SourceError | StoreError | WarehouseError, Services> =>
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
    return typeof answer === "string" || change !== undefined ? undefined : id
  })
