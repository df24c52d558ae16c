/** What the stand-in worker answers: something of everything that a view can show. */
import type { Answer, Event } from "../../dashboard/Api.ts"
import { markup, longAgo } from "./ShownStatus.ts"

const hash = "ab".repeat(32)
const eventId = "0f8b6c1e-5b0e-4a39-9c55-6d5a6f0f4a77"
export const holdId = "3f2a".padEnd(32, "0")
export const entryId = "9c41".padEnd(32, "0")

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
  event(1, { event_type: markup, outcome: "quarantined", reason: "no-type", entity: null, entity_id: null }),
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

const walk = (list: string, isProven = true): Answer<"walks">["walks"][number] => ({
  list,
  pass: isProven ? 8 : 7,
  startedAt: longAgo,
  endedAt: isProven ? longAgo : "2026-09-01T03:00:00.000000Z",
  proof: isProven ? "proven" : "unproven",
  disturbance: isProven ? null : `The list of ${list} changed while it was being walked.`,
  rows: 1200,
  total: isProven ? 1200 : 1201,
  pages: 2,
  deleted: isProven ? 3 : 0,
  parents: isProven ? null : { found: 40, proven: 38 }
})

const waiting = {
  hold_id: "7c".padEnd(32, "0"),
  ipc_id: "IPC-7",
  payment_reference: "PAY-2",
  reason: "second-payment-reference",
  amount: "12.0000",
  currency: "EUR"
}

export const answers = {
  history: () => ({ stepSeconds: 60, points: [50, 49, 48, 30, 29, 28, 27, 3, 2, 1].map(point) }),
  walks: ({ list }: Readonly<Record<string, unknown>>) => ({
    walks: [walk(String(list ?? "projects")), walk(String(list ?? markup), false)],
    next: `${longAgo} projects`
  }),
  /** Two pages: the second has what came before the first. */
  events: ({ before }: Readonly<Record<string, unknown>>) =>
    before === undefined
      ? { through: 2, events, next: `${longAgo} 1` }
      : { through: 2, events: [event(0, { event_type: "ncr.created" })], next: null },
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
  "ledger-foresee": ({ amount }: Readonly<Record<string, unknown>>) => ({
    entries: [
      {
        ipc_id: "IPC-7",
        kind: "adjustment",
        amount: `${String(amount)}.0000`,
        currency: "EUR",
        payment_reference: "PAY-1",
        posting_date: "2026-11-20",
        lines: [
          { account: "Construction in progress", debit: `${String(amount)}.0000`, credit: "0.0000" },
          { account: markup, debit: "0.0000", credit: `${String(amount)}.0000` }
        ]
      }
    ],
    opened: [{ ...waiting, hold_id: "8d".padEnd(32, "0"), ipc_id: "IPC-8" }],
    closed: [{ ...waiting, hold_id: holdId }],
    held: [waiting],
    before: { certified: "1334.5000", due: "1334.5000", paid: "1234.5000", open: "100.0000" },
    after: { certified: "1334.5000", due: "1334.5000", paid: "1334.5000", open: "0.0000" }
  }),
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
