/**
 * Walk copies every list of the source into the warehouse, pass after pass, in the lowest lane, every `every` or as
 * often as the list says. Where a list can be asked for its changes, only those are read in between. It is the backstop
 * for what the webhooks missed.
 *
 * A copy says how sure it is (`unproven`, `counts-agree`, `proven`). After a disturbed pass another follows at once;
 * from the third in a row on, after growing pauses. After a crash a pass resumes at its checkpoints.
 */
import { Clock, Context, Duration, Effect, Layer, Option } from "effect"
import { ServiceSettings } from "../../config/Settings.ts"
import { entityNames } from "../Domain/Resource.ts"
import { led, whileFollowing } from "../Runtime/Leadership.ts"
import { type Lane, Pace } from "./Pace.ts"
import { runningMs } from "../Runtime/Boot.ts"
import { Reasons } from "../Runtime/Reasons.ts"
import { Seal } from "../Runtime/Seal.ts"
import * as ChangedPass from "./ChangedPass.ts"
import * as ChildPass from "./ChildPass.ts"
import * as Due from "./Due.ts"
import * as SerialPass from "./SerialPass.ts"
import { isChild, isSerial, Source } from "./Source.ts"
import { Store } from "../Stores/Store.ts"
import * as Checkpoints from "./Checkpoints.ts"
import * as OwnTable from "./OwnTable.ts"
import * as Pass from "./Pass.ts"
import * as Rooms from "./Rooms.ts"
import * as Standings from "./Standings.ts"
import * as Together from "./Together.ts"
import * as Tracks from "./Tracks.ts"
import * as Trouble from "./Trouble.ts"
import type { Outcome } from "./Verdict.ts"
import { Sharer } from "./Waiters.ts"
import { statuses, type WalkStatus } from "./WalkStatus.ts"
import { Warehouse } from "../Stores/Warehouse.ts"
import * as LogLine from "../Runtime/LogLine.ts"
import * as Timings from "../Runtime/Timings.ts"

export interface WalkOptions {
  readonly every: Duration.Duration
  readonly pageSize: number
  /** Pages of one list in flight at once. */
  readonly concurrency?: number
}

type Track = Tracks.Track

const make = ({ concurrency = defaultConcurrency, every, pageSize }: WalkOptions) =>
  Effect.gen(function* () {
    const { lists } = yield* Source
    const store = yield* Store
    const pace = yield* Pace
    const tracks = yield* Effect.forEach(lists, (list) => Tracks.make(list, every))
    yield* Effect.orDie(Tracks.restoreAll(store, tracks))
    // Follows what another worker has walked meanwhile.
    yield* Effect.forkScoped(whileFollowing("the look at the walks", Tracks.followed(store, tracks)))
    const shared: Shared = {
      concurrency,
      pageSize,
      standingOf: Standings.single(store),
      write: yield* Together.make(store, yield* Warehouse),
      roomsOf: yield* Rooms.byLane({ pages: pagesInFlight, perSecond: (yield* pace.usage).limitPerMinute / 60 }),
      // Hundreds of lists don't poll more often than a few.
      pollEvery: Duration.times(store.pollEvery, Math.ceil(tracks.length / listsAtOnce))
    }
    for (const track of tracks) {
      const parent = Tracks.parentOf(tracks, track)
      yield* Effect.forkScoped(led(Trouble.pipelineOf(track), turn(shared, track, parent)))
    }
    return Walk.of({
      status: Effect.gen(function* () {
        const { limitPerMinute } = yield* pace.usage
        return statuses(tracks, limitPerMinute / 60, yield* Clock.currentTimeMillis)
      }),
      isThrough: Effect.sync(() =>
        tracks.every(({ list, state }) => !known.has(list.resource) || state?.proof != null)
      ),
      now: (lane) =>
        Effect.forEach(
          tracks.filter(({ list }) => known.has(list.resource)),
          (track) => {
            track.lane = lane
            return track.wake.open
          },
          { discard: true }
        )
    })
  })

