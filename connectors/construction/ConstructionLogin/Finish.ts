/**
 * The end of every way of logging in: the tokens are on disk, sealed, before success is shown. If it fails, an earlier
 * login stays as it was. A running worker notices the file by itself.
 */
import { Clock, Duration, Effect, Schema } from "effect"
import { userName } from "../../../config/Environment.ts"
import { ClientSettings } from "../../../config/Settings.ts"
import { type Authorization, readRedirect } from "../ConstructionAuth/Authorization.ts"
import type { Tokens } from "../ConstructionAuth/Grant.ts"
import { type ActiveLogin, LoginFile, stored } from "../ConstructionAuth/LoginFile.ts"
import { requestUnpaced } from "../ConstructionAuth/TokenEndpoint.ts"

export class LoginError extends Schema.TaggedError<LoginError>()("LoginError", { message: Schema.String }) {}

const life = Duration.minutes(10)

/** A person must consent within 10 minutes. */
export const inTime = <A, E, R>(consent: Effect.Effect<A, E, R>) =>
  Effect.timeoutOrElse(consent, {
    duration: life,
    orElse: () =>
      Effect.fail(
        new LoginError({ message: `The login wasn't finished within ${Duration.format(life)}. Start again.` })
      )
  })

/** Redeems what a redirect with this login's state contains. */
export const redeem = Effect.fnUntraced(function* (authorization: Authorization, parameters: URLSearchParams) {
  const code = yield* Effect.mapError(
    Effect.fromResult(readRedirect(authorization, parameters)),
    (message) => new LoginError({ message })
  )
  const tokens = yield* requestUnpaced({
    grant_type: "authorization_code",
    code,
    redirect_uri: authorization.redirectUri,
    code_verifier: authorization.verifier
  })
  return yield* keep(tokens)
})

export interface LoggedIn {
  readonly login: ActiveLogin
  /** Scopes that weren't granted. */
  readonly missing: ReadonlyArray<string>
}

export const keep = Effect.fnUntraced(function* (tokens: Tokens) {
  const client = yield* ClientSettings
  const file = yield* LoginFile
  const now = yield* Clock.currentTimeMillis
  const login: ActiveLogin = {
    _tag: "Active",
    authUrl: client.authUrl.href,
    clientId: client.clientId,
    by: yield* userName,
    loggedInAtMs: now,
    scopes: tokens.scopes ?? client.scopes,
    tokens: stored(tokens, null, now)
  }
  yield* file.locked(file.write(login))
  const loggedIn: LoggedIn = { login, missing: client.scopes.filter((scope) => !login.scopes.includes(scope)) }
  return loggedIn
})
