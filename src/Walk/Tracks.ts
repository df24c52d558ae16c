/**
 * The lists that are walked, and where each is. The Store has this too, so that a worker knows what another one has
 * walked meanwhile.
 */
import { Clock, Duration, Effect, Latch } from "effect"
import { sql } from "kysely"
import * as Beat from "../Runtime/Beat.ts"
import type { Store } from "../Stores/Store.ts"
import * as Checkpoints from "./Checkpoints.ts"
import * as Due from "./Due.ts"
import * as Standings from "./Standings.ts"
import type { Lane } from "./Pace.ts"
import { isChild, isPaged, type List } from "./Source.ts"
import { needed } from "./Shares.ts"
import type { Sharing } from "./Waiters.ts"

export interface Track {
  readonly list: List
  readonly wake: Latch.Latch
  /** By default as often as the worker walks. */
  readonly every: Duration.Duration
  lane: Lane
  state: Checkpoints.PassState | undefined
  pagesDone: number
  quarantined: number
  /** Failures in a row. */
  failures: number
  /** Its last turn failed because of a store; this is over with the next page. */
  isPassing: boolean
  /** How often in a row its table couldn't be looked up although the Store answered. */
  unfound: number
  /** What the last pass over the whole list reported. */
  said: string | undefined
  /** While changes are being read: how many pages have been read. */
  changedPages: number | undefined
  /** How many pages that took last time. */
  pagesChanged: number
  /** By the monotonic clock: when the pass under way should end for the list to be walked as often as configured. */
  deadlineMs: number
  readonly sharing: Sharing
}

export const make = (list: List, walkEvery: Duration.Duration): Effect.Effect<Track> =>
  Effect.map(Latch.make(false), (wake) => {
    const { resource: name } = list
    const need = (nowMs: number) => needed(requestsLeft(track), track.deadlineMs - nowMs)
    const track: Track = {
      list,
      wake,
      every: list.every ?? walkEvery,
      lane: "backfill",
      state: undefined,
      pagesDone: 0,
      quarantined: 0,
      failures: 0,
      isPassing: false,
      unfound: 0,
      said: undefined,
      changedPages: undefined,
      pagesChanged: 1,
      deadlineMs: 0,
      sharing: { name, isFirst: name === documented, need }
    }
    return track
  })

/** The only list that the interface document shows. */
const documented = "projects"

type Progress = Pick<Track, "changedPages" | "list" | "pagesChanged" | "pagesDone" | "state">

/** For what is read now, or for the next pass; infinite if this isn't known until the first pass has ended. */
export const requestsLeft = ({ changedPages, pagesChanged, ...progress }: Progress): number =>
  changedPages === undefined ? wholeLeft(progress) : Math.max(1, pagesChanged - changedPages)

/** The same for the whole list. */
export const wholeLeft = ({ list, pagesDone, state }: Pick<Track, "list" | "pagesDone" | "state">): number => {
  if (state === undefined) return Number.POSITIVE_INFINITY
  if (state.finished_at !== null) return Math.max(1, state.pages_total)
  // Only the number of numbered pages is known beforehand.
  const pages = isPaged(list) ? state.pages_total : (state.pages_before ?? Number.POSITIVE_INFINITY)
  return Math.max(1, pages - pagesDone)
}

const quarantined = sql<number>`select count(*) from record_quarantine`

/** Changes if another worker may have changed what is restored. */
export const stamp = ({ look, stamp: of }: Store["Service"]) =>
  Effect.zipWith(of("walks"), look(quarantined), (walks, records) => `${walks}, ${records}`, { concurrent: true })

export const restoreAll = (store: Store["Service"], tracks: ReadonlyArray<Track>) =>
  Effect.map(Standings.all(store), (standing) => {
    for (const track of tracks) Object.assign(track, standing(track.list.resource))
  })

export const restore = (standingOf: Standings.Ask, track: Track) =>
  Effect.map(standingOf(track.list.resource), (standing) => void Object.assign(track, standing))

/** Follows what another worker walks. */
export const followed = (store: Store["Service"], tracks: ReadonlyArray<Track>) =>
  Beat.whenChanged("1 second", stamp(store), restoreAll(store, tracks))

/** What was seen before the track was restored; undefined if that failed. */
interface Looked {
  readonly every: Duration.Duration
  readonly stamp: string | undefined
}

/** True once the list is due before the next look; false if another worker may have changed where it is. */
export const dueSoon = Effect.fnUntraced(function* (store: Store["Service"], track: Track, looked: Looked) {
  const inMs = Effect.map(Clock.currentTimeMillis, (nowMs) => Due.next(track, nowMs).inMs)
  while ((yield* inMs) > Duration.toMillis(looked.every)) {
    yield* Beat.next(looked.every)
    const now = yield* Effect.orElseSucceed(stamp(store), () => undefined)
    if (now === undefined || now !== looked.stamp) return false
  }
  return true
})

/** For a child list: the track of its parents, which is walked first. */
export const parentOf = (tracks: ReadonlyArray<Track>, { list }: Track): Track | undefined =>
  isChild(list) ? tracks.find((track) => track.list.resource === list.parent.table) : undefined
