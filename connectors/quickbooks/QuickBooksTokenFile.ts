/**
 * The newest refresh token on disk: one sealed file in the data directory, readable only by its owner.
 *
 * Each use of a refresh token may give the next. The file knows which configured token its own goes back to: if a person
 * configures another one, that one counts. The file is whole at any instant: a new one is written beside it, flushed, and
 * renamed into place; when `keep` returns, the token is on disk.
 */
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect, Option, Redacted, Schema } from "effect"
import { flushFolderOf, writeFresh } from "../../src/Runtime/Flush.ts"
import { Seal } from "../../src/Runtime/Seal.ts"
import { whyNot } from "../../src/Runtime/SystemFailure.ts"
import { type QuickBooksError, unavailable } from "./QuickBooksAnswer.ts"

export interface TokenFile {
  /** What the configured token has led to; that one itself as long as nothing is kept. */
  readonly newest: Effect.Effect<string, QuickBooksError>
  readonly keep: (refreshToken: string) => Effect.Effect<void, QuickBooksError>
}

export interface Configured {
  readonly clientId: string
  /** Which company it is, to QuickBooks. */
  readonly realmId: string
  /** The first one, from a person. */
  readonly refreshToken: Redacted.Redacted
  readonly dataDir: string
}

/** What the text is sealed for. */
const purpose = "QuickBooks token"

const Kept = Schema.fromJsonString(
  Schema.Struct({
    /** A hash of the configured token, and of the client and the company for which it is valid. */
    first: Schema.String,
    newest: Schema.String
  })
)
const readKept = Schema.decodeUnknownOption(Kept)

export const pathIn = (dataDir: string): string => join(dataDir, "quickbooks-token")

export const make = Effect.fnUntraced(function* ({
  clientId,
  dataDir,
  realmId,
  refreshToken
}: Configured): Effect.fn.Return<TokenFile, never, Seal> {
  const seal = yield* Seal
  const path = pathIn(dataDir)
  const configured = Redacted.value(refreshToken)
  const first = createHash("sha256").update([clientId, realmId, configured].join("\n")).digest("hex")
  const attempt = <A>(what: string, body: () => A) =>
    Effect.try({
      try: body,
      catch: (cause) =>
        unavailable(`${path}, with QuickBooks' newest refresh token, can't be ${what}: ${whyNot(cause)}.`)
    })
  const kept = Effect.gen(function* () {
    const sealed = yield* attempt("read", () => (existsSync(path) ? readFileSync(path, "utf8") : undefined))
    if (sealed === undefined) return Option.none()
    return yield* seal.open(sealed.trim(), purpose).pipe(
      Effect.map(readKept),
      // A person who has lost the key configures a new token.
      Effect.catchTag("SealError", ({ message }) => Effect.as(Effect.logWarning(message), Option.none()))
    )
  })
  return {
    newest: Effect.map(kept, (found) =>
      Option.isSome(found) && found.value.first === first ? found.value.newest : configured
    ),
    keep: (newest) =>
      attempt("written", () => replace(path, `${seal.seal(JSON.stringify({ first, newest }), purpose)}\n`))
  }
})

const replace = (path: string, text: string): void => {
  const unfinished = `${path}.new`
  mkdirSync(dirname(path), { recursive: true })
  writeFresh(unfinished, text)
  renameSync(unfinished, path)
  flushFolderOf(path)
}
