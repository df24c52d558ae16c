/**
 * A login whose browser can't return to this machine: the person copies the address at which the browser ended, and
 * pastes it. State, issuer and code are checked like those of a redirect. Nothing listens, and a code alone is refused:
 * without a state, it could belong to another login.
 */
import { randomInt } from "node:crypto"
import { Effect, Option, Result } from "effect"
import { ClientSettings } from "../../../config/Settings.ts"
import { begin, hasState, makeState } from "../ConstructionAuth/Authorization.ts"
import { uriAt } from "../ConstructionAuth/Redirect.ts"
import { inTime, LoginError, redeem } from "./Finish.ts"

/** Where nothing listens (RFC 6335 §6). */
const dynamicPorts = { first: 49_152, end: 65_536 }

/** `show` gets the address that the person must open; `read` waits for what they paste. */
export const logInByPaste = Effect.fnUntraced(function* <R, E, R2>(
  show: (url: string) => Effect.Effect<void, never, R>,
  read: Effect.Effect<string, E, R2>,
  port = randomInt(dynamicPorts.first, dynamicPorts.end)
) {
  const client = yield* ClientSettings
  const state = makeState()
  const uri = Option.getOrElse(client.redirectUri, () => uriAt(port))
  const authorization = begin(client, uri, state)
  yield* show(authorization.url.href)
  const pasted = yield* inTime(read)
  const parameters = yield* Effect.mapError(
    Effect.fromResult(readPasted(pasted, uri, state)),
    (message) => new LoginError({ message })
  )
  return yield* redeem(authorization, parameters)
})

/** The parameters of the pasted address, or a sentence that repeats nothing of it. */
const readPasted = (pasted: string, uri: string, state: string): Result.Result<URLSearchParams, string> => {
  if (pasted.trim() === "") return Result.fail("Nothing was pasted. Start again.")
  const url = URL.parse(pasted.trim().replace(/^["'<]+|["'>]+$/g, ""))
  if (url === null || !/^https?:$/.test(url.protocol)) return Result.fail(noAddress)
  const expected = new URL(uri)
  if (url.origin !== expected.origin || url.pathname !== expected.pathname) {
    return Result.fail(
      `The browser didn't end at this address: consent first, then paste the one that begins with ${uri}.`
    )
  }
  return hasState(url.searchParams, state)
    ? Result.succeed(url.searchParams)
    : Result.fail("This address belongs to another login (its state is different). Start again.")
}

const noAddress =
  "Paste the whole address that the browser ended at: a code alone isn't accepted, because it has no state that ties it to this login."
