/**
 * The key of the inbox's HMACs: derived from the data directory's key, and also stored beside the segments, so that
 * either may be lost. The frames show which of the two is right.
 */
import { createSecretKey, hkdfSync, type KeyObject } from "node:crypto"
import { closeSync, existsSync, openSync, readFileSync, readSync } from "node:fs"
import { join } from "node:path"
import { flushFolderOf, writeFresh } from "../../Runtime/Flush.ts"
import { contentAt, isOurs, lengthOf } from "./Frame.ts"
import { listed, nameOf } from "./Segment.ts"

export const derived = (key: Uint8Array): Buffer => Buffer.from(hkdfSync("sha256", key, "", "siteledger inbox", 32))

const fileIn = (folder: string): string => join(folder, "key")

const kept = (folder: string): Buffer | undefined => {
  const path = fileIn(folder)
  const text = existsSync(path) ? readFileSync(path, "latin1").trim() : ""
  return /^[0-9a-f]{64}$/.test(text) ? Buffer.from(text, "hex") : undefined
}

/** The first undamaged frame of a segment. */
const sampleOf = (path: string): Buffer | undefined => {
  const file = openSync(path, "r")
  try {
    const head = Buffer.alloc(12)
    readSync(file, head, 0, head.length, 0)
    const bytes = Buffer.alloc(Math.min(lengthOf(head, 0) ?? 0, 64 * 1024 * 1024))
    readSync(file, bytes, 0, bytes.length, 0)
    return contentAt(bytes, 0)
  } finally {
    closeSync(file)
  }
}

/** The key that the frames in the folder were written with. */
export const keyOf = (folder: string, own: Buffer): KeyObject => {
  const key = rightOne(folder, own)
  if (kept(folder)?.equals(key) !== true) {
    writeFresh(fileIn(folder), `${key.toString("hex")}\n`)
    flushFolderOf(fileIn(folder))
  }
  return createSecretKey(key)
}

const rightOne = (folder: string, own: Buffer): Buffer => {
  const beside = kept(folder)
  const keys = beside === undefined || beside.equals(own) ? [own] : [own, beside]
  let samples = 0
  for (const first of listed(folder)) {
    const sample = sampleOf(join(folder, nameOf(first)))
    if (sample === undefined) continue
    const right = keys.find((key) => isOurs(sample, createSecretKey(key)))
    if (right !== undefined) return right
    if (++samples === 3) throw new Error(`its frames were written with another key than that of ${folder}`)
  }
  return beside ?? own
}
