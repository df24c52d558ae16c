/**
 * A person logs in (interface document §5; steps as in RFC 6749 §4.1, RFC 7636, RFC 8252): a page of the service in a
 * browser, a redirect back to this machine, and tokens that are on disk, sealed, before success is shown.
 *
 * A login attempt lives for 10 minutes and takes one redirect. If it fails, an earlier login stays as it was. A running
 * worker notices the file by itself.
 */
import { Clock, Duration, Effect, Result, Schema } from "effect"
import { userName } from "../../config/Environment.ts"
import { ClientSettings } from "../../config/Settings.ts"
import * as Instant from "../../src/Domain/Instant.ts"
import { type Authorization, begin, hasState, makeState, readRedirect } from "./ConstructionAuth/Authorization.ts"
import { type ActiveLogin, endedSentence, LoginFile, stored } from "./ConstructionAuth/LoginFile.ts"
import { type Arrived, listen, type Page } from "./ConstructionAuth/Redirect.ts"
import { requestUnpaced, TokenEndpoint } from "./ConstructionAuth/TokenEndpoint.ts"

export class LoginError extends Schema.TaggedError<LoginError>()("LoginError", { message: Schema.String }) {}

const life = Duration.minutes(10)

/** `show` gets the address that the person must open. */
export const logIn = <R>(show: (url: string) => Effect.Effect<void, never, R>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const client = yield* ClientSettings
      const state = makeState()
      const redirect = yield* listen((parameters) => hasState(parameters, state))
      const authorization = begin(client, redirect.uri, state)
      yield* show(authorization.url.href)
      const arrived = yield* Effect.timeoutOrElse(redirect.arrived, { duration: life, orElse: () => notFinished })
      const outcome = yield* Effect.result(complete(authorization, arrived))
      yield* arrived.answer(pageOf(outcome))
      return yield* Effect.fromResult(outcome)
    })
  )

const notFinished = Effect.fail(
  new LoginError({ message: `The login wasn't finished within ${Duration.format(life)}. Start again.` })
)

const complete = Effect.fnUntraced(function* (authorization: Authorization, { parameters }: Arrived) {
  const { redirectUri, verifier } = authorization
  const client = yield* ClientSettings
  const file = yield* LoginFile
  const code = yield* Effect.mapError(
    Effect.fromResult(readRedirect(authorization, parameters)),
    (message) => new LoginError({ message })
  )
  const tokens = yield* requestUnpaced({
    grant_type: "authorization_code",
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier
  })
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
  return { login, missing: client.scopes.filter((scope) => !login.scopes.includes(scope)) }
})

const pageOf = (outcome: Result.Result<unknown, { readonly message: string }>): Page =>
  Result.match(outcome, {
    onSuccess: () => ({
      status: 200,
      title: "Logged in",
      text: "siteledger may now read what you have allowed. You can close this window."
    }),
    onFailure: ({ message }) => ({
      status: 400,
      title: "Not logged in",
      text: `${escaped(message)} You can close this window; the terminal says the same.`
    })
  })

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** The file's contents without secrets; `problem` if there is no usable login. */
export const describe = Effect.gen(function* () {
  const file = yield* LoginFile
  const found = yield* file.read
  if (found._tag === "None") return { lines: [], problem: "There is no login: run `siteledger login`." }
  if (found._tag === "Unusable") return { lines: [], problem: found.sentence }
  const lines = [
    `client   ${found.clientId} at ${found.authUrl}`,
    `by       ${found.by}, ${Instant.fromMillis(found.loggedInAtMs)}`,
    `scopes   ${found.scopes.join(" ") || "not known"}`
  ]
  if (found._tag === "Ended") return { lines, problem: endedSentence(found) }
  return { lines: [...lines, `expires  ${expiry(found)}`], problem: undefined }
})

const expiry = ({ tokens: { expiresAtMs, refresh } }: ActiveLogin): string => {
  const at = expiresAtMs === null ? "not known" : Instant.fromMillis(expiresAtMs)
  return refresh === null ? `${at}; then the login ends` : `${at}; renewed by itself`
}

/** Revokes the login if the service offers that, and removes it from this machine; returns what happened. */
export const forget = Effect.gen(function* () {
  const file = yield* LoginFile
  const endpoint = yield* TokenEndpoint
  const forgetting = Effect.gen(function* () {
    const found = yield* file.read
    if (found._tag === "None") return "There was no login."
    const token = found._tag === "Active" ? (found.tokens.refresh ?? found.tokens.access) : undefined
    const isRevoked = token !== undefined && (yield* endpoint.revoke(token))
    yield* file.remove
    if (isRevoked) return "The login is removed, and its tokens are revoked."
    if (found._tag === "Ended") return "The login, which had ended, is removed."
    return "The login is removed here. Its tokens could not be revoked: end siteledger's access in the service too."
  })
  return yield* file.locked(forgetting)
})
