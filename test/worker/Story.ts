/**
 * Lives of records as the service would tell them, and a plain model of the rows that they must end in. Written from
 * the interface document and the contract of the tables; shares nothing with the product, on purpose.
 */
import { createHash, randomUUID } from "node:crypto"
import { exactNumber } from "../InterfaceServer.ts"
import type { Random } from "../Seeded.ts"
import type { Rows } from "./World.ts"

export interface Told {
  readonly type: string
  /** The event's id. */
  readonly id: string
  readonly body: string
  readonly table: string
  readonly key: string
  readonly stage: string
  readonly micros: number
  /** What it says, by column. */
  readonly says: Readonly<Record<string, string>>
}

interface Part {
  readonly column: string
  readonly wire: string
  readonly value: (random: Random) => { readonly json: unknown; readonly text: string }
}

const money = (random: Random) => {
  const text = `${random.digits(1 + random.below(24))}.${random.digits(4)}`
  return { json: exactNumber(text), text }
}
const words = (random: Random) => {
  const text = `${random.pick(["Anchors", "Façade", "Zoë", 'O\'Neil "x"', "日本"])} ${random.digits(4)}`
  return { json: text, text }
}
const project = (random: Random) => {
  const text = random.digits(4)
  return { json: random.chance(0.5) ? Number(text) : { id: Number(text) }, text }
}
const date = (random: Random) => {
  const text = `2026-0${1 + random.below(9)}-1${random.below(10)}`
  return { json: text, text }
}
const part = (wire: string, value: Part["value"], column = wire): Part => ({ column, wire, value })

interface Kind {
  readonly table: string
  readonly key: string
  /** Status, then the event's name after the dot where that is another, then what the event says. */
  readonly stages: ReadonlyArray<{ status: string; type: string; at: string; parts: ReadonlyArray<Part> }>
}

const kinds: ReadonlyArray<Kind> = [
  {
    table: "ipcs",
    key: "ipc_id",
    stages: [
      {
        status: "created",
        type: "ipc.created",
        at: "created_at",
        parts: [part("project", project, "project_id"), part("draft_amount", money)]
      },
      {
        status: "submitted",
        type: "ipc.submitted",
        at: "submitted_at",
        parts: [part("submitter", words), part("amount", money, "submitted_amount")]
      },
      {
        status: "certified",
        type: "ipc.certified",
        at: "certified_at",
        parts: [part("certified_amount", money), part("certificate_url", words)]
      },
      { status: "paid", type: "ipc.paid", at: "paid_at", parts: [part("payment_reference", words)] }
    ]
  },
  {
    table: "vos",
    key: "vo_id",
    stages: [
      {
        status: "created",
        type: "vo.created",
        at: "created_at",
        parts: [part("project", project, "project_id"), part("description", words)]
      },
      { status: "priced", type: "vo.priced", at: "priced_at", parts: [part("total_cost_impact", money)] },
      {
        status: "agreed",
        type: "vo.agreed",
        at: "agreed_at",
        parts: [part("final_amount", money), part("time_impact", words)]
      },
      { status: "absorbed", type: "vo.absorbed", at: "absorbed_at", parts: [part("boq_revision", words)] }
    ]
  },
  {
    table: "ncrs",
    key: "ncr_id",
    stages: [
      {
        status: "open",
        type: "ncr.created",
        at: "created_at",
        parts: [part("project", project, "project_id"), part("severity", words)]
      },
      { status: "closed", type: "ncr.closed", at: "closed_at", parts: [part("closure_date", date)] }
    ]
  }
]

const startMicros = Date.UTC(2026, 8, 1) * 1000

/** Goes on for ever, one event at a time; the records are few, so that they change again and again. */
export const story = (random: Random, records = 60) => {
  let told = 0
  const next = (): Told => {
    const kind = random.pick(kinds)
    const stage = random.pick(kind.stages)
    const key = `${kind.table}-${random.below(records)}`
    // Told in an order of their own: an event is often older than the one before it.
    const micros = startMicros + random.below(5_000_000) * 1_000_000 + told++
    const spoken = stage.parts.map(({ column, value, wire }) => ({ column, wire, ...value(random) }))
    const iso = new Date(Math.floor(micros / 1000)).toISOString().slice(0, 20)
    const body = JSON.stringify({
      event_timestamp: `${iso}${String(micros % 1_000_000).padStart(6, "0")}Z`,
      [kind.key]: key,
      ...Object.fromEntries(spoken.map(({ json, wire }) => [wire, json]))
    })
    const says = Object.fromEntries(spoken.map(({ column, text }) => [column, text]))
    return { type: stage.type, id: randomUUID(), body, table: kind.table, key, stage: stage.status, micros, says }
  }
  return { take: (count: number): ReadonlyArray<Told> => Array.from({ length: count }, next) }
}

export const sha256 = (body: string): string => createHash("sha256").update(body).digest("hex")

const columnsOf = ({ stages }: Kind) => ({
  said: [...new Set(stages.flatMap(({ parts }) => parts.map(({ column }) => column)))],
  at: stages.map(({ at }) => at)
})

/** The tables that the events must end in, in the form of `read`. */
export const model = (events: ReadonlyArray<Told>): Readonly<Record<string, Rows>> =>
  Object.fromEntries(
    kinds.map((kind) => {
      const byKey = Map.groupBy(
        events.filter(({ table }) => table === kind.table),
        ({ key }) => key
      )
      const rows = [...byKey].map(([id, of]) => rowOf(kind, id, of))
      return [kind.table, rows.toSorted((a, b) => (String(a["id"]) < String(b["id"]) ? -1 : 1))]
    })
  )

const rowOf = (kind: Kind, id: string, events: ReadonlyArray<Told>): Record<string, unknown> => {
  const inTime = events.toSorted((a, b) => a.micros - b.micros)
  const row: Record<string, unknown> = { id, status: null }
  for (const column of columnsOf(kind).said) {
    row[column] = inTime.findLast(({ says }) => says[column] !== undefined)?.says[column] ?? null
  }
  for (const { at, status } of kind.stages) {
    const last = inTime.findLast(({ stage }) => stage === status)
    row[at] = last === undefined ? null : String(last.micros)
    if (last !== undefined) row["status"] = status
  }
  return row
}

/** The same tables as a warehouse holds them: amounts, ids and microseconds as text. */
export const read = async (query: (sql: string) => Promise<Rows>): Promise<Readonly<Record<string, Rows>>> => {
  const tables: Record<string, Rows> = {}
  for (const kind of kinds) {
    const { at, said } = columnsOf(kind)
    const columns = [
      ...said.map((name) => `${name}::varchar as ${name}`),
      ...at.map((name) => `epoch_us(${name})::varchar as ${name}`)
    ]
    tables[kind.table] = await query(
      `select id, status, ${columns.join(", ")} from construction.${kind.table} order by id`
    )
  }
  return tables
}
