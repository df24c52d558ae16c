/**
 * A person's login on disk: one sealed file in the data directory, readable only by its owner, and a lock beside it
 * under which one process at a time changes it (the system releases the lock with the process, even after kill -9).
 *
 * The file is complete at any instant: a new one is written beside it, fsynced, and renamed into place; then the folder
 * is fsynced too. When `write` returns, the login is on disk. A login that has ended stays, with the reason and the
 * time but without its tokens, so that Status can say what happened.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Context, Duration, Effect, Layer, Schema } from "effect"
import { ClientSettings, loginPath, Settings } from "../../../config/Settings.ts"
import { flushFolderOf, writeFresh } from "../../../src/Runtime/Flush.ts"
import * as Instant from "../../../src/Domain/Instant.ts"
import { Seal } from "../../../src/Runtime/Seal.ts"
import type { Tokens } from "./Grant.ts"

const StoredTokens = Schema.Struct({
  access: Schema.String,
  /** Null if the service gave none, so that the login ends with its access token. */
  refresh: Schema.NullOr(Schema.String),
  obtainedAtMs: Schema.Number,
  /** Null if not known. */
  expiresAtMs: Schema.NullOr(Schema.Number)
})
export type StoredTokens = typeof StoredTokens.Type

const facts = {
  /** Valid only for this service and client. */
  authUrl: Schema.String,
  clientId: Schema.String,
  /** The user of this machine who logged in. */
  by: Schema.String,
  loggedInAtMs: Schema.Number,
  /** As granted, which may be fewer than requested. */
  scopes: Schema.Array(Schema.String)
}

const ActiveLogin = Schema.TaggedStruct("Active", { ...facts, tokens: StoredTokens })
export type ActiveLogin = typeof ActiveLogin.Type

const EndedLogin = Schema.TaggedStruct("Ended", { ...facts, reason: Schema.String, endedAtMs: Schema.Number })
export type EndedLogin = typeof EndedLogin.Type

const Login = Schema.fromJsonString(Schema.Union([ActiveLogin, EndedLogin]))
export type Login = typeof Login.Type

/** Unusable: it belongs to another client, is sealed with another key, or is unreadable; `sentence` says which. */
export type Found = Login | { readonly _tag: "None" } | { readonly _tag: "Unusable"; readonly sentence: string }

export class LoginFileError extends Schema.TaggedError<LoginFileError>()("LoginFileError", {
  message: Schema.String
}) {}

export class LoginFile extends Context.Service<
  LoginFile,
  {
    readonly read: Effect.Effect<Found>
    /** Changes with the file; empty if there is no login. Cheap enough to read before each request. */
    readonly version: Effect.Effect<string>
    /**
     * Runs exclusively among all processes on this data directory. Read the login again within it, because another
     * process may have been first.
     */
    readonly locked: <A, E, R>(body: Effect.Effect<A, E, R>) => Effect.Effect<A, E | LoginFileError, R>
    /** Only under the lock. */
    readonly write: (login: Login) => Effect.Effect<void, LoginFileError>
    /** Only under the lock. */
    readonly remove: Effect.Effect<void, LoginFileError>
  }
