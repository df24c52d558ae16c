/**
 * The key of a data directory: the file `key`, 64 hexadecimal digits, created on first use and readable only by its
 * owner. A copy with a checksum, `key.copy`, replaces it if it is gone or damaged. To use another key, remove both.
 */
import { hash, randomBytes } from "node:crypto"
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { flushFolderOf, writeFresh } from "./Flush.ts"

const keyBytes = 32

const lineOf = (key: string): string => `${key} ${hash("sha256", key)}\n`

/** Undefined if there is no copy, or if it is damaged. */
const copyOf = (path: string): string | undefined => {
  const text = existsSync(`${path}.copy`) ? readFileSync(`${path}.copy`, "latin1") : ""
  const key = text.slice(0, 2 * keyBytes)
  return text === lineOf(key) ? key : undefined
}

/** In how many digits two keys differ. */
const distance = (one: string, other: string): number => [...one].filter((digit, at) => digit !== other[at]).length

/**
 * If a person put another key there, it looks nothing like the copy; a damaged key is similar to it, or isn't a key at
 * all.
 */
const isDamaged = (text: string, copy: string): boolean =>
  !/^[0-9a-f]{64}$/.test(text) || (text !== copy && distance(text, copy) <= 8)

/** Replaces a file that may exist: completely, or not at all. */
const replace = (path: string, text: string): void => {
  writeFresh(`${path}.new`, text)
  renameSync(`${path}.new`, path)
  flushFolderOf(path)
}

/** Returns whether a repair was needed. */
const mend = (path: string): boolean => {
  const copy = copyOf(path)
  if (copy === undefined || (existsSync(path) && !isDamaged(readFileSync(path, "latin1").trim(), copy))) return false
  replace(path, `${copy}\n`)
  return true
}

const keepCopy = (path: string, digits: string): void => {
  if (copyOf(path) !== digits) replace(`${path}.copy`, lineOf(digits))
}

/** Atomic, and never replaces an existing key, because two processes may start at the same time. */
const make = (path: string): void => {
  if (existsSync(path)) return
  const temporary = `${path}.${process.pid}`
  writeFresh(temporary, `${randomBytes(keyBytes).toString("hex")}\n`)
  try {
    linkSync(temporary, path)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause
  } finally {
    rmSync(temporary, { force: true })
  }
  flushFolderOf(path)
}

const digitsIn = (path: string): string => {
  if ((statSync(path).mode & 0o077) !== 0) throw new Error("others can read it; make it 0600.")
  const text = readFileSync(path, "utf8").trim()
  if (!/^[0-9a-f]{64}$/.test(text)) throw new Error("it isn't 64 hexadecimal digits.")
  return text
}

/** The key of a data directory, created if there is none. Throws if it can't be used. */
export const read = (path: string): { readonly key: Uint8Array; readonly isRestored: boolean } => {
  mkdirSync(dirname(path), { recursive: true })
  const isRestored = mend(path)
  make(path)
  const digits = digitsIn(path)
  keepCopy(path, digits)
  return { key: Buffer.from(digits, "hex"), isRestored }
}

/** Gives a data directory the key of a backup. A different key that was there is kept as `kept`. */
export const put = (path: string, digits: string, kept: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  if (existsSync(path) && readFileSync(path, "latin1").trim() !== digits) linkSync(path, kept)
  replace(path, `${digits}\n`)
  keepCopy(path, digits)
}
