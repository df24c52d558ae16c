/**
 * Opens a SQLite file for reading, without leaving anything beside it.
 */
import { existsSync, statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"

/** A file without a log isn't being written, so SQLite needs no shared memory to read it. */
export const openReadOnly = (path: string): DatabaseSync => {
  const hasLog = existsSync(`${path}-wal`) && statSync(`${path}-wal`).size > 0
  const url = pathToFileURL(path)
  url.search = hasLog ? "?mode=ro" : "?immutable=1"
  return new DatabaseSync(url, { readOnly: true, timeout: 1000 })
}
