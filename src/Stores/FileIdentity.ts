/**
 * What tells a file from any other, and from what somebody has made of it, without reading it.
 */
import { existsSync, statSync } from "node:fs"

/** Neither a new name nor other rights change it. An inode's number alone is given to another file soon. */
export const of = (path: string): string | undefined => {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found && `${found.ino} ${found.size} ${found.mtimeNs}`
}

/** Of a database file that nobody has open; undefined if its log holds more. DuckDB and SQLite name theirs differently. */
export const ofClosed = (path: string): string | undefined =>
  ["-wal", ".wal"].some((log) => existsSync(path + log)) ? undefined : of(path)
