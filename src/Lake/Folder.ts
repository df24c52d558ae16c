/**
 * A Lake in a folder of the local disk.
 *
 * A file is written under a temporary name, flushed, renamed, and its folder flushed: a name that is visible has
 * the whole file behind it, also after a power cut. What a crash leaves unfinished lies in `.unfinished` and is
 * cleared at the next start; one process owns the folder.
 */
import { randomUUID } from "node:crypto"
import { constants } from "node:fs"
import { copyFile, mkdir, readdir, readFile, rename, rm, rmdir, stat, writeFile } from "node:fs/promises"
import { dirname, join, relative, resolve, sep } from "node:path"
import { Effect, Layer, Option } from "effect"
import { Lake, type LakeError } from "../Lake.ts"
import { attempt, codeOf, flush, unlessMissing } from "./LocalFiles.ts"

const unfinishedFolder = ".unfinished"

const make = (folder: string): Effect.Effect<Lake["Service"], LakeError> =>
  Effect.gen(function* () {
    const root = resolve(folder)
    const unfinished = join(root, unfinishedFolder)
    yield* attempt(() => rm(unfinished, { recursive: true, force: true }))
    yield* attempt(() => makeFolder(unfinished))
    const at = (path: string): string => join(root, path)

    /** Gives a whole file its name. */
    const reveal = async (file: string, path: string): Promise<void> => {
      await flush(file)
      await makeFolder(dirname(at(path)))
      await rename(file, at(path))
      await flush(dirname(at(path)))
    }

    const viaUnfinished = async (path: string, write: (file: string) => Promise<void>): Promise<void> => {
      const file = join(unfinished, randomUUID())
      try {
        await write(file)
        await reveal(file, path)
      } finally {
        await rm(file, { force: true })
      }
    }

    return Lake.of({
      put: (path, localFile) =>
        attempt(async () => {
          try {
            await reveal(localFile, path)
          } catch (cause) {
            if (codeOf(cause) !== "EXDEV") throw cause
            await viaUnfinished(path, (file) => copyFile(localFile, file, constants.COPYFILE_EXCL))
            await rm(localFile)
          }
        }),
      putText: (path, text) => attempt(() => viaUnfinished(path, (file) => writeFile(file, text, { flag: "wx" }))),
      readText: (path) =>
        Effect.map(
          attempt(() => unlessMissing(readFile(at(path), "utf8"))),
          Option.fromUndefinedOr
        ),
      size: (path) =>
        Effect.map(
          attempt(() => unlessMissing(stat(at(path)))),
          (found) => (found?.isFile() === true ? Option.some(found.size) : Option.none())
        ),
      list: (folder) => attempt(() => filesBelow(root, folder)),
      remove: (path) =>
        attempt(async () => {
          await rm(at(path), { force: true })
          await removeEmptyFolders(root, dirname(at(path)))
        })
    })
  })

/** A new folder's own name is flushed too, or a power cut could take its files along. */
const makeFolder = async (folder: string): Promise<void> => {
  const first = await mkdir(folder, { recursive: true })
  if (first === undefined) return
  for (let made = folder; made.length >= first.length; made = dirname(made)) await flush(dirname(made))
}

const filesBelow = async (root: string, folder: string): Promise<ReadonlyArray<string>> => {
  const entries = (await unlessMissing(readdir(join(root, folder), { recursive: true, withFileTypes: true }))) ?? []
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .filter((path) => !path.startsWith(`${unfinishedFolder}/`))
    .toSorted()
}

const removeEmptyFolders = async (root: string, folder: string): Promise<void> => {
  for (let empty = folder; empty.length > root.length; empty = dirname(empty)) {
    const isRemoved = await rmdir(empty).then(
      () => true,
      () => false
    )
    if (!isRemoved) return
  }
}

export const layer = (root: string): Layer.Layer<Lake, LakeError> => Layer.effect(Lake, make(root))
