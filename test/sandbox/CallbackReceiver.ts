/**
 * A receiver for the sandbox's tests: a real HTTP server that hands every delivery to a queue, raw, and answers what
 * the test says (200 by default).
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Queue } from "effect"
import { HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { createHmac } from "node:crypto"
import { createServer } from "node:http"

export interface Received {
  readonly path: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
}

export const text = (received: Received): string => Buffer.from(received.body).toString("utf8")

export const signedWith = (secret: string, received: Received): boolean =>
  createHmac("sha256", secret).update(received.body).digest("hex") === received.headers["x-service-signature"]

export const eventType = (received: Received): string => received.headers["x-service-event-type"] ?? ""

export const make = Effect.fnUntraced(function* (
  answer: (received: Received) => Effect.Effect<number> = () => Effect.succeed(200)
) {
  const inbox = yield* Queue.unbounded<Received>()
  const server = yield* NodeHttpServer.make(createServer, { host: "127.0.0.1", port: 0 })
  const handle = Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const body = new Uint8Array(yield* Effect.orDie(request.arrayBuffer))
    const received = { path: request.url, headers: { ...request.headers }, body }
    yield* Queue.offer(inbox, received)
    return HttpServerResponse.empty({ status: yield* answer(received) })
  })
  // A server runs its handler uninterruptibly: without this, a client that hangs up would not end it.
  yield* server.serve(Effect.interruptible(handle))
  return { url: `${HttpServer.formatAddress(server.address)}/hooks`, inbox }
})
