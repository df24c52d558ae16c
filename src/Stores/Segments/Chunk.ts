/**
 * A chunk of the inbox for a copy elsewhere: whole frames in the order of their numbers, compressed. Each frame carries
 * its own HMAC, so only frames that we wrote are accepted back from a copy.
 */
import type { KeyObject } from "node:crypto"
import { promisify } from "node:util"
import { constants, zstdCompress, zstdDecompress } from "node:zlib"
import type { Chunk } from "../Deliveries.ts"
import { type Frame, numberAfter, numberOf } from "./Frame.ts"
import type { Range } from "./SegmentFile.ts"
import { scan } from "./Segment.ts"

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

/** For an unpacked chunk: far more than any chunk has. */
const mostBytes = 64 * 1024 * 1024

/** Returns undefined if there are no frames. */
export const chunkOf = async (range: Range | undefined): Promise<Chunk | undefined> => {
  const [first] = range?.contents ?? []
  if (range === undefined || first === undefined) return undefined
  const packed = await compress(range.bytes, { params: { [constants.ZSTD_c_compressionLevel]: 1 } })
  return { first: numberOf(first), last: range.next - 1, frames: packed }
}

/** Its frames, except any that we didn't write. */
export const framesOf = async ({ frames }: Chunk, key: KeyObject): Promise<ReadonlyArray<Frame>> => {
  try {
    return scan(await decompress(frames, { maxOutputLength: mostBytes }), key).frames
  } catch {
    return []
  }
}

/** Whether every number of the chunk is covered by one of its frames. */
export const isWhole = ({ first, last }: Chunk, frames: ReadonlyArray<Frame>): boolean => {
  let next = first
  for (const frame of frames) {
    if (frame.number !== next) return false
    next = numberAfter(frame)
  }
  return next === last + 1
}
