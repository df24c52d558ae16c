/**
 * One POST of an entry to the accounting sink: its bytes, its key, its signature, and what came back. Never fails:
 * whatever keeps an answer from coming is a verdict too.
 */
import { createHmac, createSecretKey, type KeyObject } from "node:crypto"
import { Clock, Duration, Effect, Option, Stream } from "effect"
import { HttpClient, type HttpClientError, HttpClientRequest, type HttpClientResponse } from "effect/http"
import type { OutboxMessage } from "./Messages.ts"
import * as SinkAnswer from "./SinkAnswer.ts"
import * as SinkEntry from "./SinkEntry.ts"

export interface Target {
  readonly url: URL
  readonly secret: string
  readonly key: KeyObject
  /** For an answer. */
  readonly patience: Duration.Duration
}

export const target = (url: URL, secret: string, patience: Duration.Duration): Target => ({
  url,
  secret,
  key: createSecretKey(secret, "utf8"),
  patience
})

export const post = Effect.fnUntraced(
  function* ({ key, secret, url }: Target, { entry, status }: OutboxMessage) {
    const client = HttpClient.withScope(yield* HttpClient.HttpClient)
    const body = SinkEntry.encode(SinkEntry.of(entry, status))
    const request = HttpClientRequest.post(url).pipe(
      HttpClientRequest.setHeaders({
        "idempotency-key": entry.entry_id,
        "x-siteledger-signature": createHmac("sha256", key).update(body).digest("hex")
      }),
      HttpClientRequest.bodyUint8Array(body, "application/json")
    )
    const response = yield* client.execute(request)
    const answer = {
      status: response.status,
      text: yield* beginning(response),
      retryAfter: response.headers["retry-after"]
    }
    return SinkAnswer.judge(answer, entry.entry_id, secret, yield* Clock.currentTimeMillis)
  },
  Effect.scoped,
  (exchange, { patience }) =>
    Effect.timeoutOption(exchange, patience).pipe(
      Effect.map(Option.getOrElse(() => SinkAnswer.silent(patience))),
      Effect.catchTag("HttpClientError", (error) => Effect.succeed(SinkAnswer.unreachable(codeOf(error))))
    )
)

const codeOf = ({ cause }: HttpClientError.HttpClientError): string | undefined =>
  (cause as { readonly code?: string } | undefined)?.code

/** An answer's status counts at once; its words are only waited for this long, and only so many characters. */
const wordsPatience = Duration.seconds(1)
const mostCharacters = 4096

const beginning = (response: HttpClientResponse.HttpClientResponse): Effect.Effect<string> => {
  let text = ""
  const read = Stream.runForEachWhile(Stream.decodeText(response.stream), (piece) =>
    Effect.sync(() => (text += piece).length < mostCharacters)
  )
  return Effect.map(Effect.ignore(Effect.timeout(read, wordsPatience)), () => text)
}
