/** What a person looks at on that afternoon beside the books: a delivery, the quarantine, records, the set-up. */
import { toDoOf } from "../../../src/Operate/Quarantine/ToDo.ts"
import { before, days, events } from "./Day.ts"
import { ipc } from "./Held.ts"
import { answers as listed } from "./Listed.ts"

const hour = 3600
const [newest] = events.slice(-1)
const [entry] = listed["ledger-list"]().rows

const body = JSON.stringify({
  event_type: newest!.event_type,
  event_timestamp: newest!.event_timestamp,
  data: { ipc_id: newest!.entity_id, payment_reference: entry!.payment_reference, paid_by: "Treasury, batch 2026-48" }
})

const delivery = {
  ...newest!,
  issued_at: before(4.6),
  deliveries: 1,
  body_sha256: "5f1b0d6a7cc1e94d8ea2b37790c34a5e0f6d21b8a9c7431ee56d08f2a4b9137c",
  headers: [
    { name: "Content-Type", value: "application/json" },
    { name: "User-Agent", value: "construction-service/9.4" },
    { name: "X-Service-Event-Id", value: newest!.event_id },
    { name: "X-Service-Event-Type", value: "ipc.paid" },
    { name: "X-Service-Timestamp", value: "1795789815" }
  ],
  body,
  bodyBase64: Buffer.from(body).toString("base64"),
  columns: ["status", "payment_reference", "paid_at"],
  entries: [entry!]
}

const waiting: ReadonlyArray<readonly [sequence: number, type: string, reason: string, ago: number]> = [
  [160_214, "permit.extended", "unknown-type", days(4) + 3 * hour],
  [171_530, "permit.extended", "unknown-type", days(3)],
  [175_882, "ipc.paid", "no-key", days(2) + 7 * hour],
  [175_901, "ipc.paid", "no-key", days(2) + 6.8 * hour],
  [179_043, "vo.agreed", "event-time-ahead", 20 * hour],
  [183_774, "ipc.certified", "amount-does-not-fit", 0.6 * hour]
]

const reasons = [...new Set(waiting.map(([, , reason]) => reason))].toSorted()

const quarantine = {
  total: waiting.length,
  reasons: reasons.map((reason) => ({
    reason,
    count: waiting.filter((each) => each[2] === reason).length,
    toDo: toDoOf(reason)
  })),
  rows: waiting.map(([sequence, type, reason, ago]) => ({
    sequence,
    event_id: newest!.event_id,
    received_at: before(ago),
    event_type: type,
    reason,
    due_at: reason === "event-time-ahead" ? before(-3 * hour) : null
  }))
}

const columns = [
  ["id", "VARCHAR", "The IPC's id in the service."],
  ["status", "VARCHAR", "How far it is."],
  ["project_id", "BIGINT", "The project (projects.id)."],
  ["certified_amount", "DECIMAL(28,4)", "What the newest certificate says."],
  ["payment_reference", "VARCHAR", "The reference of its payment."],
  ["paid_at", "TIMESTAMPTZ", "When it was paid."]
] as const

const amounts = ["185200.0000", "96120.5000", "41980.0000", "310755.2500", "77031.9900", "18250.0000", "502118.4000"]

const rows = Array.from({ length: 18 }, (_, at) => [
  `IPC-${2264 + at}`,
  at % 3 === 1 ? "certified" : "paid",
  String(4711 + (at % 4)),
  amounts[at % amounts.length] ?? null,
  at % 3 === 1 ? null : `PAY-${88_213 + at * 7}`,
  at % 3 === 1 ? null : before(days(2) - at * 1.7 * hour)
])

const said = (sequence: number, type: string, ago: number) => ({
  by: "event",
  at: before(ago),
  version: "1795806011514960.1.a546621ba45685a0",
  event_id: newest!.event_id,
  event_type: type,
  sequence
})

/** Which delivery said each of them. */
const origins = [
  undefined,
  said(176_330, "ipc.paid", days(2)),
  said(121_404, "ipc.created", days(21)),
  said(181_975, "ipc.certified", 3.41 * hour),
  said(176_330, "ipc.paid", days(2)),
  said(176_330, "ipc.paid", days(2))
]

const record = {
  table: "ipcs",
  id: ipc,
  fields: columns.map(([name, type, says], at) => ({
    name,
    type,
    says,
    value: rows[0]?.[at] ?? null,
    misfit: null,
    said: origins[at] ?? null
  })),
  deliveries: [
    [181_975, "ipc.certified", 3.41 * hour],
    [176_330, "ipc.paid", days(2)],
    [150_918, "ipc.certified", days(9)],
    [133_027, "ipc.submitted", days(16)],
    [121_404, "ipc.created", days(21)]
  ].map(([sequence, type, ago]) => ({
    sequence,
    event_id: newest!.event_id,
    event_type: type,
    event_timestamp: before(Number(ago) + 1.4),
    received_at: before(Number(ago)),
    outcome: "applied",
    reason: null
  })),
  hasOlder: false
}

const setting = (section: string, name: string, meaning: string, value: string | null, state = "set") => ({
  section,
  name,
  meaning,
  isSecret: value === null,
  state,
  value,
  problem: null
})

const settings = [
  setting("The service", "SITELEDGER_BASE_URL", "Address of the service's API.", "https://service.example.com/v1"),
  setting("The service", "SITELEDGER_CLIENT_ID", "OAuth client id.", "siteledger"),
  setting("The service", "SITELEDGER_CLIENT_SECRET", "OAuth client secret.", null),
  setting(
    "Deliveries",
    "SITELEDGER_WEBHOOK_MAX_BYTES",
    "Largest webhook body accepted, in bytes.",
    "4194304",
    "default"
  ),
  setting("The lake", "SITELEDGER_LAKE", "Where the Parquet exports go.", "s3://example-lake/construction")
]

const secret = (fingerprint: string, source: string, state: string, ago: number) => ({
  fingerprint,
  source,
  state,
  addedAt: before(ago),
  retiredAt: state === "ending" ? before(2 * hour) : null,
  expiresAt: state === "ending" ? before(-22 * hour) : null,
  lastUsedAt: before(state === "ending" ? 1.8 * hour : 4)
})

export const answers = {
  delivery: () => ({ deliveries: [delivery] }),
  quarantine: () => quarantine,
  tables: () => ({
    tables: [
      {
        name: "ipcs",
        says: "Interim payment certificates.",
        kind: "records",
        key: "id",
        of: null,
        columns: columns.map(([name, type, says]) => ({ name, type, says }))
      }
    ]
  }),
  records: () => ({
    key: "id",
    columns: columns.map(([name, type]) => ({ name, type })),
    rows,
    next: "IPC-2281",
    stoppedAfter: null
  }),
  record: () => record,
  settings: () => ({ settings }),
  "secret-list": () => ({
    secrets: [
      secret("9aad5968", "subscription 2", "valid", 2 * hour),
      secret("41f07c2e", "subscription 1", "ending", days(90))
    ]
  })
}
