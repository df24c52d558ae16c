/**
 * The chunks of a backup as files of its vault: compressed, then encrypted. A chunk appears whole or not at all.
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
import * as Chunk from "./Chunk.ts"
import type { Vault } from "./Vault.ts"
import { BackupError } from "./Tip.ts"

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)
const level = 3

/** Far more than any chunk contains. */
const mostBytes = 256 * 1024 * 1024

/** Removed afterwards, unless the lake has taken it over. */
const localFile = ({ folder }: Vault) =>
  Effect.acquireRelease(
    Effect.sync(() => join(folder, randomUUID())),
    (path) => Effect.promise(() => rm(path, { force: true }))
  )

const write = Effect.fnUntraced(function* (vault: Vault, chunk: Chunk.Chunk, frames: Buffer) {
  const packed = yield* attempt(() => compress(frames, { params: { [constants.ZSTD_c_compressionLevel]: level } }))
  const file = yield* localFile(vault)
  yield* attempt(() => writeFile(file, vault.cipher.seal(packed, chunk.path), { mode: 0o600 }))
  yield* vault.lake.put(chunk.path, file)
})

/** Its frames, or what is wrong with it as words that follow its name. */
export const open = (vault: Vault, { path }: Chunk.Chunk) =>
  Effect.scoped(
    Effect.gen(function* () {
      const file = yield* localFile(vault)
      if (!(yield* vault.lake.fetch(path, file))) return "is gone"
      const packed = vault.cipher.open(yield* attempt(() => readFile(file)), path)
      if (packed === undefined) return "isn't as siteledger wrote it"
      return yield* attempt(() => decompress(packed, { maxOutputLength: mostBytes }))
    })
  )

export const list = ({ lake }: Pick<Vault, "lake">, generation: string) =>
  Effect.map(lake.list(`${generation}/`), (paths) => paths.flatMap((path) => Chunk.read(generation, path) ?? []))

/**
 * Copies all frames that the Store has after one number up to another, as chunks that are in the vault when it returns.
 */
export const copy = Effect.fnUntraced(function* (
  vault: Vault,
  following: Followed,
  generation: string,
  { from, log, through }: Chunk.Gap,
  told: (chunk: Chunk.Chunk) => void = () => undefined
) {
  for (let next = from; next <= through;) {
    const frames = yield* following.frames(log, next - 1, through)
    if (frames === undefined) return yield* missing(log, next)
    const chunk = Chunk.chunkOf(generation, log, frames.first, frames.last, frames.bytes.byteLength)
    yield* Effect.scoped(write(vault, chunk, frames.bytes))
    told(chunk)
    next = frames.last + 1
  }
})

/** Merges several chunks into one; they are small, so it fits into memory. */
export const merge = Effect.fnUntraced(function* (
  vault: Vault,
  following: Followed,
  generation: string,
  chunks: ReadonlyArray<Chunk.Chunk>
) {
  const [first, last] = [chunks[0]!, chunks.at(-1)!]
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
  const merged = Chunk.chunkOf(generation, first.log, from, next - 1, bytes.byteLength)
  yield* Effect.scoped(write(vault, merged, bytes))
  return merged
})

const missing = (log: LogName, number: number) =>
  Effect.fail(new BackupError({ reason: "Failed", message: `The ${log} of the store end before ${number}.` }))
