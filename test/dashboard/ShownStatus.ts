/** A status in which everything is shown that a status can have. */
import type { StatusReport } from "../../src/Operate/AdminApi/StatusReport.ts"

export const longAgo = "2026-11-20T08:00:00.000000Z"
export const markup = "<img src=x onerror=alert(1)>"

const walk = (proof: StatusReport["backfill"][string]["proof"]): StatusReport["backfill"][string] => ({
  pagesDone: 12,
  pagesTotal: 90,
  rows: 3000,
  proof,
  at: proof === "running" ? null : longAgo,
  quarantined: proof === "unproven" ? 3 : 0,
  changedAt: null,
  nextProofAt: proof === "running" ? null : "2036-11-20T08:00:00.000000Z",
  requestsLeft: 78,
  parents: null
})

const worker = (host: string, change: Partial<StatusReport["workers"][number]>): StatusReport["workers"][number] => ({
  host,
  pid: 7,
  startedAt: longAgo,
  seenAt: longAgo,
  isUp: true,
  isLeader: false,
  isThis: false,
  reasons: [],
  reasonDetails: [],
  ...change
})

const reasons: StatusReport["reasonDetails"] = [
  {
    key: "audit",
    level: "critical",
    sentence: `The books differ: ${markup}`,
    since: longAgo,
    toDo: "Run `siteledger ledger verify`."
  },
  { key: "dead messages", level: "degraded", sentence: "1 entry is refused.", since: longAgo, toDo: "Mend it." },
  {
    key: "set aside",
    level: "notice",
    sentence: `A file was set aside: /${"long".repeat(40)}`,
    since: longAgo,
    toDo: "Delete it."
  }
]

export const status: StatusReport = {
  version: "0.2.0",
  host: "ledger-a",
  startedAt: longAgo,
  phase: "degraded",
  reasons: reasons.map(({ sentence }) => sentence),
  reasonDetails: reasons,
  inbox: { pending: 812, quarantined: 3, unposted: 2, oldestPendingAgeMs: 9200, archived: 0 },
  events: {},
  backfill: { projects: walk("proven"), ipcs: walk("running"), vos: walk("unproven"), ncrs: walk("passes-agree") },
  learned: { columns: 0, misfits: 0 },
  lookUps: {},
  api: { limitPerMinute: 600, usedLastMinute: 431 },
  subscription: { url: "http://127.0.0.1:1/webhooks", verifiedAt: longAgo, obsolete: [], toDelete: [] },
  receiver: { port: 1, accepted: 1200, rejected: 3, tooLarge: 0, encoded: 0, notStored: 0 },
  secrets: { valid: 1, ending: 0, unreadable: 0, signedByEnding: 0 },
  lastEventAt: longAgo,
  clockSkewMs: { answers: 120, deliveries: null, events: null },
  gaps: [
    { from: longAgo, to: longAgo, healsAt: null, isLost: true, cameLate: 12 },
    {
      from: "2026-11-21T08:00:00.000000Z",
      to: longAgo,
      healsAt: "2036-11-20T08:00:00.000000Z",
      isLost: false,
      cameLate: null
    }
  ],
  ledger: {
    entries: 2,
    holds: 1,
    oldestHold: { reason: "over-payment", since: longAgo, ipcId: "IPC-7", amount: "1234.5000", currency: "EUR" },
    openFrom: "2026-11-01",
    postedMs: { p50: 85, p99: 240 },
    sink: { backlog: 4, dead: 1, oldestPendingAgeMs: 61_000 }
  },
  export: { lastAt: longAgo, nextAt: "2036-11-20T08:00:00.000000Z" },
  published: { at: longAgo, ageMs: 1000 },
  check: { done: 3, of: 40, at: longAgo },
  backup: { to: "/vault", at: longAgo, ageMs: 1, chunks: 3, verifiedAt: longAgo, error: null },
  tasks: [{ name: "export", unit: "tables", done: 7, total: 19, startedAt: longAgo }],
  workers: [
    worker("ledger-a", { isThis: true, isLeader: true }),
    worker("ledger-b", { isUp: false, reasons: ["It is late."] })
  ]
}
