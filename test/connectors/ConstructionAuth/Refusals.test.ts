/**
 * A token endpoint's errors: each has its own sentence, none repeats the service's text, and a login ends only when the
 * service says that its refresh token is invalid.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { LoginFile } from "../../../connectors/construction/ConstructionAuth/LoginFile.ts"
import { mark } from "./AuthServer.ts"
import { environment, get, loggedIn, passing, reasons, second, storedLogin, tokens, waiting } from "./Tokens.ts"
import { within } from "./Within.ts"

/** RFC 6749 §5.2, and what each sentence must contain. */
const errors = {
  invalid_request: /SITELEDGER_AUTH_URL/,
  invalid_client: /SITELEDGER_CLIENT_ID.*SITELEDGER_CLIENT_SECRET/,
  unauthorized_client: /may not use.*SITELEDGER_CLIENT_ID/,
  unsupported_grant_type: /doesn't offer.*SITELEDGER_AUTH_URL/,
  invalid_scope: /SITELEDGER_SCOPES/
}
const confidential = { clientId: "server-app", clientSecret: "hush+/ &=%" }

describe("a refusal", () => {
  for (const [name, given] of Object.entries({ "client credentials": confidential, "a refresh": {} })) {
    it.effect(`of ${name} has a sentence for each error, and ends when the service gives a token again`, () =>
      within(given, (server) =>
        Effect.gen(function* () {
          const sentences = new Set<string>()
          if (name === "a refresh") yield* loggedIn(server)
          yield* TestClock.adjust("1 hour")
          for (const [error, expected] of Object.entries(errors)) {
            server.settings.refusal = { status: error === "invalid_client" ? 401 : 400, error }
            const { message, reason } = yield* Effect.flip(get)
            assert.strictEqual(reason, "Refused")
            assert.match(message, expected)
            assert.include(message, error)
            assert.notInclude(message, mark)
            sentences.add(message)
          }
          assert.strictEqual(sentences.size, Object.keys(errors).length)
          server.settings.refusal = null
          assert.isTrue(server.isGood(yield* get))
          assert.deepStrictEqual(yield* reasons, [])
        })
      )
    )
  }

  it.effect.each([
    { status: 400, error: "invalid_grant", sentence: /SITELEDGER_CLIENT_SECRET/ },
    { status: 404, sentence: /no token endpoint.*SITELEDGER_AUTH_URL/ },
    { status: 403, sentence: /\(403\).*SITELEDGER_CLIENT_ID/ },
    { status: 400, error: `${mark} <b>`, sentence: /\(400\)/ },
    { status: 400, error: "of_its_own", sentence: /of_its_own/ }
  ])("of status $status with $error names what to check", ({ error, sentence, status }) =>
    within(confidential, (server) =>
      Effect.gen(function* () {
        server.settings.refusal = { status, ...(error === undefined ? {} : { error }) }
        const { message } = yield* Effect.flip(get)
        assert.match(message, sentence)
        assert.notInclude(message, mark)
      })
    )
  )

  it.effect.each([{ status: 500 }, { status: 429 }, { status: 400, error: "temporarily_unavailable" }])(
    "that is transient ($status $error) is retried with the same refresh token",
    (refusal) =>
      within({}, (server) =>
        Effect.gen(function* () {
          const { refresh } = yield* loggedIn(server)
          yield* TestClock.adjust("1 hour")
          server.settings.refusal = refusal
          const { fiber, sentence } = yield* waiting
          assert.include(sentence, String(refusal.status))
          while (server.refreshes < 3) yield* second
          server.settings.refusal = null
          assert.isTrue(server.isGood(yield* passing(fiber)))
          assert.deepStrictEqual(
            new Set(server.grants.map((form) => form.get("refresh_token"))),
            new Set([refresh ?? ""])
          )
          assert.deepStrictEqual(yield* reasons, [])
        })
      )
  )
})

