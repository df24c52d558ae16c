/**
 * What the accounting sink's answer means, and how long the pauses are.
 */
import { assert, describe, it } from "@effect/vitest"
import { Duration } from "effect"
import {
  type Answer,
  judge,
  pauseMs,
  silent,
  unreachable,
  type Verdict
} from "../../../src/Ledger/Outbox/SinkAnswer.ts"

const now = Date.UTC(2026, 10, 20)
const verdictOn = (answer: Partial<Answer> & { readonly status: number }) =>
  judge({ text: "", retryAfter: undefined, ...answer }, "e1", "s3cret-s3cret", now)

describe("an answer", () => {
  it.each([200, 201, 202, 204, 299])("of %i takes the entry", (status) => {
    assert.deepStrictEqual(verdictOn({ status, text: "whatever" }), { _tag: "Taken" })
  })

  it.each([408, 425, 429, 500, 502, 503, 504, 599])("of %i is transient", (status) => {
    assert.strictEqual(verdictOn({ status })._tag, "Unavailable")
  })

  it.each([300, 301, 302, 307, 308])("of %i is a redirect, which isn't followed", (status) => {
    const verdict = verdictOn({ status })
    assert.strictEqual(verdict._tag, "Refused")
    assert.include(JSON.stringify(verdict), "SITELEDGER_LEDGER_SINK_URL")
  })

  it.each([400, 401, 403, 404, 410, 413, 415, 422, 451])("of %i is a refusal", (status) => {
    assert.strictEqual(verdictOn({ status })._tag, "Refused")
  })

  it.each([
    ['{"entry_id":"e1"}', "Taken"],
    ['{"error":"duplicate","entry_id":"e1","at":7}', "Taken"],
    ['{"entry_id":"e2"}', "Refused"],
    ['{"error":{"entry_id":"e1"}}', "Refused"],
    ["in process", "Refused"],
    ["", "Refused"]
  ])("of 409 with %s is %s", (text, tag) => assert.strictEqual(verdictOn({ status: 409, text })._tag, tag))

  it.each([
    ["120", 120_000],
    ["0.5", 500],
    ["Fri, 20 Nov 2026 00:01:00 GMT", 60_000],
    ["Thu, 19 Nov 2026 00:01:00 GMT", 0],
    ["soon", undefined]
  ])("with Retry-After %s asks for %s ms", (retryAfter, askedMs) => {
    const verdict = verdictOn({ status: 429, retryAfter })
    assert.strictEqual(verdict._tag === "Unavailable" ? verdict.retryAfterMs : "none", askedMs)
  })

  it("is quoted on one line, without controls, without the secret, and not beyond 500 characters", () => {
    const verdict = verdictOn({
      status: 400,
      text: `no\u0000\u001B[1m \r\n key s3cret-s3cret\u2028\u202E${"y".repeat(9000)}`
    })
    const reason = verdict._tag === "Refused" ? verdict.reason : ""
    const start = "The accounting sink refused the entry (400): no [1m key [secret] y"
    assert.strictEqual(reason.slice(0, start.length), start)
    assert.match(reason, /^The accounting sink refused the entry \(400\): .{500}…$/u)
  })

  it("that never comes has a reason too", () => {
    assert.include(JSON.stringify(unreachable("ECONNREFUSED")), "can't be reached (ECONNREFUSED).")
    assert.include(JSON.stringify(unreachable("")), "can't be reached.")
    assert.include(JSON.stringify(silent(Duration.seconds(10))), "within 10 seconds")
  })
})

describe("a pause", () => {
  const pauses = { first: Duration.seconds(1), longest: Duration.days(1) }
  const day = Duration.toMillis(pauses.longest)
  const unavailable = (retryAfterMs?: number): Verdict => ({ _tag: "Unavailable", reason: "", retryAfterMs })

  it("is four times the one before, and never longer than a day", () => {
    const each = Array.from({ length: 11 }, (_, index) => pauseMs(pauses, index + 1, unavailable(), 1))
    assert.deepStrictEqual(each.slice(0, 4), [1000, 4000, 16_000, 64_000])
    assert.deepStrictEqual(each.slice(9), [day, day])
    assert.strictEqual(pauseMs(pauses, 5000, unavailable(), 1), day)
  })

  it("spreads entries that failed together", () => {
    assert.deepStrictEqual([pauseMs(pauses, 2, unavailable(), 0), pauseMs(pauses, 2, unavailable(), 0.5)], [3000, 3500])
  })

  it("is as long as the sink asks if that is longer, up to a day", () => {
    assert.strictEqual(pauseMs(pauses, 1, unavailable(90_000), 0), 90_000)
    assert.strictEqual(pauseMs(pauses, 4, unavailable(1000), 1), 64_000)
    assert.strictEqual(pauseMs(pauses, 1, unavailable(40 * day), 0), day)
  })

  it("is as long as an entry may show yet, however often it was tried", () => {
    const waits = (forMs: number): Verdict => ({ _tag: "Waits", reason: "", forMs })
    assert.deepStrictEqual([pauseMs(pauses, 1, waits(5), 1), pauseMs(pauses, 9, waits(5), 1)], [5, 5])
    assert.strictEqual(pauseMs(pauses, 1, waits(2 * day), 1), day)
  })
})
