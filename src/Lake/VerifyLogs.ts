/**
 * Verify for the Delta logs of an export: a reader that opens a table by its path sees the files of the manifest, with
 * their rows and columns. A log to which nothing more is committed, because another program has done so, isn't checked.
 */
import { Effect, Option } from "effect"
import { pathOf, relative } from "./Delta/Actions.ts"
import * as Read from "./Delta/Read.ts"
import { schemaOf } from "./Delta/Schema.ts"
import * as State from "./Delta/State.ts"
import type { Lake, LakeError } from "./Lake.ts"
import type * as Manifest from "./Manifest.ts"
import type { Parquet } from "./Parquet.ts"
import type { Checked } from "./Checked.ts"

interface Place {
  readonly lake: Lake["Service"]
  readonly parquet: Parquet
  readonly folder: string
}

const checkedName = "delta logs"

export const isOfLogs = ({ name }: Checked): boolean => name === checkedName

/**
 * One result for all logs, with the rows and bytes that they name; none if the export has no logs. `isNewest`: the log
 * of an older export may have been begun again since.
 */
export const verify = Effect.fnUntraced(function* (
  place: Place,
  { delta = {}, run, tables }: Manifest.Manifest,
  isNewest: boolean
): Effect.fn.Return<ReadonlyArray<Checked>, LakeError> {
  const logs = Object.entries(delta).filter(([name]) => name in tables)
  if (logs.length === 0) return []
  // An export that is under way, or has died, may still have to commit.
  const isDue = Option.match(yield* State.read(place.lake), { onNone: () => true, onSome: (state) => state.run < run })
  const faults: Array<string> = []
  let [rows, bytes] = [0, 0]
  for (const [name, expected] of logs) {
    const found = yield* faultOf(place, name, tables[name]!, { ...expected, isDue, isNewest })
    if (typeof found === "string") faults.push(`The Delta log of ${name} ${found}.`)
    else for (const file of found) [rows, bytes] = [rows + (file.rows ?? 0), bytes + file.bytes]
  }
  return [{ name: checkedName, files: logs.length, rows, bytes, faults }]
})

interface Expected {
  readonly id: string
  readonly version: number
  readonly isDue: boolean
  readonly isNewest: boolean
}

/** What is wrong, as words that follow "the log"; or the files that it names. */
const faultOf = Effect.fnUntraced(function* (
  place: Place,
  name: string,
  table: Manifest.Manifest["tables"][string],
  { id, isDue, isNewest, version }: Expected
): Effect.fn.Return<ReadonlyArray<Read.File> | string, LakeError> {
  const log = yield* Read.find(place.lake, name)
  const [oldest = 0, newest = -1] = [Math.min(...log.versions), log.versions.at(-1)]
  if (newest < version) return isDue || !isNewest ? [] : `lacks its commit ${version}, and all after it`
  // Exports are kept longer than the commits that showed them.
  if (log.versions.length > 0 && version < oldest) return []
  const shown = yield* Read.asOf(place, name, log, version)
  if (typeof shown === "string") return shown
  if (shown.id !== id) return isNewest ? "isn't the one that the export went on with" : []
  if (newest > version && !(yield* Read.isOurs(place.lake, name, version + 1)))
    return `has a commit that siteledger didn't make, ${pathOf(name, version + 1)}`
  return differs(name, table, shown) ?? [...shown.files.values()]
})

const differs = (name: string, { columns, files }: Manifest.Manifest["tables"][string], shown: Read.Table) => {
  const expected = new Map(files.map((file) => [relative(name, file.path), file]))
  for (const [path, { bytes, rows }] of expected) {
    const found = shown.files.get(path)
    if (found === undefined) return `lacks ${path}`
    if (found.bytes !== bytes) return `says that ${path} has ${found.bytes} bytes, not ${bytes}`
    if (found.rows !== undefined && found.rows !== rows) return `says that ${path} has ${found.rows} rows, not ${rows}`
  }
  const more = [...shown.files.keys()].find((path) => !expected.has(path))
  if (more !== undefined) return `names ${more}, which isn't in the export`
  return shown.schema === schemaOf(name, columns) ? undefined : "describes other columns than the manifest"
}
