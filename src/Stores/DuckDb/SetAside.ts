/**
 * Warehouse files that were set aside: renamed together with their log, so that a person can still inspect them.
 *
 * The older ones are deleted once the rebuilt warehouse is live, so at most one stays; until then every copy is kept.
 */
import { existsSync, readdirSync, renameSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { type SetAside, sizeOf } from "../SetAside.ts"
import { discardFile } from "./File.ts"
import { forgetSuspicion } from "./Opening.ts"

const infix = ".set-aside-"

/** Returns the new path. `at`: in ms since 1970. */
export const setAside = (path: string, at: number): string => {
  const kept = `${path}${infix}${at}`
  if (existsSync(path)) renameSync(path, kept)
  if (existsSync(`${path}.wal`)) renameSync(`${path}.wal`, `${kept}.wal`)
  forgetSuspicion(path)
  return kept
}

/** Empty if the folder can't be read. */
const namesIn = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Newest first. */
export const keptBeside = (path: string): ReadonlyArray<SetAside> => {
  const start = `${basename(path)}${infix}`
  return namesIn(dirname(path))
    .filter((name) => name.startsWith(start) && /^\d+$/.test(name.slice(start.length)))
    .toSorted((a, b) => Number(b.slice(start.length)) - Number(a.slice(start.length)))
    .map((name) => join(dirname(path), name))
    .map((kept) => ({ path: kept, bytes: sizeOf(kept) + sizeOf(`${kept}.wal`) }))
}

export const discardOlder = (path: string): void => {
  for (const kept of keptBeside(path).slice(1)) discardFile(kept.path)
}
