/**
 * The resources that a worker fills besides those of every warehouse: lists of the service that a person has switched
 * on. None unless a worker is given some. A verb needs none, because a warehouse keeps the tables that it has.
 */
import { Context } from "effect"
import type { Resource } from "../Domain/Resource.ts"
import { described, type EntityTable, usual } from "./EntityTables.ts"
import { type LearnedColumn, withLearned } from "./LearnedColumns.ts"

export const Resources = Context.Reference<ReadonlyArray<Resource>>("siteledger/Resources", {
  defaultValue: () => []
})

/** The entity tables that a warehouse must have. A resource may also add to a table of every warehouse. */
export const wantedTables = (
  resources: ReadonlyArray<Resource>,
  learned: ReadonlyArray<LearnedColumn>
): ReadonlyArray<EntityTable> => {
  const byName = new Map(usual.map((table) => [table.name, table]))
  const byResource = Map.groupBy(learned, ({ resource }) => resource)
  for (const resource of resources)
    byName.set(resource.name, described(withLearned(resource, byResource.get(resource.name) ?? [])))
  return [...byName.values()]
}
