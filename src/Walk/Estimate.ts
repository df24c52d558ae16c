/**
 * When the copy of each list will next be proven, if nothing changes and the service answers at once. Computed from the
 * requests that its passes need, when they are due, and its share of the plan beside the lists that are being walked.
 * Pure.
 */
import { Duration } from "effect"
import * as Due from "./Due.ts"
import { shared } from "./Shares.ts"
import { type Track, wholeLeft } from "./Tracks.ts"

type Walked = Pick<Track, "every" | "list" | "pagesDone" | "state">

export interface Estimate {
  /** For the pass under way, or for the next one over the whole list; null if not known yet. */
  readonly requestsLeft: number | null
  /** In milliseconds since 1970; null if not known yet. */
  readonly provenMs: number | null
}

/** In the order of the lists. */
export const estimated = (all: ReadonlyArray<Walked>, perSecond: number, nowMs: number): ReadonlyArray<Estimate> => {
  const needs = new Map(all.filter(isUnderWay).map((walked) => [walked.list.resource, needOf(walked)]))
  const shares = shared(needs, perSecond)
  return all.map((walked) => {
    const left = wholeLeft(walked)
    if (!Number.isFinite(left)) return { requestsLeft: null, provenMs: null }
    const { resource } = walked.list
    const beside = shares.has(resource) ? shares : shared(new Map(needs).set(resource, needOf(walked)), perSecond)
    const share = beside.get(resource) ?? perSecond
    const dueMs = nowMs + (isUnderWay(walked) ? 0 : Due.untilWholeMs(walked, nowMs))
    const endMs = dueMs + (left / share) * 1000
    const pages = Math.max(left, walked.state?.pages_total ?? 0)
    const provenMs = isProving(walked) ? endMs : endMs + pauseMs(walked) + (pages / share) * 1000
    return { requestsLeft: left, provenMs: Math.round(provenMs) }
  })
}

const isUnderWay = ({ state }: Walked): boolean => state !== undefined && state.finished_at === null

const needOf = (walked: Walked): number => wholeLeft(walked) / Duration.toSeconds(Due.wholeEvery(walked))

/** Whether the previous pass was undisturbed, so that one more may prove the list. */
const isProving = ({ state }: Walked): boolean =>
  state !== undefined &&
  state.disturbed_in_a_row === 0 &&
  (state.finished_at !== null || (state.pass > 1 && state.disturbed === 0))

/** The pause between two passes. */
const pauseMs = (walked: Walked): number =>
  walked.state !== undefined && walked.state.disturbed_in_a_row + walked.state.disturbed > 0
    ? 0
    : Duration.toMillis(Due.wholeEvery(walked))