export class Walk extends Context.Service<
  Walk,
  {
    readonly status: Effect.Effect<Readonly<Record<string, WalkStatus>>>
    /**
     * True once every list that the interface document or its events mention has finished a pass, with any proof. Other
     * lists, which a person has switched on, may take hours; their rows are shown before that.
     */
    readonly isThrough: Effect.Effect<boolean>
    /**
     * Begins the next pass now, in a more urgent lane, of each list that the interface document or its events mention,
     * because these lists show what missed events would have said.
     */
    readonly now: (lane: Lane) => Effect.Effect<void>
  }
>()("siteledger/Walk") {
  static readonly layerWith = (options: WalkOptions) => Layer.effect(Walk, make(options))

  static readonly layer = Layer.unwrap(
    Effect.map(ServiceSettings, ({ walkEvery, pageSize }) => Walk.layerWith({ every: walkEvery, pageSize }))
  )
}

const known: ReadonlySet<string> = new Set(entityNames)

const defaultConcurrency = 64
/** For all lists: enough for the largest plan, at any latency. */
const pagesInFlight = 128
const longestAfterFailure = Duration.minutes(5)
const listsAtOnce = 10

interface Shared {
  readonly pageSize: number
  readonly concurrency: number
  readonly standingOf: Standings.Ask
  readonly write: Together.Write
  readonly roomsOf: (lane: Lane) => Rooms.Rooms
  readonly pollEvery: Duration.Duration
}

/** One pass and the pause after it. A failure is reported, and retried after a pause. */
const turn = Effect.fnUntraced(function* (shared: Shared, track: Track, parent: Track | undefined) {
  const store = yield* Store
  yield* (yield* Warehouse).opened
  const found = yield* OwnTable.of(track)
  if (found === undefined) return
  if (found.refusal !== undefined) {
    yield* Trouble.say(track, found.refusal)
    return yield* Effect.never
  }
  // The list's parents don't exist yet.
  if (parent !== undefined && parent.state?.proof == null) return yield* Effect.asVoid(rest(track, OwnTable.lookEvery))
  // Another worker may have walked meanwhile, or been asked for a new walk.
  const before = yield* Effect.option(Tracks.stamp(store))
  const isRestored = yield* Effect.isSuccess(Tracks.restore(shared.standingOf, track))
  // If a store failed when the pass was already through, no page would show for an hour that the store is back.
  if (isRestored && (yield* next(track)).inMs > 0) yield* Trouble.storeAnswered(track)
  const stamp = isRestored ? Option.getOrUndefined(before) : undefined
  const isDue = Tracks.dueSoon(store, track, { every: shared.pollEvery, stamp })
  if (!(yield* Effect.raceFirst(isDue, Effect.as(track.wake.await, true)))) return
  yield* rest(track, Duration.millis((yield* next(track)).inMs))
  yield* track.wake.close
  const { reads } = yield* next(track)
  const walked = yield* Effect.result(
    Effect.scoped(reads === "whole" ? walkOnce(shared, track) : catchUp(shared, track))
  )
  if (walked._tag === "Success") {
    track.failures = 0
    // What a pass over the whole list reported is kept.
    if (walked.success !== undefined) track.said = saidOf(walked.success)
    return yield* Trouble.clear(track)
  }
  yield* Trouble.failed(track, walked.failure)
  const growing = Duration.min(Due.doubled(track.failures++), longestAfterFailure)
  yield* rest(track, Duration.min(growing, track.every))
})

const saidOf = ({ disturbance, failing, state }: Outcome): string | undefined =>
  failing ?? (state.disturbed_in_a_row < Due.patientAfter ? undefined : disturbance)

