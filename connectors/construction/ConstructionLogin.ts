/**
 * A person logs in (interface document §5; steps as in RFC 6749 §4.1, RFC 7636, RFC 8252): on a page of the service in
 * a browser, which redirects back to this machine. ConstructionLogin/ has the ways for a machine to which no browser
 * can return.
 *
 * A login attempt lives for 10 minutes and accepts one redirect.
 */
import { Effect, Option, Result } from "effect"
import { ClientSettings } from "../../config/Settings.ts"
import * as Instant from "../../src/Domain/Instant.ts"
import { begin, hasState, makeState } from "./ConstructionAuth/Authorization.ts"
import { type ActiveLogin, endedSentence, LoginFile } from "./ConstructionAuth/LoginFile.ts"
import { listen, type Page } from "./ConstructionAuth/Redirect.ts"
import { TokenEndpoint } from "./ConstructionAuth/TokenEndpoint.ts"
import { inTime, redeem } from "./ConstructionLogin/Finish.ts"

/** `show` gets the address that the person must open; `port` is the listener's. */
export const logIn = <R>(show: (url: string) => Effect.Effect<void, never, R>, port?: number) =>
  Effect.scoped(
    Effect.gen(function* () {
      const client = yield* ClientSettings
      const state = makeState()
      const fixed = { uri: Option.getOrUndefined(client.redirectUri), port }
      const redirect = yield* listen((parameters) => hasState(parameters, state), fixed)
      const authorization = begin(client, redirect.uri, state)
      yield* show(authorization.url.href)
      const arrived = yield* inTime(redirect.arrived)
      const outcome = yield* Effect.result(redeem(authorization, arrived.parameters))
      yield* arrived.answer(pageOf(outcome))
      return yield* Effect.fromResult(outcome)
    })
  )

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
