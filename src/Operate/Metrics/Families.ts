/**
 * Every metric that shows what Status says, or what the process uses. Names follow Prometheus' conventions: counters end with `_total`, units are
 * seconds and bytes. docs/metrics.md is generated from here.
 */
import { alarms } from "../../Domain/Event.ts"
import * as Instant from "../../Domain/Instant.ts"
import { questions } from "../../Ledger/People/Questions.ts"
import { startedAt, version } from "../../Runtime/Program.ts"
import { levels } from "../../Runtime/Reasons.ts"
import { Phase, type StatusReport } from "../AdminApi/StatusReport.ts"
import { counter, each, type Family, gauge, oneOf, secondsOf, snake } from "./Family.ts"
import { ofLookUps, ofWalks } from "./WalkFamilies.ts"

const ageOf = (at: string, nowMs: number): number => Math.max(0, nowMs / 1000 - Instant.toMicros(at) / 1_000_000)

const outcomes = ["applied", "quarantined"]

/** Present even while Status can't be read. */
export const program: ReadonlyArray<Family<unknown>> = [
  gauge("siteledger_build_info", "Always 1, with this program's version and that of Node", ["version", "node"], () => [
    { value: 1, labels: { version, node: process.versions.node } }
  ]),
  gauge("process_start_time_seconds", "When the process started, since 1970", [], () => secondsOf(startedAt)),
  gauge("process_resident_memory_bytes", "Memory of the process, with that of DuckDB", [], () =>
    process.memoryUsage.rss()
  ),
  counter("process_cpu_seconds_total", "Time of the CPU that the process has used", [], () => {
    const { system, user } = process.cpuUsage()
    return (system + user) / 1_000_000
  })
]

/**
 * From the receiver itself: deliveries that couldn't be stored are counted while a store is unavailable and Status
 * can't be read.
 */
export const receiving: ReadonlyArray<Family<StatusReport["receiver"]>> = [
  counter(
    "siteledger_receiver_deliveries_total",
    "Requests to the receiver, by outcome",
    ["outcome"],
    ({ port: _port, ...counted }) =>
      each(counted, "outcome", (count) => count).map(({ labels, value }) => ({
        value,
        labels: { outcome: snake(labels?.["outcome"] ?? "") }
      }))
  )
]

const state = [
  gauge("siteledger_phase", "1 for the phase the worker is in", ["phase"], ({ report }) =>
    oneOf(Phase.literals, "phase", report.phase)
  ),
  gauge("siteledger_leader", "1 if this worker leads: it walks, exports and sends to accounting", [], ({ report }) => {
    const own = report.workers.find(({ isThis }) => isThis)
    return own === undefined || own.isLeader ? 1 : 0
  }),
  gauge("siteledger_reasons", "Active reasons, without notices", [], ({ report }) => report.reasons.length),
  gauge(
    "siteledger_reasons_by_level",
    "Active reasons, by level: notice, degraded or critical",
    ["level"],
    ({ report }) =>
      levels.map((level) => ({
        value: report.reasonDetails.filter((one) => one.level === level).length,
        labels: { level }
      }))
  ),
  gauge("siteledger_reason_active", "1 for each active reason, by its key", ["reason", "level"], ({ report }) =>
    report.reasonDetails.map(({ key, level }) => ({ value: 1, labels: { reason: key, level } }))
  )
]

const intake = [
  gauge(
    "siteledger_inbox_pending",
    "Deliveries whose rows are not committed yet",
    [],
    ({ report }) => report.inbox.pending
  ),
  gauge(
    "siteledger_inbox_quarantined",
    "Deliveries that wait in quarantine",
    [],
    ({ report }) => report.inbox.quarantined
  ),
  gauge(
    "siteledger_inbox_unposted",
    "Quarantined events whose rows are applied and whose money waits for a person",
    [],
    ({ report }) => report.inbox.unposted
  ),
  gauge("siteledger_inbox_archived", "Deliveries in archives", [], ({ report }) => report.inbox.archived),
  gauge(
    "siteledger_inbox_oldest_pending_seconds",
    "Age of the oldest pending delivery",
    [],
    ({ report }) => report.inbox.oldestPendingAgeMs / 1000
  ),
  gauge("siteledger_last_event_timestamp_seconds", "When the last event was received, since 1970", [], ({ report }) =>
    secondsOf(report.lastEventAt)
  ),
  counter("siteledger_events_total", "Events, by outcome", ["outcome"], ({ report: { events } }) =>
    outcomes.map((outcome) => ({ value: events[outcome] ?? 0, labels: { outcome } }))
  ),
  counter("siteledger_alarms_total", "Odd events, by what was odd", ["alarm"], ({ report: { events } }) =>
    alarms.map((alarm) => ({ value: events[alarm] ?? 0, labels: { alarm: snake(alarm) } }))
  ),
  counter(
    "siteledger_misfits_total",
    "Values that didn't fit their column and are kept beside it or in _extra",
    [],
    ({ report }) => (report.events["misfits"] ?? 0) + report.learned.misfits
  ),
  gauge("siteledger_webhook_secrets", "Webhook secrets, by state", ["state"], ({ report }) => {
    const { ending, unreadable, valid } = report.secrets
    return each({ valid, ending, unreadable }, "state", (count) => count)
  }),
  counter(
    "siteledger_receiver_signed_by_ending_secret_total",
    "Deliveries that were signed with an ending secret",
    [],
    ({ report }) => report.secrets.signedByEnding
  ),
  gauge(
    "siteledger_gaps_open",
    "Intervals in which the receiver was down that no retry has healed",
    [],
    ({ report }) => report.gaps.length
  ),
  gauge(
    "siteledger_clock_skew_seconds",
    "How far our clock is ahead of the service's, by the source of the service's time",
    ["by"],
    ({ report }) => each(report.clockSkewMs, "by", (ms) => (ms === null ? null : ms / 1000))
  )
]

