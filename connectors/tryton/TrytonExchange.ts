/**
 * One JSON-RPC request to Tryton and the text of its answer, within a time limit. No retries: the caller knows whether
 * asking twice is safe.
 */
import { type Duration, Effect } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import * as Json from "../../src/Domain/Json.ts"
import { bodyText } from "../../src/Runtime/BodyText.ts"
import { whyUnreached } from "../../src/Runtime/NetworkFailure.ts"
import { type Answer, silent, unreachable } from "./TrytonAnswer.ts"

export interface Server {
  /** Its path is the database's name. */
  readonly url: URL
  /** How long to wait for an answer. */
  readonly patience: Duration.Duration
}

/** No requested list is nearly this long; a text that is cut off isn't JSON. */
const mostCharacters = 4 * 2 ** 20

/** `authorization`: that of a session; undefined for the login. */
export const exchange = (
  { patience, url }: Server,
  method: string,
  params: ReadonlyArray<unknown>,
  authorization?: string
) =>
  send(requestOf(url, method, params, authorization)).pipe(
    Effect.scoped,
    Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.fail(silent(patience)) }),
    // A span would contain the address, with the database.
    Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
    Effect.catchTag("HttpClientError", (error) => Effect.fail(unreachable(whyUnreached(error))))
  )

const requestOf = (url: URL, method: string, params: ReadonlyArray<unknown>, authorization: string | undefined) => {
  const request = HttpClientRequest.post(withSlash(url)).pipe(
    HttpClientRequest.acceptJson,
    // Tryton answers with an error object only to exactly these three fields; to others it answers with a page.
    HttpClientRequest.bodyText(Json.stringify({ id: 1, method, params }), "application/json")
  )
  return authorization === undefined ? request : HttpClientRequest.setHeader(request, "authorization", authorization)
}

/** Without it, Tryton redirects. */
const withSlash = (url: URL): URL => new URL(`${url.origin}${url.pathname.replace(/\/*$/, "/")}`)

const send = Effect.fnUntraced(function* (request: HttpClientRequest.HttpClientRequest) {
  const client = HttpClient.withScope(yield* HttpClient.HttpClient)
  const response = yield* client.execute(request)
  return {
    status: response.status,
    text: yield* bodyText(response, mostCharacters),
    retryAfter: response.headers["retry-after"]
  } satisfies Answer as Answer
})
