/**
 * The token endpoint's Retry-After: no request is sent before it, a long one is shown with its end, and only one longer
 * than SITELEDGER_LONGEST_PAUSE is cut short.
 */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { LoginFile } from "../../../connectors/construction/ConstructionAuth/LoginFile.ts"
import type { AuthServer } from "./AuthServer.ts"
import { environment, get, loggedIn, passing, reasons, second, tokens, waiting } from "./Tokens.ts"
import { within } from "./Within.ts"

const confidential = { clientId: "server-app", clientSecret: "hush" }
const day = "86400"
const refusalFor = (status: number, retryAfter: string) => ({ status, headers: { "retry-after": retryAfter } })

/** The time of the next request, in seconds since the test began. */
const nextRequest = Effect.fnUntraced(function* (server: AuthServer) {
  const before = server.grants.length
  while (server.grants.length === before) yield* second
  return (yield* Clock.currentTimeMillis) / 1000
})

describe("Retry-After of the token endpoint", () => {
  it.effect.each([
    { status: 429, retryAfter: "40" },
    { status: 503, retryAfter: "Thu, 01 Jan 1970 00:00:40 GMT" },
    { status: 502, retryAfter: "39.5" },
    { status: 400, retryAfter: "40" }
  ])("of $retryAfter keeps the next request back (status $status), and isn't worth a date", ({ retryAfter, status }) =>
    within(confidential, (server) =>
      Effect.gen(function* () {
        server.settings.refusal = {
          ...(status === 400 ? { error: "temporarily_unavailable" } : {}),
          ...refusalFor(status, retryAfter)
        }
        const { fiber, sentence } = yield* waiting
        assert.include(sentence, `it answered ${status}.`)
        assert.notInclude(sentence, "until")
        server.settings.refusal = null
        assert.isAtLeast(yield* nextRequest(server), 39)
        assert.isTrue(server.isGood(yield* passing(fiber)))
        assert.strictEqual(server.grants.length, 2)
        assert.deepStrictEqual(yield* reasons, [])
      })
    )
  )

  it.effect("of a day is a reason with its end; one request an hour asks whether it still holds", () =>
    within(confidential, (server) =>
      Effect.gen(function* () {
        server.settings.refusal = refusalFor(429, day)
        const { fiber, sentence } = yield* waiting
        assert.match(
          sentence,
          / It asked for no requests until 1970-01-02T00:00:0\dZ \(Retry-After\)\. One asks again every 1h\.$/
        )
        yield* TestClock.adjust("59 minutes")
        assert.strictEqual(server.grants.length, 1)
        assert.isAtLeast(yield* nextRequest(server), 3600)
        server.settings.refusal = null
        yield* TestClock.adjust("59 minutes")
        assert.isAtLeast(yield* nextRequest(server), 7200)
        assert.isTrue(server.isGood(yield* passing(fiber)))
        assert.deepStrictEqual(yield* reasons, [])
      })
    )
  )

  it.effect("of more than a minute is waited for to its end", () =>
    within(confidential, (server) =>
      Effect.gen(function* () {
        server.settings.refusal = refusalFor(503, "90")
        const { fiber, sentence } = yield* waiting
        assert.match(sentence, /until 1970-01-01T00:01:3\dZ \(Retry-After\)\.$/)
        assert.isAtLeast(yield* nextRequest(server), 90)
        yield* Fiber.interrupt(fiber)
      })
    )
  )

  it.effect("beyond SITELEDGER_LONGEST_PAUSE is asked again after that", () =>
    within(confidential, (server, dataDir) =>
      Effect.gen(function* () {
        server.settings.refusal = refusalFor(503, "3600")
        const { fiber, sentence } = yield* waiting
        assert.include(sentence, "One asks again every 2m.")
        const askedAt = yield* nextRequest(server)
        assert.isAtLeast(askedAt, 120)
        assert.isAtMost(askedAt, 130)
        yield* Fiber.interrupt(fiber)
      }).pipe(Effect.provide(tokens({ ...environment(server, dataDir), SITELEDGER_LONGEST_PAUSE: "2 minutes" })))
    )
  )

  it.effect("doesn't hold back a login that needs no request, and holds back every way that needs one", () =>
    within(confidential, (server) =>
      Effect.gen(function* () {
        yield* loggedIn(server)
        yield* TestClock.adjust("1 hour")
        server.settings.refusal = refusalFor(429, day)
        const first = yield* waiting
        const { access } = yield* loggedIn(server)
        assert.strictEqual(yield* passing(first.fiber), access)
        assert.deepStrictEqual(yield* reasons, [])
        assert.strictEqual(server.grants.length, 1)
        // Without the login, only the client's secret is left.
        yield* Effect.flatMap(LoginFile, (file) => file.locked(file.remove))
        const fiber = yield* Effect.forkChild(get)
        yield* TestClock.adjust("58 minutes")
        assert.strictEqual(server.grants.length, 1)
        server.settings.refusal = null
        assert.isAtLeast(yield* nextRequest(server), 7200)
        assert.isTrue(server.isGood(yield* passing(fiber)))
      })
    )
  )
})
