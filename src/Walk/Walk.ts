/**
 * Walk copies every list of the source into the warehouse, pass after pass, in the lowest lane, every `every` or as often as
 * the list says. It is the backstop for what the webhooks missed.
 *
 * A copy says how sure it is (`unproven`, `counts-agree`, `proven`). After a disturbed pass another follows at once, from
 * the third in a row on with growing pauses. After a crash a pass resumes at its checkpoints.
 */
import { Clock, Context, Duration, Effect, Latch, Layer } from "effect"
import { ServiceSettings } from "../../config/Settings.ts"
import * as Instant from "../Domain/Instant.ts"
import { entityNames } from "../Domain/Resource.ts"
import { led, whileFollowing } from "../Runtime/Leadership.ts"
import type { Lane } from "./Pace.ts"
import { Reasons } from "../Runtime/Reasons.ts"
import * as SerialPass from "./SerialPass.ts"
import { isSerial, type List, Source, type SourceError } from "./Source.ts"
import { Store, type StoreError } from "../Stores/Store.ts"
import * as Checkpoints from "./Checkpoints.ts"
import * as Pass from "./Pass.ts"
import { Warehouse, type WarehouseError } from "../Stores/Warehouse.ts"
import * as LogLine from "../Runtime/LogLine.ts"
import * as Timings from "../Runtime/Timings.ts"

export interface WalkOptions {
  readonly every: Duration.Duration
  readonly pageSize: number
  /** Pages in flight at once. */
  readonly concurrency?: number
}

export interface WalkStatus {
  readonly pagesDone: number
  readonly pagesTotal: number
  /** Distinct rows of the current pass. */
  readonly rows: number
  /** `running` until the first pass ends, then the verdict of the last finished pass. */
  readonly proof: "running" | Checkpoints.Proof
  readonly at: string | null
  readonly quarantined: number
}

