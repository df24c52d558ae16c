/**
 * Examples for the OpenAPI document, made by the simulation: one record of each kind at the end of its life, and one
 * body of each event type. The first life of each kind goes through every stage.
 */
import * as EntityState from "../EntityState.ts"
import * as Events from "../Events.ts"
import { type Entity, eventTypes } from "../Lifecycles.ts"
import * as Projects from "../Projects.ts"
import * as Records from "../Records.ts"
import * as Versions from "../Versions.ts"

const seed = 1
const simulation = { seed, identity: "example", startAtMillis: 1_767_600_000_000, microsPerStep: 1_000_000, ipcs: 1 }

const events = Events.make({ ...simulation, projects: 700 })
const projects = Projects.make({ seed, projects: 700, stepsPerProjectChange: 20, stepsPerNewProject: 1000 })
const records = Records.make(events)

/** Every event of the first block has happened. */
const steps = events.blockLength

/** The name of each kind's JSON Schema. */
export const schemaNames = {
  projects: "Project",
  ipcs: "Ipc",
  vos: "Vo",
  ncrs: "Ncr",
  hse_incidents: "HseIncident",
  permits: "Permit",
  transmittals: "Transmittal"
} as const satisfies Record<Versions.Kind, string>

export const record = (version: Versions.Version, kind: Versions.Kind): unknown => {
  if (kind === "projects") return JSON.parse(projects.render(version, steps, 0, 1))
  const [first] = EntityState.ofBlock(events, 0, steps, kind)
  return JSON.parse(records.find(version, kind, steps, first?.id ?? "") ?? "null")
}

export interface EventExample {
  readonly type: string
  readonly id: string
  readonly entity: Entity
  /** Names in v1. */
  readonly fields: ReadonlyArray<string>
  readonly body: unknown
}

export const event = (version: Versions.Version, type: (typeof eventTypes)[number]): EventExample => {
  const step = events.block(0).findIndex((occurrence) => occurrence.type === type)
  const { contents, entity } = events.at(step)
  const fields = contents.map(([name]) => name)
  return { type, id: events.id(step), entity, fields, body: JSON.parse(events.body(step, version)) }
}
