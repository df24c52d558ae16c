/**
 * What QuickBooks' answers mean: what refuses an entry, what delays it, what the sentences say, and what they never
 * repeat.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { Verdict } from "../../../src/Ledger/Outbox/SinkAnswer.ts"
import { faultBody, gatewayFault } from "./Rules.ts"
import { mark, type Trouble } from "./StandIn.ts"
import { chart, message, other, reasonOf, taken, turn, within } from "./World.ts"

const fault = (code: string, message: string, detail: string) => ({
  status: 400,
  body: faultBody({ code, message, detail })
})

/** The verdict on an entry whose creation is answered so. */
const verdictOn = (answer: Trouble) =>
  within(({ quickBooks, started }) =>
    Effect.gen(function* () {
      quickBooks.trouble = ({ what }) => (what === "POST journalentry" ? answer : undefined)
      return yield* (yield* started())(message())
    })
  )

const assertSentence = (verdict: Verdict) => {
  const reason = reasonOf(verdict)
  assert.match(reason, /^[^\p{Cc}]{1,500}$/u)
  assert.match(reason, /[.…]$/)
  assert.notInclude(reason, mark)
}

describe("a fault", () => {
  it.effect("of a receivable without a customer is a refusal in QuickBooks' words", () =>
    within(({ quickBooks, started }) =>
      Effect.gen(function* () {
        const post = yield* started({ chart: { ...chart, accounts: { ...chart.accounts, receivable: "1100" } } })
        const verdict = yield* post(message())
        assert.strictEqual(verdict._tag, "Refused")
        assert.strictEqual(
          reasonOf(verdict),
          "QuickBooks refused (400, 6000): A business validation error has occurred while processing your request: " +
            "Business Validation Error: When you use Accounts Receivable, you must choose a customer in the Name field."
        )
        assert.lengthOf(quickBooks.entries, 0)
      })
    )
  )

  it.effect.each([
    { code: "6210", says: "Account Period Closed", tag: "Refused" },
    { code: "2500", says: "Invalid Reference Id", tag: "Refused" },
    { code: "610", says: "Object Not Found", tag: "Refused" },
    { code: "6190", says: "subscription", tag: "Unavailable" },
    { code: "120", says: "no access", tag: "Unavailable" },
    { code: "5020", says: "no access", tag: "Unavailable" }
  ] as const)("$code is $tag", ({ code, says, tag }) =>
    Effect.gen(function* () {
      const verdict = yield* verdictOn(fault(code, says, `${says}: see the detail.`))
      assert.strictEqual(verdict._tag, tag)
      assert.include(reasonOf(verdict), says)
      assert.include(reasonOf(verdict), `(400, ${code})`)
      assertSentence(verdict)
    })
  )

  it.effect("within an answer of 200 counts as well", () =>
    Effect.gen(function* () {
      const verdict = yield* verdictOn({ ...fault("6000", "no", "no"), status: 200 })
      assert.strictEqual(verdict._tag, "Refused")
    })
  )

  it.effect("is quoted on one line, and not at length", () =>
    Effect.gen(function* () {
      const verdict = yield* verdictOn(fault("6000", "a\u0000\n\u202Eb", "y".repeat(9000)))
      assert.include(reasonOf(verdict), ": a b: yyy")
      assertSentence(verdict)
    })
  )
})

