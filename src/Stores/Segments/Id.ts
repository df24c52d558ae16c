/**
 * The random id of an inbox's folder, in a file with a checksum. A damaged file counts as missing: with a wrong id, the
 * worker would set its own folder aside.
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { crc32 } from "node:zlib"
import { flushFolderOf, writeFresh } from "../../Runtime/Flush.ts"

/** The id of a folder into which a Store's table is being moved. */
export const unfinished = "unfinished"

const lineOf = (id: string): string => `${id} ${crc32(id).toString(16)}\n`

/** Undefined if there is none, or if it is damaged. */
export const idIn = (folder: string): string | undefined => {
  const path = join(folder, "id")
  const line = existsSync(path) ? readFileSync(path, "latin1") : ""
  const id = line.split(" ")[0] ?? ""
  return line === lineOf(id) ? id : undefined
}

export const setIdIn = (folder: string, id: string): void => {
  if (idIn(folder) === id) return
  writeFresh(join(folder, "id"), lineOf(id))
  flushFolderOf(join(folder, "id"))
}
