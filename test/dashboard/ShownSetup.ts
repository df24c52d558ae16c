/** What a stand-in worker answers about records and its set-up. */
import { longAgo, markup } from "./ShownStatus.ts"

const said = (by: string, sequence: number | null) => ({
  by,
  at: longAgo,
  version: "1795806011514960.1.a546621ba45685a0",
  event_id: sequence === null ? null : "e",
  event_type: sequence === null ? null : "ipc.paid",
  sequence
})

const field = (name: string, value: string | null, more: object = {}) => ({
  name,
  type: "VARCHAR",
  says: `What ${name} is.`,
  value,
  misfit: null,
  said: null,
  ...more
})

const setting = (name: string, more: object) => ({
  section: "The service",
  name,
  meaning: "What it is, like `https://x`.",
  isSecret: false,
  state: "set",
  value: "https://service.example/v1",
  problem: null,
  ...more
})

export const answers = {
  records: () => ({
    key: "id",
    columns: [
      { name: "id", type: "VARCHAR" },
      { name: "certified_amount", type: "DECIMAL(28,4)" },
      { name: "paid_at", type: "TIMESTAMP WITH TIME ZONE" }
    ],
    rows: [
      ["IPC-7", "1234.5000", longAgo],
      [`IPC-8 ${markup.repeat(3)}`, null, null]
    ],
    next: "IPC-8",
    stoppedAfter: 100_000
  }),
  record: () => ({
    table: "ipcs",
    id: "IPC-7",
    fields: [
      field("id", "IPC-7"),
      field("certified_amount", "1234.5000", { said: said("event", 7) }),
      field("paid_at", longAgo, { type: "TIMESTAMP WITH TIME ZONE", said: said("read", null) }),
      field("note", null, { type: null, says: null, misfit: `{"long": "${"x".repeat(200)}"}` })
    ],
    deliveries: [
      {
        sequence: 7,
        event_id: "e",
        event_type: "ipc.paid",
        event_timestamp: longAgo,
        received_at: longAgo,
        outcome: "applied",
        reason: null
      }
    ],
    hasOlder: true
  }),
  settings: () => ({
    settings: [
      setting("SITELEDGER_BASE_URL", {}),
      setting("SITELEDGER_CLIENT_SECRET", { isSecret: true, value: null }),
      setting("SITELEDGER_WALK_EVERY", { state: "default", value: "1 hour" }),
      setting("SITELEDGER_ALERT_URL", { state: "not-set", value: null }),
      setting("SITELEDGER_LAKE", { section: "The lake", state: "bad", value: null, problem: "is no folder." })
    ]
  }),
  "secret-list": () => ({
    secrets: [
      {
        fingerprint: "9aad5968",
        source: "subscription 1",
        state: "valid",
        addedAt: longAgo,
        retiredAt: null,
        expiresAt: null,
        lastUsedAt: longAgo
      },
      {
        fingerprint: "7be0c411",
        source: "SITELEDGER_WEBHOOK_SECRET",
        state: "valid",
        addedAt: null,
        retiredAt: null,
        expiresAt: null,
        lastUsedAt: null
      }
    ]
  }),
  "secret-add": () => ({ added: { fingerprint: "c0ffee12" } }),
  "secret-retire": () => ({ retired: [] }),
  doctor: () => ({
    ok: false,
    findings: [
      { check: "Node", verdict: "ok", sentence: "Node 24 runs it." },
      { check: "Disk", verdict: "fail", sentence: "The disk is full.", advice: "Make room below `/srv`." }
    ]
  })
}
