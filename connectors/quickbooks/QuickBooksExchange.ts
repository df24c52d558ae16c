/**
 * One request to Intuit and the text of its answer, within a time limit. No retries: the caller knows whether asking
 * twice is safe.
 */
import { type Duration, Effect, type Scope } from "effect"
import { HttpClient, type HttpClientError, type HttpClientRequest } from "effect/http"
import { bodyText } from "../../src/Runtime/BodyText.ts"
import { whyUnreached } from "../../src/Runtime/NetworkFailure.ts"
import { type Answer, silent, unreachable } from "./QuickBooksAnswer.ts"

/** A thousand accounts take less than this; a text that is cut off isn't JSON. */
const mostCharacters = 16 * 2 ** 20

/** `askAgainMs`: if there is no answer, Intuit must not be asked before this. */
export const exchange = (
  request: HttpClientRequest.HttpClientRequest,
  patience: Duration.Duration,
  askAgainMs?: number
) =>
  send(request).pipe(
    Effect.scoped,
    Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.fail(silent(patience, askAgainMs)) }),
    // A span would contain the address, with what is asked for.
    Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
    Effect.catchTag("HttpClientError", (error) => Effect.fail(unreachable(whyUnreached(error))))
  )

const send = Effect.fnUntraced(function* (
  request: HttpClientRequest.HttpClientRequest
): Effect.fn.Return<Answer, HttpClientError.HttpClientError, HttpClient.HttpClient | Scope.Scope> {
  const client = HttpClient.withScope(yield* HttpClient.HttpClient)
  const response = yield* client.execute(request)
  return {
    status: response.status,
    text: yield* bodyText(response, mostCharacters),
    retryAfter: response.headers["retry-after"]
  }
})
