/**
 * One request to Xero and its complete answer. No retries. Without a valid answer it fails with a verdict: Xero may or
 * may not have acted on the request.
 */
import { Clock, type Duration, Effect, Option } from "effect"
import { HttpClient, type HttpClientRequest } from "effect/http"
import { bodyText } from "../../src/Runtime/BodyText.ts"
import { type Answer, silent, unreachable } from "./XeroAnswer.ts"

export interface Exchange {
  readonly request: HttpClientRequest.HttpClientRequest
  /** A name for people. */
  readonly host: string
  /** How long to wait for an answer, to its last byte. */
  readonly patience: Duration.Duration
}

/** Several times a page of 1,000 journals. A longer text is cut off, so it can't be read. */
const mostCharacters = 16 * 2 ** 20

export const exchange = Effect.fnUntraced(
  function* ({ request }: Exchange) {
    const client = HttpClient.withScope(yield* HttpClient.HttpClient)
    const response = yield* client.execute(request)
    const answer: Answer = {
      status: response.status,
      text: yield* bodyText(response, mostCharacters),
      headers: response.headers,
      receivedMs: yield* Clock.currentTimeMillis,
      secrets: []
    }
    return answer
  },
  Effect.scoped,
  (exchange, { host, patience }) =>
    exchange.pipe(
      Effect.catchTag("HttpClientError", (error) => Effect.fail(unreachable(host, error))),
      Effect.timeoutOption(patience),
      Effect.flatMap(Option.match({ onNone: () => Effect.fail(silent(host, patience)), onSome: Effect.succeed }))
    )
)
