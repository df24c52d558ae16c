/**
 * A Lake in a folder of the local disk.
 *
 * A file is written in `.unfinished`, fsynced and renamed, and its folder is fsynced: a visible name always has the
 * whole file behind it, even after a power cut. Replacing a text compares and renames under a lock that the system
 * releases when the process ends, so several processes may share the folder. Nothing is touched before the first use,
 * and nothing outside the folder is ever touched. Everyone who may read the folder may read the files in it. Only
 * regular files are read: a device or a pipe in their place is an error.
 */
import { randomUUID } from "node:crypto"
import { closeSync, constants, fstatSync, openSync, readFileSync, renameSync, type Stats } from "node:fs"
import { copyFile, mkdir, open, readdir, rename, rm, rmdir, stat, writeFile } from "node:fs/promises"
import { dirname, join, relative, resolve, sep } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect, Layer, Option } from "effect"
import { Lake, LakeError, longestText, type Text } from "./Lake.ts"
import { inherit } from "../Runtime/Rights.ts"
import { codeOf } from "../Runtime/SystemFailure.ts"
import * as LocalFiles from "./LocalFiles.ts"
import { flush, sha256, unlessMissing } from "./LocalFiles.ts"

/** The name of an unfinished file encodes its path, so a kill leaves no unknown folders. */
const unfinishedFolder = ".unfinished"

export const layerAt = (folder: string): Layer.Layer<Lake> => {
  const root = resolve(folder)
  const attempt = <A>(run: () => Promise<A>) => LocalFiles.attempt(run, `The lake's folder ${root}`)
  const at = (path: string): string => {
    const name = resolve(root, path)
    if (name.startsWith(join(root, sep))) return name
    throw new LakeError({ reason: "Denied", message: `${path} is not a path in ${root}.` })
  }
  return Layer.succeed(Lake, {
    name: root,
    put: (path, localFile) => attempt(async () => takeOver({ root, path, name: at(path) }, localFile)),
    putText: (path, text) =>
      attempt(async () => {
        const place = { root, path, name: at(path) }
        await viaUnfinished(place, writing(text), (file) => reveal(file, place))
      }),
    readText: (path) =>
      Effect.map(
        attempt(async () => textAt(at(path))),
        Option.fromUndefinedOr
      ),
    replaceText: (path, text, expected) =>
      Effect.as(
        attempt(async () => {
          const place = { root, path, name: at(path) }
          const instead = Option.getOrUndefined(expected)
          await viaUnfinished(place, writing(text), (file) => revealInstead(place, file, instead))
        }),
        "guarded" as const
      ),
    fetch: (path, localFile) =>
      attempt(async () => {
        const found = await unlessMissing(stat(at(path)))
        if (found === undefined) return false
        assertFile(at(path), found)
        await copyFile(at(path), localFile)
        return true
      }),
    size: (path) =>
      Effect.map(
        attempt(async () => unlessMissing(stat(at(path)))),
        (found) => (found?.isFile() === true ? Option.some(found.size) : Option.none())
      ),
    sizes: (folder) => attempt(() => sizesBelow(root, folder)),
    list: (folder) => attempt(() => filesBelow(root, folder)),
    remove: (path) =>
      attempt(async () => {
        await rm(at(path), { force: true })
        await removeEmptyFolders(root, dirname(at(path)))
      }),
    abandon: (isAbandoned) => attempt(() => abandonIn(join(root, unfinishedFolder), isAbandoned))
  })
}

interface Place {
  readonly root: string
  readonly path: string
  /** The path that the system uses. */
  readonly name: string
}

const writing = (text: string) => (file: string) => writeFile(file, text, { flag: "wx" })

/** Gives a complete file its final name. */
const reveal = async (file: string, { name, root }: Place): Promise<void> => {
  await flush(file)
  await makeFolder(dirname(name), root)
  inherit(file, root)
  await rename(file, name)
  await flush(dirname(name))
}

const revealInstead = async ({ name, path, root }: Place, file: string, expected: string | undefined) => {
  await flush(file)
  await makeFolder(dirname(name), root)
  inherit(file, root)
  exclusively(root, () => {
    if (versionOf(name) !== expected) {
      throw new LakeError({ reason: "Overtaken", message: `${path} in ${root} was replaced by another process.` })
    }
    renameSync(file, name)
  })
  await flush(dirname(name))
}

