/** Signed bodies for the tests of the reader, as source text: one of each event type, in every envelope. */
import { createHash } from "node:crypto"
import { assert } from "@effect/vitest"
import { documented } from "../../../config/WireFiles.ts"
import { read as readEvent, type ReaderOptions } from "../../../connectors/construction/ConstructionReader.ts"
import type { Change } from "../../../src/Domain/Change.ts"
import type { Event, QuarantineReason, Reading } from "../../../src/Domain/Event.ts"

/** Field → JSON source text. */
export type Fields = Readonly<Record<string, string>>

export const at = "2026-11-20T02:00:00.123456Z"
export const atMicros = Date.UTC(2026, 10, 20, 2) * 1000 + 123_456
export const now = atMicros + 60_000_000
export const receivedAt = "2026-11-20T02:00:01.000000Z"

/** The contents of a body of each type, by the interface document §6.3. */
export const contents: Readonly<Record<string, Fields>> = {
  "ipc.created": { ipc_id: '"IPC-7"', project_id: "5", draft_amount: "1000000.50" },
  "ipc.submitted": { ipc_id: '"IPC-7"', submitter: '"ann"', amount: '"900000.25"' },
  "ipc.certified": { ipc_id: '"IPC-7"', certified_amount: "800000", certificate_url: '"https://c.example/1"' },
  "ipc.paid": { ipc_id: '"IPC-7"', payment_reference: '"PAY-1"' },
  "vo.created": { vo_id: '"VO-1"', project_id: "5", description: '"more steel"' },
  "vo.priced": { vo_id: '"VO-1"', total_cost_impact: "-1500.5" },
  "vo.agreed": { vo_id: '"VO-1"', final_amount: "1e3", time_impact: '"14 days"' },
  "vo.absorbed": { vo_id: '"VO-1"', boq_revision: '"C"' },
  "ncr.created": { ncr_id: "12", project_id: "5", severity: '"major"' },
  "ncr.closed": { ncr_id: "12", closure_date: '"2026-11-19"' },
  "hse.incident.reported": { incident_id: '"H-1"', classification: '"near miss"' },
  "permit.issued": { permit_id: '"P-1"', type: '"hot work"', validity: '"7 days"' },
  "permit.expiring": { permit_id: '"P-1"', hours_until_expiry: "71.5" },
  "dms.transmittal.sent": { transmittal_id: '"T-1"', recipients: '["a@b.example",1.0]', document_count: "3" }
}

export const contentOf = (type: string): Fields => contents[type] ?? {}

export const types = Object.keys(contents)

type ExpectedChange = Pick<Change, "entity" | "id" | "values">

/** What each of them means for our tables. */
export const expectedChanges: Readonly<Record<string, ExpectedChange>> = {
  "ipc.created": {
    entity: "ipcs",
    id: "IPC-7",
    values: { project_id: "5", draft_amount: "1000000.5000", created_at: at }
  },
  "ipc.submitted": {
    entity: "ipcs",
    id: "IPC-7",
    values: { submitter: "ann", submitted_amount: "900000.2500", submitted_at: at }
  },
  "ipc.certified": {
    entity: "ipcs",
    id: "IPC-7",
    values: { certified_amount: "800000.0000", certificate_url: "https://c.example/1", certified_at: at }
  },
  "ipc.paid": { entity: "ipcs", id: "IPC-7", values: { payment_reference: "PAY-1", paid_at: at } },
  "vo.created": { entity: "vos", id: "VO-1", values: { project_id: "5", description: "more steel", created_at: at } },
  "vo.priced": { entity: "vos", id: "VO-1", values: { total_cost_impact: "-1500.5000", priced_at: at } },
  "vo.agreed": {
    entity: "vos",
    id: "VO-1",
    values: { final_amount: "1000.0000", time_impact: "14 days", agreed_at: at }
  },
  "vo.absorbed": { entity: "vos", id: "VO-1", values: { boq_revision: "C", absorbed_at: at } },
  "ncr.created": { entity: "ncrs", id: "12", values: { project_id: "5", severity: "major", created_at: at } },
  "ncr.closed": { entity: "ncrs", id: "12", values: { closure_date: "2026-11-19", closed_at: at } },
  "hse.incident.reported": {
    entity: "hse_incidents",
    id: "H-1",
    values: { classification: "near miss", reported_at: at }
  },
  "permit.issued": {
    entity: "permits",
    id: "P-1",
    values: { permit_type: "hot work", validity: "7 days", issued_at: at }
  },
  "permit.expiring": { entity: "permits", id: "P-1", values: { hours_until_expiry: "71.50", expiring_at: at } },
  "dms.transmittal.sent": {
    entity: "transmittals",
    id: "T-1",
    values: { recipients: '["a@b.example",1.0]', document_count: "3", sent_at: at }
  }
}

export const json = (fields: Fields): string =>
  `{${Object.entries(fields)
    .map(([name, text]) => `${JSON.stringify(name)}:${text}`)
    .join(",")}}`

const time: Fields = { event_timestamp: `"${at}"` }

/** The envelopes that the reader looks into; `head` is added beside the contents. */
export const envelopes: Readonly<Record<string, (fields: Fields, head?: Fields) => string>> = {
  flat: (fields, head = {}) => json({ ...time, ...head, ...fields }),
  data: (fields, head = {}) => json({ ...time, ...head, data: json(fields) }),
  payload: (fields, head = {}) => json({ ...time, ...head, payload: json(fields) }),
  "all in data": (fields, head = {}) => json({ data: json({ ...time, ...head, ...fields }) }),
  "both, half and half": (fields, head = {}) => {
    const [first, ...rest] = Object.entries(fields)
    return json({
      ...head,
      data: json(Object.fromEntries(rest)),
      payload: json({ ...time, ...Object.fromEntries([first ?? []]) })
    })
  }
}

export const flat = (fields: Fields): string => json({ ...time, ...fields })

export const sha256 = (body: string | Uint8Array): string => createHash("sha256").update(body).digest("hex")

export const eventOf = (body: string | Uint8Array, headerType: string | null = null): Event => ({
  sequence: 1,
  bodySha256: sha256(body),
  body: typeof body === "string" ? new TextEncoder().encode(body) : body,
  eventId: "0b6c1d6e-0000-4000-8000-000000000000",
  headerType,
  issuedAt: null,
  receivedAt,
  deliveries: 1,
  replayed: false
})

export const plain: ReaderOptions = {
  aliases: {},
  contentsAt: documented.delivery,
  trustTypeHeader: false,
  maximumBytes: 4 * 1024 * 1024
}
export const trusting: ReaderOptions = { ...plain, trustTypeHeader: true }

export const read = (body: string | Uint8Array, headerType: string | null = null, options = plain): Reading =>
  readEvent(options, eventOf(body, headerType), now)

/** Asserts that it is applied as `type`; returns the change. */
export const applied = (reading: Reading, type: string, message?: string): Change => {
  assert.deepInclude(reading, { type, reason: null }, message)
  if (reading.change === undefined) throw new Error(`${type} has no change ${message ?? ""}`)
  assert.strictEqual(reading.entity, reading.change.entity, message)
  assert.strictEqual(reading.entityId, reading.change.id, message)
  return reading.change
}

export const assertQuarantined = (reading: Reading, reason: QuarantineReason, message?: string) => {
  assert.strictEqual(reading.reason, reason, message)
  assert.isUndefined(reading.change, message)
}