describe("an answer", () => {
  it.effect.each([
    { status: 429, retryAfter: "7", afterMs: 7000 },
    { status: 429, afterMs: 60_000 },
    { status: 503, retryAfter: "120", afterMs: 120_000 },
    { status: 500 },
    { status: 408 }
  ])("of $status with Retry-After $retryAfter waits", ({ afterMs, retryAfter, status }) =>
    Effect.gen(function* () {
      const headers = retryAfter === undefined ? {} : { "retry-after": retryAfter }
      const body = gatewayFault("3001", "message=ThrottleExceeded; errorCode=003001; statusCode=429", "", "SystemFault")
      const verdict = yield* verdictOn({ status, headers, body })
      assert.strictEqual(verdict._tag, "Unavailable")
      assert.strictEqual(verdict._tag === "Unavailable" ? verdict.retryAfterMs : "none", afterMs)
      assertSentence(verdict)
    })
  )

  it.effect.each([
    { status: 404, body: "<html>not here</html>" },
    { status: 302, headers: { location: "/elsewhere" }, body: "" },
    { status: 200, body: "<html>a login page</html>" },
    { status: 200, body: "{}" }
  ])("of $status that isn't QuickBooks' waits until a person has looked", (answer) =>
    Effect.gen(function* () {
      const verdict = yield* verdictOn(answer)
      assert.strictEqual(verdict._tag, "Unavailable")
      assert.include(reasonOf(verdict), "SITELEDGER_QUICKBOOKS_URL")
      assertSentence(verdict)
    })
  )

  it.effect("of another company's access names what to do", () =>
    within(({ started }) =>
      Effect.gen(function* () {
        const verdict = yield* (yield* started({ realmId: "999" }))(message())
        assert.strictEqual(verdict._tag, "Unavailable")
        assert.match(reasonOf(verdict), /no access \(403, 3100\).*ApplicationAuthorizationFailed/)
        assertSentence(verdict)
      })
    )
  )

  it.effect("that never comes, because nothing listens there, says so", () =>
    within(({ started }) =>
      Effect.gen(function* () {
        const verdict = yield* (yield* started({ tokenUrl: new URL("http://127.0.0.1:9/") }))(message())
        assert.strictEqual(verdict._tag, "Unavailable")
        assert.include(reasonOf(verdict), "can't be reached: nothing is listening there (ECONNREFUSED).")
      })
    )
  )
})

describe("a secret", () => {
  const whats = ["POST tokens", "GET query", "POST journalentry", "GET journalentry"]
  const echoes = whats.flatMap((what) => [400, 401, 403, 500].map((status) => ({ what, status })))

  it.effect.each(echoes)("that $what repeats with $status is in no verdict", ({ status, what }) =>
    within(({ quickBooks, started }) =>
      Effect.gen(function* () {
        const post = yield* started()
        quickBooks.trouble = (request) => {
          if (request.what !== what) return undefined
          const said = `${request.authorization} ${request.body} ${quickBooks.refresh}`
          const body =
            status === 500
              ? gatewayFault("1", said, said, said)
              : faultBody({ code: said, message: said, detail: said })
          return { status, body }
        }
        const verdict = yield* post(message())
        assert.notStrictEqual(verdict._tag, "Taken")
        assertSentence(verdict)
      })
    )
  )
})

describe("requests", () => {
  it.effect("are ten at a time at most", () =>
    within(({ quickBooks, started }) =>
      Effect.gen(function* () {
        const post = yield* started()
        yield* post(message())
        quickBooks.came.splice(0)
        const gate = Promise.withResolvers<undefined>()
        quickBooks.trouble = () => gate.promise
        const many = Array.from({ length: 64 }, (_, nth) => other(nth))
        const posting = Effect.forEach(many, post, { concurrency: "unbounded" })
        const fiber = yield* Effect.forkChild(posting, { startImmediately: true })
        while (quickBooks.came.length < 10) yield* turn
        // More would come soon after.
        for (let turns = 0; turns < 50; turns++) yield* turn
        assert.lengthOf(quickBooks.came, 10)
        gate.resolve(undefined)
        assert.deepStrictEqual(
          yield* Fiber.join(fiber),
          many.map(() => taken)
        )
        assert.lengthOf(quickBooks.entries, 65)
      })
    )
  )

  it.effect("beyond those of a minute wait for the next one", () =>
    within(({ quickBooks, started }) =>
      Effect.gen(function* () {
        const post = yield* started({ requestsPerMinute: 5 })
        assert.deepStrictEqual(yield* post(message()), taken)
        quickBooks.came.splice(0)
        const fiber = yield* Effect.forkChild(post(other(2)), { startImmediately: true })
        yield* TestClock.adjust("59 seconds")
        for (let turns = 0; turns < 50; turns++) yield* turn
        assert.lengthOf(quickBooks.came, 0)
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(yield* Fiber.join(fiber), taken)
      })
    )
  )
})
