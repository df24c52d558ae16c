/**
 * The bodies of the events in section 6.3 of the interface document, for the stand-in service of the tests.
 *
 * Field names are the document's own words in snake_case; their values are examples, and a test may give any others.
 * The envelope is not shown in the document, so it is an option. Shares nothing with the product, on purpose.
 */

export interface EventShape {
  /** The contents are at the top of the body, or under a `data` or a `payload` key. */
  envelope: "flat" | "data" | "payload"
  /** §6.1 says "the payload carries `event_timestamp`": next to the contents, or next to the envelope's key. */
  timestampIn: "payload" | "envelope"
  /** Whether the top of the body repeats the type in `event_type`; the document shows it in a header only. */
  typeInBody: boolean
}

/** `body` is the exact text sent; without it, one is made from `type` and `fields`. */
export interface EventInput {
  readonly type: string
  readonly id?: string
  readonly timestamp?: number
  readonly fields?: Record<string, unknown>
  readonly body?: string
}

export const eventShapeDefaults: EventShape = { envelope: "flat", timestampIn: "payload", typeInBody: false }

/** A number written with exactly these characters, such as "12345678901234567890.10". */
export const exactNumber = (text: string): unknown =>
  (JSON as unknown as { readonly rawJSON: (text: string) => unknown }).rawJSON(text)

const contents = {
  "ipc.created": { ipc_id: 501, project: 1001, draft_amount: exactNumber("125000.50") },
  "ipc.submitted": { ipc_id: 501, submitter: "Nadia Rahman", amount: exactNumber("125000.50") },
  "ipc.certified": {
    ipc_id: 501,
    certified_amount: exactNumber("118750.00"),
    certificate_url: "https://service.example/certificates/501.pdf"
  },
  "ipc.paid": { ipc_id: 501, payment_reference: "PAY-2026-0501" },
  "vo.created": { vo_id: 601, project: 1001, description: "Extra façade anchors" },
  "vo.priced": { vo_id: 601, total_cost_impact: exactNumber("8200.00") },
  "vo.agreed": { vo_id: 601, final_amount: exactNumber("7900.00"), time_impact: 5 },
  "vo.absorbed": { vo_id: 601, new_boq_revision: 3 },
  "ncr.created": { ncr_id: 701, project: 1001, severity: "major" },
  "ncr.closed": { ncr_id: 701, closure_date: "2026-03-04" },
  "hse.incident.reported": { incident_id: 801, classification: "near-miss" },
  "permit.issued": { permit_id: 901, type: "hot-work", validity: "2026-04-01" },
  "permit.expiring": { permit_id: 901, hours_until_expiry: 24 },
  "dms.transmittal.sent": { transmittal_id: 951, recipients: ["site@contractor.example"], document_count: 12 },
  "webhook.ping": {}
} satisfies Record<string, Record<string, unknown>>

export type KnownEventType = keyof typeof contents

/** The 14 types of records; `webhook.ping` is the service's own. */
export const eventTypes = Object.keys(contents).filter((type) => type !== "webhook.ping") as Array<
  Exclude<KnownEventType, "webhook.ping">
>

/**
 * One body as text. `fields` go over the example contents (`undefined` leaves a field out); `event_timestamp` among
 * them replaces the time of the call. A type outside the document has only the fields given.
 */
export const eventBody = (
  type: string,
  fields: Record<string, unknown> = {},
  shape: Partial<EventShape> = {}
): string => {
  const { envelope, timestampIn, typeInBody } = { ...eventShapeDefaults, ...shape }
  const { event_timestamp, ...rest } = { event_timestamp: new Date().toISOString(), ...fields }
  const named = { ...(contents as Record<string, Record<string, unknown>>)[type], ...rest }
  const top = typeInBody ? { event_type: type } : {}
  if (envelope === "flat") return JSON.stringify({ ...top, event_timestamp, ...named })
  return timestampIn === "payload"
    ? JSON.stringify({ ...top, [envelope]: { event_timestamp, ...named } })
    : JSON.stringify({ ...top, event_timestamp, [envelope]: named })
}
