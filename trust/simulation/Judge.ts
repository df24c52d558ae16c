/**
 * What must be true of a simulated day: some of it after every write and crash, the rest once everything has arrived.
 * It is computed from the service's truth and from what was stored, not from the worker's results.
 */
import type { DatabaseSync } from "node:sqlite"
import { Cron } from "effect"
import * as Instant from "../../src/Domain/Instant.ts"
import { byName } from "../../src/Domain/Resource.ts"
import { all, appliedThrough, differ, inStore, type Known, known, type Violation } from "./Evidence.ts"
import { accounts, books, copies } from "./JudgeBooks.ts"
import { startMs } from "./Machine.ts"
import { prepared } from "./MemoryStore.ts"
import { progressOf, rowsOf } from "./MemoryWarehouse.ts"
import { requestsPerMinute } from "./Service.ts"
import { hourMs, minuteMs, refusedId } from "./Steps.ts"
import { cron, type Exported, type World } from "./Worker.ts"

/** Checked after every write of the warehouse, and after every crash. */
export const always = (world: World): ReadonlyArray<Violation> => {
  const { store, stored, warehouse } = world
  const watermark = progressOf(warehouse, "applied_through")
  const settled = appliedThrough(store)
  const events = Number(
    prepared(warehouse, "select count(*) as n from construction.events where cast(sequence as integer) <= ?").get(
      watermark
    )?.["n"]
  )
  const firsts = stored.filter(({ number, sha256 }) => sha256 !== undefined && number <= watermark).length
  const sighted = inStore(store, "select id from sightings where resource = 'projects' and last_pass > 0").map(
    ({ id }) => String(id)
  )
  const rows = new Set(all(warehouse, "select id from construction.projects").map(({ id }) => String(id)))
  const lacking = sighted.filter((id) => !rows.has(id))
  return [
    ...(events < firsts ? [`the watermark ${watermark} is above an event that isn't applied`] : []),
    ...(settled > watermark ? [`the inbox is settled through ${settled}, the warehouse through ${watermark}`] : []),
    ...(lacking.length > 0 ? [`a checkpoint knows projects that have no row: ${lacking.join(", ")}`] : []),
    ...early(world),
    ...unheard(store, warehouse)
  ]
}

/** However our clock is set, no page is newer than the service's clock, because it would win over later pages. */
const early = ({ machine, warehouse }: World): ReadonlyArray<Violation> => {
  const now = String((startMs + machine.nowMs) * 1000)
  return all(warehouse, "select id, _clocks from construction.projects").flatMap(({ _clocks: clocks, id }) =>
    Object.values(JSON.parse(clocks ?? "{}") as Readonly<Record<string, string>>).some((version) => version > now)
      ? [`project ${id} has a version of the future`]
      : []
  )
}

const money = `select event_type, entity_id, event_timestamp, payload from construction.events
  where outcome = 'applied' and event_type in ('ipc.certified', 'ipc.paid')`

/** Money is in the books before its event is in the warehouse. */
const unheard = (store: DatabaseSync, warehouse: DatabaseSync): ReadonlyArray<Violation> => {
  const facts = inStore(store, "select ipc_id, kind, content from ledger_facts")
  return all(warehouse, money).flatMap((row) => {
    const isPaid = row["event_type"] === "ipc.paid"
    const { payment_reference: reference } = JSON.parse(row["payload"] ?? "") as { payment_reference?: string }
    const words = isPaid ? `"reference":"${reference}"` : `"at":"${row["event_timestamp"]}"`
    const isHeard = facts.some(
      ({ content, ipc_id, kind }) =>
        ipc_id === row["entity_id"] && kind === (isPaid ? "payment" : "certificate") && content?.includes(words)
    )
    return isHeard ? [] : [`the books lack the ${row["event_type"]} of ${row["entity_id"]}`]
  })
}

/** Work that would only continue after a restart. */
export const stalled = (world: World): ReadonlyArray<Violation> => [
  ...unsettled(world),
  ...exports(world),
  ...differ(
    "undelivered without a restart",
    inStore(world.store, "select entry_id, state from ledger_outbox where state <> 'delivered'"),
    []
  )
]

export const unsettled = ({ store, stored }: World): ReadonlyArray<Violation> =>
  differ("settled without a restart", appliedThrough(store), stored.at(-1)?.number ?? 0)

/** The entities whose events are in quarantine. */
const waiting = ({ service, store, stored }: World): ReadonlyArray<string> => {
  const numbers = new Set(inStore(store, "select sequence from quarantine").map(({ sequence }) => Number(sequence)))
  return stored
    .filter(({ number }) => numbers.has(number))
    .flatMap(({ sha256 }) => service.said.get(sha256 ?? "")?.step.id ?? [])
}

/** Whether a person has to have events read again, because the engine refused them. */
export const isRefusing = (world: World): boolean => waiting(world).length > 0

/** An event whose time is no longer ahead is applied without a person, unless the engine refused it. */
export const unreleased = (world: World): ReadonlyArray<Violation> =>
  differ(
    "in quarantine without a reason",
    waiting(world).filter((id) => id !== refusedId),
    []
  )

/** Checked once everything has arrived. */
export const atTheEnd = async (world: World): Promise<ReadonlyArray<Violation>> => [
  ...always(world),
  ...inbox(world),
  ...events(world),
  ...entities(world),
  ...projects(world),
  ...books(world),
  ...copies(world),
  ...accounts(world),
  ...plan(world),
  ...exports(world),
  ...schedule(world)
]

