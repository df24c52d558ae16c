/**
 * What Tryton's answers mean: what refuses an entry, what delays it, what the sentences say, and what they never
 * repeat.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mark, password, user, type Fault } from "./StandIn.ts"
import { inTryton, message, reasonOf, started } from "./TrytonWorld.ts"

/** The verdict on an entry whose lines are answered so. */
const verdictOn = (fault: Fault, method = "account.move.write") =>
  inTryton((server) =>
    Effect.gen(function* () {
      server.fault = (call) => (call.method === method ? fault : undefined)
      const verdict = yield* (yield* started(server))(message(1))
      return { verdict, reason: reasonOf(verdict) }
    })
  )

const userError = (message: string, description = "") => ({ error: ["UserError", [message, description, null]] })

describe("an error of Tryton's", () => {
  it.effect.each([
    {
      kind: "UserError",
      error: userError("The period is closed.", "Open it."),
      tag: "Refused",
      says: "Tryton refused the entry: The period is closed. Open it."
    },
    {
      kind: "UserWarning",
      error: { error: ["UserWarning", ["name", "Really?", "It's odd."]] },
      tag: "Refused",
      says: "only a person can answer: Really? It's odd."
    },
    {
      kind: "AccessError",
      error: userError('You are not allowed to write "Account Move".'),
      tag: "Unavailable",
      says: 'do this: You are not allowed to write "Account Move". Give the user the rights'
    },
    {
      kind: "ConcurrencyException",
      error: { error: ["ConcurrencyException", "Records were modified"] },
      tag: "Unavailable",
      says: "Someone else is changing the same record: Records were modified."
    },
    {
      kind: "LoginException",
      error: { error: ["LoginException", ["sms_code", "Code:", "char"]] },
      tag: "Unavailable",
      says: "Tryton asks for more than a password: Code:."
    },
    {
      kind: "a database that is gone",
      error: { error: ['FATAL:  database "books" does not exist', ""] },
      tag: "Unavailable",
      says: "has no such database"
    },
    {
      kind: "an exception",
      error: { error: ["database is locked", "Traceback (most recent call last)"] },
      tag: "Unavailable",
      says: "Tryton failed: database is locked."
    },
    { kind: "no known shape", error: { error: null }, tag: "Unavailable", says: "Tryton failed." }
  ] as const)("$kind is $tag", ({ error, says, tag }) =>
    Effect.gen(function* () {
      const { reason, verdict } = yield* verdictOn(error)
      assert.strictEqual(verdict._tag, tag)
      assert.include(reason, says)
      assert.notInclude(reason, "Traceback")
    })
  )

  it.effect("is quoted on one line, not at length, and without the password or the session", () =>
    Effect.gen(function* () {
      const session = Buffer.from(`${user}:7:${mark}-token-1`).toString("base64")
      const { reason } = yield* verdictOn(
        userError(`a\u0000\n\u202Eb ${password} ${mark}-token-1 ${session}`, "y".repeat(9000))
      )
      assert.include(reason, ": a b [secret] [secret] [secret] yyy")
    })
  )
})

describe("an answer", () => {
  it.effect.each([
    { status: 503, retryAfter: "120", afterMs: 120_000 },
    { status: 500 },
    { status: 502 },
    { status: 408 },
    { status: 429, afterMs: 60_000 },
    { status: 429, retryAfter: "7", afterMs: 7000 }
  ])("of $status with Retry-After $retryAfter waits", ({ afterMs, retryAfter, status }) =>
    Effect.gen(function* () {
      const headers = retryAfter === undefined ? {} : { "retry-after": retryAfter }
      const { verdict } = yield* verdictOn({ status, headers, text: "<html>" })
      assert.strictEqual(verdict._tag, "Unavailable")
      assert.strictEqual(verdict._tag === "Unavailable" ? verdict.retryAfterMs : "none", afterMs)
    })
  )

  it.effect.each([
    { status: 404, text: "<html>not here</html>" },
    { status: 400 },
    { status: 302, headers: { location: "/elsewhere" } },
    { status: 200, text: "<html>a login page</html>" },
    { status: 200, text: "{}" },
    { status: 200, text: '{"id":1,"result":7}', method: "account.move.search_read" },
    { status: 200, text: '{"id":1,"result":[{"id":5}]}', method: "account.move.search_read" },
    { status: 200, text: '{"id":1,"result":[{"id":5}]}', method: "company.company.search_read" }
  ])("of $status with $text isn't Tryton's, and waits until a person has looked", ({ method, ...answer }) =>
    Effect.gen(function* () {
      const { reason, verdict } = yield* verdictOn(answer, method)
      assert.strictEqual(verdict._tag, "Unavailable")
      assert.include(reason, "SITELEDGER_TRYTON_URL")
    })
  )

  it.effect("of 403 is about rights", () =>
    Effect.gen(function* () {
      const { reason, verdict } = yield* verdictOn({ status: 403 })
      assert.strictEqual(verdict._tag, "Unavailable")
      assert.include(reason, "Give the user the rights")
    })
  )
})