const make = (options: WalkOptions) =>
  Effect.gen(function* () {
    const { lists } = yield* Source
    const store = yield* Store
    const tracks: ReadonlyArray<Track> = yield* Effect.forEach(lists, (list) =>
      Effect.map(Latch.make(false), (wake): Track => ({
        list,
        wake,
        lane: "backfill",
        state: undefined,
        pagesDone: 0,
        quarantined: 0,
        failures: 0
      }))
    )
    yield* Effect.orDie(restoreAll(store, tracks))
    // What another worker has walked meanwhile.
    const look = Effect.delay(Effect.ignore(restoreAll(store, tracks)), lookEvery)
    yield* Effect.forkScoped(whileFollowing("the look at the walks", look))
    for (const track of tracks) {
      const parent = parentOf(tracks, track)
      yield* Effect.forkScoped(led(`the walk of ${track.list.resource}`, turn(options, track, tracks.length, parent)))
    }
    return Walk.of({
      status: Effect.sync(() => Object.fromEntries(tracks.map((track) => [track.list.resource, status(track)]))),
      isThrough: Effect.sync(() =>
        tracks.every(({ list, state }) => !known.has(list.resource) || state?.proof != null)
      ),
      now: (lane) =>
        Effect.forEach(
          tracks,
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
     * True once every list that the interface document or its events tell of has finished a pass, with any proof. Others, which
     * a person has switched on, may take hours: what is there is shown before.
     */
    readonly isThrough: Effect.Effect<boolean>
    /** Begins the next pass of every list now, in a more urgent lane. */
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
const patientAfter = 3
/** Pauses double from here. */
const firstPause = Duration.seconds(5)
const longestAfterFailure = Duration.minutes(5)

interface Track {
  readonly list: List
  readonly wake: Latch.Latch
  lane: Lane
  state: Checkpoints.PassState | undefined
  pagesDone: number
  quarantined: number
  /** In a row. */
  failures: number
}

const restoreAll = (store: Store["Service"], tracks: ReadonlyArray<Track>) =>
  Effect.map(Checkpoints.standings(store), (standing) => {
    for (const track of tracks) Object.assign(track, standing(track.list.resource))
  })

const restore = (store: Store["Service"], track: Track) =>
  Effect.map(Checkpoints.standing(store, track.list.resource), (standing) => void Object.assign(track, standing))

const lookEvery = Duration.seconds(1)
const listsAtOnce = 10

const status = ({ state, pagesDone, quarantined }: Track): WalkStatus => ({
  pagesDone,
  pagesTotal: state?.pages_total ?? 0,
  rows: state?.rows ?? 0,
  proof: (state?.proof as Checkpoints.Proof | null) ?? "running",
  at: state?.proof_at ?? null,
  quarantined
})

const parentOf = (tracks: ReadonlyArray<Track>, { list }: Track): Track | undefined =>
  isSerial(list) && list.parent !== undefined ? tracks.find((track) => track.list.resource === list.parent) : undefined

/** One pass and the pause after it. A failure is shown, and retried after a pause. */
const turn = Effect.fnUntraced(function* (
  options: WalkOptions,
  track: Track,
  count: number,
  parent: Track | undefined
) {
  const reasons = yield* Reasons
  const key = `walk ${track.list.resource}` as const
  const store = yield* Store
  // Hundreds of lists don't ask more often than a few.
  const pollEvery = Duration.times(store.pollEvery, Math.ceil(count / listsAtOnce))
  const { opened, table } = yield* Warehouse
  yield* opened
  const { refusal } = yield* Effect.orDie(table(track.list.resource))
  if (refusal !== undefined) {
    yield* reasons.set(key, refusal)
    return yield* Effect.never
  }
  // Its parents aren't there yet.
  if (parent !== undefined && parent.state?.proof == null) return yield* Effect.asVoid(rest(track, lookEvery))
  // Another worker may have walked meanwhile, or been asked for a new walk.
  yield* Effect.ignore(restore(store, track))
  const due = yield* untilDue(options, track)
  if (Duration.isGreaterThan(due, pollEvery) && !(yield* rest(track, pollEvery))) return
  yield* rest(track, yield* untilDue(options, track))
  yield* track.wake.close
  const outcome = yield* Effect.result(walkOnce(options, track))
  if (outcome._tag === "Success") {
    const { state, disturbance } = outcome.success
    track.failures = 0
    if (disturbance === undefined || state.disturbed_in_a_row < patientAfter) yield* reasons.clear(key)
    else yield* reasons.set(key, disturbance)
    return
  }
  yield* reasons.set(key, outcome.failure.message)
  const growing = Duration.min(doubled(track.failures++), longestAfterFailure)
  yield* rest(track, Duration.min(growing, everyOf(options, track)))
})

const walkOnce = (
  options: WalkOptions,
  track: Track
): Effect.Effect<
  { readonly state: Checkpoints.PassState; readonly disturbance: string | undefined },
  SourceError | StoreError | WarehouseError,
  Store | Warehouse
> =>
  Effect.gen(function* () {
    const store = yield* Store
    const lane = track.lane
    track.lane = "backfill"
    const { list } = track
    const shared = {
      store,
      warehouse: yield* Warehouse,
      lane,
      onProgress: (state: Checkpoints.PassState, pagesDone: number) => {
        track.state = state
        track.pagesDone = pagesDone
      }
    }
    const { concurrency = defaultConcurrency, pageSize } = options
    const pass = isSerial(list)
      ? SerialPass.run({ ...shared, list }, track.state)
      : Pass.run({ ...shared, list, pageSize, concurrency }, track.state)
    const [lasted, outcome] = yield* Effect.timed(pass)
    const quarantined = yield* Checkpoints.quarantinedRecords(store, track.list.resource)
    Object.assign(track, { state: outcome.state, quarantined })
    yield* Timings.observe("walk", Duration.toSeconds(lasted), { resource: track.list.resource })
    yield* LogLine.write("walk.finished", {
      resource: track.list.resource,
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

const everyOf = ({ every }: WalkOptions, { list }: Track): Duration.Duration => list.every ?? every

/** How long until the next pass: none, a pause that grows with disturbances, or `every`. */
const untilDue = (options: WalkOptions, track: Track): Effect.Effect<Duration.Duration> =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const { state } = track
    const every = everyOf(options, track)
    if (state === undefined || state.finished_at === null) return Duration.zero
    const disturbed = state.disturbed_in_a_row
    const growing = doubled(Math.max(0, disturbed - patientAfter))
    const pause = disturbed === 0 ? every : disturbed < patientAfter ? Duration.zero : Duration.min(growing, every)
    const since = now - Instant.toMicros(state.finished_at) / 1000
    return Duration.millis(Math.max(0, Duration.toMillis(pause) - since))
  })

const doubled = (times: number): Duration.Duration => Duration.times(firstPause, 2 ** Math.min(times, 20))

/** True if it was cut short. */
const rest = (track: Track, pause: Duration.Duration): Effect.Effect<boolean> =>
  Effect.raceFirst(Effect.as(Effect.sleep(pause), false), Effect.as(track.wake.await, true))