describe("a login", () => {
  it.effect("ends when its refresh token was used before: nothing is asked again until a person logs in", () =>
    within({}, (server, dataDir) =>
      Effect.gen(function* () {
        const { refresh } = yield* loggedIn(server)
        // A thief was faster.
        const body = new URLSearchParams({ grant_type: "refresh_token", refresh_token: refresh ?? "" })
        body.set("client_id", server.settings.clientId)
        yield* Effect.promise(() => fetch(`${server.authUrl}/oauth/token`, { method: "POST", body }))
        yield* TestClock.adjust("1 hour")
        const { fiber, sentence } = yield* waiting
        assert.match(sentence, /^The login has ended \(.*used before; 1970-01-01T01.*\): run `siteledger login`\.$/)
        for (let round = 0; round < 20; round++) yield* second
        assert.strictEqual(server.refreshes, 2)
        const found = yield* storedLogin
        assert.strictEqual(found._tag, "Ended")
        assert.notInclude(JSON.stringify(found), mark)
        // Also after a restart.
        const again = environment(server, dataDir)
        const restarted = yield* Effect.forkChild(Effect.provide(get, tokens(again)))
        for (let round = 0; round < 20; round++) yield* second
        assert.strictEqual(server.refreshes, 2)
        const { access } = yield* loggedIn(server)
        assert.strictEqual(yield* passing(fiber), access)
        assert.strictEqual(yield* passing(restarted), access)
        assert.deepStrictEqual(yield* reasons, [])
      })
    )
  )

  it.effect("whose refreshed tokens were lost is tried once more, and ends cleanly", () =>
    within({ losesAnswers: 1 }, (server) =>
      Effect.gen(function* () {
        const { refresh } = yield* loggedIn(server)
        yield* TestClock.adjust("1 hour")
        const fiber = yield* Effect.forkChild(get)
        while ((yield* storedLogin)._tag !== "Ended") yield* second
        assert.deepStrictEqual(
          server.grants.map((form) => form.get("refresh_token")),
          [refresh, refresh] as Array<string>
        )
        yield* Fiber.interrupt(fiber)
      })
    )
  )

  it.effect("continues after a lost answer if the service accepts the same refresh token again", () =>
    within({ losesAnswers: 1, rotates: false }, (server) =>
      Effect.gen(function* () {
        yield* loggedIn(server)
        yield* TestClock.adjust("1 hour")
        const fiber = yield* Effect.forkChild(get)
        assert.isTrue(server.isGood(yield* passing(fiber)))
        assert.strictEqual(server.refreshes, 2)
      })
    )
  )

  it.effect("without a refresh token ends with its access token", () =>
    within({ refreshes: false }, (server) =>
      Effect.gen(function* () {
        yield* loggedIn(server)
        yield* TestClock.adjust("1 hour")
        const { fiber, sentence } = yield* waiting
        assert.match(sentence, /has ended.*no refresh token/)
        assert.strictEqual(server.grants.length, 0)
        yield* Fiber.interrupt(fiber)
      })
    )
  )

  it.effect("of another client, of another key, or damaged is refused by name, and no tokens are sent", () =>
    within({}, (server, dataDir) =>
      Effect.gen(function* () {
        yield* loggedIn(server)
        const given = environment(server, dataDir)
        const [otherClient, otherKey] = [{ SITELEDGER_CLIENT_ID: "other" }, { SITELEDGER_KEY: "ab".repeat(32) }]
        for (const [change, expected] of [
          [otherClient, /is for desk-app at .*, not for other at .*siteledger login/],
          [otherKey, /sealed with another key.*siteledger login/]
        ] as const) {
          const { fiber, sentence } = yield* Effect.provide(waiting, tokens({ ...given, ...change }))
          assert.match(sentence, expected)
          yield* Fiber.interrupt(fiber)
        }
        writeFileSync(join(dataDir, "login"), "sealed1.")
        const { fiber } = yield* waiting
        assert.strictEqual((yield* storedLogin)._tag, "Unusable")
        yield* Effect.flatMap(LoginFile, (file) => file.locked(file.remove))
        yield* Fiber.interrupt(fiber)
        assert.strictEqual(server.grants.length, 0)
      })
    )
  )
})
