/**
 * Lives of records as a service would report them, and a plain model of the rows that they must end in. Written from the
 * interface document and the contract of the tables; shares no code with the product, on purpose.
 */
import { createHash, randomUUID } from "node:crypto"
import { exactNumber } from "../InterfaceServer.ts"
import type { Random } from "../Seeded.ts"
import type { Rows } from "./World.ts"

export interface StoryEvent {
  readonly type: string
  /** The event's id. */
  readonly id: string
  readonly body: string
  readonly table: string
  readonly key: string
  readonly stage: string
  readonly micros: number
  /** Its contents, by column. */
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

interface Stage {
  readonly status: string
  /** The event's type. */
  readonly type: string
  /** The column of its time. */
  readonly at: string
  readonly parts: ReadonlyArray<Part>
}

interface Kind {
  readonly table: string
  readonly key: string
  readonly stages: ReadonlyArray<Stage>
}

const stage = (type: string, ...parts: ReadonlyArray<Part>): Stage => {
  const [, status = ""] = type.split(".")
  return { status, type, at: `${status}_at`, parts }
}

const projectPart = part("project", project, "project_id")

const kinds: ReadonlyArray<Kind> = [
  {
    table: "ipcs",
    key: "ipc_id",
    stages: [
      stage("ipc.created", projectPart, part("draft_amount", money)),
      stage("ipc.submitted", part("submitter", words), part("amount", money, "submitted_amount")),
      stage("ipc.certified", part("certified_amount", money), part("certificate_url", words)),
      stage("ipc.paid", part("payment_reference", words))
    ]
  },
  {
    table: "vos",
    key: "vo_id",
    stages: [
      stage("vo.created", projectPart, part("description", words)),
      stage("vo.priced", part("total_cost_impact", money)),
      stage("vo.agreed", part("final_amount", money), part("time_impact", words)),
      stage("vo.absorbed", part("boq_revision", words))
    ]
  },
  {
    table: "ncrs",
    key: "ncr_id",
    stages: [
      { ...stage("ncr.created", projectPart, part("severity", words)), status: "open" },
      stage("ncr.closed", part("closure_date", date))
    ]
  }
]

const startMicros = Date.UTC(2026, 8, 1) * 1000

/** Endless, one event at a time; the records are few, so that they change again and again. */
export const story = (random: Random, records = 60) => {
  let count = 0
  const next = (): StoryEvent => {
    const kind = random.pick(kinds)
    const { parts, status, type } = random.pick(kind.stages)
    const key = `${kind.table}-${random.below(records)}`
    // StoryEvent in an order of their own: an event is often older than the one before it.
    const micros = startMicros + random.below(5_000_000) * 1_000_000 + count++
    const values = parts.map(({ column, value, wire }) => ({ column, wire, ...value(random) }))
    const iso = new Date(Math.floor(micros / 1000)).toISOString().slice(0, 20)
    const body = JSON.stringify({
      event_timestamp: `${iso}${String(micros % 1_000_000).padStart(6, "0")}Z`,
      [kind.key]: key,
      ...Object.fromEntries(values.map(({ json, wire }) => [wire, json]))
    })
    const says = Object.fromEntries(values.map(({ column, text }) => [column, text]))
    return { type, id: randomUUID(), body, table: kind.table, key, stage: status, micros, says }
  }
  return { take: (count: number): ReadonlyArray<StoryEvent> => Array.from({ length: count }, next) }
}

export const sha256 = (body: string | Uint8Array): string => createHash("sha256").update(body).digest("hex")

const columnsOf = ({ stages }: Kind) => ({
  contents: [...new Set(stages.flatMap(({ parts }) => parts.map(({ column }) => column)))],
  at: stages.map(({ at }) => at)
})

/** The tables that the events must end in, in the form of `read`. */
export const model = (events: ReadonlyArray<StoryEvent>): Readonly<Record<string, Rows>> =>
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

const rowOf = (kind: Kind, id: string, events: ReadonlyArray<StoryEvent>): Record<string, unknown> => {
  const inTime = events.toSorted((a, b) => a.micros - b.micros)
  const row: Record<string, unknown> = { id, status: null }
  for (const column of columnsOf(kind).contents) {
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
    const { at, contents } = columnsOf(kind)
    const columns = [
      ...contents.map((name) => `${name}::varchar as ${name}`),
      ...at.map((name) => `epoch_us(${name})::varchar as ${name}`)
    ]
    tables[kind.table] = await query(
      `select id, status, ${columns.join(", ")} from construction.${kind.table} order by id`
    )
  }
  return tables
}
