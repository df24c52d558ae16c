/**
 * Every operation of the catalogue, made from what the tables say about each resource.
 */
import type { Made } from "./Served.ts"
import type { ServedResource, Operation } from "./Operation.ts"
import * as Beside from "./Operations/Beside.ts"
import * as Files from "./Operations/Files.ts"
import * as Lists from "./Operations/Lists.ts"
import * as Records from "./Operations/Records.ts"
import * as Reporting from "./Operations/Reporting.ts"

const meanings: Readonly<Record<string, (served: ServedResource) => Operation>> = {
  get: Records.get,
  create: Records.create,
  update: Records.update,
  replace: Records.replace,
  delete: Records.remove,
  upload: Files.upload,
  download: Files.download,
  history: Beside.history,
  bulk: Beside.bulk,
  export: Beside.exported,
  statistics: Beside.statistics,
  search: Lists.search
}

const ofServed = (served: ServedResource, lists: Lists.Parts): ReadonlyArray<Operation> => {
  const { does, isAlsoAlone } = served.resource
  return [
    Lists.list(served, lists),
    ...(isAlsoAlone ? [Lists.listAll(served, lists)] : []),
    ...does.map(
      (word) => (Object.hasOwn(meanings, word) ? meanings[word] : undefined)?.(served) ?? Records.action(served, word)
    )
  ]
}

export const make = (made: Made, lists: Lists.Parts): ReadonlyArray<Operation> => [
  ...[...made.resources.values()].flatMap((served) => ofServed(served, lists)),
  ...Reporting.all({ context: made.context, project: made.project, scope: made.scope })
]
