/**
 * Status is the one answer to "how is it going?": the command line, the page, probes and metrics read only this.
 * It is computed live from the services that own the facts; none of it is stored.
 */
import { hostname } from "node:os"
import { Context, Effect, Layer } from "effect"
import { Apply } from "../Intake/Apply.ts"
import { Inbox, type InboxStatus, isDrained } from "../Intake/Inbox.ts"
import * as Instant from "../Domain/Instant.ts"
import { Export } from "../Lake/Export.ts"
import { Ledger } from "../Ledger/Ledger.ts"
import { Outbox } from "../Ledger/Outbox.ts"
import { Learning } from "../Walk/Learning.ts"
import { Pace } from "../Walk/Pace.ts"
import { AnalystCopy } from "../Lake/AnalystCopy.ts"
import { startedAt, version } from "../Runtime/Program.ts"
import { underWayWith } from "../Runtime/Progress.ts"
import { Reasons, wrongOf } from "../Runtime/Reasons.ts"
import { Receiver } from "../Intake/Receiver.ts"
import { Secrets } from "../Intake/Secrets.ts"
import * as Projection from "../Stores/Projection.ts"
import { Looking, Store, type StoreError } from "../Stores/Store.ts"
import { Subscription } from "../Intake/Subscription.ts"
import { type OpenGap, Uptime } from "../Intake/Uptime.ts"
import { Walk } from "../Walk/Walk.ts"
import type { WalkStatus } from "../Walk/WalkStatus.ts"
import type { GapStatus, Phase, StatusReport } from "./AdminApi/StatusReport.ts"
import { Backup } from "./Backup.ts"
import { LookingUp } from "./LookingUp.ts"
import { Skew } from "./Skew.ts"
import { WeeklyCheck } from "./WeeklyCheck.ts"
import { Workers } from "./Workers.ts"

const gapStatus = ({ cameLate, fromMs, toMs, healsAtMs, isLost }: OpenGap): GapStatus => ({
  from: Instant.fromMillis(fromMs),
  to: Instant.fromMillis(toMs),
  healsAt: healsAtMs === undefined ? null : Instant.fromMillis(healsAtMs),
  isLost,
  cameLate: cameLate ?? null
})

/** All concurrently, and as of the last commit: this doesn't wait for a batch that is being applied. */
const facts = Effect.all(
  {
    inbox: Inbox.use(({ status }) => status),
    events: Apply.use(({ counts }) => counts),
    backfill: Walk.use(({ status }) => status),
    isThrough: Walk.use((walk) => walk.isThrough),
    learned: Learning.use(({ status }) => status),
    lookUps: LookingUp.use(({ status }) => status),
    api: Pace.use(({ usage }) => usage),
    subscription: Subscription.use(({ status }) => status),
    receiver: Receiver.use(({ status }) => status),
    secrets: Secrets.use(({ status }) => status),
    lastEventAt: Inbox.use(({ lastReceivedAt }) => lastReceivedAt),
    clockSkewMs: Skew.use(({ status }) => status),
    gaps: Uptime.use(({ gaps }) => Effect.map(gaps, (open) => open.map(gapStatus))),
    ledger: Ledger.use(({ status }) => status),
    sink: Outbox.use(({ status }) => status),
    export: Export.use(({ status }) => status),
    published: AnalystCopy.use(({ status }) => status),
    check: WeeklyCheck.use(({ status }) => status),
    backup: Backup.use(({ status }) => status),
    tasks: Store.use((store) => Effect.flatMap(Projection.rebuilding(store), underWayWith)),
    workers: Workers.use(({ all }) => all)
  },
  { concurrency: "unbounded" }
)

const reported = Effect.gen(function* () {
  const { isThrough, sink, ...found } = yield* Effect.provideService(facts, Looking, true)
  // Read last, so that it includes what has just become known.
  const reasonDetails = yield* Reasons.use(({ all }) => all)
  const reasons = wrongOf(reasonDetails)
  return {
    version,
    host: hostname(),
    startedAt,
    phase: phaseOf({ reasons, inbox: found.inbox, backfill: found.backfill, isThrough }),
    reasons,
    reasonDetails,
    ...found,
    ledger: { ...found.ledger, sink }
  } satisfies StatusReport
})

export class Status extends Context.Service<Status, { readonly report: Effect.Effect<StatusReport, StoreError> }>()(
  "siteledger/Status"
) {
  static readonly layer = Layer.effect(
    Status,
    Effect.map(Effect.context<Effect.Services<typeof reported>>(), (services) =>
      Status.of({ report: Effect.provideContext(reported, services) })
    )
  )
}

export interface PhaseFacts {
  readonly reasons: ReadonlyArray<string>
  readonly inbox: Pick<InboxStatus, "pending" | "oldestPendingAgeMs">
  readonly backfill: Readonly<Record<string, Pick<WalkStatus, "pagesTotal">>>
  /** Every list has finished one pass. */
  readonly isThrough: boolean
}

export const phaseOf = ({ reasons, inbox, backfill, isThrough }: PhaseFacts): Phase => {
  if (reasons.length > 0) return "degraded"
  if (!isThrough) return Object.values(backfill).some((walk) => walk.pagesTotal > 0) ? "backfilling" : "starting"
  return isDrained(inbox) ? "live" : "catching-up"
}
