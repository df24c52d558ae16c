/**
 * The session of siteledger's user: one login for all entries, another when it has ended, and few logins while a person
 * has to help.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { inTryton, message, reasonOf, started, taken } from "./TrytonWorld.ts"

const together = { concurrency: "unbounded" } as const
const many = (from: number) => Array.from({ length: 20 }, (_, index) => message(from + index))

describe("a session", () => {
  it.effect("is begun once for all entries, and once more when Tryton has ended it", () =>
    inTryton((server) =>
      Effect.gen(function* () {
        const post = yield* started(server)
        assert.deepStrictEqual(
          yield* Effect.forEach(many(1), post, together),
          Array.from({ length: 20 }, () => taken)
        )
        assert.deepStrictEqual([server.logins, server.books.filled.length], [1, 20])
        server.endSessions()
        assert.deepStrictEqual(
          yield* Effect.forEach(many(21), post, together),
          Array.from({ length: 20 }, () => taken)
        )
        assert.deepStrictEqual([server.logins, server.books.filled.length], [2, 40])
      })
    )
  )

  it.effect("that ends between two calls is replaced, and the entry is there once", () =>
    inTryton((server) =>
      Effect.gen(function* () {
        let isOver = false
        server.fault = ({ method }) => {
          if (method === "account.move.post" && !isOver) {
            isOver = true
            server.endSessions()
          }
          return undefined
        }
        assert.deepStrictEqual(yield* (yield* started(server))(message(1)), taken)
        assert.deepStrictEqual([server.logins, server.books.moves.length], [2, 1])
      })
    )
  )

  it.effect("that is refused as soon as it is given isn't asked for forever", () =>
    inTryton((server) =>
      Effect.gen(function* () {
        server.fault = ({ method }) => (method === "common.db.login" ? undefined : { status: 401 })
        const verdict = yield* (yield* started(server))(message(1))
        assert.strictEqual(verdict._tag, "Unavailable")
        assert.include(reasonOf(verdict), "the session that it has just given")
        assert.strictEqual(server.logins, 2)
      })
    )
  )
})

describe("a wrong password", () => {
  it.effect("is tried once a minute, however many entries wait, and says what to set", () =>
    inTryton((server) =>
      Effect.gen(function* () {
        const post = yield* started(server, { password: Redacted.make("hush-wrong") })
        for (const verdict of yield* Effect.forEach(many(1), post, together)) {
          assert.strictEqual(verdict._tag, "Unavailable")
          assert.match(reasonOf(verdict), /SITELEDGER_TRYTON_USER and SITELEDGER_TRYTON_PASSWORD/)
        }
        assert.strictEqual(server.logins, 1)
        yield* TestClock.adjust("59 seconds")
        yield* post(message(1))
        assert.strictEqual(server.logins, 1)
        yield* TestClock.adjust("1 second")
        yield* post(message(1))
        assert.strictEqual(server.logins, 2)
      })
    )
  )

  it.effect.each([
    { fault: { status: 429 }, says: "fewer logins" },
    { fault: { error: ["LoginException", ["sms_code", "Code:", "char"]] }, says: "more than a password" },
    { fault: { status: 200, text: '{"id":1,"result":null}' }, says: "SITELEDGER_TRYTON_PASSWORD" }
  ] as const)("or $says isn't asked again within a minute either", ({ fault, says }) =>
    inTryton((server) =>
      Effect.gen(function* () {
        server.fault = () => fault
        const post = yield* started(server)
        for (const verdict of yield* Effect.forEach(many(1), post, together)) assert.include(reasonOf(verdict), says)
        assert.strictEqual(server.count("common.db.login"), 1)
      })
    )
  )
})

describe("a server", () => {
  it.effect("that can't be reached is asked by one entry for all that wait, and again soon", () =>
    inTryton((server) =>
      Effect.gen(function* () {
        server.fault = () => "unheard"
        const post = yield* started(server)
        for (const verdict of yield* Effect.forEach(many(1), post, together)) {
          assert.strictEqual(verdict._tag, "Unavailable")
          assert.match(reasonOf(verdict), /^Tryton can't be reached: .*\.$/)
        }
        assert.strictEqual(server.count("common.db.login"), 1)
        server.fault = () => undefined
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(yield* post(message(1)), taken)
      })
    )
  )

  it.effect("without that database says what to check", () =>
    inTryton((server) =>
      Effect.gen(function* () {
        const verdict = yield* (yield* started(server, { url: new URL("/others", server.url) }))(message(1))
        assert.strictEqual(verdict._tag, "Unavailable")
        assert.include(reasonOf(verdict), "check SITELEDGER_TRYTON_URL, which ends with the database's name.")
      })
    )
  )
})
