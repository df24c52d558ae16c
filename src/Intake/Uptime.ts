/**
 * Heartbeats of the receiver in the Store, and the gaps between them.
 *
 * Every five seconds the current up-interval is extended to now. It may claim less uptime than was true, never more: a
 * dead process, a sleeping machine or a failing Store (which could not have stored deliveries either) leaves a hole. A
 * gap that no retry can heal becomes a reason that names it, and `onLost` runs once for it, also across restarts (twice
 * if the process dies in between). It stays open until a person closes it, because the number of missed deliveries is
 * unknown; late ones are only counted. Intervals that no longer matter are deleted after eight days. Setting the clock
 * neither opens nor hides a gap (`Uptime/Heartbeats`).
 */
import { Clock, Context, Duration, Effect, Layer, Semaphore } from "effect"
import * as Gap from "../Domain/Gap.ts"
import * as Instant from "../Domain/Instant.ts"
import { led } from "../Runtime/Leadership.ts"
import { Reasons } from "../Runtime/Reasons.ts"
import { readMeta, Store, type StoreError, writeMeta } from "../Stores/Store.ts"
import { supervised } from "../Runtime/Supervisor.ts"
import * as Heartbeats from "./Uptime/Heartbeats.ts"
import { judged, type Recorded } from "./Uptime/Judged.ts"

export interface UptimeOptions<R> {
  /** When the service tries a delivery again, counted from its first attempt. */
  readonly offsets: ReadonlyArray<Duration.Duration>
  /** Runs once for every gap that is lost. */
  readonly onLost: Effect.Effect<unknown, never, R>
  /** How many deliveries of an interval have arrived since; undefined if that isn't known at the moment. */
  readonly cameLate: (interval: Gap.Interval) => Effect.Effect<number | undefined, never, R>
}

export interface OpenGap extends Gap.Gap {
  /** How many deliveries of a lost gap have arrived since, as of the last minute. How many were missed is unknown. */
  readonly cameLate: number | undefined
}

export class Uptime extends Context.Service<
  Uptime,
  {
    /** The last known gaps if the Store doesn't answer. */
    readonly gaps: Effect.Effect<ReadonlyArray<OpenGap>>
    /** A person declares that the missed deliveries were replayed, or don't matter. */
    readonly close: (fromMs: number, toMs: number, reason: string) => Effect.Effect<void, StoreError>
  }
>()("siteledger/Uptime") {
  static readonly layerWith = <R>(options: UptimeOptions<R>): Layer.Layer<Uptime, never, Store | Reasons | R> =>
    Layer.effect(Uptime, make(options))
}

const heartbeatEvery = Duration.seconds(5)

/** A longer time without a heartbeat is a gap. */
const toleratedMs = 3 * Duration.toMillis(heartbeatEvery)

const lookEvery = Duration.minutes(1)
const keptMs = Duration.toMillis(Duration.days(8))

const make = <R>({ cameLate, offsets, onLost }: UptimeOptions<R>) =>
  Effect.gen(function* () {
    const store = yield* Store
    const reasons = yield* Reasons
    const offsetsMs = offsets.map(Duration.toMillis)
    const heartbeats = yield* Heartbeats.make(store)
    const believed = judging(store, Math.max(0, ...offsetsMs))
    /** The interval being extended; undefined until the Store has taken the first heartbeat. */
    let current: Heartbeats.Current | undefined
    let known: ReadonlyArray<Gap.Gap> = []
    const context = yield* Effect.context<R>()
    const { count, counted } = counter((gap) => Effect.provideContext(cameLate(gap), context))

    const beat = Effect.gen(function* () {
      current = yield* heartbeats.beat(current, toleratedMs)
      yield* reasons.clear("heartbeat")
    }).pipe(Effect.catchTag("StoreError", (error) => showUnstored(reasons, error)))

    const find = Effect.gen(function* () {
      const { closed, nowMs: wallMs, up: recorded } = yield* heartbeats.load
      const nowMs = current === undefined ? wallMs : heartbeats.now(current)
      const { unsure, up } = believed(recorded, nowMs)
      const found = Gap.find({ up: untilNow(up, current, nowMs), closed, nowMs, offsetsMs })
      known = found.open
      return { ...found, nowMs, unsure }
    })

    const oneAtATime = yield* Semaphore.make(1)
    const report = reportLost(store, reasons, Effect.provideContext(onLost, context))
    const look = Effect.gen(function* () {
      const { neededFromMs, nowMs, open, unsure } = yield* find
      yield* reportUnsure(reasons, unsure, open)
      yield* report(
        yield* Effect.forEach(
          open.filter(({ isLost }) => isLost),
          count
        )
      )
      yield* forget(store, Math.min(neededFromMs, nowMs - keptMs))
    }).pipe(
      oneAtATime.withPermit,
      Effect.catchTag("StoreError", (error) => Effect.logDebug("The search for gaps failed", error))
    )

    yield* beat
    yield* Effect.forkScoped(supervised("heartbeats", Effect.andThen(Effect.sleep(heartbeatEvery), beat)))
    yield* Effect.forkScoped(led("gaps", Effect.andThen(look, Effect.sleep(lookEvery))))

    return Uptime.of({
      gaps: find.pipe(
        Effect.map(({ open }) => open),
        Effect.catchTag("StoreError", () => Effect.sync(() => known)),
        Effect.map((open) => open.map(counted))
      ),
      close: Effect.fn("Uptime.close")(function* (fromMs, toMs, reason) {
        yield* close(store, { from_ms: fromMs, to_ms: toMs, reason })
        yield* look
      })
    })
  })

