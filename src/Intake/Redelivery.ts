/**
 * Redelivers this Store's events to the receiver of another worker: after a return to an older version, whose store
 * lacks everything that was taken since. Each event is signed with a secret of this Store that the other worker knows.
 *
 * Nothing changes here. The other worker counts an event that it has and takes one that it lacks, so an interrupted
 * redelivery can be started again. An answer that means "later" is waited out; any other answer ends the redelivery or
 * is counted. First a forged event is sent: a server that doesn't refuse it, such as a page that answers everything
 * with 200, isn't a receiver, and no other event is sent to it.
 */
import { createSecretKey, randomBytes } from "node:crypto"
import { Duration, Effect, Schedule, Schema } from "effect"
import { HttpBody, HttpClient, HttpClientError, HttpClientRequest } from "effect/http"
import type { Event } from "../Domain/Event.ts"
import type { Instant } from "../Domain/Instant.ts"
import { Store } from "../Stores/Store.ts"
import type { Delivered, Signing } from "./Receiver/Signing.ts"
import { Keyring, type Secret } from "./Secrets/Keyring.ts"

export class RedeliveryError extends Schema.TaggedError<RedeliveryError>()("RedeliveryError", {
  isLater: Schema.Boolean,
  message: Schema.String
}) {}

export interface Redelivered {
  /** Answered 2xx: the other worker has these on disk. */
  readonly taken: number
  /** Signed with no secret that the other worker knows, or refused because of their contents. */
  readonly refused: number
}

const requestTimeout = Duration.seconds(10)
const atOnce = 8

/** For a receiver that is starting or overloaded. */
const patience = Schedule.spaced("1 second").pipe(Schedule.upTo({ times: 30 }))

const stranger = (status: number) =>
  new RedeliveryError({
    isLater: false,
    message:
      `What answers there isn't a receiver of siteledger: it answers a forged event with ${status}, and not with 401. ` +
      "Nothing was delivered: check the address and the path of --to."
  })

const failed = (what: string, isLater: boolean) =>
  new RedeliveryError({ isLater, message: `The receiver ${what}. Nothing is lost: run the same command again.` })

const codes = { unknown: 401, busy: 429, failing: 500 }

const why = (error: unknown): string =>
  HttpClientError.isHttpClientError(error) ? "can't be reached" : "doesn't answer"

/** The status of the answer. */
const post = Effect.fnUntraced(
  function* (to: URL, headers: Readonly<Record<string, string>>, body: Uint8Array) {
    const client = yield* HttpClient.HttpClient
    const request = HttpClientRequest.post(to.href).pipe(
      HttpClientRequest.setHeaders(headers),
      HttpClientRequest.setBody(HttpBody.uint8Array(body, "application/json"))
    )
    const { status } = yield* client.execute(request).pipe(
      Effect.timeout(requestTimeout),
      Effect.scoped,
      Effect.mapError((error) => failed(why(error), true))
    )
    if (status === codes.busy || status >= codes.failing) return yield* failed(`answers ${status}`, true)
    return status
  },
  Effect.retry({ schedule: patience, while: ({ isLater }) => isLater })
)

const forged: Delivered = { body: Buffer.from("{}"), eventId: "forged", headerType: null, issuedAt: null }

const probe = Effect.fnUntraced(function* (signing: Signing, to: URL) {
  const status = yield* post(to, signing.headersOf(createSecretKey(randomBytes(32)), forged), forged.body)
  if (status !== codes.unknown) return yield* stranger(status)
})

/** Tries the secret that the other worker last accepted first. */
const sending = (signing: Signing, to: URL, secrets: ReadonlyArray<Secret>) => {
  let order = secrets
  return Effect.fnUntraced(function* (event: Event) {
    for (const secret of order) {
      const status = yield* post(to, signing.headersOf(secret.key, event), event.body)
      if (status === codes.unknown) continue
      if (secret !== order[0]) order = [secret, ...secrets.filter((other) => other !== secret)]
      return status >= 200 && status < 300
    }
    return false
  })
}

/** `since`: only events that arrived from then on. A ping belongs to another subscription and isn't sent. */
export const redeliver = Effect.fn("redeliver")(function* (signing: Signing, to: URL, since: Instant | undefined) {
  const { deliveries } = yield* Store
  const send = sending(signing, to, (yield* Keyring).valid().toReversed())
  const isMeant = ({ eventId, headerType, issuedAt, receivedAt }: Event): boolean =>
    (since === undefined || receivedAt >= since) && !signing.isPing({ eventId, type: headerType, issuedAt })
  yield* probe(signing, to)
  let [taken, refused] = [0, 0]
  for (let after = 0, hasMore = true; hasMore;) {
    const read = yield* deliveries.stored(after)
    const answers = yield* Effect.forEach(read.events.filter(isMeant), send, { concurrency: atOnce })
    taken += answers.filter((isTaken) => isTaken).length
    refused += answers.filter((isTaken) => !isTaken).length
    after = read.through
    hasMore = read.hasMore
  }
  return { taken, refused } satisfies Redelivered
})
