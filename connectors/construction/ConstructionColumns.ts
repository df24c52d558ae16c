/**
 * Under which names the service sends the contents of a warehouse column, and which columns an erasure leaves alone, as
 * it does in bodies and answers (`ConstructionErasing`). For an engine whose rows are changed instead of rebuilt.
 */
import type { List } from "../../src/Discovery/Review.ts"
import { entityNames, type EntityName, resources } from "../../src/Domain/Resource.ts"
import type { Field, Fields } from "../../src/Operate/Erase/Fields.ts"
import { type Given, isBooked } from "./ConstructionErased.ts"
import { hasEvents, isMade, neededIn } from "./ConstructionErasing.ts"
import { eventTypes, wires } from "./ConstructionEvents.ts"
import { type Aliases, spellings } from "./ConstructionPlaces.ts"

const isEntity = (table: string): table is EntityName => (entityNames as ReadonlyArray<string>).includes(table)

const ownOf = (entity: EntityName): ReadonlyMap<string, ReadonlyArray<string>> => {
  const types = eventTypes.filter((type) => type.entity === entity)
  const all = [wires[entity], ...types].flatMap(({ fields = {} }) => Object.entries(fields))
  return new Map(
    [...Map.groupBy(all, ([column]) => column)].map(([column, some]) => [column, some.flatMap(([, names]) => names)])
  )
}

/** What doesn't come from the service's fields, such as stages and their times, stays. */
const ofEntity = (entity: EntityName, column: string, aliases: Aliases): Field | undefined => {
  const names = ownOf(entity).get(column)
  if (names === undefined) return column in resources[entity].columns ? { names: [column], isKept: false } : undefined
  const isKept = hasEvents(entity) && isBooked(entity, column)
  return { names: [column, ...names].flatMap((name) => spellings(name, aliases)), isKept }
}

const lastOf = (pointer: string): string => pointer.split("/").at(-1) ?? pointer

const ofList = (list: List, column: string, all: ReadonlyArray<List>): Field | undefined => {
  const found = list.columns.find(({ name }) => name === column)
  if (found === undefined) return undefined
  return { names: [column, lastOf(found.from ?? column)], isKept: neededIn(list, all).has(column) }
}

const unnamed = (column: string): Field => ({ names: [column], isKept: false })
const kept = (column: string): Field => ({ names: [column], isKept: true })

/** For an entity's table: columns without a field are siteledger's own. */
export const fields = (given: Given, lists: ReadonlyArray<List>): Fields => ({
  of: (table, column) => {
    const { aliases } = given
    const own = lists.filter((list) => list.table === table).flatMap((list) => ofList(list, column, lists) ?? [])
    const entity = isEntity(table) ? ofEntity(table, column, aliases) : undefined
    const all = entity === undefined ? own : [entity, ...own]
    if (all.length > 0)
      return { names: [...new Set(all.flatMap(({ names }) => names))], isKept: all.some((f) => f.isKept) }
    return isEntity(table) && isMade(table, column) ? kept(column) : unnamed(column)
  },
  areAsInBodies: hasEvents
})
