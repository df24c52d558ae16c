/**
 * What distinguishes a file from any other, and from a changed version of it, without reading it.
 */
import { existsSync, statSync } from "node:fs"

/** Neither a new name nor new permissions change it. The inode number alone wouldn't do, because it is soon reused. */
export const of = (path: string): string | undefined => {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found && `${found.ino} ${found.size} ${found.mtimeNs}`
}

/**
 * For a database file that no one has open; undefined if its log still has content. DuckDB and SQLite name their logs
 * differently.
 */
export const ofClosed = (path: string): string | undefined =>
  ["-wal", ".wal"].some((log) => existsSync(path + log)) ? undefined : of(path)
