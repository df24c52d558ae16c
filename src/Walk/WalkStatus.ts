/**
 * What Status shows of each list: where its walk is, how sure its copy is, and when it will next be proven. Pure.
 */
import * as Instant from "../Domain/Instant.ts"
import type { Proof } from "./Checkpoints.ts"
import { type Estimate, estimated } from "./Estimate.ts"
import type { Track } from "./Tracks.ts"

export interface WalkStatus {
  readonly pagesDone: number
  readonly pagesTotal: number
  /** Distinct rows of the current pass. */
  readonly rows: number
  /** `running` until the first pass ends, then the verdict of the last finished pass. */
  readonly proof: "running" | Proof
  readonly at: string | null
  readonly quarantined: number
  /** When the list's changes were last read; null if the list isn't asked for them, or not yet. */
  readonly changedAt: string | null
  /** When the copy is next proven, if nothing changes until then; null if not known yet. */
  readonly nextProofAt: string | null
  /** For the pass under way, or for the next one over the whole list; null if not known yet. */
  readonly requestsLeft: number | null
  /** For a child list: how many parents the last pass found, and below how many of them the copy is proven. */
  readonly parents: { readonly found: number; readonly proven: number } | null
}

const statusOf = (
  { pagesDone, quarantined, state }: Track,
  { provenMs, requestsLeft: left }: Estimate
): WalkStatus => ({
  pagesDone,
  pagesTotal: state?.pages_total ?? 0,
  rows: state?.rows ?? 0,
  proof: (state?.proof as Proof | null) ?? "running",
  at: state?.proof_at ?? null,
  quarantined,
  changedAt: state?.changed_at ?? null,
  nextProofAt: provenMs === null ? null : Instant.fromMillis(provenMs),
  requestsLeft: left,
  parents: state?.parents == null ? null : { found: state.parents, proven: state.parents_sure ?? 0 }
})

/** By resource. `perSecond`: the plan's request rate. */
export const statuses = (
  tracks: ReadonlyArray<Track>,
  perSecond: number,
  nowMs: number
): Readonly<Record<string, WalkStatus>> => {
  const estimates = estimated(tracks, perSecond, nowMs)
  return Object.fromEntries(
    tracks.flatMap((track, place) => {
      const estimate = estimates[place]
      return estimate === undefined ? [] : [[track.list.resource, statusOf(track, estimate)] as const]
    })
  )
}