const copies = [
  ...ofWalks,
  ...ofLookUps,
  gauge(
    "siteledger_api_limit_per_minute",
    "The plan's requests per minute",
    [],
    ({ report }) => report.api.limitPerMinute
  ),
  gauge(
    "siteledger_api_used_last_minute",
    "Requests in the last minute",
    [],
    ({ report }) => report.api.usedLastMinute
  ),
  gauge("siteledger_last_export_timestamp_seconds", "When the last export was done, since 1970", [], ({ report }) =>
    secondsOf(report.export.lastAt)
  ),
  gauge("siteledger_next_export_timestamp_seconds", "When the next export is due, since 1970", [], ({ report }) =>
    secondsOf(report.export.nextAt)
  ),
  gauge("siteledger_published_age_seconds", "Age of the copy for analysts", [], ({ nowMs, report }) =>
    report.published.at === null ? null : ageOf(report.published.at, nowMs)
  )
]

const kept = [
  gauge(
    "siteledger_backup_age_seconds",
    "How far the backup off the machine is behind; absent without one, and until it is up to date",
    [],
    ({ nowMs, report: { backup } }) => (backup === null || backup.at === null ? null : ageOf(backup.at, nowMs))
  ),
  gauge("siteledger_backup_chunks", "Files of the backup off the machine", [], ({ report: { backup } }) =>
    backup === null ? null : backup.chunks
  ),
  gauge(
    "siteledger_backup_verified_timestamp_seconds",
    "When the backup off the machine was last read back and compared, since 1970",
    [],
    ({ report: { backup } }) => secondsOf(backup?.verifiedAt ?? null)
  )
]

type Sink = NonNullable<StatusReport["ledger"]["sink"]>
const sent = (sink: Sink | null, of: (sink: Sink) => number): number | null => (sink === null ? null : of(sink))

const books = [
  gauge("siteledger_ledger_entries", "Entries in the books", [], ({ report }) => report.ledger.entries),
  gauge(
    "siteledger_ledger_holds",
    "Payments and certificates that wait for a person or for an event",
    [],
    ({ report }) => report.ledger.holds
  ),
  gauge(
    "siteledger_ledger_oldest_hold_seconds",
    "Age of the hold that has waited longest, by its reason; 0 for the others",
    ["reason"],
    ({ nowMs, report: { ledger } }) =>
      Object.keys(questions).map((reason) => ({
        value: ledger.oldestHold?.reason === reason ? ageOf(ledger.oldestHold.since, nowMs) : 0,
        labels: { reason }
      }))
  ),
  gauge(
    "siteledger_ledger_posted_recent_seconds",
    "From received to posted, over the last thousand entries that an event caused",
    ["percentile"],
    ({ report: { ledger } }) =>
      each({ 50: ledger.postedMs.p50, 99: ledger.postedMs.p99 }, "percentile", (ms) => (ms === null ? null : ms / 1000))
  ),
  gauge("siteledger_ledger_sink_backlog", "Entries not yet delivered to the accounting sink", [], ({ report }) =>
    sent(report.ledger.sink, ({ backlog }) => backlog)
  ),
  gauge("siteledger_ledger_sink_dead", "Entries that the accounting sink refused permanently", [], ({ report }) =>
    sent(report.ledger.sink, ({ dead }) => dead)
  ),
  gauge(
    "siteledger_ledger_sink_oldest_pending_seconds",
    "Age of the oldest entry not yet delivered to the accounting sink",
    [],
    ({ report }) => sent(report.ledger.sink, ({ oldestPendingAgeMs }) => oldestPendingAgeMs / 1000)
  )
]

export const statusOk = gauge(
  "siteledger_status_ok",
  "1 if Status could be read for these values; if 0, only those of the program and the receiver are current",
  [],
  ({ isRead }: { readonly isRead: boolean }) => (isRead ? 1 : 0)
)

export const ofStatus = [...state, ...intake, ...copies, ...kept, ...books]

/** In the order of docs/metrics.md. */
export const sections = {
  "The program": program,
  "The worker": [...state, statusOk],
  Deliveries: [...receiving, ...intake],
  "Lists, exports, copies": copies,
  "The backup off the machine": kept,
  "The books": books
} as const
