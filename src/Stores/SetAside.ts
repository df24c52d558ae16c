/**
 * Files and folders of the Store that were set aside because they are damaged or belong to another Store. They are kept
 * so that a person can still inspect them; of each, only the last one stays.
 */
import { existsSync, readdirSync, renameSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { flushFolderOf } from "../Runtime/Flush.ts"

export interface SetAside {
  readonly path: string
  readonly bytes: number
}

const damagedOf = (path: string): string => `${path}.damaged`
const replacedOf = (folder: string): string => `${folder}.replaced`

const logs = ["-wal", "-shm"]

/** A damaged SQLite file with its log. Returns the new path. */
export const damaged = (path: string): string => {
  const aside = damagedOf(path)
  for (const suffix of [...logs, ""]) {
    rmSync(aside + suffix, { force: true })
    if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix)
  }
  flushFolderOf(path)
  return aside
}

/** A folder that belongs to another Store. */
export const replaced = (folder: string): void => {
  const aside = replacedOf(folder)
  rmSync(aside, { recursive: true, force: true })
  renameSync(folder, aside)
  flushFolderOf(folder)
}

export const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** 0 if the folder can't be read. */
const sizeIn = (folder: string): number => {
  try {
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" })
    return names.reduce((sum, name) => sum + sizeOf(join(folder, name)), 0)
  } catch {
    return 0
  }
}

/** Those of the SQLite file at `store` and of these folders. */
export const keptOf = (store: string, folders: ReadonlyArray<string>): ReadonlyArray<SetAside> => {
  const file = damagedOf(store)
  const bytes = ["", ...logs].reduce((sum, suffix) => sum + sizeOf(file + suffix), 0)
  return [
    ...(existsSync(file) ? [{ path: file, bytes }] : []),
    ...folders
      .map(replacedOf)
      .filter((path) => existsSync(path))
      .map((path) => ({ path, bytes: sizeIn(path) }))
  ]
}