>()("siteledger/construction/LoginFile") {
  static readonly layer: Layer.Layer<LoginFile, never, Settings | ClientSettings | Seal> = Layer.effect(
    LoginFile,
    Effect.gen(function* () {
      const { dataDir } = yield* Settings
      const client = yield* ClientSettings
      const seal = yield* Seal
      const path = loginPath(dataDir)
      const attempt = <A>(what: string, body: () => A) =>
        Effect.try({
          try: body,
          catch: (cause) => new LoginFileError({ message: `${path} can't be ${what}: ${reasonOf(cause)}.` })
        })

      const read = Effect.gen(function* () {
        const sealed = yield* attempt("read", () => (existsSync(path) ? readFileSync(path, "utf8") : undefined))
        if (sealed === undefined) return none
        const login = yield* Effect.flatMap(seal.open(sealed, purpose), Schema.decodeUnknownEffect(Login))
        return isOurs(login, client) ? login : foreign(login, client)
      }).pipe(
        // A schema's message would quote the login.
        Effect.catchTag("SchemaError", () => Effect.succeed(unusable("The stored login is damaged."))),
        Effect.catch(({ message }) => Effect.succeed(unusable(message)))
      )

      return LoginFile.of({
        read,
        version: Effect.sync(() => versionOf(path)),
        locked: (body) =>
          locked(
            attempt("locked", () => tryLock(path)),
            body
          ),
        write: (login) =>
          Effect.flatMap(Effect.orDie(Schema.encodeEffect(Login)(login)), (text) =>
            attempt("written", () => replace(path, `${seal.seal(text, purpose)}\n`))
          ),
        remove: attempt("removed", () => {
          rmSync(path, { force: true })
          flushFolderOf(path)
        })
      })
    })
  )
}

/** What the text is sealed for. */
const purpose = "login"
const tryEvery = Duration.millis(20)

const none: Found = { _tag: "None" }

const unusable = (what: string): Found => ({ _tag: "Unusable", sentence: `${what} Run \`siteledger login\`.` })

const isOurs = (login: Login, client: ClientSettings["Service"]): boolean =>
  login.authUrl === client.authUrl.href && login.clientId === client.clientId

const foreign = (login: Login, client: ClientSettings["Service"]): Found =>
  unusable(
    `The stored login is for ${login.clientId} at ${login.authUrl}, not for ${client.clientId} at ` +
      `${client.authUrl.href} (SITELEDGER_CLIENT_ID, SITELEDGER_AUTH_URL).`
  )

/** What to keep from an answer; without a new refresh token the old one stays valid (RFC 6749 §6). */
export const stored = (tokens: Tokens, oldRefresh: string | null, nowMs: number): StoredTokens => ({
  access: tokens.access,
  refresh: tokens.refresh ?? oldRefresh,
  obtainedAtMs: nowMs,
  expiresAtMs: tokens.lifeMs === undefined ? null : nowMs + tokens.lifeMs
})

export const endedSentence = ({ endedAtMs, reason }: EndedLogin): string =>
  `The login has ended (${reason}; ${Instant.fromMillis(endedAtMs)}): run \`siteledger login\`.`

const reasonOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause ? String(cause.code) : String(cause)

const versionOf = (path: string): string => {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stats === undefined ? "" : `${stats.ino} ${stats.mtimeNs} ${stats.size}`
}

const replace = (path: string, text: string): void => {
  const unfinished = `${path}.new`
  mkdirSync(dirname(path), { recursive: true })
  writeFresh(unfinished, text)
  renameSync(unfinished, path)
  flushFolderOf(path)
}

/** Undefined while another process holds it. */
const tryLock = (path: string): DatabaseSync | undefined => {
  mkdirSync(dirname(path), { recursive: true })
  const database = new DatabaseSync(`${path}.lock`, { timeout: 0 })
  try {
    // Nothing is ever written, so no journal file is needed.
    database.exec("pragma journal_mode = memory; begin exclusive")
    return database
  } catch (cause) {
    database.close()
    if ((cause as { errcode?: number }).errcode === busy) return undefined
    throw cause
  }
}

/** SQLITE_BUSY. */
const busy = 5

/** Only the waiting and the body can be interrupted, so the lock is never left behind. */
const locked = <A, E, R>(
  take: Effect.Effect<DatabaseSync | undefined, LoginFileError>,
  body: Effect.Effect<A, E, R>
): Effect.Effect<A, E | LoginFileError, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      let lock = yield* take
      if (lock === undefined) yield* Effect.logDebug("Another process is changing the login: waiting for it")
      for (; lock === undefined; lock = yield* take) yield* restore(Effect.sleep(tryEvery))
      const held = lock
      return yield* Effect.ensuring(
        restore(body),
        Effect.sync(() => held.close())
      )
    })
  )
