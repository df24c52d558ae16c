/**
 * The files beside a Store that can be rebuilt and so needn't be searched: the warehouse with what was set aside of it,
 * the analysts' copy, what an export was about to write, and the log of rows. The next start rebuilds them from rows
 * and bodies that have lost what was erased.
 */
import { existsSync, readdirSync, rmSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { flushFolderOf } from "../../Runtime/Flush.ts"
import * as RowLog from "../../Stores/RowLog/Heal.ts"
import * as Inbox from "../../Stores/Segments/Open.ts"

export interface Place {
  readonly store: string
  readonly warehouse: string
  readonly published: string
}

/** The file itself, and everything whose name begins with its name and a dot. */
const family = (path: string): ReadonlyArray<string> =>
  existsSync(dirname(path))
    ? readdirSync(dirname(path))
        .filter((name) => name === basename(path) || name.startsWith(`${basename(path)}.`))
        .map((name) => join(dirname(path), name))
    : []

/** Files that siteledger creates beside a DuckDB file. */
const ours = /^(?:\.(?:known|known\.tmp|previous|room|spare|suspect|tmp|unfinished|wal)|\.set-aside-\d+)?(?:\.wal)?$/

/** Files that siteledger creates beside a Store, and that contain nothing of it. */
const ofStore = /^\.(?:closed|suspect)$/

const isOurs =
  (path: string) =>
  (each: string): boolean =>
    ours.test(each.slice(path.length))

/** Damaged or replaced stores, inboxes and logs, what a restore has left, and people's own copies. */
export const setAside = ({ published, store, warehouse }: Place): ReadonlyArray<string> =>
  [
    ...[store, Inbox.folderOf(store), RowLog.folderOf(store)].flatMap((path) =>
      family(path).filter((each) => each !== path && !ofStore.test(each.slice(path.length)))
    ),
    ...[warehouse, published].flatMap((path) => family(path).filter((each) => !isOurs(path)(each)))
  ].toSorted()

const madeOf = (paths: ReadonlyArray<string>): ReadonlyArray<string> =>
  paths.flatMap((path) => family(path).filter(isOurs(path)))

const removed = (paths: ReadonlyArray<string>): void => {
  for (const path of paths) rmSync(path, { recursive: true, force: true })
}

const stagingOf = (store: string): string => join(dirname(store), "staging")

export const discard = ({ published, store, warehouse }: Place): void => {
  removed([...madeOf([warehouse, published]), stagingOf(store), RowLog.folderOf(store)])
  for (const path of [warehouse, published, store]) if (existsSync(dirname(path))) flushFolderOf(path)
}

/** Beside a worker on a server: people's own copies, and the files of a Store that has moved to the server. */
export const besideServer = ({ published, store, warehouse }: Place): ReadonlyArray<string> =>
  [
    ...[store, Inbox.folderOf(store), RowLog.folderOf(store), warehouse].flatMap(family),
    ...family(published).filter((each) => !isOurs(published)(each))
  ].toSorted()

export const discardBesideServer = ({ published, store }: Place): void => {
  removed([...madeOf([published]), stagingOf(store)])
  if (existsSync(dirname(published))) flushFolderOf(published)
}
