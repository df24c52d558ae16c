/**
 * The archives that an erasure has to search, in their folder and on the lake, including those of an inbox that this
 * store had before it was restored: all that the inbox's key can verify, each after the one that its document names.
 */
import { randomBytes } from "node:crypto"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { Effect, Option, Schema } from "effect"
import { folder as onLake } from "../../Lake/Archiving.ts"
import { Lake } from "../../Lake/Lake.ts"
import { whyNot } from "../../Runtime/SystemFailure.ts"
import { isUnfinished } from "../../Stores/Archives/Again.ts"
import { type Archive, isName, opened } from "../../Stores/Archives/Archive.ts"
import { ArchiveFolder, folderOf } from "../../Stores/Archives/ArchiveFolder.ts"
import { isArchived } from "../../Stores/Segments/Frame.ts"
import { idIn } from "../../Stores/Segments/Id.ts"
import { keyOf } from "../../Stores/Segments/Key.ts"
import * as Segments from "../../Stores/Segments/Open.ts"
import { addressOf } from "./Exports.ts"
import * as Inbox from "./Inbox.ts"

export class FilesFailed extends Schema.TaggedError<FilesFailed>()("FilesFailed", {
  message: Schema.String
}) {}

export const attempt = <A>(use: () => A | Promise<A>): Effect.Effect<A, FilesFailed> =>
  Effect.tryPromise({
    try: () => Promise.resolve().then(use),
    catch: (cause) => new FilesFailed({ message: `${whyNot(cause).replace(/\.$/, "")}.` })
  })

/** A Store that isn't in use, and the connection to it. */
export interface Place {
  readonly store: string
  readonly database: DatabaseSync
}

export interface Listed {
  /** As described by a document of ours; if there are two, the folder's. */
  readonly archive: Archive
  /** The Store's own archive, which must exist. */
  readonly isOwn: boolean
  /** Its numbers belong to the inbox, not to another one that the Store had before it was restored. */
  readonly isOfInbox: boolean
  readonly isInFolder: boolean
  /** The document on the lake, regardless of its contents; undefined if the lake has nothing of the archive. */
  readonly onLake: string | undefined
}

export interface Survey {
  readonly archives: ReadonlyArray<Listed>
  /** Files that can't be opened, or that others have put there; for people. */
  readonly unopened: ReadonlyArray<string>
  /**
   * Files of archives that weren't sealed; their deliveries are all in the inbox. Paths in the folder and on the lake.
   */
  readonly leftovers: ReadonlyArray<string>
}

export const own = ({ store }: Place) => {
  const inbox = Segments.folderOf(store)
  return { inbox, folder: new ArchiveFolder(folderOf(store)), key: keyOf(inbox, randomBytes(32)) }
}

export const filesIn = ({ path }: ArchiveFolder): ReadonlyArray<string> =>
  existsSync(path)
    ? readdirSync(path, { recursive: true, withFileTypes: true })
        .filter((entry) => !entry.isDirectory())
        .map((entry) => relative(path, join(entry.parentPath, entry.name)))
    : []

/** The files of an archive; its keys are hashes. */
const ending = /\.(?:json|keys|parquet)$/

const nameIn = (path: string): string | undefined => {
  const name = path.replace(ending, "")
  return name !== path && isName(name) ? name : undefined
}

const damaged = (name: string, { path }: ArchiveFolder, { name: lake }: Lake["Service"]) =>
  new FilesFailed({
    message: `The archive ${name} is damaged or gone, both in ${path} and on ${lake}: put one of the two back.`
  })

/** All of them. Whether an archive of an earlier inbox is complete is known only by reading it. */
export const survey = Effect.fn("Erase.survey")(function* (place: Place) {
  const lake = yield* Lake
  const { folder, inbox, key } = yield* attempt(() => own(place))
  const here = yield* attempt(() => filesIn(folder))
  const there = (yield* lake.list(onLake)).map((path) => path.slice(onLake.length))
  const table = new Set(Segments.archivesOf(place.database).map(({ name }) => name))
  const names = new Set([...table, ...[...here, ...there].flatMap((path) => nameIn(path) ?? [])])
  const archives: Array<Listed> = []
  const unsealed: Array<string> = []
  const unopened = new Set<string>()
  for (const name of names) {
    const text = here.includes(`${name}.json`) ? readFileSync(folder.document(name), "utf8") : undefined
    const other = Option.getOrUndefined(yield* lake.readText(`${onLake}${name}.json`))?.text
    const documents = [text, other].filter((each) => each !== undefined)
    const archive = documents.map((each) => opened(each, key)).find((each) => each?.name === name)
    const isOfInbox = name.startsWith(`${idIn(inbox)}/`)
    const isThere = there.some((path) => nameIn(path) === name)
    if (archive !== undefined) {
      const isInFolder = here.includes(`${name}.json`) || here.includes(`${name}.parquet`)
      const document = isThere ? (other ?? "") : undefined
      archives.push({ archive, isOwn: table.has(name), isOfInbox, isInFolder, onLake: document })
    } else if (table.has(name) || (isOfInbox && documents.length > 0)) return yield* damaged(name, folder, lake)
    else if (isOfInbox) unsealed.push(name)
    else unopened.add(name)
  }
  const held = unsealed.length === 0 ? new Set<string>() : yield* attempt(() => archivedIn(inbox))
  const lost = unsealed.find((name) => held.has(name))
  if (lost !== undefined) return yield* damaged(lost, folder, lake)
  const isStrange = (path: string): boolean => {
    const name = nameIn(path)
    return name === undefined ? true : unopened.has(name)
  }
  const found: Survey = {
    archives: archives.toSorted(byNumber),
    unopened: [
      ...here.filter((path) => isStrange(path) && !isUnfinished(path)).map((path) => join(folder.path, path)),
      ...there.filter(isStrange).map((path) => addressOf(lake, `${onLake}${path}`))
    ],
    leftovers: unsealed.flatMap((name) => [`${name}.parquet`, `${name}.keys`])
  }
  return found
})

/** The archives that hold deliveries that have left. */
const archivedIn = (inbox: string): ReadonlySet<string> =>
  new Set([...Inbox.frames(inbox)].flatMap((frame) => (isArchived(frame) ? [frame.archive] : [])))

/** Those of one inbox together, in order. */
const byNumber = ({ archive: a }: Listed, { archive: b }: Listed): number =>
  inboxOf(a) === inboxOf(b) ? a.first - b.first : inboxOf(a) < inboxOf(b) ? -1 : 1

const inboxOf = ({ name }: Archive): string => name.split("/")[0] ?? ""

/** For an archive whose copies are all damaged: an error if it is the Store's own. */
export const unlessOwn = ({ archive, isOwn }: Listed, folder: ArchiveFolder, lake: Lake["Service"]) =>
  isOwn ? Effect.fail(damaged(archive.name, folder, lake)) : Effect.undefined
