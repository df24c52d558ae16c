/** A Status in which everything has a value, and the metrics that show it. */
import type { StatusReport } from "../../src/Operate/AdminApi/StatusReport.ts"

const at = "2026-11-20T02:00:00.000000Z"
export const atSeconds = Date.parse("2026-11-20T02:00:00Z") / 1000

const walk = {
  pagesDone: 3,
  pagesTotal: 7,
  rows: 300,
  at,
  changedAt: at,
  nextProofAt: at,
  requestsLeft: 8,
  quarantined: 1,
  parents: { found: 100, proven: 97 }
}
const reason = { since: at, toDo: "Look.", sentence: "It is so." }

/** Every value is there, and no two are the same. */
export const full: StatusReport = {
  version: "1",
  host: "here",
  startedAt: at,
  phase: "degraded",
  reasons: ["It is so."],
  reasonDetails: [
    { ...reason, key: "receiver store", level: "critical" },
    { ...reason, key: "open holds", level: "notice" }
  ],
  inbox: { pending: 11, quarantined: 12, unposted: 13, oldestPendingAgeMs: 14_000, archived: 15 },
  events: { applied: 21, quarantined: 22, misfits: 23, "id-reused": 24, replayed: 25, relabelled: 26 },
  backfill: { projects: { ...walk, proof: "proven" } },
  learned: { columns: 32, misfits: 100 },
  lookUps: { ipcs: { waiting: 33, done: 34, failed: 35 } },
  api: { limitPerMinute: 600, usedLastMinute: 31 },
  subscription: { url: "https://a", verifiedAt: at, obsolete: [], toDelete: [] },
  receiver: { port: 1, accepted: 41, rejected: 42, tooLarge: 43, encoded: 44, notStored: 45 },
  secrets: { valid: 51, ending: 52, unreadable: 53, signedByEnding: 54 },
  lastEventAt: at,
  clockSkewMs: { answers: 61_000, deliveries: null, events: 63_000 },
  gaps: [{ from: at, to: at, healsAt: null, isLost: true, cameLate: null }],
  ledger: {
    entries: 71,
    holds: 72,
    oldestHold: { reason: "second-payment-reference", since: at, ipcId: "1", amount: null, currency: null },
    openFrom: null,
    postedMs: { p50: 76_000, p99: 77_000 },
    sink: { backlog: 73, dead: 74, oldestPendingAgeMs: 75_000 }
  },
  export: { lastAt: at, nextAt: at },
  published: { at, ageMs: 1 },
  check: { done: 0, of: 0, at: null },
  tasks: [{ name: "export", unit: "tables", done: 21, total: 22, startedAt: at }],
  workers: []
}

/** The metrics that show it, ninety seconds later. */
export const expected: ReadonlyArray<readonly [string, number]> = [
  ['siteledger_phase{phase="degraded"}', 1],
  ['siteledger_phase{phase="live"}', 0],
  ["siteledger_leader", 1],
  ["siteledger_reasons", 1],
  ['siteledger_reasons_by_level{level="critical"}', 1],
  ['siteledger_reasons_by_level{level="degraded"}', 0],
  ['siteledger_reason_active{reason="receiver store",level="critical"}', 1],
  ["siteledger_inbox_pending", 11],
  ["siteledger_inbox_quarantined", 12],
  ["siteledger_inbox_unposted", 13],
  ["siteledger_inbox_oldest_pending_seconds", 14],
  ["siteledger_inbox_archived", 15],
  ["siteledger_last_event_timestamp_seconds", atSeconds],
  ['siteledger_events_total{outcome="applied"}', 21],
  ['siteledger_events_total{outcome="quarantined"}', 22],
  ["siteledger_misfits_total", 123],
  ['siteledger_alarms_total{alarm="id_reused"}', 24],
  ['siteledger_alarms_total{alarm="replayed"}', 25],
  ['siteledger_alarms_total{alarm="relabelled"}', 26],
  ['siteledger_receiver_deliveries_total{outcome="accepted"}', 41],
  ['siteledger_receiver_deliveries_total{outcome="rejected"}', 42],
  ['siteledger_receiver_deliveries_total{outcome="too_large"}', 43],
  ['siteledger_receiver_deliveries_total{outcome="encoded"}', 44],
  ['siteledger_receiver_deliveries_total{outcome="not_stored"}', 45],
  ['siteledger_webhook_secrets{state="valid"}', 51],
  ['siteledger_webhook_secrets{state="ending"}', 52],
  ['siteledger_webhook_secrets{state="unreadable"}', 53],
  ["siteledger_receiver_signed_by_ending_secret_total", 54],
  ["siteledger_gaps_open", 1],
  ['siteledger_clock_skew_seconds{by="answers"}', 61],
  ['siteledger_clock_skew_seconds{by="events"}', 63],
  ['siteledger_walk_rows{resource="projects"}', 300],
  ['siteledger_walk_pages_done{resource="projects"}', 3],
  ['siteledger_walk_pages{resource="projects"}', 7],
  ['siteledger_walk_quarantined{resource="projects"}', 1],
  ['siteledger_walk_proof{resource="projects",proof="proven"}', 1],
  ['siteledger_walk_proof{resource="projects",proof="running"}', 0],
  ['siteledger_walk_proof{resource="projects",proof="passes-agree"}', 0],
  ['siteledger_walk_requests_left{resource="projects"}', 8],
  ['siteledger_lookups_waiting{resource="ipcs"}', 33],
  ['siteledger_lookups_total{resource="ipcs",outcome="done"}', 34],
  ['siteledger_lookups_total{resource="ipcs",outcome="failed"}', 35],
  ['siteledger_walk_next_proof_timestamp_seconds{resource="projects"}', atSeconds],
  ['siteledger_walk_changed_timestamp_seconds{resource="projects"}', atSeconds],
  ['siteledger_walk_parents{resource="projects",proven="yes"}', 97],
  ['siteledger_walk_parents{resource="projects",proven="no"}', 3],
  ["siteledger_api_limit_per_minute", 600],
  ["siteledger_api_used_last_minute", 31],
  ["siteledger_last_export_timestamp_seconds", atSeconds],
  ["siteledger_next_export_timestamp_seconds", atSeconds],
  ["siteledger_published_age_seconds", 90],
  ["siteledger_ledger_entries", 71],
  ["siteledger_ledger_holds", 72],
  ['siteledger_ledger_oldest_hold_seconds{reason="second-payment-reference"}', 90],
  ['siteledger_ledger_oldest_hold_seconds{reason="awaiting-certified-amount"}', 0],
  ['siteledger_ledger_posted_recent_seconds{percentile="50"}', 76],
  ['siteledger_ledger_posted_recent_seconds{percentile="99"}', 77],
  ["siteledger_ledger_sink_backlog", 73],
  ["siteledger_ledger_sink_dead", 74],
  ["siteledger_ledger_sink_oldest_pending_seconds", 75],
  ["siteledger_status_ok", 1]
]