const walkOnce = (shared: Shared, track: Track) =>
  Effect.gen(function* () {
    const { list } = track
    const [lasted, outcome] = yield* Effect.timed(Effect.provideService(onePass(shared, track), Sharer, track.sharing))
    const quarantined = yield* Checkpoints.quarantinedRecords(yield* Store, list.resource)
    Object.assign(track, { state: outcome.state, quarantined })
    yield* Timings.observe("walk", Duration.toSeconds(lasted), { resource: list.resource })
    yield* LogLine.write("walk.finished", {
      resource: list.resource,
      pass: outcome.state.pass,
      proof: outcome.state.proof ?? "unproven",
      rows: outcome.state.rows,
      total: outcome.state.total,
      pages: outcome.state.pages_total,
      seconds: LogLine.seconds(lasted)
    })
    yield* Effect.annotateCurrentSpan({ proof: outcome.state.proof, rows: outcome.state.rows })
    return outcome
  }).pipe(Effect.withSpan("walk", { root: true, attributes: { resource: track.list.resource } }))

/** Chooses by the kind of the list. */
const onePass = Effect.fnUntraced(function* (shared: Shared, track: Track) {
  const { list, state: previous } = track
  const { concurrency, pageSize } = shared
  const onProgress = (state: Checkpoints.PassState, pagesDone: number) =>
    void Object.assign(track, { state, pagesDone })
  const pass = { ...(yield* begun(shared, track, Due.wholeEvery(track))), onProgress }
  const outcome: Outcome = isChild(list)
    ? yield* ChildPass.run({ ...pass, list }, previous)
    : isSerial(list)
      ? yield* SerialPass.run({ ...pass, list }, previous)
      : yield* Pass.run({ ...pass, list, pageSize, concurrency }, previous)
  return outcome
})

/** What every way of reading needs. */
const begun = Effect.fnUntraced(function* ({ roomsOf, write }: Shared, track: Track, within: Duration.Duration) {
  const { lane } = track
  track.lane = "backfill"
  track.deadlineMs = runningMs(yield* Clock.Clock) + Duration.toMillis(within)
  const opened = yield* roomsOf(lane).open
  const reasons = yield* Reasons
  const pageCame = Effect.provideService(Trouble.pageCame(track), Reasons, reasons)
  const leave = (pages: number) => Effect.andThen(opened.leave(pages), pageCame)
  const room = { ...opened, leave }
  return { lane, write, room, store: yield* Store, warehouse: yield* Warehouse, seal: yield* Seal }
})

/** Reads what changed since the last time; a failure says what is wrong. */
const catchUp = Effect.fnUntraced(
  function* (shared: Shared, track: Track) {
    const { list, state } = track
    if (isChild(list) || state === undefined) return undefined
    const parts = yield* begun(shared, track, track.every)
    track.changedPages = 0
    const onPage = () => void (track.changedPages = (track.changedPages ?? 0) + 1)
    const run = ChangedPass.run({ ...parts, list, onPage }, state)
    const [lasted, read] = yield* Effect.timed(Effect.provideService(run, Sharer, track.sharing))
    const quarantined = yield* Checkpoints.quarantinedRecords(parts.store, list.resource)
    Object.assign(track, { state: read.state, quarantined, pagesChanged: read.pages })
    yield* LogLine.write("walk.changed", {
      resource: list.resource,
      rows: read.rows,
      pages: read.pages,
      seconds: LogLine.seconds(lasted)
    })
    return undefined
  },
  (effect, _shared, track) =>
    effect.pipe(
      Effect.ensuring(Effect.sync(() => void (track.changedPages = undefined))),
      Effect.withSpan("catch-up", { root: true, attributes: { resource: track.list.resource } })
    )
)

const next = (track: Track) => Effect.map(Clock.currentTimeMillis, (now) => Due.next(track, now))

/** Returns true if it was cut short. */
const rest = (track: Track, pause: Duration.Duration): Effect.Effect<boolean> => restUntil(track, Effect.sleep(pause))

const restUntil = (track: Track, over: Effect.Effect<void>): Effect.Effect<boolean> =>
  Effect.raceFirst(Effect.as(over, false), Effect.as(track.wake.await, true))