/** Excludes other processes that share the folder. Held so briefly that waiting may block the thread. */
const exclusively = (root: string, use: () => void): void => {
  const lock = new DatabaseSync(join(root, unfinishedFolder, "lock.sqlite"), { timeout: 10_000 })
  try {
    lock.exec("begin exclusive")
    use()
  } finally {
    lock.close()
  }
}

/** Opening a pipe must not wait for a writer. */
const toRead = constants.O_RDONLY | constants.O_NONBLOCK

const assertFile = (name: string, found: Stats): void => {
  if (found.isFile()) return
  throw new LakeError({ reason: "Failed", message: `${name} is not a file: remove it and export again.` })
}

const isTooLong = ({ size }: Stats): boolean => size > longestText

const tooLong = ({ size }: Stats): string => `${size} bytes`

const textAt = async (name: string): Promise<Text | undefined> => {
  const file = await unlessMissing(open(name, toRead))
  if (file === undefined) return undefined
  try {
    const found = await file.stat()
    assertFile(name, found)
    if (isTooLong(found)) return { text: "", version: tooLong(found) }
    const text = await file.readFile("utf8")
    return { text, version: sha256(text) }
  } finally {
    await file.close()
  }
}

/** The version that `textAt` returns, read synchronously while the lock is held. */
const versionOf = (name: string): string | undefined => {
  const file = openedSync(name)
  if (file === undefined) return undefined
  try {
    const found = fstatSync(file)
    assertFile(name, found)
    return isTooLong(found) ? tooLong(found) : sha256(readFileSync(file, "utf8"))
  } finally {
    closeSync(file)
  }
}

const openedSync = (name: string): number | undefined => {
  try {
    return openSync(name, toRead)
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return undefined
    throw cause
  }
}

const takeOver = async (place: Place, localFile: string): Promise<void> => {
  try {
    await reveal(localFile, place)
  } catch (cause) {
    if (codeOf(cause) !== "EXDEV") throw cause
    const copying = (file: string) => copyFile(localFile, file, constants.COPYFILE_EXCL)
    await viaUnfinished(place, copying, (file) => reveal(file, place))
    await rm(localFile)
  }
}

/** Encodes a path without slashes; `pathOf` decodes it. */
const unfinishedName = (path: string): string =>
  `${randomUUID()}-${path.replaceAll(/[%/]/g, (c) => encodeURIComponent(c))}`

const pathOf = (unfinished: string): string | undefined =>
  /^[0-9a-f-]{36}-(.+)$/s.exec(unfinished)?.[1]?.replaceAll(/%(2F|25)/g, (c) => decodeURIComponent(c))

const viaUnfinished = async (
  { path, root }: Place,
  write: (file: string) => Promise<void>,
  show: (file: string) => Promise<void>
): Promise<void> => {
  const folder = join(root, unfinishedFolder)
  const file = join(folder, unfinishedName(path))
  try {
    await mkdir(folder, { recursive: true })
    await write(file)
    await show(file)
  } finally {
    await rm(file, { force: true })
  }
}

/** Also fsyncs the name of a new folder; without that a power cut could lose the files in it. */
const makeFolder = async (folder: string, root: string): Promise<void> => {
  const first = await mkdir(folder, { recursive: true })
  if (first === undefined) return
  for (let made = folder; made.length >= first.length; made = dirname(made)) {
    if (made.length > root.length) inherit(made, root)
    await flush(dirname(made))
  }
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

const sizesBelow = async (root: string, folder: string): Promise<ReadonlyMap<string, number>> => {
  const found = (await filesBelow(root, folder)).map(
    async (path) => [path, await unlessMissing(stat(join(root, path)))] as const
  )
  // A file may have disappeared meanwhile.
  return new Map((await Promise.all(found)).flatMap(([path, at]) => (at === undefined ? [] : [[path, at.size]])))
}

const abandonIn = async (unfinished: string, isAbandoned: (path: string) => boolean): Promise<void> => {
  for (const name of (await unlessMissing(readdir(unfinished))) ?? []) {
    const path = pathOf(name)
    if (path !== undefined && isAbandoned(path)) await rm(join(unfinished, name), { force: true })
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
