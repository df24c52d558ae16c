/** A login on another device: where it begins, how often it asks, and how it ends. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { deviceGrant } from "../../../connectors/construction/ConstructionApi.ts"
import {
  type Answer,
  authUrl,
  begun,
  deviceCode,
  granted,
  loggingIn,
  messageOf,
  refusal,
  type Script,
  silence
} from "./Scripted.ts"

const pending = refusal("authorization_pending")
const assumed = `${authUrl}/oauth/device_authorization`

/** Metadata as at the address of RFC 8414 §3.1. */
const metadataOf = (
  endpoint: string,
  issuer = authUrl,
  at = "https://auth.example.com/.well-known/oauth-authorization-server/realm"
) => ({
  [at]: { issuer, token_endpoint: `${authUrl}/oauth/token`, device_authorization_endpoint: endpoint }
})

const postedTo = ({ asked }: Effect.Success<ReturnType<typeof loggingIn>>) => {
  const posts = asked.filter(({ form }) => form.size > 0)
  return posts.map(({ url }) => url).filter((url) => url !== `${authUrl}/oauth/token`)
}

describe("a login on another device", () => {
  it.effect("shows what a person needs and no secret, and ends with a stored login", () =>
    Effect.gen(function* () {
      const { outcome, polls, shown } = yield* loggingIn({})
      assert.deepStrictEqual(shown, [
        {
          userCode: "WDJB-MJHT",
          address: "https://example.com/device",
          completeAddress: "https://example.com/device?user_code=WDJB-MJHT",
          lifeMs: 1_800_000
        }
      ])
      assert.strictEqual(outcome._tag, "Success")
      if (outcome._tag === "Success") {
        const { login, missing } = outcome.success
        assert.deepStrictEqual([login.clientId, login.tokens.refresh, missing], ["desk-app", "rt", []])
      }
      assert.deepStrictEqual(Object.fromEntries(polls[0]?.form ?? []), {
        grant_type: deviceGrant,
        device_code: deviceCode,
        client_id: "desk-app"
      })
    })
  )

  it.effect.each([
    {
      what: "the metadata name",
      metadata: metadataOf("https://auth.example.com/d"),
      expected: "https://auth.example.com/d"
    },
    {
      what: "metadata below the address name",
      metadata: metadataOf(
        "https://auth.example.com/d",
        `${authUrl}/`,
        `${authUrl}/.well-known/oauth-authorization-server`
      ),
      expected: "https://auth.example.com/d"
    },
    { what: "is assumed without metadata", metadata: {}, expected: assumed },
    {
      what: "is assumed if the metadata are another issuer's",
      metadata: metadataOf("https://auth.example.com/d", "https://evil.example.com"),
      expected: assumed
    },
    {
      what: "is assumed if the metadata name none",
      metadata: { [Object.keys(metadataOf(""))[0] ?? ""]: { issuer: authUrl } },
      expected: assumed
    },
    {
      what: "is assumed if the metadata are larger than anyone would read",
      metadata: metadataOf(`${authUrl}/${"d".repeat(2 ** 20)}`),
      expected: assumed
    }
  ])("begins where $what", ({ expected, metadata }) =>
    Effect.gen(function* () {
      const done = yield* loggingIn({ metadata })
      assert.deepStrictEqual(postedTo(done), [expected])
      assert.strictEqual(done.asked.find(({ url }) => url === expected)?.form.get("scope"), "projects.read")
    })
  )

  it.effect("sends nothing to another server that the metadata name", () =>
    Effect.gen(function* () {
      for (const endpoint of ["https://evil.example.com/d", "http://auth.example.com/d", "none"]) {
        const done = yield* loggingIn({ metadata: metadataOf(endpoint) }, "hush")
        assert.deepStrictEqual(postedTo(done), [])
        assert.strictEqual(done.outcome._tag, "Failure")
        assert.match(JSON.stringify(done.outcome), /another server than SITELEDGER_AUTH_URL/)
      }
    })
  )

  it.effect("proves itself with HTTP Basic, if the service wants that", () =>
    Effect.gen(function* () {
      const wanted: Answer = { status: 401, headers: { "www-authenticate": "Basic" } }
      const { asked, polls } = yield* loggingIn({ device: [wanted, begun] }, "hush")
      const begins = asked.filter(({ url }) => url === assumed)
      assert.deepStrictEqual(
        begins.map(({ authorization, form }) => [authorization, form.has("client_secret")]),
        [
          [undefined, true],
          [`Basic ${btoa("desk-app:hush")}`, false]
        ]
      )
      assert.deepStrictEqual(
        polls.map(({ authorization, form }) => [authorization, form.has("client_secret")]),
        [[`Basic ${btoa("desk-app:hush")}`, false]]
      )
    })
  )
})

