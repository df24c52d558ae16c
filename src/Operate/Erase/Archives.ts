/**
 * Erases from archives. Each archive that contains the data is rewritten with redacted frames, which keep their numbers
 * and the hash of the original body, and is sealed again. So is each later one, because a document names the previous
 * one by its hash. Then the lake's copies are made equal and read back. The whole folder comes first, then the lake, so
 * there is always one complete copy.
 *
 * The keys by which a body is recognized stay, because they belong to the original body.
 */
import { copyFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { mend } from "../../Lake/ArchiveCopies.ts"
import { folder as onLake } from "../../Lake/Archiving.ts"
import { Lake } from "../../Lake/Lake.ts"
import * as TemporaryFolder from "../../Runtime/TemporaryFolder.ts"
import * as Again from "../../Stores/Archives/Again.ts"
import { type Archive, linkTo, sealed } from "../../Stores/Archives/Archive.ts"
import { ArchiveDamaged, ArchiveFolder } from "../../Stores/Archives/ArchiveFolder.ts"
import { decode, encode, type Frame, headBytes } from "../../Stores/Segments/Frame.ts"
import { type FilesFailed, attempt, filesIn, type Listed, own, type Place, survey, unlessOwn } from "./Archived.ts"
import * as Inbox from "./Inbox.ts"

/**
 * Where archives are read: their folder, and another folder for those that only the lake has; these are copied to the
 * first one only if they change.
 */
const opening = Effect.gen(function* () {
  const lake = yield* Lake
  const temporary = yield* Effect.acquireRelease(
    attempt(() => TemporaryFolder.make("archive")),
    (made) => Effect.promise(() => made.remove())
  )
  const path = join(temporary.path, "archive")
  const elsewhere = { name: lake.name, fetch: (from: string, to: string) => Effect.runPromise(lake.fetch(from, to)) }
  return { lake, elsewhere, spare: new ArchiveFolder(path, { elsewhere }), emptied: () => rmSync(path, removing) }
})

const removing = { recursive: true, force: true } as const

/** Undefined if no copy is intact. */
const unlessDamaged = <A>(use: () => Promise<A>) =>
  attempt(() =>
    use().catch((cause: unknown) => {
      if (cause instanceof ArchiveDamaged) return undefined
      throw cause
    })
  )

/** Passes every frame in archives to `hear`; nothing is changed. Returns the files that it can't search, for people. */
export const look = Effect.fn("Erase.archives.look")(function* (place: Place, hear: (frame: Frame) => void) {
  const { archives, unopened } = yield* survey(place)
  const { folder, key } = own(place)
  const { emptied, lake, spare } = yield* opening
  const others: Array<string> = []
  for (const listed of archives) {
    const { name } = listed.archive
    const contents =
      (yield* unlessDamaged(() => folder.contents(name, key))) ??
      (yield* unlessDamaged(() => spare.contents(name, key))) ??
      (yield* unlessOwn(listed, folder, lake))
    for (const content of contents ?? []) hear(decode(content))
    if (contents === undefined) others.push(`${folder.file(name)}, or on ${lake.name}`)
    spare.forget()
    emptied()
  }
  return [...unopened, ...others]
}, Effect.scoped)

/** `note`: is told what an archive loses before it does. */
export const erase = Effect.fn("Erase.archives")(function* (
  place: Place,
  without: Inbox.Without,
  note: (lost: ReadonlyArray<Inbox.Lost>) => void
) {
  const { folder: path, key } = yield* attempt(() => own(place))
  yield* attempt(() => Again.settle(path, filesIn(path), key))
  const { archives, leftovers } = yield* survey(place)
  const { elsewhere, emptied, lake, spare } = yield* opening
  const folder = new ArchiveFolder(path.path, { elsewhere })
  const sum = place.database.prepare("update archives set sha256 = ? where name = ? and sha256 <> ?")
  let before: Archive | undefined
  const changed: Array<Listed> = []
  for (const listed of archives) {
    const { name } = listed.archive
    const isHere = listed.isInFolder || listed.isOwn
    const from = isHere ? folder : spare
    const contents = (yield* unlessDamaged(() => from.contents(name, key))) ?? (yield* unlessOwn(listed, folder, lake))
    const old = from.sealed(name, key) ?? listed.archive
    const link = before !== undefined && before.name === old.before?.name ? linkTo(before, key) : old.before
    const left = contents === undefined ? undefined : withoutIn(contents, without)
    const isSame = left === undefined || (left.lost === undefined && link?.sha256 === old.before?.sha256)
    before = old
    if (!isSame) {
      // What only the lake has is changed here first, so that one copy is always complete.
      if (!isHere) yield* attempt(() => folder.contents(name, key))
      yield* attempt(() =>
        note((left.lost ?? []).map((lost) => (listed.isOfInbox ? lost : { ...lost, sequence: null })))
      )
      const instead = { before: link, contents: left.lost && left.frames.map((frame) => contentOf(frame, key)) }
      before = yield* attempt(() => Again.replace(folder, old, instead, key))
    }
    const { sha256 } = before
    yield* attempt(() => void sum.run(sha256, name, sha256))
    changed.push({ ...listed, archive: before, isInFolder: left !== undefined && (isHere || !isSame) })
    spare.forget()
    emptied()
  }
  yield* Effect.forEach(changed, (listed) => sameOnLake(folder, listed, key), { discard: true })
  for (const each of leftovers) {
    rmSync(join(folder.path, each), removing)
    yield* lake.remove(`${onLake}${each}`)
  }
}, Effect.scoped)

const contentOf = (of: Buffer | Frame, key: Parameters<typeof encode>[1]): Buffer =>
  Buffer.isBuffer(of) ? of : encode(of, key).subarray(headBytes)

/**
 * The frames without what is erased. `lost` is undefined if nothing is; frames that lose nothing stay as they were
 * written.
 */
const withoutIn = (contents: ReadonlyArray<Buffer>, without: Inbox.Without) => {
  const lost: Array<Inbox.Lost> = []
  let isSame = true
  const frames = contents.map((content) => {
    const frame = decode(content)
    const left = Inbox.withoutIn(frame, without)
    if (left === frame) return content
    isSame = false
    lost.push(...Inbox.lostIn(frame, left))
    return left
  })
  return { frames, lost: isSame ? undefined : lost }
}

/** An archive that the lake never had isn't copied there, unless it is the Store's own. */
const sameOnLake = Effect.fnUntraced(function* (
  folder: ArchiveFolder,
  { archive, isInFolder, isOwn, onLake: text }: Listed,
  key: Parameters<typeof sealed>[1]
) {
  const document = sealed(archive, key)
  if (!isInFolder || text === document || (text === undefined && !isOwn)) return
  const copy = (target: string): Effect.Effect<void, FilesFailed> =>
    attempt(() => copyFileSync(folder.file(archive.name), target))
  yield* mend(yield* Lake, { archive, document, copy })
})
