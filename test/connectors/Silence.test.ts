/**
 * Answers that never end: 30 s is the limit for the whole answer, to its last byte. Then its connection is closed, and
 * the request is sent again.
 */
import type { ServerResponse } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { until } from "../RunningWorker.ts"
import { type Call, calling, json, listed, withTokens } from "./Called.ts"
import { get, loggedIn, passing, reasons, second } from "./ConstructionAuth/Tokens.ts"
import { within } from "./ConstructionAuth/Within.ts"

const page = JSON.stringify({ data: [], pagination: { total: 0, page: 1, per_page: 50 } })
const token = JSON.stringify({ access_token: "at", expires_in: 3600 })

/** What the service does at first, and in each second after that. */
const endless = {
  "sends nothing": [() => undefined, () => undefined],
  "sends headers and then nothing": [(response) => response.writeHead(200, json).flushHeaders(), () => undefined],
  "sends a byte a second": [(response) => response.writeHead(200, json).write("{"), (response) => response.write(" ")]
} satisfies Record<string, readonly [(response: ServerResponse) => unknown, (response: ServerResponse) => unknown]>

const endpoints = {
  "the API": { call: listed as Call, path: "GET /v1/projects", good: page, variable: "SITELEDGER_BASE_URL" },
  "the token endpoint": { call: get as Call, path: "POST /oauth/token", good: token, variable: "SITELEDGER_AUTH_URL" }
}

const opened = (open: ReadonlyArray<unknown>, count: number) =>
  Effect.promise(() => until(`${count} requests have come`, async () => (open.length < count ? undefined : true)))

describe("an answer that never ends", () => {
  for (const [where, { call, good, path, variable }] of Object.entries(endpoints)) {
    for (const [what, [begin, go]] of Object.entries(endless)) {
      it.effect(`because ${where} ${what} is given up after 30 s, shown, and requested again`, () => {
        const open: Array<ServerResponse> = []
        let isWell = false
        const take = withTokens((response) => response.end(page))
        return calling(
          (response, asked) => {
            if (asked !== path) return take(response, asked)
            if (isWell) return response.writeHead(200, json).end(good)
            open.push(response)
            return begin(response)
          },
          () =>
            Effect.gen(function* () {
              const fiber = yield* Effect.forkChild(call)
              for (const attempt of [1, 2]) {
                yield* opened(open, attempt)
                const response = open[attempt - 1]
                for (let seconds = 0; seconds < 31; seconds++) {
                  if (response?.closed === false) go(response)
                  yield* second
                }
                yield* Effect.promise(() => until("it is closed", async () => (response?.closed ? true : undefined)))
              }
              while ((yield* reasons).length === 0) yield* second
              const [reason] = yield* reasons
              assert.match(reason ?? "", new RegExp(`\\(${variable}\\).*didn't answer in full within 30 seconds\\.$`))
              assert.isAtMost(yield* Clock.currentTimeMillis, 70_000)
              isWell = true
              yield* passing(fiber)
              assert.deepStrictEqual(yield* reasons, [])
            })
        )
      })
    }
  }

  it.effect("to a refresh is given up too, and the refresh is repeated with the same token", () =>
    within({}, (server) =>
      Effect.gen(function* () {
        const { refresh } = yield* loggedIn(server)
        yield* TestClock.adjust("1 hour")
        server.settings.hold = () => new Promise(() => undefined)
        const fiber = yield* Effect.forkChild(get)
        while (server.refreshes < 2) yield* second
        assert.match((yield* reasons).join(), /\(SITELEDGER_AUTH_URL\).*didn't answer in full within 30 seconds/)
        assert.deepStrictEqual(
          new Set(server.grants.map((form) => form.get("refresh_token"))),
          new Set([refresh ?? ""])
        )
        server.settings.hold = () => Promise.resolve()
        assert.isTrue(server.isGood(yield* passing(fiber)))
      })
    )
  )
})
