/** A normal afternoon, always the same: when it is, what was delivered lately, and what was done in each minute. */
import type { Answer, Event } from "../../../dashboard/Api.ts"

export const now = Date.parse("2026-11-26T14:30:20.000Z")

/** So many seconds before, as the worker writes times. */
export const before = (seconds: number): string => new Date(now - seconds * 1000).toISOString().replace("Z", "000Z")

const minute = 60
const hour = 60 * minute
export const days = (count: number): number => count * 24 * hour

/** Between 0 and 1, without a pattern that is seen, and the same each time. */
const noise = (at: number): number => {
  const value = Math.sin(at * 12.9898) * 43_758.5453
  return value - Math.floor(value)
}

const between = (least: number, most: number, at: number): number => least + (most - least) * noise(at)

const point = (at: number): Answer<"history">["points"][number] => {
  const busy = 26 + 14 * Math.sin(at / 9) + 6 * Math.sin(at / 3.1)
  return {
    at: new Date(Math.floor(now / 60_000) * 60_000 - (at + 1) * 60_000).toISOString(),
    deliveries: Math.max(3, Math.round(busy + between(-6, 6, at))),
    visibleP50Ms: between(34, 47, at + 100),
    visibleP99Ms: between(95, at === 22 ? 420 : 180, at + 200),
    postedP50Ms: between(58, 80, at + 300),
    postedP99Ms: between(170, at === 22 ? 700 : 320, at + 400),
    requests: Math.round(between(180, 240, at + 500) + (at > 31 && at < 44 ? 260 : 0)),
    limit: 600
  }
}

/** The oldest first, as the worker answers. */
export const points = Array.from({ length: 60 }, (_, at) => point(59 - at))

interface Told {
  readonly type: string
  readonly of: string
  readonly ago: number
  readonly change?: Partial<Event>
}

/** Newest first. */
const told: ReadonlyArray<Told> = [
  { type: "ipc.paid", of: "IPC-2291", ago: 4 },
  { type: "ipc.certified", of: "IPC-2304", ago: 6 },
  { type: "vo.priced", of: "VO-1177", ago: 9 },
  { type: "ipc.submitted", of: "IPC-2311", ago: 13 },
  { type: "ipc.created", of: "IPC-2318", ago: 15 },
  { type: "ncr.closed", of: "NCR-640", ago: 18 },
  { type: "ipc.paid", of: "IPC-2288", ago: 21 },
  { type: "ipc.certified", of: "IPC-2296", ago: 25, change: { alarms: ["replayed"] } },
  { type: "vo.agreed", of: "VO-1169", ago: 29 },
  { type: "ipc.certified", of: "IPC-2290", ago: 31 },
  { type: "ipc.submitted", of: "IPC-2309", ago: 36 },
  { type: "vo.created", of: "VO-1181", ago: 38 },
  { type: "ipc.paid", of: "IPC-2274", ago: 42 },
  { type: "ncr.created", of: "NCR-652", ago: 47 },
  { type: "ipc.created", of: "IPC-2317", ago: 51 },
  { type: "ipc.certified", of: "IPC-2287", ago: 55 },
  { type: "vo.absorbed", of: "VO-1120", ago: 58 },
  { type: "ipc.paid", of: "IPC-2281", ago: 63 },
  { type: "ipc.submitted", of: "IPC-2306", ago: 66 },
  { type: "ipc.certified", of: "IPC-2279", ago: 72 }
]

const entities: Readonly<Record<string, string>> = { ipc: "ipcs", vo: "vos", ncr: "ncrs" }

export const newest = 184_206

const eventOf = ({ ago, change, of, type }: Told, at: number): Event => ({
  sequence: newest - at,
  event_id: `7c1e4f${(0x1a2b - at).toString(16)}-0b5d-4c0e-9a51-3f6f0c1d${(0x9e10 + at).toString(16)}`,
  event_type: type,
  event_timestamp: before(ago + 0.4 + 2.2 * noise(at)),
  received_at: before(ago),
  entity: entities[type.split(".")[0] ?? ""] ?? null,
  entity_id: of,
  outcome: "applied",
  reason: null,
  alarms: [],
  ...change
})

/** In stored order. */
export const events = told.map(eventOf).toReversed()
