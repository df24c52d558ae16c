/**
 * The service's projects as a pure function of (seed, index, step): nothing is held, so a million are available at
 * once. They change with the simulation's steps: some begin as `awarded` and move to `in-progress` once, and now and
 * then a project is inserted at the end of the list (ids ascend). Pages are rendered directly as JSON text, because
 * encoding a thousand records through a schema is slower.
 *
 * Pure except for two numbers of the fault `churn`: how many projects were inserted at the end and removed at the
 * front.
 */
import { hash, Purpose } from "./Seed.ts"
import type * as Versions from "./Versions.ts"

export interface ProjectsOptions {
  readonly seed: number
  /** How many there are at step 0. */
  readonly projects: number
  /** Steps per status change of any project, on average; 0 = never. */
  readonly stepsPerProjectChange: number
  /** Steps per inserted project; 0 = never. */
  readonly stepsPerNewProject: number
}

export interface ProjectTruth {
  readonly id: number
  readonly name: string
  readonly status: "awarded" | "in-progress"
}

export interface Projects {
  readonly total: (step: number) => number
  /** By position in the list. */
  readonly at: (step: number, place: number) => ProjectTruth
  /** The records from one position up to, but not including, another, as the inside of a JSON array. */
  readonly render: (version: Versions.Version, step: number, from: number, to: number) => string
  /** One record as JSON text; undefined: the list doesn't have this id. */
  readonly find: (version: Versions.Version, step: number, id: string) => string | undefined
  /**
   * Permanently inserts this many projects at the end of the list and removes as many at the front. The last one stays.
   */
  readonly churn: (inserted: number, step: number) => void
}

const firstId = 1001

export const idOf = (index: number): number => firstId + index

const places = ["Harbour", "Ørsted", "North", "Kanał", "Station", "Saint-André", "Mill", "Old Town", "Ridge", "東京"]
const works = ["Bridge", "Quay", "Tunnel", "Hospital", '"B" Block', "Depot", "Viaduct", "School", "Reservoir", "Tower"]
/** Escaped once, so that rendering a page only concatenates. */
const jsonNames = places.flatMap((place) => works.map((work) => JSON.stringify(`${place} ${work} `).slice(1, -1)))

const awardedShare = 0.4

export const make = (options: ProjectsOptions): Projects => {
  const { projects, seed, stepsPerNewProject, stepsPerProjectChange } = options
  const awardedSteps = awardedShare * projects * stepsPerProjectChange
  const churned = { inserted: 0, removed: 0 }
  const total = (step: number) => {
    const made = projects + (stepsPerNewProject > 0 ? Math.floor(step / stepsPerNewProject) : 0)
    return made + churned.inserted - churned.removed
  }

  /** Changes are spread evenly over the steps, so a list of any size moves slowly. */
  const startedAt = (index: number, chance: number): number => {
    if (index >= projects) {
      const inserted = (index - projects + 1) * stepsPerNewProject
      return stepsPerProjectChange > 0 ? inserted + 1 + Math.floor(chance * 20 * stepsPerProjectChange) : Infinity
    }
    if (chance >= awardedShare) return 0
    return awardedSteps > 0 ? 1 + Math.floor((chance / awardedShare) * awardedSteps) : Infinity
  }
  const status = (step: number, index: number, h: number) =>
    step >= startedAt(index, h / 0x1_0000_0000) ? "in-progress" : "awarded"
  const jsonName = (index: number, h: number) => `${jsonNames[h % jsonNames.length]}${index + 1}`

  const render = ({ renamed }: Versions.Version, step: number, from: number, to: number): string => {
    const { name = "name", status: statusName = "status" } = renamed.projects ?? {}
    let text = ""
    for (let index = churned.removed + from; index < churned.removed + to; index++) {
      const h = hash(seed, Purpose.project, index)
      if (text !== "") text += ","
      text += `{"id":${idOf(index)},"${name}":"${jsonName(index, h)}","${statusName}":"${status(step, index, h)}"}`
    }
    return text
  }

  return {
    total,
    at: (step, place) => {
      const index = churned.removed + place
      const h = hash(seed, Purpose.project, index)
      const name: unknown = JSON.parse(`"${jsonName(index, h)}"`)
      return { id: idOf(index), name: String(name), status: status(step, index, h) }
    },
    render,
    find: (version, step, id) => {
      if (!/^[1-9]\d*$/.test(id)) return undefined
      const place = Number(id) - firstId - churned.removed
      return place >= 0 && place < total(step) ? render(version, step, place, place + 1) : undefined
    },
    churn: (inserted, step) => {
      churned.inserted += inserted
      if (total(step) > 1) churned.removed++
    }
  }
}
