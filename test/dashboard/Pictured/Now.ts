/** How a worker is doing that copies six lists, posts payments, and waits for a person in two cases. */
import type { StatusReport } from "../../../src/Operate/AdminApi/StatusReport.ts"
import { before, days } from "./Day.ts"
import { hold } from "./Held.ts"

const hour = 3600

const walk = (
  rows: number,
  change: Partial<StatusReport["backfill"][string]> = {}
): StatusReport["backfill"][string] => ({
  pagesDone: Math.ceil(rows / 250),
  pagesTotal: Math.ceil(rows / 250),
  rows,
  proof: "proven",
  at: before(5 * hour),
  quarantined: 0,
  changedAt: before(40),
  nextProofAt: null,
  requestsLeft: null,
  parents: null,
  ...change
})

export const status: StatusReport = {
  version: "0.2.0",
  host: "ledger-1",
  startedAt: before(days(9) + 4 * hour),
  phase: "live",
  reasons: [],
  reasonDetails: [],
  inbox: { pending: 0, quarantined: 0, unposted: 0, oldestPendingAgeMs: 0, archived: 96_000 },
  events: {},
  backfill: {
    projects: walk(25_000),
    ipcs: walk(48_112),
    vos: walk(17_804),
    ncrs: walk(6218, {
      proof: "counts-agree",
      pagesDone: 11,
      nextProofAt: new Date(Date.parse(before(-14 * 60))).toISOString(),
      requestsLeft: 14
    })
  },
  learned: { columns: 0, misfits: 0 },
  lookUps: {},
  api: { limitPerMinute: 600, usedLastMinute: 212 },
  subscription: {
    url: "https://ledger.example.com/webhooks",
    verifiedAt: before(days(9) + 4 * hour - 3),
    obsolete: [],
    toDelete: []
  },
  receiver: { port: 8080, accepted: 184_206, rejected: 0, tooLarge: 0, encoded: 0, notStored: 0 },
  secrets: { valid: 1, ending: 0, unreadable: 0, signedByEnding: 0 },
  lastEventAt: before(4),
  clockSkewMs: { answers: 38, deliveries: null, events: null },
  gaps: [],
  ledger: {
    entries: 31_847,
    holds: 2,
    oldestHold: {
      reason: hold.reason,
      since: hold.since,
      ipcId: hold.ipc_id,
      amount: hold.amount,
      currency: hold.currency
    },
    openFrom: "2026-11-01",
    postedMs: { p50: 68, p99: 240 },
    sink: { backlog: 0, dead: 0, oldestPendingAgeMs: 0 }
  },
  export: { lastAt: before(12.5 * hour), nextAt: before(-11.5 * hour) },
  published: { at: before(95), ageMs: 95_000 },
  check: { done: 31, of: 40, at: before(hour) },
  backup: {
    to: "s3://example-backup/ledger",
    at: before(48),
    ageMs: 48_000,
    chunks: 912,
    verifiedAt: before(9 * hour),
    error: null
  },
  tasks: [],
  workers: []
}
