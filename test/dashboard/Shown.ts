/** What the stand-in worker answers: something of everything that a view can show. */
import type { Answer, Event } from "../../dashboard/Api.ts"
import type { StatusReport } from "../../src/Operate/AdminApi/StatusReport.ts"

const longAgo = "2026-11-20T08:00:00.000000Z"
const hash = "ab".repeat(32)
const eventId = "0f8b6c1e-5b0e-4a39-9c55-6d5a6f0f4a77"
export const holdId = "3f2a".padEnd(32, "0")
export const entryId = "9c41".padEnd(32, "0")
const isEvil = "<img src=x onerror=alert(1)>"

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
    sentence: `The books differ: ${isEvil}`,
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

export const event = (sequence: number, change: Partial<Event> = {}): Event => ({
  sequence,
  event_id: eventId,
  event_type: "ipc.paid",
  event_timestamp: longAgo,
  received_at: longAgo,
  entity: "ipcs",
  entity_id: "IPC-7",
  outcome: "applied",
  reason: null,
  alarms: [],
  ...change
})

export const events: ReadonlyArray<Event> = [
  event(1, { event_type: isEvil, outcome: "quarantined", reason: "no-type", entity: null, entity_id: null }),
  event(2, { alarms: ["late"] })
]

const hold = {
  hold_id: holdId,
  ipc_id: "IPC-7",
  payment_reference: "PAY-1",
  reason: "recertified-after-payment",
  since: longAgo,
  amount: "1234.5000",
  currency: "EUR",
  question:
    "A certificate came. Accept with the money that moved (--amount, below zero if money came back), or reject.",
  looked_up: null
}

const entry = {
  entry_id: entryId,
  sequence: 1,
  ipc_id: "IPC-7",
  project_id: 12,
  kind: "payment",
  amount: "-1234.5678",
  currency: "EUR",
  payment_reference: "PAY-1",
  certificate_url: null,
  debit_account: "4000",
  credit_account: "1200",
  effective_at: longAgo,
  known_at: longAgo,
  posting_date: "2026-11-20",
  reverses: null
}

const basis = [
  { kind: "certificate", number: 12, eventId, at: longAgo, units: "12345000", url: "https://example.com/12" }
]
const payload = '{"amount":12345678901234567890.10,"type":"ipc.paid"}'
const evidence = {
  basis,
  events: [
    {
      event_id: eventId,
      event_type: "ipc.paid",
      event_timestamp: longAgo,
      received_at: longAgo,
      body_sha256: hash,
      payload
    }
  ]
}

const point = (minute: number): Answer<"history">["points"][number] => ({
  at: new Date(Date.now() - (minute + 1) * 60_000).toISOString(),
  deliveries: minute,
  visibleP50Ms: 40,
  visibleP99Ms: 120,
  postedP50Ms: minute % 5 === 0 ? null : 60,
  postedP99Ms: minute % 5 === 0 ? null : 300,
  requests: 400,
  limit: 600
})

export const answers = {
  history: () => ({ stepSeconds: 60, points: [50, 49, 48, 30, 29, 28, 27, 3, 2, 1].map(point) }),
  events: () => ({ through: 2, events }),
  delivery: ({ id }: Readonly<Record<string, unknown>>) => ({
    deliveries: [
      {
        ...event(Number(id)),
        issued_at: longAgo,
        deliveries: 2,
        body_sha256: hash,
        headers: [{ name: "X-Service-Event", value: `ipc.paid${"-long".repeat(40)}` }],
        body: payload,
        bodyBase64: "e30=",
        columns: ["status", "paid_at"],
        entries: [
          { entry_id: entryId, kind: "payment", amount: "1234.5000", currency: "EUR", payment_reference: "PAY-1" }
        ]
      }
    ]
  }),
  "ledger-list": () => ({
    total: 2,
    rows: [entry, { ...entry, sequence: 2, entry_id: "b".repeat(32), amount: "9.9000", currency: "JPY" }]
  }),
  "ledger-holds": () => ({ total: 1, rows: [hold] }),
  "ledger-show": ({ id }: Readonly<Record<string, unknown>>) =>
    id === holdId
      ? { ...hold, ...evidence }
      : {
          ...entry,
          ...evidence,
          lines: [
            { account: "4000", debit: "1234.5678", credit: "0.0000" },
            { account: "1200", debit: "0.0000", credit: "1234.5678" }
          ],
          delivery: {
            status: "posted",
            state: "dead",
            queued_at: longAgo,
            delivered_at: null,
            last_error: "No such account.",
            released: null
          }
        },
  "ledger-accept": () => ({
    posted: [{ entry_id: entryId, ipc_id: "IPC-7", kind: "adjustment", amount: "100.0000" }],
    opened: [],
    closed: [{ hold_id: holdId, ipc_id: "IPC-7", reason: hold.reason }]
  }),
  "sink-dead": () => [
    {
      sequence: 1,
      entry_id: entryId,
      ipc_id: "IPC-7",
      queued_at: longAgo,
      waiting_behind: 2,
      reason: "No such account."
    },
    {
      sequence: 5,
      entry_id: "b".repeat(32),
      ipc_id: "IPC-8",
      queued_at: longAgo,
      waiting_behind: 0,
      reason: "No such tax code."
    }
  ],
  "sink-replay": () => ({ replayed: 1 }),
  explain: () => ({
    ipc: "IPC-7",
    row: {
      id: "IPC-7",
      status: "paid",
      _clocks: "{}",
      _first_seen_at: longAgo,
      _changed_at: longAgo,
      _deleted_at: null
    },
    events: [{ ...event(2), alarms: "[]", deliveries: "2", body_sha256: hash }],
    facts: [{ number: 1, kind: "payment", known_at: longAgo, content: '{"units":"12345000","reference":"PAY-1"}' }],
    entries: [entry],
    holds: [hold],
    decisions: [
      { number: 1, ...hold, verdict: "reject", decided_by: "Ada", decided_at: longAgo, why: "No money moved" }
    ],
    balance: { certified: "1234.5000", due: "1234.5000", paid: "1000.0000", open: "234.5000" }
  })
}
