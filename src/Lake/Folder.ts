/**
 * A Lake in a folder of the local disk.
 *
 * A file is written below `.unfinished`, flushed, renamed, and its folder flushed: a name that is visible has the
 * whole file behind it, also after a power cut. Who replaces a text compares and renames under a lock that the system
 * frees with the process, so several processes may share the folder. Nothing is touched before the first use.
 */
import { randomUUID } from "node:crypto"
import { constants, readFileSync, renameSync } from "node:fs"
import { copyFile, mkdir, readdir, readFile, rename, rm, rmdir, stat, writeFile } from "node:fs/promises"
import { dirname, join, relative, resolve, sep } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect, Layer, Option } from "effect"
import { Lake, LakeError } from "../Lake.ts"
import { attempt, codeOf, flush, sha256, unlessMissing } from "./LocalFiles.ts"

/** Below it, each file that is being written lies at its path in a folder of its own. */
const unfinishedFolder = ".unfinished"

const make = (folder: string): Lake["Service"] => {
  const root = resolve(folder)
  const at = (path: string): string => join(root, path)
  return Lake.of({
    name: root,
    put: (path, localFile) => attempt(() => takeOver(root, path, localFile)),
    putText: (path, text) =>
      attempt(() =>
        viaUnfinished(
          root,
          path,
          (file) => writeFile(file, text, { flag: "wx" }),
          (file) => reveal(file, at(path))
        )
      ),
    readText: (path) =>
      Effect.map(
        attempt(() => unlessMissing(readFile(at(path), "utf8"))),
        (found) => Option.map(Option.fromUndefinedOr(found), (text) => ({ text, version: sha256(text) }))
      ),
    replaceText: (path, text, expected) =>
      Effect.as(
        attempt(() =>
          viaUnfinished(
            root,
            path,
            (file) => writeFile(file, text, { flag: "wx" }),
            (file) => revealInstead(root, file, at(path), Option.getOrUndefined(expected))
          )
        ),
        "guarded" as const
      ),
    fetch: (path, localFile) =>
      attempt(async () => {
        const isThere = (await unlessMissing(stat(at(path)))) !== undefined
        if (isThere) await copyFile(at(path), localFile)
        return isThere
      }),
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
      }),
    abandon: (isAbandoned) => attempt(() => abandonBelow(join(root, unfinishedFolder), isAbandoned))
  })
}

/** Gives a whole file its name. */
const reveal = async (file: string, name: string): Promise<void> => {
  await flush(file)
  await makeFolder(dirname(name))
  await rename(file, name)
  await flush(dirname(name))
}

const revealInstead = async (root: string, file: string, name: string, expected: string | undefined): Promise<void> => {
  await flush(file)
  await makeFolder(dirname(name))
  exclusively(root, () => {
    if (versionOf(name) !== expected) {
      const path = relative(root, name)
      throw new LakeError({ reason: "Overtaken", message: `${path} in ${root} was replaced by somebody else.` })
    }
    renameSync(file, name)
  })
  await flush(dirname(name))
}

/** Of one process of all those that share the folder. Held for so short that waiting for it may block. */
const exclusively = (root: string, use: () => void): void => {
  const lock = new DatabaseSync(join(root, unfinishedFolder, "lock.sqlite"), { timeout: 10_000 })
  try {
    lock.exec("begin exclusive")
    use()
  } finally {
    lock.close()
  }
}

const versionOf = (name: string): string | undefined => {
  try {
    return sha256(readFileSync(name, "utf8"))
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return undefined
    throw cause
  }
}

const takeOver = async (root: string, path: string, localFile: string): Promise<void> => {
  try {
    await reveal(localFile, join(root, path))
  } catch (cause) {
    if (codeOf(cause) !== "EXDEV") throw cause
    await viaUnfinished(
      root,
      path,
      (file) => copyFile(localFile, file, constants.COPYFILE_EXCL),
      (file) => reveal(file, join(root, path))
    )
    await rm(localFile)
  }
}

const viaUnfinished = async (
  root: string,
  path: string,
  write: (file: string) => Promise<void>,
  show: (file: string) => Promise<void>
): Promise<void> => {
  const own = join(root, unfinishedFolder, randomUUID())
  const file = join(own, path)
  try {
    await mkdir(dirname(file), { recursive: true })
    await write(file)
    await show(file)
  } finally {
    await rm(own, { recursive: true, force: true })
  }
}

/** A new folder's own name is flushed too, or a power cut could take its files along. */
const makeFolder = async (folder: string): Promise<void> => {
  const first = await mkdir(folder, { recursive: true })
  if (first === undefined) return
  for (let made = folder; made.length >= first.length; made = dirname(made)) await flush(dirname(made))
}

const filesIn = async (folder: string): Promise<ReadonlyArray<string>> => {
  const entries = (await unlessMissing(readdir(folder, { recursive: true, withFileTypes: true }))) ?? []
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"))
}

const filesBelow = async (root: string, folder: string): Promise<ReadonlyArray<string>> =>
  (await filesIn(join(root, folder)))
    .map((path) => folder + path)
    .filter((path) => !path.startsWith(`${unfinishedFolder}/`))
    .toSorted()

const abandonBelow = async (unfinished: string, isAbandoned: (path: string) => boolean): Promise<void> => {
  for (const found of await filesIn(unfinished)) {
    const end = found.indexOf("/")
    if (end !== -1 && isAbandoned(found.slice(end + 1))) {
      await rm(join(unfinished, found.slice(0, end)), { recursive: true, force: true })
    }
  }
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

export const layer = (root: string): Layer.Layer<Lake> => Layer.succeed(Lake, make(root))
