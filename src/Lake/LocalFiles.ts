/**
 * Files on a local disk, for the staging folder and for a Lake that is a folder: the adapter to `node:fs`.
 *
 * Once `flush` has returned, the file survives a power cut.
 */
import { createHash } from "node:crypto"
import { open } from "node:fs/promises"
import { Effect } from "effect"
import { codeOf, whyNot } from "../Runtime/SystemFailure.ts"
import { LakeError } from "./Lake.ts"

const denied = new Set(["EACCES", "EPERM", "EROFS"])
const full = new Set(["ENOSPC", "EDQUOT", "EFBIG"])

const failed = (cause: unknown, where: string | undefined): LakeError => {
  if (cause instanceof LakeError) return cause
  const code = codeOf(cause)
  const reason = denied.has(code) ? "Denied" : full.has(code) ? "Full" : "Failed"
  const message = where === undefined || code === "" ? text(cause) : `${where} can't be used: ${whyNot(cause)}.`
  return new LakeError({ reason, message, cause })
}

const text = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** The signal aborts when the effect is interrupted. `where`: the folder, named for the person who configured it. */
export const attempt = <A>(run: (signal: AbortSignal) => Promise<A>, where?: string): Effect.Effect<A, LakeError> =>
  Effect.tryPromise({ try: run, catch: (cause) => failed(cause, where) })

/** `undefined` if there is no such file or folder. */
export const unlessMissing = <A>(found: Promise<A>): Promise<A | undefined> =>
  found.catch((cause: unknown) => {
    if (codeOf(cause) === "ENOENT") return undefined
    throw cause
  })

/** Waits until a file, or the names in a folder, are on disk. */
export const flush = async (path: string): Promise<void> => {
  const handle = await open(path, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

export interface Digest {
  readonly bytes: number
  /** Hex. */
  readonly sha256: string
}

const longestPiece = 1024 * 1024

/** Reads the file from disk, piece by piece into the same memory; a stream would allocate new memory for each piece. */
export const digest = (path: string): Effect.Effect<Digest, LakeError> =>
  attempt(async () => {
    const file = await open(path, "r")
    try {
      const hash = createHash("sha256")
      const { size } = await file.stat()
      const piece = Buffer.allocUnsafe(Math.min(longestPiece, size + 1))
      let bytes = 0
      for (;;) {
        const { bytesRead } = await file.read(piece, 0, piece.byteLength)
        if (bytesRead === 0) return { bytes, sha256: hash.digest("hex") }
        hash.update(piece.subarray(0, bytesRead))
        bytes += bytesRead
      }
    } finally {
      await file.close()
    }
  })

export const sha256 = (text: string | Buffer): string => createHash("sha256").update(text).digest("hex")
