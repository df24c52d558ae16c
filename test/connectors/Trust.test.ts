/** A certificate that isn't trusted: the handshake is tried again with growing pauses, over TLS only. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { selfSigned } from "../Certificates.ts"
import { calling, listed } from "./Called.ts"
import { get, reasons, second } from "./ConstructionAuth/Tokens.ts"

const settled = Effect.promise(() => new Promise((done) => setTimeout(done, 5)))

describe("a self-signed certificate", () => {
  for (const [where, call] of Object.entries({
    "the API": Effect.asVoid(listed),
    "the token endpoint": Effect.asVoid(get)
  })) {
    it.effect(`at ${where} is tried again with pauses that grow to a minute`, () =>
      calling(
        (response) => response.writeHead(200).end("{}"),
        (service) =>
          Effect.gen(function* () {
            const fiber = yield* Effect.forkChild(call)
            const times: Array<number> = []
            while ((yield* Clock.currentTimeMillis) < 300_000) {
              yield* Effect.andThen(second, settled)
              while (times.length < service.connections) times.push(yield* Clock.currentTimeMillis)
            }
            yield* Fiber.interrupt(fiber)
            assert.match((yield* reasons).join(), /certificate is self-signed/)
            assert.isAtLeast(times.length, 8)
            assert.isAtMost(times.length, 16)
            assert.isAtLeast((times.at(-1) ?? 0) - (times.at(-2) ?? 0), 45_000)
            assert.deepStrictEqual(service.came, [])
          }),
        { tls: selfSigned() }
      )
    )
  }
})