const inbox = ({ service, store, stored, warehouse }: World): ReadonlyArray<Violation> => {
  const bodies = stored.flatMap(({ sha256 }) => sha256 ?? [])
  const last = stored.at(-1)?.number ?? 0
  return [
    ...(new Set(bodies).size < bodies.length ? ["a body is stored twice"] : []),
    ...[...service.acknowledged]
      .filter((each) => !bodies.includes(each))
      .map((each) => `${each} is acknowledged and lost`),
    ...differ("settled through", appliedThrough(store), last),
    ...differ("applied through", progressOf(warehouse, "applied_through"), last)
  ]
}

const events = ({ service, store, stored, warehouse }: World): ReadonlyArray<Violation> => {
  const expected = stored.flatMap(({ number, sha256 }) => {
    if (sha256 === undefined) return []
    const said = service.said.get(sha256)
    const deliveries = stored.filter(({ of }) => of === number).length
    const outcome = said === undefined ? "quarantined" : "applied"
    return [`${number} ${sha256} ${deliveries} ${outcome} ${said?.step.id ?? null}`]
  })
  const got = rowsOf(warehouse, "events")
    .toSorted((a, b) => Number(a["sequence"]) - Number(b["sequence"]))
    .map((row) => `${row["sequence"]} ${row["body_sha256"]} ${row["deliveries"]} ${row["outcome"]} ${row["entity_id"]}`)
  const quarantined = stored.filter(({ sha256 }) => sha256 !== undefined && !service.said.has(sha256))
  return [
    ...differ("events", got, expected),
    ...differ(
      "quarantine",
      inStore(store, "select sequence from quarantine order by sequence").map(({ sequence }) => Number(sequence)),
      quarantined.map(({ number }) => number)
    )
  ]
}

const rank = ({ micros, sha256, step }: Known): string =>
  `${String(micros).padStart(17, "0")} ${step.stage} ${sha256.slice(0, 16)}`

/** For each field the last value, by the event's time, its stage and its hash. */
const entities = (world: World): ReadonlyArray<Violation> => {
  const everything = known(world)
  return (["ipcs", "vos", "ncrs", "permits"] as const).flatMap((entity) => {
    const rows = new Map(rowsOf(world.warehouse, entity).map((row) => [row["id"], row]))
    const byId = Map.groupBy(
      everything.filter(({ step }) => step.entity === entity),
      ({ step }) => step.id
    )
    return [
      ...differ(`the ids of ${entity}`, [...rows.keys()].toSorted(), [...byId.keys()].toSorted()),
      ...[...byId].flatMap(([id, said]) => {
        const row = rows.get(id) ?? {}
        const expected: Record<string, string | null> = {}
        for (const each of said.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1))) {
          Object.assign(expected, each.step.values, { [each.step.stageAt]: Instant.fromMicros(each.micros) })
        }
        expected["status"] = byName(entity).stages.findLast(({ at }) => expected[at] !== undefined)?.status ?? null
        expected["_first_seen_at"] = said.map(({ seenAt }) => seenAt).toSorted()[0] ?? null
        expected["_changed_at"] =
          said
            .map(({ seenAt }) => seenAt)
            .toSorted()
            .at(-1) ?? null
        expected["_deleted_at"] = null
        return Object.entries(expected).flatMap(([name, value]) => differ(`${entity} ${id} ${name}`, row[name], value))
      })
    ]
  })
}

/** After clean walks, they equal the service's. */
const projects = ({ service, store, warehouse }: World): ReadonlyArray<Violation> => {
  const listed = rowsOf(warehouse, "projects").filter((row) => row["_deleted_at"] === null)
  const proof = inStore(store, "select proof from walks where resource = 'projects'")[0]?.["proof"]
  return [
    ...differ("the walk", proof, "proven"),
    ...differ(
      "projects",
      listed.map((row) => `${row["id"]} ${row["name"]}`).toSorted(),
      [...service.projects].map(([id, name]) => `${id} ${name}`).toSorted()
    )
  ]
}

const plan = ({ service: { requests } }: World): ReadonlyArray<Violation> => {
  const late = requests.findIndex(
    (at, index) => index >= requestsPerMinute && at - (requests[index - requestsPerMinute] ?? 0) < minuteMs
  )
  return late < 0 ? [] : [`more than ${requestsPerMinute} requests in the minute before ${requests[late]}`]
}

const servedLast = (store: DatabaseSync): number =>
  Number(inStore(store, "select last_scheduled_ms from schedule")[0]?.["last_scheduled_ms"])

/** The newest export is the one of the newest scheduled time, or was due by a clock that was ahead. */
const exports = ({ exported, machine, store }: World): ReadonlyArray<Violation> => {
  const due = Cron.prev(cron, machine.wallNowMs).getTime()
  const newest = exported.at(-1)?.atMs ?? 0
  return [
    ...(servedLast(store) < due ? [`the scheduled time ${due} isn't served`] : []),
    ...(newest < due ? [`the export of ${due} is missing`] : []),
    ...exported.filter(isNeedless).map(({ atMs }) => `the export at ${atMs} was of no scheduled time`)
  ]
}

/**
 * The same process has already exported, and no scheduled time has come since. If a clock was set back by more than an
 * hour, the worker believes the new time, so the scheduled times in between come again.
 */
const isNeedless = ({ atMs, epoch, setBackMs }: Exported, index: number, all: ReadonlyArray<Exported>): boolean => {
  const before = all[index - 1]
  if (before === undefined || before.epoch !== epoch || setBackMs - before.setBackMs > hourMs) return false
  return Cron.prev(cron, atMs + 1).getTime() <= before.atMs
}

/** No clock is ahead any more. */
const schedule = ({ machine, store }: World): ReadonlyArray<Violation> =>
  differ("the scheduled time that was served last", servedLast(store), Cron.prev(cron, machine.wallNowMs).getTime())
