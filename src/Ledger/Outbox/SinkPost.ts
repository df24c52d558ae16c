/**
 * One POST of an entry to the accounting sink: its bytes, its key, its signature, and the verdict on the answer. Never
 * fails: a missing answer is a verdict too.
 */
import { createHmac, createSecretKey, type KeyObject } from "node:crypto"
import { Clock, Duration, Effect, Option, Stream } from "effect"
import { HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { codeOf } from "../../Runtime/SystemFailure.ts"
import type { Adapter } from "./Adapter.ts"
import type { OutboxMessage } from "./Due.ts"
import * as SinkAnswer from "./SinkAnswer.ts"
import * as SinkEntry from "./SinkEntry.ts"

interface Target {
  readonly url: URL
  readonly secret: string
  readonly key: KeyObject
  /** How long to wait for an answer. */
  readonly patience: Duration.Duration
}

export const adapter = (url: URL, secret: string, patience = Duration.seconds(10)): Adapter => {
  const target = { url, secret, key: createSecretKey(secret, "utf8"), patience }
  return { post: (message) => post(target, message) }
}

const post = Effect.fnUntraced(
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
      Effect.catchTag("HttpClientError", ({ cause }) => Effect.succeed(SinkAnswer.unreachable(codeOf(cause))))
    )
)

/** The status alone is enough; the text is awaited only this long and read only this far. */
const wordsPatience = Duration.seconds(1)
const mostCharacters = 4096

const beginning = (response: HttpClientResponse.HttpClientResponse): Effect.Effect<string> => {
  let text = ""
  const read = Stream.runForEachWhile(Stream.decodeText(response.stream), (piece) =>
    Effect.sync(() => (text += piece).length < mostCharacters)
  )
  return Effect.map(Effect.ignore(Effect.timeout(read, wordsPatience)), () => text)
}
