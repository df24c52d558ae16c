/**
 * Every operation of the catalogue, from what the tables say that each resource does.
 */
import type { Made } from "./Entries.ts"
import type { Entry, Operation } from "./Operation.ts"
import * as Beside from "./Operations/Beside.ts"
import * as Files from "./Operations/Files.ts"
import * as Lists from "./Operations/Lists.ts"
import * as Records from "./Operations/Records.ts"
import * as Reporting from "./Operations/Reporting.ts"

const meanings: Readonly<Record<string, (entry: Entry) => Operation>> = {
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

const ofEntry = (entry: Entry, lists: Lists.Parts): ReadonlyArray<Operation> => {
  const { does, isAlsoAlone } = entry.resource
  return [
    Lists.list(entry, lists),
    ...(isAlsoAlone ? [Lists.listAll(entry, lists)] : []),
    ...does.map(
      (word) => (Object.hasOwn(meanings, word) ? meanings[word] : undefined)?.(entry) ?? Records.action(entry, word)
    )
  ]
}

export const make = (made: Made, lists: Lists.Parts): ReadonlyArray<Operation> => [
  ...[...made.entries.values()].flatMap((entry) => ofEntry(entry, lists)),
  ...Reporting.all({ context: made.context, project: made.project, scope: made.scope })
]
