/**
 * A segment: a file of frames, named by the number of its first. Frames are only appended. A closing frame ends it;
 * after that it never changes.
 */
import type { KeyObject } from "node:crypto"
import { closeSync, fstatSync, openSync, readdirSync, readSync, writevSync } from "node:fs"
import { contentAt, decode, endBytes, type Frame, headBytes, isOurs, nextOurs } from "./Frame.ts"

const digits = 15
const named = /^(\d{15})\.log$/

/** The frame that takes a segment beyond this size closes it. */
export const fullBytes = 16 * 1024 * 1024

export const nameOf = (first: number): string => `${String(first).padStart(digits, "0")}.log`

/** The first numbers of all segments in a folder, in order. */
export const listed = (folder: string): ReadonlyArray<number> =>
  readdirSync(folder)
    .flatMap((name) => named.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((a, b) => a - b)

export interface Scanned {
  readonly frames: ReadonlyArray<Frame>
  /** Where the last complete frame ends. */
  readonly end: number
}

/** All our complete frames. A matching checksum doesn't make a frame ours, because a body may contain a copy of one. */
export const scan = (bytes: Buffer, key: KeyObject): Scanned => {
  const frames: Array<Frame> = []
  let end = 0
  for (let at = 0; at < bytes.byteLength;) {
    const content = contentAt(bytes, at)
    if (content === undefined || !isOurs(content, key)) {
      at = nextOurs(bytes, at + 1, key)
      continue
    }
    frames.push(decode(content))
    end = at = at + headBytes + content.byteLength
  }
  return { frames, end }
}

/** The frames of an intact segment. */
export function* framesIn(bytes: Buffer): Generator<Frame> {
  for (let at = 0; ;) {
    const content = contentAt(bytes, at)
    if (content === undefined) return
    yield decode(content)
    at += headBytes + content.byteLength
  }
}

/** The number after a closed segment, from its end alone: takes bounded time, because its middle isn't read. */
export const closedAt = (path: string, key: KeyObject): number | undefined => {
  const file = openSync(path, "r")
  try {
    const { size } = fstatSync(file)
    const bytes = Buffer.alloc(endBytes)
    if (size < endBytes || readSync(file, bytes, 0, endBytes, size - endBytes) < endBytes) return undefined
    const content = contentAt(bytes, 0)
    if (content === undefined || !isOurs(content, key)) return undefined
    const frame = decode(content)
    return frame.kind === "end" ? frame.number : undefined
  } finally {
    closeSync(file)
  }
}

const mostBuffers = 1024

/** The system may write less than it was given, and accepts only a limited number of buffers at once. */
export const writeAll = (file: number, encoded: ReadonlyArray<Buffer>): void => {
  for (let from = 0; from < encoded.length; from += mostBuffers) {
    const some = encoded.slice(from, from + mostBuffers)
    const bytes = some.reduce((sum, { byteLength }) => sum + byteLength, 0)
    let written = writevSync(file, some)
    if (written < bytes) {
      const rest = Buffer.concat(some)
      while (written < bytes) written += writevSync(file, [rest.subarray(written)])
    }
  }
}
