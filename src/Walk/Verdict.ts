/**
 * What a finished pass proves: that it saw as many ids as the service counts, or the same ids as the previous pass.
 * Only then are records buried that neither of the two has shown. A child list is judged below each of its parents.
 */
import { Effect } from "effect"
import * as Instant from "../Domain/Instant.ts"
import type { Seal } from "../Runtime/Seal.ts"
import type { Store } from "../Stores/Store.ts"
import type { Warehouse } from "../Stores/Warehouse.ts"
import { buryAbsent } from "./Burial.ts"
import * as Checkpoints from "./Checkpoints.ts"
import * as ParentProofs from "./ParentProofs.ts"
import type { Room } from "./Rooms.ts"
import * as Sightings from "./Sightings.ts"
import type { Walked } from "./Source.ts"
import type { Write } from "./Together.ts"

export interface Walking {
  readonly list: Walked
  readonly store: Store["Service"]
  readonly warehouse: Warehouse["Service"]
  readonly write: Write
  /** Seals where a pass is, because a cursor may contain data that must not be stored readably. */
  readonly seal: Seal["Service"]
  /** For pages that aren't written yet. */
  readonly room: Room
}

/** The outcome of a pass. */
export interface Outcome {
  readonly state: Checkpoints.PassState
  readonly disturbance: string | undefined
  /** What is wrong below some parents while the others are in order. */
  readonly failing?: string
}

/** What the seal is used for. */
const placePurpose = "place of a walk"

/** Where an interrupted pass resumes; undefined if that isn't known. */
export const placeOf = ({ seal }: Walking, { next_from }: Checkpoints.PassState): Effect.Effect<string | undefined> =>
  next_from === null ? Effect.undefined : Effect.orElseSucceed(seal.open(next_from, placePurpose), () => undefined)

export const sealed = ({ seal }: Walking, place: string | undefined): string | null =>
  place === undefined ? null : seal.seal(place, placePurpose)

interface Evidence {
  /** The service counts the list's records. */
  readonly isCounted: boolean
  /** The previous pass may have missed nothing. */
  readonly isPreviousWhole: boolean
}

/** Ends a pass. */
export const finish = Effect.fnUntraced(function* (
  pass: Walking,
  state: Checkpoints.PassState,
  disturbance: string | undefined,
  { isCounted, isPreviousWhole }: Evidence = { isCounted: true, isPreviousWhole: true }
) {
  const isWhole = disturbance === undefined && state.disturbed === 0 && (!isCounted || state.rows === state.total)
  const isSame = isWhole && isPreviousWhole && state.pass > 1 && (yield* Sightings.areSame(pass.store, state))
  const deleted = isSame ? yield* buryAbsent(pass, state, (limit) => Sightings.absent(pass.store, state, limit)) : 0
  const outcome = { disturbance: disturbance ?? describe(state, isCounted) }
  const judged = { isWhole, isSame, isCounted, isCalm: isWhole }
  return { ...outcome, state: yield* ended(pass, state, judged, { ...outcome, deleted }) } satisfies Outcome
})

/**
 * Ends a pass over all parents. A parent that has no such list, or whose list can't be read, doesn't make the next pass
 * hurry.
 */
export const finishBelow = Effect.fnUntraced(function* (
  pass: Walking,
  given: Checkpoints.PassState,
  isCounted: boolean,
  why: string | undefined
) {
  const { store } = pass
  yield* ParentProofs.judge(store, given, isCounted)
  const sum = yield* ParentProofs.summed(store, given)
  const isWhole = sum.whole === sum.parents
  const isSame = isWhole && sum.sure === sum.parents && sum.gone === 0 && given.pass > 1
  const deleted = yield* buryAbsent(pass, given, (limit) => ParentProofs.absent(store, given, isSame, limit))
  const state = {
    ...given,
    total: isCounted ? sum.total : given.rows,
    parents: sum.parents,
    parents_sure: sum.sure
  }
  const isCalm = sum.whole === sum.read
  const { resource } = state
  const failing = `The list of ${resource} can't be read below ${sum.failed} of ${sum.parents} rows. ${why ?? ""}`
  const outcome = {
    disturbance: isCalm ? undefined : describe({ ...state, disturbed: 1 }, isCounted),
    ...(sum.failed === 0 ? {} : { failing: failing.trim() })
  }
  const judged = { isWhole, isSame, isCounted, isCalm }
  return { ...outcome, state: yield* ended(pass, state, judged, { ...outcome, deleted }) } satisfies Outcome
})

interface Judged {
  readonly isWhole: boolean
  readonly isSame: boolean
  readonly isCounted: boolean
  /** Another pass right away would find nothing new. */
  readonly isCalm: boolean
}

const ended = Effect.fnUntraced(function* (
  { store }: Walking,
  state: Checkpoints.PassState,
  { isCalm, isCounted, isSame, isWhole }: Judged,
  { deleted, disturbance, failing }: Omit<Outcome, "state"> & { readonly deleted: number }
) {
  const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
  const finished: Checkpoints.PassState = {
    ...state,
    finished_at: Instant.fromMillis(now),
    next_from: null,
    proof: proofOf(isWhole, isSame, isCounted),
    proof_at: Instant.fromMillis(now),
    disturbed_in_a_row: isCalm ? 0 : state.disturbed_in_a_row + 1
  }
  yield* Checkpoints.end(store, finished, { deleted, disturbance: disturbance ?? failing ?? null })
  return finished
})

const proofOf = (isWhole: boolean, isSame: boolean, isCounted: boolean): Checkpoints.Proof => {
  if (isSame) return isCounted ? "proven" : "passes-agree"
  return isWhole && isCounted ? "counts-agree" : "unproven"
}

const describe = (state: Checkpoints.PassState, isCounted: boolean): string | undefined => {
  if (isCounted && state.rows !== state.total) {
    return `The list of ${state.resource} showed ${state.rows} distinct ids, but its total is ${state.total}.`
  }
  return state.disturbed === 0 ? undefined : `The list of ${state.resource} changed while it was being walked.`
}
