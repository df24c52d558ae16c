/**
 * The resources of the catalogue as they are served, each with everything that is decided and kept about it, in the
 * order of the tables.
 */
import * as Envelope from "./Envelope.ts"
import { type Faults, spoilt } from "./Faults.ts"
import * as Ids from "./Ids.ts"
import type { ServedResource, Located, Step } from "./Operation.ts"
import * as Paging from "./Paging.ts"
import type { Context } from "./Properties.ts"
import * as Properties from "./Properties.ts"
import * as RecordType from "./RecordType.ts"
import type { Fields, Parents } from "./Shelf.ts"
import * as Shelf from "./Shelf.ts"
import type { Spelling } from "./Spelling.ts"
import type { Area, Resource } from "./Table.ts"
import * as Table from "./Table.ts"

export interface Parts {
  readonly areas: ReadonlyArray<Area>
  readonly spelling: Spelling
  readonly faults: Faults
  readonly options: { readonly seed: number; readonly records: number; readonly projects: number }
  readonly projects: Parents
}

export interface Made {
  readonly context: Context
  readonly resources: ReadonlyMap<string, ServedResource>
  readonly project: Step
  readonly scope: (tag: string, name: string, right: string) => string
}

/** A parent whose first record has gone is still a parent, but that record isn't found. */
const withFault = (parents: Parents, name: string, faults: Faults): Parents => ({
  ...parents,
  find: (parent, id) => {
    const number = parents.find(parent, id)
    const isGone = faults.of(name) === "gone" && number === parents.numbers(undefined)[0]
    return isGone ? undefined : number
  }
})

/** Scopes are per resource, or per area. */
const scopes =
  (spelling: Spelling) =>
  (tag: string, name: string, right: string): string =>
    `${spelling.chance(`scopes of ${tag}`, 0.7) ? name : tag.replaceAll(" ", "_")}.${right}`

const contextOf = ({ options, spelling }: Parts, resources: ReadonlyArray<Resource>): Context => ({
  spelling,
  components: new Map(),
  shapes: new Map(),
  idOf: (name) => {
    if (name === "projects") {
      return { schema: { type: "integer" }, value: (dice) => 1001 + dice.below(Math.max(1, options.projects)) }
    }
    const resource = resources.find((each) => each.name === name)
    if (resource === undefined) throw new Error(`The catalogue has no resource ${name}.`)
    const { records, seed } = options
    return {
      schema: Ids.schemaOf(resource),
      value: (dice) => Ids.valueOf(resource, Ids.textOf(seed, resource, dice.below(Math.max(1, records)), 1))
    }
  }
})

/** The path of a record, with the parameter's name for its id. */
const itemOf = (resource: Resource, parent: Located | undefined, parameter: string, of: Parents): Located => {
  const step = { parameter, noun: resource.noun, of }
  const above = resource.isFlat || parent === undefined ? { path: "", steps: [] } : parent
  return { path: `${above.path}/${resource.segment}/{${parameter}}`, steps: [...above.steps, step] }
}

const servedOf = (parts: Parts, made: Made, resource: Resource, parent: Parent | undefined) => {
  const { faults, options, spelling } = parts
  const type = RecordType.make(made.context, resource, parent)
  const { records: count, seed } = options
  const shelf = Shelf.make({ seed, resource, type, parents: parent?.records, count })
  const style = Paging.styles[resource.paging]
  const found = withFault(shelf, resource.name, faults)
  const asParent = itemOf(resource, parent?.item, `${resource.one}_id`, found)
  const own = spelling.chance(`ids in the paths of ${resource.tag}`, 0.5) ? resource.id.name : `${resource.one}_id`
  const served: ServedResource = {
    resource,
    type,
    style,
    shelf,
    spelling,
    parents: parent?.records,
    envelope: Envelope.make(made.context, resource, style, type.listed),
    shaped: (name) => Properties.shaped(made.context, name),
    item: itemOf(resource, parent?.item, own, found),
    list: { path: `${parent?.item.path ?? ""}/${resource.segment}`, steps: parent?.item.steps ?? [] },
    scope: (right) => made.scope(resource.tag, resource.name, right),
    show: (number, isListed) =>
      spoilt(
        faults.of(resource.name),
        record(served, number, isListed),
        resource.id.name,
        type.own[0]?.name ?? resource.id.name
      )
  }
  return { served, asParent: { name: resource.name, one: resource.one, item: asParent, records: shelf } }
}

interface Parent {
  readonly name: string
  readonly one: string
  readonly item: Located
  readonly records: Parents
}

/** A record as the list shows it, or alone. */
export const record = ({ shelf, type }: ServedResource, number: number, isListed: boolean): Fields => {
  const all = shelf.record(number)
  const { summary } = type
  if (!isListed || summary === undefined) return all
  return Object.fromEntries(Object.entries(all).filter(([name]) => summary.has(name)))
}

/** The path with its parameters filled in: the last is this record's id, the others are those of its parents. */
export const filled = ({ path, steps }: Located, number: number): string => {
  let last = number
  let filled = path
  for (const { of, parameter } of steps.toReversed()) {
    filled = filled.replace(`{${parameter}}`, of.idText(last))
    last = of.parentOf(last)
  }
  return filled
}

export const make = (parts: Parts): Made => {
  const { areas, faults, projects, spelling } = parts
  const read = Table.read(areas)
  const project: Step = { parameter: "project_id", noun: "project", of: withFault(projects, "projects", faults) }
  const resources = new Map<string, ServedResource>()
  const made: Made = { context: contextOf(parts, read), resources, project, scope: scopes(spelling) }
  const item = { path: "/projects/{project_id}", steps: [project] }
  const known = new Map<string, Parent>([["projects", { name: "projects", one: "project", item, records: projects }]])
  for (const resource of read) {
    const parent = resource.parent === undefined ? undefined : known.get(resource.parent)
    if (resource.parent !== undefined && parent === undefined) {
      throw new Error(`In the catalogue ${resource.parent} must come before ${resource.name}.`)
    }
    const { asParent, served } = servedOf(parts, made, resource, parent)
    resources.set(resource.name, served)
    known.set(resource.name, asParent)
  }
  return made
}
