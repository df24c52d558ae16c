/** If the service asks for a pause by a date, the date is by its own clock, an hour ahead of ours or behind. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpClientRequest, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { inspect, TokenRefused } from "../../connectors/construction/ConstructionAnswer.ts"
import { Pace } from "../../src/Walk/Pace.ts"

const nowMs = Date.UTC(2026, 10, 20, 2)
const hourMs = 3_600_000

/** What the pace is told about one answer, in ms from now. */
const pauseFor = (status: number, headers: Record<string, string>) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(nowMs)
    const told: Array<number | undefined> = []
    const pace = Pace.of({
      take: () => Effect.void,
      accepted: Effect.void,
      rejected: (ms) => Effect.sync(() => void told.push(ms)),
      pauseUntil: (ms) => Effect.sync(() => void told.push(ms - nowMs)),
      sent: Effect.succeed(0),
      usage: Effect.succeed({ limitPerMinute: 0, usedLastMinute: 0 })
    })
    const request = HttpClientRequest.get("https://service.test/v1/projects")
    const response = HttpClientResponse.fromWeb(request, new Response("{}", { status, headers }))
    const refused = new TokenRefused({ token: "", wasGood: true })
    yield* Effect.ignore(inspect({ names: {} } as never, pace, response, refused))
    return told
  })

describe("a pause that the service asks for", () => {
  for (const [where, aheadMs] of Object.entries({ "an hour ahead": hourMs, "an hour behind": -hourMs, right: 0 })) {
    it.effect(`lasts as long as it says by a clock that is ${where}`, () =>
      Effect.gen(function* () {
        const [date, later] = [0, 10_000].map((ms) => new Date(nowMs + aheadMs + ms))
        const headers = { date: date?.toUTCString() ?? "", "retry-after": later?.toUTCString() ?? "" }
        assert.deepStrictEqual(yield* pauseFor(429, headers), [10_000])
        const seconds = { ...headers, "retry-after": "7" }
        assert.deepStrictEqual(yield* pauseFor(429, seconds), [7000])
        const limits = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(Number(later) / 1000) }
        assert.deepStrictEqual(yield* pauseFor(200, { ...headers, ...limits }), [10_000])
        assert.deepStrictEqual(yield* pauseFor(200, { ...headers, ...limits, "x-ratelimit-reset": "5" }), [5000])
      })
    )
  }
})
