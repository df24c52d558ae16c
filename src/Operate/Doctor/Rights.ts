/**
 * Who else may use the worker's files, for `siteledger doctor`. Another user of the machine who can open them could
 * read the store, or hold the lock and keep the worker from starting. The analysts' copy and the lake may be open to
 * others.
 */
import { readdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { type CheckResult, ok, warn } from "../Doctor.ts"
import { openMode } from "../../Runtime/Rights.ts"

const octal = (mode: number): string => mode.toString(8).padStart(4, "0")

const opened = (path: string): ReadonlyArray<CheckResult> => {
  const mode = openMode(path)
  if (mode === undefined) return []
  return [warn(`${path} is open to other users (mode ${octal(mode)}).`, `Run: chmod go= '${path}'`)]
}

const mayEnter = 0o011
const mayReplace = 0o022

/** `elsewhere`: files of the worker that may be in other folders. `exempt`: what others may read. */
export const rights = (dataDir: string, elsewhere: ReadonlyArray<string>, exempt: ReadonlyArray<string>) =>
  Effect.sync((): ReadonlyArray<CheckResult> => {
    const mode = openMode(dataDir) ?? 0
    const isWritable = (mode & mayReplace) !== 0
    const folder = isWritable
      ? [warn(`Other users may replace files in ${dataDir} (mode ${octal(mode)}).`, `Run: chmod go-w '${dataDir}'`)]
      : []
    const isEntered = (mode & mayEnter) !== 0
    const own = isEntered ? filesIn(dataDir).filter((path) => !exempt.includes(path)) : []
    const found = [...folder, ...[...own, ...elsewhere.filter((path) => dirname(path) !== dataDir)].flatMap(opened)]
    return found.length > 0 ? found : [ok(`The files in ${dataDir} are private to their owner.`)]
  })

const filesIn = (folder: string): ReadonlyArray<string> => namesIn(folder).map((name) => join(folder, name))

/** Empty if there is no such folder yet. */
const namesIn = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder).toSorted()
  } catch {
    return []
  }
}