describe("asking for the tokens of a device", () => {
  it.effect("keeps the interval, and 5 seconds more after each slow_down", () =>
    Effect.gen(function* () {
      const slow = refusal("slow_down")
      const { times } = yield* loggingIn({ token: [pending, pending, slow, pending, slow, granted] })
      assert.deepStrictEqual(times, [5, 10, 15, 25, 35, 50])
    })
  )

  it.effect.each([
    { interval: undefined, times: [5, 10] },
    { interval: 12, times: [12, 24] },
    { interval: "7", times: [7, 14] },
    { interval: 0, times: [5, 10] }
  ])("with the interval $interval asks after $times seconds", ({ interval, times }) =>
    Effect.gen(function* () {
      const device = [{ body: { ...(begun.body as object), interval } }]
      assert.deepStrictEqual((yield* loggingIn({ device, token: [pending, granted] })).times, times)
    })
  )

  it.effect("backs off while the service can't be reached, up to a minute, then asks as before", () =>
    Effect.gen(function* () {
      const token = [silence, { status: 503 }, silence, silence, silence, pending, granted] as const
      const { times } = yield* loggingIn({ token })
      assert.deepStrictEqual(times, [5, 15, 35, 75, 135, 195, 200])
    })
  )

  it.effect("waits for as long as Retry-After says", () =>
    Effect.gen(function* () {
      const busy: Answer = { status: 429, headers: { "retry-after": "100" } }
      assert.deepStrictEqual((yield* loggingIn({ token: [busy, granted] })).times, [5, 105])
    })
  )

  const ends: ReadonlyArray<Script & { readonly how: string; readonly sentence: RegExp }> = [
    {
      how: "a denial",
      token: [pending, refusal("access_denied")],
      sentence: /^Access was denied: no consent was given\.$/
    },
    {
      how: "an expired code",
      token: [refusal("expired_token")],
      sentence: /^The code has expired before access was given/
    },
    { how: "a code that was used", token: [refusal("invalid_grant")], sentence: /invalid_grant.*log in again/ },
    { how: "a service without such logins", device: [{ status: 404 }], sentence: /no address for that.*login --paste/ },
    {
      how: "a client that may not log in so",
      device: [refusal("unauthorized_client")],
      sentence: /the client may not use logging in by a device code.*SITELEDGER_CLIENT_ID/
    },
    { how: "a service that is down", device: [{ status: 503 }], sentence: /can't be used for now: it answered 503/ },
    { how: "an answer without a code", device: [{ body: { device_code: deviceCode } }], sentence: /no device code/ },
    {
      how: "a code that could write to the terminal",
      device: [{ body: { ...(begun.body as object), user_code: "\u001b[2J" } }],
      sentence: /no device code/
    },
    {
      how: "an address that isn't one for a browser",
      device: [{ body: { ...(begun.body as object), verification_uri: "javascript:alert(1)" } }],
      sentence: /no device code/
    }
  ]
  it.effect.each(ends)("ends after $how with one sentence", ({ sentence, ...script }) =>
    Effect.gen(function* () {
      const message = yield* messageOf(script)
      assert.match(message, sentence)
      assert.notInclude(message, deviceCode)
    })
  )

  it.effect("ends when the code does, although the service says nothing", () =>
    Effect.gen(function* () {
      const device = [{ body: { ...(begun.body as object), expires_in: 60 } }]
      const { outcome, times } = yield* loggingIn({ device, token: [pending] })
      assert.match(JSON.stringify(outcome), /The code has expired before access was given/)
      assert.strictEqual(times.at(-1), 55)
    })
  )
})
