/**
 * `/metrics` in the Prometheus text format: Status as gauges, so that both always agree.
 */
import { Clock, Effect, Metric } from "effect"
import { HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import * as Instant from "../Domain/Instant.ts"
import { questions } from "../Ledger/People/Questions.ts"
import { levels } from "../Runtime/Reasons.ts"
import { Phase, type StatusReport } from "./AdminApi/StatusReport.ts"
import { Status } from "./Status.ts"

const gauge = (name: string, description: string) => Metric.gauge(`siteledger_${name}`, { description })

const phase = gauge("phase", "1 for the phase the worker is in")
const reasons = gauge("reasons", "Active reasons, without notices")
const reasonsByLevel = gauge("reasons_by_level", "Active reasons, by level: notice, degraded or critical")
const pending = gauge("inbox_pending", "Deliveries whose rows are not committed yet")
const quarantined = gauge("inbox_quarantined", "Deliveries that wait in quarantine")
const unposted = gauge("inbox_unposted", "Quarantined events whose rows are applied and whose money waits for a person")
const oldestPending = gauge("inbox_oldest_pending_seconds", "Age of the oldest pending delivery")
const events = gauge("events", "Events since the start, by outcome and alarm")
const deliveries = gauge("receiver_deliveries", "Requests to the receiver since the start, by outcome")
const secrets = gauge("webhook_secrets", "Webhook secrets, by state")
const signedByEnding = gauge(
  "receiver_signed_by_ending_secret",
  "Deliveries since the start that were signed with an ending secret"
)
const rows = gauge("walk_rows", "Distinct rows of the current pass")
const pages = gauge("walk_pages_done", "Pages of the current pass that are done")
const pagesTotal = gauge("walk_pages_total", "Pages of the current pass")
const apiLimit = gauge("api_limit_per_minute", "The plan's requests per minute")
const apiUsed = gauge("api_used_last_minute", "Requests in the last minute")
const clockSkew = gauge("clock_skew_seconds", "By how much our clock is ahead of the service's, by what tells it")
const gaps = gauge("gaps_open", "Intervals in which the receiver was down that no retry has healed")
const entries = gauge("ledger_entries", "Entries in the books")
const holds = gauge("ledger_holds", "Payments and certificates that wait for a person or for an event")
const oldestHold = gauge("ledger_oldest_hold_seconds", "Age of the hold that has waited longest, by its reason")
const sinkBacklog = gauge("ledger_sink_backlog", "Entries not yet delivered to the accounting sink")
const sinkDead = gauge("ledger_sink_dead", "Entries that the accounting sink refused permanently")
const sinkOldest = gauge(
  "ledger_sink_oldest_pending_seconds",
  "Age of the oldest entry not yet delivered to the accounting sink"
)

const set = (metric: Metric.Gauge<number>, value: number, labels?: Readonly<Record<string, string>>) =>
  Metric.update(labels === undefined ? metric : Metric.withAttributes(metric, labels), value)

const update = Effect.fnUntraced(function* (report: StatusReport) {
  for (const name of Phase.literals) yield* set(phase, report.phase === name ? 1 : 0, { phase: name })
  yield* set(reasons, report.reasons.length)
  for (const level of levels) {
    yield* set(reasonsByLevel, report.reasonDetails.filter((each) => each.level === level).length, { level })
  }
  yield* set(pending, report.inbox.pending)
  yield* set(quarantined, report.inbox.quarantined)
  yield* set(unposted, report.inbox.unposted)
  yield* set(oldestPending, report.inbox.oldestPendingAgeMs / 1000)
  for (const [outcome, count] of Object.entries(report.events)) yield* set(events, count, { outcome })
  const { port: _port, ...outcomes } = report.receiver
  for (const [outcome, count] of Object.entries(outcomes)) yield* set(deliveries, count, { outcome })
  const { signedByEnding: ofEnding, ...states } = report.secrets
  for (const [state, count] of Object.entries(states)) yield* set(secrets, count, { state })
  yield* set(signedByEnding, ofEnding)
  for (const [resource, walk] of Object.entries(report.backfill)) {
    yield* set(rows, walk.rows, { resource })
    yield* set(pages, walk.pagesDone, { resource })
    yield* set(pagesTotal, walk.pagesTotal, { resource })
  }
  yield* set(apiLimit, report.api.limitPerMinute)
  yield* set(apiUsed, report.api.usedLastMinute)
  for (const [by, skew] of Object.entries(report.clockSkewMs)) {
    if (skew !== null) yield* set(clockSkew, skew / 1000, { by })
  }
  yield* set(gaps, report.gaps.length)
  yield* setLedger(report.ledger)
})

const setLedger = Effect.fnUntraced(function* (ledger: StatusReport["ledger"]) {
  yield* set(entries, ledger.entries)
  yield* set(holds, ledger.holds)
  const nowMs = yield* Clock.currentTimeMillis
  const { oldestHold: oldest, sink } = ledger
  for (const reason of Object.keys(questions)) {
    const since = oldest?.reason === reason ? Instant.toMicros(oldest.since) / 1000 : nowMs
    yield* set(oldestHold, Math.max(0, nowMs - since) / 1000, { reason })
  }
  if (sink === null) return
  yield* set(sinkBacklog, sink.backlog)
  yield* set(sinkDead, sink.dead)
  yield* set(sinkOldest, sink.oldestPendingAgeMs / 1000)
})

export const response = Effect.gen(function* () {
  const status = yield* Status
  yield* Effect.ignore(Effect.flatMap(status.report, update))
  const text = yield* PrometheusMetrics.format()
  return HttpServerResponse.text(text, { contentType: "text/plain; version=0.0.4; charset=utf-8" })
})
