/**
 * What keeps a DuckDB file from being opened: damage found in it, or an external cause that passes or that a person
 * removes (no rights, no room, too few descriptors…).
 *
 * Only damage is a reason to set the file aside. Everything that isn't certainly damage is an obstacle, so a good file
 * is never given up by mistake.
 */
import { closeSync, existsSync, openSync, readSync, rmSync, statSync, writeFileSync } from "node:fs"
import { codeOf, whyNot } from "../../Runtime/SystemFailure.ts"

export interface Damage {
  readonly kind: "damage"
  readonly why: string
}

export interface Obstacle {
  readonly kind: "obstacle"
  readonly why: string
  /** What to do about it. */
  readonly advice: string
}

const rights = "Give the worker's user the right to read and write it and its folder (chown, chmod)."
const room = "Free space on its disk."
const descriptors = "Raise the limit of open files (ulimit -n, LimitNOFILE)."
const memory = "Give the worker more memory."

const advices: Readonly<Record<string, string>> = {
  EACCES: rights,
  EPERM: rights,
  EROFS: "Mount its file system with the right to write.",
  ENOSPC: room,
  EDQUOT: room,
  EFBIG: "Raise the limit of a file's size (ulimit -f, LimitFSIZE).",
  EMFILE: descriptors,
  ENFILE: descriptors,
  ENOMEM: memory,
  EIO: "Check its disk.",
  EISDIR: "Remove the folder in its place."
}

const otherwise =
  "If it can't be mended, move the file away: the worker then rebuilds it from the store and a new walk."

const obstacle = (code: string, why: string): Obstacle => ({
  kind: "obstacle",
  why,
  advice: advices[code] ?? otherwise
})

/** More than a checkpoint of a small log needs. */
const roomBytes = 1_000_000

const tryRoom = (path: string): void => {
  const beside = `${path}.room`
  try {
    writeFileSync(beside, Buffer.alloc(roomBytes, 1), { mode: 0o600, flush: true })
  } finally {
    rmSync(beside, { force: true })
  }
}

/** The first bytes of a file that can be read and written; undefined if there is no file. */
const tryFile = (path: string): Buffer | undefined => {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return undefined
  const head = Buffer.alloc(16)
  const file = openSync(path, "r+")
  try {
    return head.subarray(0, readSync(file, head))
  } finally {
    closeSync(file)
  }
}

/**
 * Where DuckDB marks a file as its own. Without the mark, DuckDB looks on the web for an extension that can read the
 * file.
 */
const magic = { text: "DUCK", at: 8 }

const isDuckDb = (head: Buffer): boolean =>
  head.toString("latin1", magic.at, magic.at + magic.text.length) === magic.text

const suspectOf = (path: string): string => `${path}.suspect`

/** Damage was encountered while the file was in use. */
export const suspect = (path: string): void => writeFileSync(suspectOf(path), "", { mode: 0o600 })

/** The file is no longer at `path`. */
export const forgetSuspicion = (path: string): void => rmSync(suspectOf(path), { force: true })

/** Call it before DuckDB opens the file in this process: closing a descriptor of the file drops DuckDB's lock. */
export const objectionTo = (path: string): Damage | Obstacle | undefined => {
  try {
    const head = tryFile(path)
    tryFile(`${path}.wal`)
    tryRoom(path)
    if (existsSync(suspectOf(path)))
      return { kind: "damage", why: "a part of it could not be read while it was in use" }
    return head === undefined || isDuckDb(head) ? undefined : { kind: "damage", why: "it isn't a DuckDB file" }
  } catch (cause) {
    return obstacle(codeOf(cause), whyNot(cause))
  }
}

/** How DuckDB ends its message about a failed system call. */
const systemWords: ReadonlyArray<readonly [words: string, code: string]> = [
  ["Permission denied", "EACCES"],
  ["Operation not permitted", "EPERM"],
  ["Read-only file system", "EROFS"],
  ["No space left on device", "ENOSPC"],
  ["Disk quota exceeded", "EDQUOT"],
  ["File too large", "EFBIG"],
  ["Too many open files", "EMFILE"],
  ["Cannot allocate memory", "ENOMEM"],
  ["could not allocate", "ENOMEM"],
  ["failed to allocate", "ENOMEM"],
  ["Out of Memory", "ENOMEM"],
  ["Input/output error", "EIO"],
  ["Is a directory", "EISDIR"]
]

const damage = /not a valid DuckDB database file|corrupt|checksum|could not read enough bytes|serialization error/i
/** Any other failure of the replay comes from the contents of the log. */
const replay = /while replaying WAL/i

/** What DuckDB's message means if `objectionTo` found nothing. */
export const objectionIn = (message: string): Damage | Obstacle => {
  const why = (message.split("\n")[0] ?? "").replace(/\.$/, "")
  const system = systemWords.find(([words]) => message.toLowerCase().includes(words.toLowerCase()))
  if (system !== undefined) return obstacle(system[1], why)
  return damage.test(message) || replay.test(message) ? { kind: "damage", why } : obstacle("", why)
}

/** For a person. */
export const sentenceOf = (path: string, { advice, why }: Obstacle): string =>
  `The warehouse ${path} can't be opened: ${why}. ${advice}`