/** A shared Store also has the intervals of other machines, which are up at the same time. */
const judging =
  ({ pollEvery }: Store["Service"], longestMs: number) =>
  (recorded: ReadonlyArray<Recorded>, nowMs: number) =>
    judged(recorded, { longestMs, nowMs: Duration.isFinite(pollEvery) ? nowMs + toleratedMs : undefined })

const showUnstored = (reasons: Reasons["Service"], { message }: StoreError): Effect.Effect<void> =>
  reasons.set("heartbeat", `The heartbeat of the receiver can't be stored: ${message}`, "critical")

/** Remembers how many deliveries of each gap arrived late; `count` queries it again. */
const counter = (cameLate: (gap: Gap.Gap) => Effect.Effect<number | undefined>) => {
  const counts = new Map<number, number>()
  const counted = (gap: Gap.Gap): OpenGap => ({ ...gap, cameLate: counts.get(gap.fromMs) })
  const count = (gap: Gap.Gap): Effect.Effect<OpenGap> =>
    Effect.map(cameLate(gap), (late) => {
      if (late !== undefined) counts.set(gap.fromMs, late)
      return counted(gap)
    })
  return { count, counted }
}

/** Between two heartbeats the receiver is up, although this isn't recorded yet. */
const untilNow = (up: ReadonlyArray<Gap.Interval>, current: Heartbeats.Current | undefined, nowMs: number) =>
  current !== undefined && nowMs - current.toMs <= toleratedMs ? [...up, { fromMs: current.fromMs, toMs: nowMs }] : up

const forget = (store: Store["Service"], beforeMs: number) =>
  store.run((db) => db.deleteFrom("uptime").where("to_ms", "<", beforeMs).execute())

const close = (store: Store["Service"], gap: { from_ms: number; to_ms: number; reason: string }) =>
  Effect.gen(function* () {
    const row = { ...gap, closed_at: Instant.fromMillis(yield* Clock.currentTimeMillis) }
    return yield* store.run((db) =>
      db
        .insertInto("closed_gaps")
        .values(row)
        .onConflict((conflict) => conflict.columns(["from_ms", "to_ms"]).doNothing())
        .execute()
    )
  })

const unsureKey = "uptime unsure"

/** Reported until the gaps of that time have healed or are closed. */
const reportUnsure = (
  reasons: Reasons["Service"],
  unsure: Gap.Interval | undefined,
  open: ReadonlyArray<Gap.Gap>
): Effect.Effect<void> =>
  unsure !== undefined && open.some(({ fromMs, toMs }) => fromMs < unsure.toMs && toMs > unsure.fromMs)
    ? reasons.set(
        unsureKey,
        `The clock was set back while the worker was down, so it isn't known how long it was down before ` +
          `${Instant.fromMillis(unsure.toMs)}. Everything since ${Instant.fromMillis(unsure.fromMs)} counts as a gap, ` +
          "which closes by itself when the service's last retry of that time has passed."
      )
    : reasons.clear(unsureKey)

/** A gap is identified by its start, because the end of an ongoing gap moves. */
const reportLost = (store: Store["Service"], reasons: Reasons["Service"], onLost: Effect.Effect<unknown>) => {
  let active: ReadonlyArray<number> = []
  return Effect.fnUntraced(function* (lost: ReadonlyArray<OpenGap>) {
    const begins = lost.map(({ fromMs }) => fromMs)
    for (const gap of lost) yield* reasons.set(reasonKey(gap.fromMs), sentence(gap), "critical")
    for (const fromMs of active) if (!begins.includes(fromMs)) yield* reasons.clear(reasonKey(fromMs))
    active = begins
    const before = (yield* store.run((db) => readMeta(db, Heartbeats.lostKey))) ?? ""
    const reported = new Set(before.split(" "))
    for (const fromMs of begins) if (!reported.has(String(fromMs))) yield* onLost
    const now = begins.join(" ")
    if (now !== before) yield* store.transaction((tx) => writeMeta(tx, Heartbeats.lostKey, now))
  })
}

const reasonKey = (fromMs: number) => `gap ${fromMs}` as const

const sentence = ({ cameLate, fromMs, toMs }: OpenGap): string =>
  `Deliveries first sent between ${Instant.fromMillis(fromMs)} and ${Instant.fromMillis(toMs)} may be missing, and the ` +
  "service doesn't send them again by itself: replay the failed deliveries of this interval in the service's " +
  `Admin → API → Webhooks, then run \`siteledger replay --gap-closed ${Instant.fromMillis(fromMs)}\`.` +
  (cameLate === undefined ? "" : ` So far ${cameLate} with an event time in this interval have arrived since.`)
