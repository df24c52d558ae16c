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
import { underWay } from "../Runtime/Progress.ts"
import { Reasons, wrongOf } from "../Runtime/Reasons.ts"
import { Receiver } from "../Intake/Receiver.ts"
import { Secrets } from "../Intake/Secrets.ts"
import type { StoreError } from "../Stores/Store.ts"
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

export class Status extends Context.Service<Status, { readonly report: Effect.Effect<StatusReport, StoreError> }>()(
  "siteledger/Status"
) {
  static readonly layer = Layer.effect(
    Status,
    Effect.gen(function* () {
      const apply = yield* Apply
      const inbox = yield* Inbox
      const learning = yield* Learning
      const ledger = yield* Ledger
      const lookingUp = yield* LookingUp
      const outbox = yield* Outbox
      const exports = yield* Export
      const pace = yield* Pace
      const publish = yield* AnalystCopy
      const reasons = yield* Reasons
      const receiver = yield* Receiver
      const secrets = yield* Secrets
      const skew = yield* Skew
      const subscription = yield* Subscription
      const uptime = yield* Uptime
      const walk = yield* Walk
      const workers = yield* Workers
      const check = yield* WeeklyCheck
      const backup = yield* Backup

      const report = Effect.gen(function* () {
        const inboxStatus = yield* inbox.status
        const backfill = yield* walk.status
        const reasonDetails = yield* reasons.all
        const wrong = wrongOf(reasonDetails)
        const isThrough = yield* walk.isThrough
        return {
          version,
          host: hostname(),
          startedAt,
          phase: phaseOf({ reasons: wrong, inbox: inboxStatus, backfill, isThrough }),
          reasons: wrong,
          reasonDetails,
          inbox: inboxStatus,
          events: yield* apply.counts,
          backfill,
          learned: yield* learning.status,
          lookUps: yield* lookingUp.status,
          api: yield* pace.usage,
          subscription: yield* subscription.status,
          receiver: yield* receiver.status,
          secrets: yield* secrets.status,
          lastEventAt: yield* inbox.lastReceivedAt,
          clockSkewMs: yield* skew.status,
          gaps: (yield* uptime.gaps).map(gapStatus),
          ledger: { ...(yield* ledger.status), sink: yield* outbox.status },
          export: yield* exports.status,
          published: yield* publish.status,
          check: yield* check.status,
          backup: yield* backup.status,
          tasks: yield* underWay,
          workers: yield* workers.all
        } satisfies StatusReport
      })
      return Status.of({ report })
    })
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
