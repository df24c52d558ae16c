/**
 * The metrics of each list: where its walk is, how sure its copy is, when it will next be proven, and what is looked
 * up.
 */
import type { StatusReport } from "../AdminApi/StatusReport.ts"
import { counter, each, gauge, oneOf, secondsOf } from "./Family.ts"

const proofs = ["running", "unproven", "counts-agree", "passes-agree", "proven"]

type Walks = StatusReport["backfill"]
const walked = (of: (walk: Walks[string]) => number) => (walks: Walks) => each(walks, "resource", of)

export const ofWalks = [
  gauge("siteledger_walk_rows", "Distinct rows of the current pass", ["resource"], ({ report }) =>
    walked(({ rows }) => rows)(report.backfill)
  ),
  gauge("siteledger_walk_pages_done", "Pages of the current pass that are done", ["resource"], ({ report }) =>
    walked(({ pagesDone }) => pagesDone)(report.backfill)
  ),
  gauge("siteledger_walk_pages", "Pages of the current pass", ["resource"], ({ report }) =>
    walked(({ pagesTotal }) => pagesTotal)(report.backfill)
  ),
  gauge("siteledger_walk_quarantined", "Records of a list without a usable key", ["resource"], ({ report }) =>
    walked(({ quarantined }) => quarantined)(report.backfill)
  ),
  gauge("siteledger_walk_proof", "1 for how sure the copy of a list is", ["resource", "proof"], ({ report }) =>
    Object.entries(report.backfill).flatMap(([resource, { proof }]) =>
      oneOf(proofs, "proof", proof).map(({ labels, value }) => ({ value, labels: { resource, ...labels } }))
    )
  ),
  gauge(
    "siteledger_walk_requests_left",
    "Requests left in the current pass, or needed for the next one over the whole list",
    ["resource"],
    ({ report }) => each(report.backfill, "resource", ({ requestsLeft }) => requestsLeft)
  ),
  gauge(
    "siteledger_walk_next_proof_timestamp_seconds",
    "When the copy of a list is next proven, if nothing changes until then, since 1970",
    ["resource"],
    ({ report }) => each(report.backfill, "resource", ({ nextProofAt }) => secondsOf(nextProofAt))
  ),
  gauge(
    "siteledger_walk_changed_timestamp_seconds",
    "When changes in a list were last read, since 1970",
    ["resource"],
    ({ report }) => each(report.backfill, "resource", ({ changedAt }) => secondsOf(changedAt))
  ),
  gauge(
    "siteledger_walk_parents",
    "Parents of a child list in its last pass, by whether the copy below them is proven",
    ["resource", "proven"],
    ({ report }) =>
      Object.entries(report.backfill).flatMap(([resource, { parents }]) =>
        parents === null
          ? []
          : [
              { value: parents.proven, labels: { resource, proven: "yes" } },
              { value: parents.found - parents.proven, labels: { resource, proven: "no" } }
            ]
      )
  )
]

export const ofLookUps = [
  gauge("siteledger_lookups_waiting", "Records that wait to be looked up", ["resource"], ({ report }) =>
    each(report.lookUps, "resource", ({ waiting }) => waiting)
  ),
  gauge(
    "siteledger_lookups_oldest_waiting_seconds",
    "How long the first record has waited to be looked up; 0: none waits",
    ["resource"],
    ({ report }) => each(report.lookUps, "resource", ({ oldestWaitingAgeMs }) => oldestWaitingAgeMs / 1000)
  ),
  counter("siteledger_lookups_total", "Look-ups, by outcome", ["resource", "outcome"], ({ report }) =>
    Object.entries(report.lookUps).flatMap(([resource, { done, failed }]) => [
      { value: done, labels: { resource, outcome: "done" } },
      { value: failed, labels: { resource, outcome: "failed" } }
    ])
  )
]
