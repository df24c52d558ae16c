/**
 * Writes an archive again in its folder: with other frames for the same deliveries, or with another link to the
 * previous archive. The new file and the new document that seals it are both complete on disk, beside the old ones,
 * before either replaces the old one. So wherever the process dies, one of the two pairs is complete, or the new
 * document lies beside the new file; `settle` does the rest.
 */
import { existsSync, readFileSync, renameSync, rmSync, statSync } from "node:fs"
import type { KeyObject } from "node:crypto"
import { join } from "node:path"
import { flushFolderOf, writeFresh } from "../../Runtime/Flush.ts"
import { type Archive, type Link, opened, sealed } from "./Archive.ts"
import * as ArchiveFile from "./ArchiveFile.ts"
import type { ArchiveFolder } from "./ArchiveFolder.ts"

const next = (path: string): string => `${path}.next`
const nextDocument = /\.json\.next$/
const unfinished = /^[0-9a-z-]+\/(?:\d{4}-\d\d-\d{15}\.|making-).*\.(?:fetched|next|tmp)$/

/** Whether a file in the folder was being written; `settle` removes such files. */
export const isUnfinished = (path: string): boolean => unfinished.test(path)

const isWhole = async (file: string, { sha256 }: Archive): Promise<boolean> =>
  existsSync(file) && (await ArchiveFile.digestOf(file)) === sha256

/** The new file and document replace the old ones, the file first. */
const take = async (folder: ArchiveFolder, archive: Archive): Promise<void> => {
  const [document, file] = [folder.document(archive.name), folder.file(archive.name)]
  if (await isWhole(next(file), archive)) {
    renameSync(next(file), file)
    flushFolderOf(file)
  }
  if (!(await isWhole(file, archive))) return
  renameSync(next(document), document)
  flushFolderOf(document)
}

export interface Instead {
  /** Undefined if the file stays. */
  readonly contents?: ReadonlyArray<Buffer> | undefined
  readonly before: Link | null
}

/** Returns the archive as it is now sealed. */
export const replace = async (
  folder: ArchiveFolder,
  old: Archive,
  { before, contents }: Instead,
  key: KeyObject
): Promise<Archive> => {
  const made = next(folder.file(old.name))
  if (contents !== undefined) {
    await ArchiveFile.write(made, contents)
    const copied = await ArchiveFile.read(made, key)
    if (copied.length !== contents.length || !copied.every((each, place) => each.equals(contents[place]!))) {
      throw new Error(`${made} isn't what was written there`)
    }
  }
  const file = contents && { bytes: statSync(made).size, sha256: await ArchiveFile.digestOf(made) }
  const archive = { ...old, ...file, before }
  const document = next(folder.document(old.name))
  writeFresh(document, sealed(archive, key))
  flushFolderOf(document)
  await take(folder, archive)
  folder.forget()
  return archive
}

/**
 * Completes a replacement that a crash interrupted, and removes other unfinished files. `files`: all files in the
 * folder.
 */
export const settle = async (folder: ArchiveFolder, files: ReadonlyArray<string>, key: KeyObject): Promise<void> => {
  for (const path of files.filter((each) => nextDocument.test(each))) {
    const archive = opened(readFileSync(join(folder.path, path), "utf8"), key)
    if (archive !== undefined && next(`${archive.name}.json`) === path) await take(folder, archive)
  }
  for (const path of files.filter(isUnfinished)) rmSync(join(folder.path, path), { force: true })
}
