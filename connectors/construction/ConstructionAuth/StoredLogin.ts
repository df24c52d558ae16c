/**
 * A token from a person's login if there is one, or else by client credentials. Among all processes on the data
 * directory, one at a time refreshes it.
 *
 * A refresh token may be valid for one use only, so the new tokens are on disk before the access token is used. If the
 * process dies between the service's answer and our write, that login is lost. This can't be prevented, but nothing
 * else happens between the two. If the answer is lost, the request is repeated with the same token. If the service
 * treats either as a second use, the login has ended: its file and Status say so, and calls wait until a person has
 * logged in again.
 */
import { Clock, Effect, Layer, Option } from "effect"
import type { HttpClient } from "effect/http"
import { ClientSettings, type Settings } from "../../../config/Settings.ts"
import { Reasons } from "../../../src/Runtime/Reasons.ts"
import type { Seal } from "../../../src/Runtime/Seal.ts"
import { Pace } from "../../../src/Walk/Pace.ts"
import type { SourceError } from "../../../src/Walk/Source.ts"
import { type Held, keep, LoginNeeded, pauses, reasonKey, renewAt, Token } from "../ConstructionAuth.ts"
import type { BasicWanted } from "./ClientSecret.ts"
import * as Credentials from "./Credentials.ts"
import type { Tokens } from "./Grant.ts"
import {
  type ActiveLogin,
  endedSentence,
  type Found,
  type Login,
  LoginFile,
  type LoginFileError,
  stored,
  type StoredTokens
} from "./LoginFile.ts"
import { TokenEndpoint, type TokenUnavailable } from "./TokenEndpoint.ts"

type Needed = ClientSettings | LoginFile | TokenEndpoint | Pace | Reasons

export const layerNoDeps: Layer.Layer<Token, never, Needed> = Layer.effect(
  Token,
  Effect.gen(function* () {
    const { version } = yield* LoginFile
    const context = yield* Effect.context<Needed>()
    return yield* keep({ version, obtain: (refused) => Effect.provideContext(obtain(refused), context) })
  })
)

export const layer: Layer.Layer<
  Token,
  never,
  ClientSettings | Settings | Seal | Pace | Reasons | HttpClient.HttpClient
> = layerNoDeps.pipe(Layer.provide(LoginFile.layer), Layer.provide(TokenEndpoint.layer))

/** By the login or by the credentials, whichever exists now. */
const obtain = Effect.fnUntraced(function* (
  refused: string
): Effect.fn.Return<Held, SourceError | LoginNeeded | LoginFileError | TokenUnavailable | BasicWanted, Needed> {
  const file = yield* LoginFile
  const pace = yield* Pace
  // Read before the login itself.
  const version = yield* file.version
  const login = yield* Effect.flatMap(file.read, active)
  if (login === undefined) return yield* byCredentials(version)
  const now = yield* Clock.currentTimeMillis
  const held = hold(login.tokens, version)
  if (held.token !== refused && now < held.renewAtMs) return held
  yield* pace.take("event")
  const renewed = yield* file.locked(refresh(login, version))
  return renewed ?? (yield* obtain(refused))
})

const hold = ({ access, expiresAtMs, obtainedAtMs }: StoredTokens, version: string): Held => ({
  token: access,
  renewAtMs: renewAt(obtainedAtMs, expiresAtMs === null ? undefined : expiresAtMs - obtainedAtMs),
  version
})

/** Undefined if there is no login. */
const active = (found: Found): Effect.Effect<ActiveLogin | undefined, LoginNeeded> => {
  if (found._tag === "None") return Effect.succeed(undefined)
  if (found._tag === "Active") return Effect.succeed(found)
  return Effect.fail(new LoginNeeded({ message: found._tag === "Ended" ? endedSentence(found) : found.sentence }))
}

const byCredentials = Effect.fnUntraced(function* (version: string) {
  const { clientSecret } = yield* ClientSettings
  if (Option.isNone(clientSecret)) return yield* noWay
  return yield* Credentials.obtain(version)
})

const noWay = new LoginNeeded({
  message: "There is neither a login nor a client secret: run `siteledger login`, or set SITELEDGER_CLIENT_SECRET."
})

/**
 * Runs under the file's lock. Undefined, with no request sent, if another process has refreshed meanwhile or a person
 * has logged in or out.
 */
const refresh = Effect.fn("Token.refresh")(function* (login: ActiveLogin, version: string) {
  const file = yield* LoginFile
  const endpoint = yield* TokenEndpoint
  if ((yield* file.version) !== version) return undefined
  const { refresh: refreshToken } = login.tokens
  if (refreshToken === null)
    return yield* end(login, "its access token has expired, and the service gave no refresh token")
  const request = endpoint.request({ grant_type: "refresh_token", refresh_token: refreshToken }).pipe(
    Effect.flatMap((tokens) => renewed(login, refreshToken, tokens)),
    Effect.catchTag("GrantRefused", (error): Effect.Effect<never, LoginNeeded | SourceError, LoginFile | Reasons> =>
      error.code === "invalid_grant" ? end(login, error.advice) : Credentials.refusal(error)
    )
  )
  return yield* Effect.uninterruptible(request)
})

const renewed = Effect.fnUntraced(function* (login: ActiveLogin, refreshToken: string, tokens: Tokens) {
  const file = yield* LoginFile
  const next = stored(tokens, refreshToken, yield* Clock.currentTimeMillis)
  yield* save({ ...login, tokens: next, scopes: tokens.scopes ?? login.scopes })
  return hold(next, yield* file.version)
})

/** The login's tokens are invalid and are removed from the file. */
const end = Effect.fnUntraced(function* ({ tokens: _tokens, ...login }: ActiveLogin, reason: string) {
  const ended = { ...login, _tag: "Ended" as const, reason, endedAtMs: yield* Clock.currentTimeMillis }
  yield* save(ended)
  return yield* new LoginNeeded({ message: endedSentence(ended) })
})

/** Retried until it succeeds, because the service has already replaced the tokens. */
const save = Effect.fnUntraced(function* (login: Login) {
  const file = yield* LoginFile
  const reasons = yield* Reasons
  yield* file.write(login).pipe(
    Effect.tapError((error) => reasons.set(reasonKey, `The new tokens can't be stored. ${error.message}`)),
    Effect.retry(pauses),
    Effect.orDie
  )
})
