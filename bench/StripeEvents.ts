/**
 * Events as Stripe sends them, signed: half `invoice.paid`, half `customer.updated`, each about another object, 1,855
 * bytes on average. For the peer that copies them (`StripePeer.ts`).
 */
import { createHmac } from "node:crypto"

export const stripeSecret = "whsec_bench"

/** A signature is refused when it is older than five minutes, but never for a time in the future. */
const aheadSeconds = 3600

const text = "Measured on site with the engineer's representative; quantities as per the joint record sheets. "

const customer = (id: string, n: number) => ({
  id: `cus_${id}`,
  object: "customer",
  address: { city: "Porto", country: "PT", line1: `Street ${n}`, postal_code: "4000", state: null },
  balance: 0,
  created: 1_790_000_000 + n,
  currency: "eur",
  delinquent: false,
  description: text.repeat(13),
  email: `person-${n}@example.com`,
  invoice_prefix: `P${n}`,
  livemode: false,
  metadata: { site: String(n % 700) },
  name: `Customer ${n}`,
  next_invoice_sequence: 1,
  phone: null,
  preferred_locales: [],
  tax_exempt: "none"
})

const invoice = (id: string, n: number) => ({
  id: `in_${id}`,
  object: "invoice",
  amount_due: n * 100,
  amount_paid: n * 100,
  amount_remaining: 0,
  attempt_count: 1,
  attempted: true,
  auto_advance: false,
  billing_reason: "manual",
  collection_method: "charge_automatically",
  created: 1_790_000_000 + n,
  currency: "eur",
  customer: `cus_${id}`,
  customer_email: `person-${n}@example.com`,
  description: text.repeat(10),
  hosted_invoice_url: `https://example.com/i/${n}`,
  lines: { object: "list", data: [], has_more: false, total_count: 0, url: `/v1/invoices/in_${id}/lines` },
  livemode: false,
  metadata: { site: String(n % 700) },
  number: `INV-${n}`,
  paid: true,
  period_end: 1_790_000_000,
  period_start: 1_790_000_000,
  status: "paid",
  status_transitions: { finalized_at: 1_790_000_000, paid_at: 1_790_000_100 },
  subtotal: n * 100,
  total: n * 100
})

/** The nth request of a series, with its headers. */
export const stripeRequest = (series: string, n: number): Buffer => {
  const id = `${series}${n}`
  const isInvoice = n % 2 === 0
  const event = {
    id: `evt_${id}`,
    object: "event",
    api_version: "2020-08-27",
    created: 1_795_000_000 + n,
    data: { object: isInvoice ? invoice(id, n) : customer(id, n) },
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type: isInvoice ? "invoice.paid" : "customer.updated"
  }
  const body = Buffer.from(JSON.stringify(event))
  const at = Math.floor(Date.now() / 1000) + aheadSeconds
  const signature = createHmac("sha256", stripeSecret).update(`${at}.`).update(body).digest("hex")
  const head = [
    "POST /webhooks HTTP/1.1",
    "Host: 127.0.0.1",
    "Content-Type: application/json",
    `Content-Length: ${body.byteLength}`,
    `Stripe-Signature: t=${at},v1=${signature}`
  ]
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), body])
}
