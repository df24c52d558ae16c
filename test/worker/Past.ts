/** A worker's life before a test's trouble: what was delivered, and what the warehouse held at the end. */
import { assert } from "@effect/vitest"
import type { StatusReport } from "../../src/Operate/AdminApi/StatusReport.ts"
import type { RunningWorker } from "../RunningWorker.ts"
import { seeded } from "../Seeded.ts"
import { story, type StoryEvent } from "./Story.ts"
import type { Rows, World } from "./World.ts"

export const storyEvents = (seed: number, count: number): ReadonlyArray<StoryEvent> => story(seeded(seed)).take(count)

/** Delivers all at once; each must be accepted. */
export const deliver = async (world: World, events: ReadonlyArray<StoryEvent>): Promise<void> => {
  const statuses = await Promise.all(events.map((event) => world.server.deliver(event)))
  assert.deepStrictEqual([...new Set(statuses)], [200])
}

export const isVerified = ({ subscription }: StatusReport): boolean => subscription.verifiedAt !== null

export const applied = (worker: RunningWorker) =>
  worker.status("all is applied and walked", ({ backfill, inbox }) => {
    return inbox.pending === 0 && backfill["projects"]?.proof !== "running"
  })

/** After a change of the list: a whole pass that began since then has seen that many records, and the next proves it. */
export const provenWith = async (worker: RunningWorker, rows: number): Promise<void> => {
  let at: string | null | undefined
  // At first, the count may be of a pass that is under way, and the proof of the one before.
  for (const _ of ["under way", "finished"]) {
    const report = await worker.status(`${rows} records are proven`, ({ backfill: { projects } }) => {
      return projects?.rows === rows && projects.proof === "proven" && projects.at !== at
    })
    at = report.backfill["projects"]?.at
  }
}

/** Rebuilds the warehouse under a running worker, until all is applied and walked once more. */
export const rebuilt = async (worker: RunningWorker, rebuild: () => Promise<void>): Promise<void> => {
  const before = (await worker.live()).backfill["projects"]?.at
  await rebuild()
  await worker.status("it is rebuilt", ({ backfill, inbox, phase }) => {
    const at = backfill["projects"]?.at ?? before
    return phase === "live" && inbox.pending === 0 && at !== before
  })
}

/** Events of every kind, twice where it matters, and some that wait in quarantine. */
export const live = async (world: World, worker: RunningWorker, events: ReadonlyArray<StoryEvent>): Promise<void> => {
  await worker.live()
  await deliver(world, events)
  await deliver(world, events.slice(0, 5))
  await world.server.deliver({ type: "rfi.created", body: '{"event_type": "rfi.created", "rfi_id": 1}' })
  await world.server.deliver({ type: "hse.incident.reported" })
  await world.server.deliver({ type: "permit.issued" })
  await world.server.deliver({ type: "dms.transmittal.sent" })
  await applied(worker)
}

const ofEvents = ["ipcs", "vos", "ncrs", "hse_incidents", "permits", "transmittals", "events"]

/** Everything in the tables of events, column by column, and the values of the projects. */
export const dump = async (world: Pick<World, "query">): Promise<Readonly<Record<string, Rows>>> => {
  const tables: Record<string, Rows> = {
    projects: await world.query(
      "select id::int as id, name, status, _extra, _deleted_at from construction.projects order by id"
    )
  }
  for (const table of ofEvents) tables[table] = await world.query(`from construction.${table} order by 1`)
  return tables
}
