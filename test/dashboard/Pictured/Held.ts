/** An IPC that was certified again after its payment: what the books know of it, what they ask, and what was paid since. */
import { createHash } from "node:crypto"
import { questions } from "../../../src/Ledger/People/Questions.ts"
import { before, days } from "./Day.ts"

const hour = 3600
export const ipc = "IPC-2264"
const payment = "PAY-88213"
const currency = "EUR"
export const holdId = "5b7e20c94d1a4f0c8e3692ab17d0f4c6"
const entryId = "c41d7e0a92b84f53a6f01de8b3725c19"
const url = "https://certificates.example.com/2264"

const moments = {
  created: days(21) + 4.13 * hour,
  submitted: days(16) - 1.42 * hour,
  certified: days(9) + 3.31 * hour,
  paid: days(2) + 5.57 * hour,
  again: 3.41 * hour
}

interface Said {
  readonly sequence: number
  readonly type: string
  readonly ago: number
  readonly data: Readonly<Record<string, unknown>>
}

const said: ReadonlyArray<Said> = [
  { sequence: 121_404, type: "ipc.created", ago: moments.created, data: { project_id: 4711, amount: 186_000 } },
  {
    sequence: 133_027,
    type: "ipc.submitted",
    ago: moments.submitted,
    data: { submitter: "M. Ferri", amount: 186_000 }
  },
  { sequence: 150_918, type: "ipc.certified", ago: moments.certified, data: { amount: 182_450, certificate_url: url } },
  { sequence: 176_330, type: "ipc.paid", ago: moments.paid, data: { payment_reference: payment } },
  {
    sequence: 181_975,
    type: "ipc.certified",
    ago: moments.again,
    data: { amount: 185_200, certificate_url: `${url}/2` }
  }
]

const hashOf = (sequence: number): string => createHash("sha256").update(String(sequence)).digest("hex")

const eventOf = ({ ago, data, sequence, type }: Said) => ({
  sequence,
  event_id: `${hashOf(sequence).slice(0, 8)}-6a4e-4d55-8c1f-${hashOf(sequence).slice(8, 20)}`,
  event_type: type,
  event_timestamp: before(ago + 1.4),
  received_at: before(ago),
  outcome: "applied",
  reason: null,
  alarms: "[]",
  deliveries: 1,
  body_sha256: hashOf(sequence),
  payload: JSON.stringify({ type, id: ipc, occurred_at: before(ago + 1.4), data })
})

const events = said.map(eventOf)
const [, , certified, paid, again] = events

const certificate = (number: number, event: typeof certified, units: string, at: string) => ({
  kind: "certificate",
  number,
  at: event?.event_timestamp,
  units,
  url: at,
  eventId: event?.event_id,
  knownAt: event?.received_at
})

const facts = [
  certificate(50_311, certified, "1824500000", url),
  {
    kind: "payment",
    number: 61_870,
    at: paid?.event_timestamp,
    reference: payment,
    eventId: paid?.event_id,
    knownAt: paid?.received_at
  },
  certificate(63_502, again, "1852000000", `${url}/2`)
]

export const hold = {
  hold_id: holdId,
  ipc_id: ipc,
  payment_reference: payment,
  reason: "recertified-after-payment",
  since: before(moments.again - 0.07),
  amount: "185200.0000",
  currency,
  question: questions["recertified-after-payment"],
  looked_up: null
}

const entry = {
  entry_id: entryId,
  sequence: 30_912,
  ipc_id: ipc,
  project_id: "4711",
  kind: "payment",
  amount: "182450.0000",
  currency,
  payment_reference: payment,
  certificate_url: url,
  debit_account: "construction-in-progress",
  credit_account: "bank",
  effective_at: before(moments.paid + 1.4),
  known_at: before(moments.paid - 0.07),
  posting_date: "2026-11-24",
  reverses: null
}

const micros = (ago: number, of: number): string =>
  `${Date.parse(before(ago + 1.4))}000.1.${hashOf(said[of]?.sequence ?? 0).slice(0, 16)}`

const explained = {
  ipc,
  row: {
    id: ipc,
    status: "paid",
    project_id: 4711,
    draft_amount: "186000.0000",
    submitter: "M. Ferri",
    submitted_amount: "186000.0000",
    certified_amount: "185200.0000",
    payment_reference: payment,
    _clocks: JSON.stringify({
      status: micros(moments.paid, 3),
      project_id: micros(moments.created, 0),
      draft_amount: micros(moments.created, 0),
      submitter: micros(moments.submitted, 1),
      submitted_amount: micros(moments.submitted, 1),
      certified_amount: micros(moments.again, 4),
      payment_reference: micros(moments.paid, 3)
    }),
    _first_seen_at: before(moments.created),
    _changed_at: before(moments.again),
    _deleted_at: null
  },
  events,
  facts: facts.map(({ kind, knownAt, number, ...content }) => ({
    number,
    kind,
    known_at: knownAt,
    content: JSON.stringify(content)
  })),
  entries: [entry],
  holds: [hold],
  decisions: [],
  balance: { certified: "185200.0000", due: "185200.0000", paid: "182450.0000", open: "2750.0000" }
}

export const answers = {
  "ledger-show": () => ({ ...hold, basis: facts, events: [certified, paid, again] }),
  explain: () => explained
}
