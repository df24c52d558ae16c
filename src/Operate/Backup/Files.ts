/**
 * The parts of a backup as files of its place: compressed, then encrypted. A part appears whole or not at all.
 */
import { randomUUID } from "node:crypto"
import { readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { constants, zstdCompress, zstdDecompress } from "node:zlib"
import { Effect } from "effect"
import { attempt } from "../../Lake/LocalFiles.ts"
import type { LogName } from "../../Stores/Following.ts"
import type { Followed } from "../../Stores/Store.ts"
import * as Part from "./Part.ts"
import type { Place } from "./Place.ts"
import { BackupError } from "./Tip.ts"

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)
const level = 3

/** Far more than any part has. */
const mostBytes = 256 * 1024 * 1024

/** Removed afterwards, unless the lake has taken it over. */
const localFile = ({ folder }: Place) =>
  Effect.acquireRelease(
    Effect.sync(() => join(folder, randomUUID())),
    (path) => Effect.promise(() => rm(path, { force: true }))
  )

const write = Effect.fnUntraced(function* (place: Place, part: Part.Part, frames: Buffer) {
  const packed = yield* attempt(() => compress(frames, { params: { [constants.ZSTD_c_compressionLevel]: level } }))
  const file = yield* localFile(place)
  yield* attempt(() => writeFile(file, place.cipher.seal(packed, part.path), { mode: 0o600 }))
  yield* place.lake.put(part.path, file)
})

/** Its frames; or what is wrong with it, as words after its name. */
export const open = (place: Place, { path }: Part.Part) =>
  Effect.scoped(
    Effect.gen(function* () {
      const file = yield* localFile(place)
      if (!(yield* place.lake.fetch(path, file))) return "is gone"
      const packed = place.cipher.open(yield* attempt(() => readFile(file)), path)
      if (packed === undefined) return "isn't as siteledger wrote it"
      return yield* attempt(() => decompress(packed, { maxOutputLength: mostBytes }))
    })
  )

export const list = ({ lake }: Pick<Place, "lake">, generation: string) =>
  Effect.map(lake.list(`${generation}/`), (paths) => paths.flatMap((path) => Part.read(generation, path) ?? []))

/** All frames after a number through another one that the Store has, as parts that are on the place when it ends. */
export const copy = Effect.fnUntraced(function* (
  place: Place,
  following: Followed,
  generation: string,
  { from, log, through }: Part.Gap,
  told: (part: Part.Part) => void = () => undefined
) {
  for (let next = from; next <= through;) {
    const frames = yield* following.frames(log, next - 1, through)
    if (frames === undefined) return yield* missing(log, next)
    const part = Part.partOf(generation, log, frames.first, frames.last, frames.bytes.byteLength)
    yield* Effect.scoped(write(place, part, frames.bytes))
    told(part)
    next = frames.last + 1
  }
})

/** Several parts become one: they are small, so it fits into memory. */
export const merge = Effect.fnUntraced(function* (
  place: Place,
  following: Followed,
  generation: string,
  parts: ReadonlyArray<Part.Part>
) {
  const [first, last] = [parts[0]!, parts.at(-1)!]
  const all: Array<Buffer> = []
  let [next, from] = [first.first, first.first]
  while (next <= last.last) {
    const frames = yield* following.frames(first.log, next - 1, last.last)
    if (frames === undefined) return yield* missing(first.log, next)
    all.push(frames.bytes)
    from = Math.min(from, frames.first)
    next = frames.last + 1
  }
  const bytes = Buffer.concat(all)
  const merged = Part.partOf(generation, first.log, from, next - 1, bytes.byteLength)
  yield* Effect.scoped(write(place, merged, bytes))
  return merged
})

const missing = (log: LogName, number: number) =>
  Effect.fail(new BackupError({ reason: "Failed", message: `The ${log} of the store end before ${number}.` }))
