/**
 * One request to Xero and its answer, read whole. No retries. What isn't an answer fails with a verdict: Xero may or may not
 * have acted on the request.
 */
import { Clock, type Duration, Effect, Option } from "effect"
import { HttpClient, type HttpClientRequest } from "effect/http"
import { bodyText } from "../../src/Runtime/BodyText.ts"
import { type Answer, silent, unreachable } from "./XeroAnswer.ts"

export interface Exchange {
  readonly request: HttpClientRequest.HttpClientRequest
  /** As a person knows it. */
  readonly host: string
  /** For an answer, to its last byte. */
  readonly patience: Duration.Duration
}

/** Of a page of 1,000 journals, several times over. What is longer is cut off, so it can't be read. */
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
