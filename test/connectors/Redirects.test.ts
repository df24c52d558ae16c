/** A service that points elsewhere: nothing follows it, so no token and no secret goes to another origin. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Take } from "../Front.ts"
import { type Call, calling, clientSecret, front, listed, subscribed, withTokens } from "./Called.ts"
import { get } from "./ConstructionAuth/Tokens.ts"

const calls: Readonly<Record<string, { readonly call: Call; readonly variable: string; readonly path: string }>> = {
  "the list": { call: listed, variable: "SITELEDGER_BASE_URL", path: "GET /v1/projects" },
  "a new subscription": { call: subscribed, variable: "SITELEDGER_BASE_URL", path: "POST /v1/webhooks" },
  "the token endpoint": { call: get, variable: "SITELEDGER_AUTH_URL", path: "POST /oauth/token" }
}

describe("a redirect", () => {
  for (const [name, { call, path, variable }] of Object.entries(calls)) {
    it.effect.each([301, 302, 303, 307, 308])(`of ${name} with %s isn't followed, and says what to check`, (status) =>
      Effect.scoped(
        Effect.gen(function* () {
          const elsewhere = yield* front()
          // Were it asked, the call would end at once.
          elsewhere.take = (response) => response.writeHead(400).end("{}")
          const redirect: Take = (response, what) =>
            response.writeHead(status, { location: elsewhere.origin + what.replace(/^\w+ /, "") }).end()
          const take: Take = (response, what) => (what === path ? redirect : withTokens(redirect))(response, what)
          yield* calling(take, (service) =>
            Effect.gen(function* () {
              const { message, reason } = yield* Effect.flip(call)
              assert.strictEqual(reason, "Refused")
              assert.match(message, new RegExp(`${status}.*redirect|redirect.*${status}`))
              assert.match(message, new RegExp(`check ${variable}`))
              assert.isTrue(service.came.some(({ what }) => what === path))
              const secret = service.came.filter(({ text }) => text.includes(encodeURIComponent(clientSecret)))
              assert.deepStrictEqual(
                secret.map(({ what }) => what),
                ["POST /oauth/token"]
              )
            })
          )
          assert.deepStrictEqual(elsewhere.came, [])
          assert.strictEqual(elsewhere.connections, 0)
        })
      )
    )
  }
})
