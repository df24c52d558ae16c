/**
 * The keys of deliveries that are in an archive, in a file beside it. With it they stay known even when the index is
 * rebuilt. A damaged file is removed, and is recreated from the archive by the next attempt to open the inbox.
 */
import { existsSync, rmSync } from "node:fs"
import type { Archived } from "./Frame.ts"
import { DamagedKeys, entriesIn, KeyFile, keysOfArchive } from "./KeyFile.ts"
import type { Index } from "./Known.ts"

/** `last`: the archive that was last included. Returns this one. */
export const includeArchive = (known: Index, folder: string, { archive }: Archived, last?: string): string => {
  if (archive === last) return archive
  const path = keysOfArchive(folder, archive)
  const file = existsSync(path) ? KeyFile.open(path) : undefined
  try {
    if (file === undefined) throw new DamagedKeys(path)
    for (const block of file.blocks()) {
      for (const { key, number } of entriesIn(block)) known.include([key], number)
    }
  } catch (cause) {
    if (!(cause instanceof DamagedKeys)) throw cause
    rmSync(path, { force: true })
    throw new Error(`${path} is damaged or gone; the next attempt makes it again from the archive`, { cause })
  } finally {
    file?.close()
  }
  return archive
}
