/**
 * A file that appears whole or not at all: it is written under another name in the same folder, readable only by its
 * owner, and renamed once it is on disk. An existing file with that name is left alone, even one that appeared
 * meanwhile, unless it is to be replaced. If the process dies in the middle, `.siteledger-write-…` is left behind.
 */
import { randomBytes } from "node:crypto"
import { existsSync, statSync } from "node:fs"
import { link, open, rename, rm } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { Effect } from "effect"
import { codeOf, whyNot } from "../../Runtime/SystemFailure.ts"
import { LedgerError } from "../People/Decide.ts"

export type Put = (bytes: Uint8Array) => Effect.Effect<void, LedgerError>

interface Target {
  readonly path: string
  readonly isReplacing: boolean
}

/** `body` writes the bytes in order. */
export const write = <A, E, R>(
  { isReplacing, path }: Target,
  body: (put: Put) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | LedgerError, R> =>
  Effect.gen(function* () {
    const folder = dirname(resolve(path))
    if (!existsSync(folder)) return yield* notWritten(path, `there is no folder ${folder}`)
    const found = statSync(path, { throwIfNoEntry: false })
    if (found !== undefined && !found.isFile()) return yield* notWritten(path, "it isn't a file")
    if (found !== undefined && !isReplacing) return yield* taken(path)
    const unfinished = join(folder, `.siteledger-write-${randomBytes(8).toString("hex")}`)
    return yield* Effect.acquireUseRelease(
      attempt(path, () => open(unfinished, "wx", 0o600)),
      (file) =>
        Effect.gen(function* () {
          const made = yield* body((bytes) => attempt(path, () => file.writeFile(bytes)))
          yield* attempt(path, () => file.sync())
          // A rename replaces an existing file; a link fails if there is one.
          yield* attempt(path, () => (isReplacing ? rename(unfinished, path) : link(unfinished, path)))
          return made
        }),
      (file) => Effect.promise(() => file.close().then(() => rm(unfinished, { force: true })))
    )
  })

const notWritten = (path: string, why: string) => new LedgerError({ message: `${path} can't be written: ${why}.` })

const taken = (path: string) =>
  new LedgerError({ message: `${path} already exists and is left as it is: --force replaces it.` })

const attempt = <A>(path: string, use: () => Promise<A>): Effect.Effect<A, LedgerError> =>
  Effect.tryPromise({
    try: use,
    catch: (cause) => (codeOf(cause) === "EEXIST" ? taken(path) : notWritten(path, whyNot(cause)))
  })
