/**
 * The many resources of `--openapi full`: a made-up construction service of the size that the interface document states
 * (§1, §4.4) without showing it. `Catalogue/Areas/` has the resources as tables. Their description, operations and
 * records are made from the tables and the seed, so the same seed gives the same document, byte for byte, and the same
 * records.
 */
import { areas } from "./Catalogue/Areas.ts"
import * as Served from "./Catalogue/Served.ts"
import * as CatalogueFaults from "./Catalogue/Faults.ts"
import { type Operation, routePath } from "./Catalogue/Operation.ts"
import * as Operations from "./Catalogue/Operations.ts"
import type { Components } from "./Catalogue/Properties.ts"
import type { Fields, Parents } from "./Catalogue/Shelf.ts"
import { alone } from "./Catalogue/Shelf.ts"
import * as Spelling from "./Catalogue/Spelling.ts"
import type { Faults } from "./Faults.ts"
import type { ResolvedOptions } from "./Options.ts"
import { idOf, type Projects } from "./Projects.ts"
import * as Seed from "./Seed.ts"
import { v1 } from "./Versions.ts"

export interface RecordTruth {
  /** The path of the list that shows it: `/projects/1001/rfis`. */
  readonly list: string
  /** The path at which it can be read alone, and below which its other operations are: `/rfis/1003`. */
  readonly item: string
  /**
   * The record as its list shows it, and as it is read alone. Numbers that no double holds are as `Json.ts` reads them.
   */
  readonly listed: Fields
  readonly single: Fields
}

export interface Edits {
  readonly inserts?: number
  readonly updates?: number
  readonly deletes?: number
  /** Fields that the inserted and updated records have from now on, even if their schema doesn't have them. */
  readonly given?: Fields
}

export interface Catalogue {
  /** All scopes that its operations need. */
  readonly scopes: ReadonlyArray<string>
  /** By method and route path: `/rfis/:id`. Undefined: the catalogue has no such operation. */
  readonly scopeOf: (method: string, route: string) => string | undefined
  readonly spelling: Spelling.Spelling
  readonly operations: ReadonlyArray<Operation>
  /** JSON Schemas by name. */
  readonly components: Components
  /** The names of the resources. */
  readonly names: ReadonlyArray<string>
  /** Every record that can be reached, in the order of its list. */
  readonly truth: (resource: string) => ReadonlyArray<RecordTruth>
  /** Edits some records; the seed and the earlier edits decide which. */
  readonly edit: (resource: string, edits: Edits, nowMillis: number) => void
  readonly faults: CatalogueFaults.Faults
}

export interface World {
  readonly options: Pick<
    ResolvedOptions,
    "pageSize" | "pageSizeMax" | "projects" | "records" | "resourceFaults" | "seed"
  >
  readonly projects: Projects
  readonly steps: () => number
  readonly faults: Pick<Faults, "value">
}

const parentsOf = ({ options, projects, steps }: World): Parents => {
  const has = (number: number) => projects.find(v1, steps(), String(idOf(number))) !== undefined
  const first = idOf(0)
  return {
    count: options.projects,
    has,
    idOf,
    idText: (number) => String(idOf(number)),
    parentOf: () => alone,
    find: (_parent, id) => (/^\d{1,9}$/.test(id) && has(Number(id) - first) ? Number(id) - first : undefined),
    numbers: () => Array.from({ length: projects.total(steps()) }, (_, place) => projects.at(steps(), place).id - first)
  }
}

export const make = (world: World): Catalogue => {
  const { options } = world
  const spelling = Spelling.make(options.seed)
  const faults = CatalogueFaults.make(options.resourceFaults)
  const made = Served.make({ areas, spelling, faults, options, projects: parentsOf(world) })
  const sizes = () => ({
    standard: options.pageSize,
    most: Math.min(world.faults.value("page-size-clamp") || Infinity, options.pageSizeMax)
  })
  const servedOf = (name: string) => {
    const served = made.resources.get(name)
    if (served === undefined) throw new RangeError(`The catalogue has no resource ${name}.`)
    return served
  }
  const operations = Operations.make(made, { faults, sizes })
  const scopes = new Map(operations.map(({ method, path, scope }) => [`${method} ${routePath(path)}`, scope]))
  let edits = 0
  return {
    spelling,
    faults,
    operations,
    scopes: [...new Set(scopes.values())],
    scopeOf: (method, route) => scopes.get(`${method === "HEAD" ? "GET" : method} ${route}`),
    components: made.context.components,
    names: [...made.resources.keys()],
    truth: (resource) => {
      const served = servedOf(resource)
      const { shelf } = served
      return shelf.numbers(undefined).map((number) => ({
        list: Served.filled(served.list, shelf.parentOf(number)),
        item: Served.filled(served.item, number),
        listed: Served.record(served, number, true),
        single: Served.record(served, number, false)
      }))
    },
    edit: (resource, { deletes = 0, given = {}, inserts = 0, updates = 0 }, nowMillis) => {
      const { parents, shelf } = servedOf(resource)
      const dice = Seed.dice(options.seed, Seed.Purpose.record, edits++)
      const possible = parents?.numbers(undefined) ?? []
      for (let n = 0; n < inserts; n++) shelf.insert(possible[dice.below(possible.length)] ?? alone, given, nowMillis)
      const left = [...shelf.numbers(undefined)]
      for (let n = 0; n < updates && left.length > 0; n++) {
        shelf.change(left[dice.below(left.length)] ?? alone, given, nowMillis)
      }
      for (let n = 0; n < deletes && left.length > 0; n++) {
        for (const number of left.splice(dice.below(left.length), 1)) shelf.remove(number)
      }
    }
  }
}
