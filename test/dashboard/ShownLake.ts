/** What a stand-in worker answers about quarantine, lake and SQL. */
import { longAgo, markup } from "./ShownStatus.ts"

const run = (name: string, isNewest: boolean) => ({
  run: name,
  isNewest,
  safeUntil: isNewest ? null : longAgo,
  asOf: isNewest ? longAgo : null,
  tables: 12,
  files: 132,
  rows: 1_234_567,
  bytes: 871_700
})

const checked = (name: string, faults: ReadonlyArray<string>) => ({ name, files: 2, rows: 10, bytes: 4096, faults })

/** In two parts. */
export const exported = [7, 9].map((sequence) => ({
  sequence,
  event_id: "e",
  event_type: null,
  received_at: longAgo,
  issued_at: null,
  reason: "no-key",
  headers: [{ name: "X-Service-Event", value: markup }],
  bodyBase64: "e30=",
  body: "{}"
}))

export const answers = {
  "quarantine-export": ({ after }: Readonly<Record<string, unknown>>) => ({
    deliveries: exported.filter(({ sequence }) => (after === 0 ? sequence === 7 : sequence > Number(after))),
    next: after === 0 ? 7 : null
  }),
  quarantine: () => ({
    total: 2,
    reasons: [
      { reason: "unknown-type", count: 1, toDo: "Update siteledger, or see `siteledger delivery`." },
      { reason: "no-key", count: 1, toDo: `An alias of the id would help. ${markup}` }
    ],
    rows: [
      { sequence: 7, event_id: "e", received_at: longAgo, event_type: "ipc.odd", reason: "unknown-type", due_at: null },
      { sequence: 9, event_id: null, received_at: null, event_type: null, reason: "no-key", due_at: longAgo }
    ]
  }),
  replay: () => ({ read: 1, applied: 1 }),
  "lake-list": () => ({
    lake: "s3://bucket/lake",
    runs: [run("20261127T020000Z-1a2b", true), run("20261126T020000Z-1a2b", false)],
    fault: null
  }),
  "lake-verify": () => ({
    ok: false,
    lake: "s3://bucket/lake",
    run: "20261127T020000Z-1a2b",
    asOf: { sequence: 1, at: longAgo, oldestPending: null, walks: {} },
    faults: [],
    checked: [checked("ipcs", ["ipcs/a.parquet has a different SHA-256."]), checked("journal", [])]
  }),
  query: () => ({
    columns: [
      { name: "month", isNumber: false },
      { name: "amount", isNumber: true }
    ],
    rows: [
      ["2026-10", "1234.5000"],
      [null, "12.0000"],
      [markup, "-3.5000"]
    ],
    isCut: false,
    isPlan: false
  })
}
