/**
 * Signed deliveries as bytes on the wire, made ahead of time: distinct bodies of about 600 bytes about IPCs.
 */
import { createHmac, hash } from "node:crypto"
import type { Delivery } from "../src/Stores/Deliveries.ts"

export const secret = "bench-webhook-secret"
export const path = "/hooks/construction"

/** The number of projects in which payments are made. */
export const projects = 50

export interface Signed {
  readonly body: Buffer
  readonly eventId: string
  /** The whole HTTP request. */
  readonly request: Buffer
}

const stages = ["ipc.created", "ipc.submitted", "ipc.certified", "ipc.paid"] as const

const fields = (type: string, n: number): Readonly<Record<string, unknown>> => {
  if (type === "ipc.created") return { draft_amount: `${n}.25` }
  if (type === "ipc.submitted") return { submitter: `Engineer ${n % 97}`, amount: `${n}.50` }
  if (type === "ipc.certified") return { certified_amount: `${n}.75`, certificate_url: `https://example.com/c/${n}` }
  return { payment_reference: `PAY-${n}` }
}

const sentence = "Measured on site with the engineer's representative; quantities as per the joint record sheets. "
export const note = sentence.repeat(4)
/** Makes a body as long as a peer's events are on average. */
const longNote = sentence.repeat(17)

/** The nth event of `series`, about one of `ipcs` IPCs, whose lives are interleaved. */
export const eventBody = (series: string, n: number, ipcs: number, isLong = false): Body => {
  const round = Math.floor(n / ipcs)
  const type = stages[round % stages.length] ?? stages[0]
  const body = {
    event_type: type,
    event_timestamp: new Date(Date.UTC(2026, 10, 1) + n * 10).toISOString(),
    ipc_id: `${series}-${n % ipcs}`,
    project_id: (n % ipcs) % 700,
    ...fields(type, n),
    note: isLong ? longNote : note
  }
  return { type, body: Buffer.from(JSON.stringify(body)) }
}

export const eventId = (body: Buffer): string => {
  const hex = hash("sha256", body)
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join("-")
}

/** The same event as the Receiver hands it to the Inbox. */
export const delivery = (series: string, n: number, ipcs: number): Delivery => {
  const { body, type } = eventBody(series, n, ipcs)
  return {
    body,
    bodySha256: hash("sha256", body, "buffer"),
    eventId: eventId(body),
    headerType: type,
    issuedAt: null,
    headers: [],
    secret: "f",
    receivedAt: "2026-11-20T02:00:00.000000Z"
  }
}

export const signed = (series: string, n: number, ipcs: number, isLong = false): Signed =>
  requestOf(eventBody(series, n, ipcs, isLong))

export interface Body {
  readonly type: string
  readonly body: Buffer
}

const requestOf = ({ body, type }: Body): Signed => {
  const id = eventId(body)
  const head = [
    `POST ${path} HTTP/1.1`,
    "Host: 127.0.0.1",
    "Content-Type: application/json",
    `Content-Length: ${body.byteLength}`,
    `X-Service-Signature: ${createHmac("sha256", secret).update(body).digest("hex")}`,
    `X-Service-Event-Id: ${id}`,
    `X-Service-Event-Type: ${type}`,
    `X-Service-Timestamp: ${new Date().toISOString()}`
  ]
  return { body, eventId: id, request: Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), body]) }
}

/** The other event types, each with its own fields. */
const others: ReadonlyArray<readonly [type: string, of: (id: string) => object]> = [
  ["vo.created", (id) => ({ vo_id: id, description: "Additional piles" })],
  ["vo.priced", (id) => ({ vo_id: id, total_cost_impact: "1250.50" })],
  ["vo.agreed", (id) => ({ vo_id: id, final_amount: "1200.25", time_impact: "3 days" })],
  ["vo.absorbed", (id) => ({ vo_id: id, boq_revision: "C" })],
  ["ncr.created", (id) => ({ ncr_id: id, severity: "minor" })],
  ["ncr.closed", (id) => ({ ncr_id: id, closure_date: "2026-11-20" })],
  ["hse.incident.reported", (id) => ({ incident_id: id, classification: "near miss" })],
  ["permit.issued", (id) => ({ permit_id: id, validity: "7 days" })],
  ["permit.expiring", (id) => ({ permit_id: id, hours_until_expiry: 24 })],
  ["dms.transmittal.sent", (id) => ({ transmittal_id: id, document_count: 3 })]
]

const together = 1000
const typeCount = stages.length + others.length

/**
 * The nth delivery of a stream of all event types in equal parts, a thousand of each at a time. So one delivery in
 * fourteen pays an IPC that was certified 1,000 deliveries before.
 */
export const mixed = (series: string, n: number, isLong: boolean): Signed => {
  const [group, within] = [Math.floor(n / (together * typeCount)), n % (together * typeCount)]
  const place = Math.floor(within / together)
  const of = `${series}${group}`
  if (place < stages.length) return signed(of, within, together, isLong)
  const [type, contents] = others[place - stages.length]!
  const body = {
    event_type: type,
    event_timestamp: new Date(Date.UTC(2026, 10, 1) + n * 10).toISOString(),
    ...contents(`${of}-${within % together}`),
    note: isLong ? longNote : note
  }
  return requestOf({ type, body: Buffer.from(JSON.stringify(body)) })
}
