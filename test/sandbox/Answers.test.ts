/** What counts as delivered: a 2xx status within 10 seconds; the body of the answer is irrelevant. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import { Sandbox, type SandboxOptions } from "../../sandbox/Sandbox.ts"
import { subscribeAt } from "./Outliving.ts"

const calm: SandboxOptions = { eventsPerSecond: 0, duplicates: 0, disorder: 0, concurrency: 1 }

/** A receiver that writes its own answers; the sockets that came, and when one has closed. */
const receiving = Effect.fnUntraced(function* (answer: (response: ServerResponse) => void) {
  const closed = yield* Deferred.make<void>()
  const sockets = new Set<IncomingMessage["socket"]>()
  const server = createServer((request, response) => {
    if (!sockets.has(request.socket)) {
      sockets.add(request.socket)
      request.socket.once("close", () => Deferred.doneUnsafe(closed, Effect.void))
    }
    request.resume().once("end", () => answer(response))
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  )
  const { port } = server.address() as AddressInfo
  const sandbox = yield* Sandbox.start(calm)
  yield* subscribeAt(sandbox.authUrl, `http://127.0.0.1:${port}/`)
  return { sandbox, sockets, closed: Deferred.await(closed) }
})

describe("A delivery", () => {
  it.effect("is delivered by the status, though the body never ends, and the connection is closed", () =>
    Effect.gen(function* () {
      const { closed, sandbox } = yield* receiving((response) => response.writeHead(200).write("thanks"))
      // No time passes before the outcome.
      yield* sandbox.deliveries.until((counts) => counts.delivered === 1)
      yield* sandbox.emit(1)
      yield* sandbox.deliveries.until((counts) => counts.delivered === 2)
      yield* TestClock.adjust("2 seconds")
      yield* closed
      assert.strictEqual(sandbox.deliveries.counts().attempts, 2)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("is delivered, though the body is endless, of which only the beginning is read", () =>
    Effect.gen(function* () {
      let written = 0
      const pour = (response: ServerResponse) => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384))) written += 16_384
        response.once("drain", () => pour(response))
      }
      const { closed, sandbox } = yield* receiving((response) => pour(response.writeHead(202)))
      yield* sandbox.deliveries.until((counts) => counts.delivered === 1)
      // By the size: no time passes.
      yield* closed
      assert.isBelow(written, 32_000_000)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("waits for a retry if the status isn't 2xx, though the body never ends", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* receiving((response) => response.writeHead(500).write("sorry"))
      yield* sandbox.deliveries.until((counts) => counts.attempts === 1)
      assert.strictEqual(sandbox.deliveries.counts().waiting, 1)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  for (const length of [0, 20_000]) {
    it.effect(`uses the connection of the one before it if that one's body of ${length} bytes ended`, () =>
      Effect.gen(function* () {
        const { sandbox, sockets } = yield* receiving((response) => response.writeHead(200).end("x".repeat(length)))
        yield* sandbox.deliveries.until((counts) => counts.delivered === 1)
        for (let sent = 2; sent < 30; sent++) {
          yield* sandbox.emit(1)
          yield* sandbox.deliveries.until((counts) => counts.delivered === sent)
        }
        assert.isAtMost(sockets.size, 2)
      }).pipe(Effect.provide(NodeHttpClient.layerUndici))
    )
  }
})
