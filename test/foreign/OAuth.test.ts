/**
 * Third-party OAuth clients at the sandbox's authorization server: each discovers it by its metadata and uses every grant,
 * and every refusal has the error code of RFC 6749.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Sandbox, type SandboxOptions } from "../../sandbox/Sandbox.ts"
import { decide } from "../sandbox/OAuth/Person.ts"
import * as Badgateway from "./OAuth/Badgateway.ts"
import { type Identity, methods } from "./OAuth/ForeignClient.ts"
import * as Oauth4webapi from "./OAuth/Oauth4webapi.ts"
import * as OpenidClient from "./OAuth/OpenidClient.ts"

const libraries = {
  "openid-client": OpenidClient.library,
  oauth4webapi: Oauth4webapi.library,
  "@badgateway/oauth2-client": Badgateway.library
}

const redirectUri = "http://127.0.0.1:49152/callback"
const scopes = ["projects.read", "ipcs.read"]

/** Every character that form-encoding changes, or that HTTP Basic or a form gives a meaning. */
const clientSecret = "a b+c:d%e&f=g/h?i~j*k'l(é)"

const confidential = ["client_secret_basic", "client_secret_post"] as const

for (const [name, { codeOf, discover }] of Object.entries(libraries)) {
  const start = Effect.fnUntraced(function* (options: SandboxOptions = {}) {
    const sandbox = yield* Sandbox.start({ eventsPerSecond: 0, clientSecret, ...options })
    const client = (method: Identity["method"], secret = clientSecret) =>
      discover({
        issuer: sandbox.authUrl,
        clientId: method === "none" ? "sandbox-app" : "sandbox",
        clientSecret: secret,
        method
      })
    const status = async (token: string) => {
      const answer = await fetch(`${sandbox.baseUrl}/projects`, { headers: { authorization: `Bearer ${token}` } })
      return answer.status
    }
    return { sandbox, client, status }
  })
  type Started = Effect.Success<ReturnType<typeof start>>

  /** The error code of what is thrown. */
  const refused = async (attempt: Promise<unknown>): Promise<unknown> =>
    attempt.then(() => assert.fail("it was not refused"), codeOf)

  const fact = (what: string, test: (started: Started) => Promise<void>, options?: SandboxOptions) =>
    it.live(what, () =>
      Effect.gen(function* () {
        const started = yield* start(options)
        yield* Effect.promise(() => test(started))
      }).pipe(Effect.scoped)
    )

  describe(name, () => {
    for (const method of confidential) {
      fact(`gets a token by client credentials and ${method}`, async ({ client, sandbox, status }) => {
        const { credentials, tokenEndpoint } = await client(method)
        assert.strictEqual(tokenEndpoint, `${sandbox.authUrl}/oauth/token`)
        const tokens = await credentials(scopes)
        assert.deepStrictEqual(tokens.scopes, scopes)
        assert.isUndefined(tokens.refresh)
        assert.strictEqual(await status(tokens.access), 200)
        assert.strictEqual(await refused(credentials(["projects.read", "everything"])), "invalid_scope")
      })

      fact(`is refused with a wrong secret by ${method}`, async ({ client }) => {
        const { credentials } = await client(method, `${clientSecret}.`)
        assert.strictEqual(await refused(credentials(scopes)), "invalid_client")
      })
    }

    for (const method of methods) {
      fact(`logs a person in by code and PKCE with ${method}, and refreshes with rotation`, async (started) => {
        const { client, status } = started
        const { begin, finish, refresh } = await client(method)
        const begun = await begin(redirectUri, scopes)
        const first = await finish(begun, await decide("allow")(begun.url))
        assert.deepStrictEqual(first.scopes, scopes)
        assert.strictEqual(await status(first.access), 200)
        const second = await refresh(first.refresh ?? "")
        assert.deepStrictEqual(second.scopes, scopes)
        assert.notStrictEqual(second.refresh, first.refresh)
        assert.strictEqual(await status(second.access), 200)
        // One of the two who use it twice has stolen it, so everything ends.
        assert.strictEqual(await refused(refresh(first.refresh ?? "")), "invalid_grant")
        assert.strictEqual(await status(second.access), 401)
        assert.strictEqual(await refused(refresh(second.refresh ?? "")), "invalid_grant")
      })

      fact(`revokes a login with ${method}`, async ({ client, status }) => {
        const { begin, finish, refresh, revoke } = await client(method)
        const begun = await begin(redirectUri, scopes)
        const tokens = await finish(begun, await decide("allow")(begun.url))
        await revoke(tokens.refresh ?? "")
        assert.strictEqual(await status(tokens.access), 401)
        assert.strictEqual(await refused(refresh(tokens.refresh ?? "")), "invalid_grant")
        // A token that is not known counts as revoked (RFC 7009 §2.2).
        await revoke("unknown")
      })
    }

    fact("is refused with the verifier of another login, and the code is spent", async ({ client }) => {
      const { begin, finish } = await client("none")
      const begun = await begin(redirectUri, scopes)
      const { verifier } = await begin(redirectUri, scopes)
      const redirected = await decide("allow")(begun.url)
      assert.strictEqual(await refused(finish({ ...begun, verifier }, redirected)), "invalid_grant")
      assert.strictEqual(await refused(finish(begun, redirected)), "invalid_grant")
    })

    fact("is refused with a code that was used before, which ends the first login", async ({ client, status }) => {
      const { begin, finish } = await client("none")
      const begun = await begin(redirectUri, scopes)
      const redirected = await decide("allow")(begun.url)
      const tokens = await finish(begun, redirected)
      assert.strictEqual(await refused(finish(begun, redirected)), "invalid_grant")
      assert.strictEqual(await status(tokens.access), 401)
    })

    fact("learns that the person has denied it, or that a scope is unknown", async ({ client }) => {
      const { begin, finish } = await client("none")
      const begun = await begin(redirectUri, scopes)
      assert.strictEqual(await refused(finish(begun, await decide("deny")(begun.url))), "access_denied")
      const wider = await begin(redirectUri, ["everything"])
      const { headers } = await fetch(wider.url, { redirect: "manual" })
      assert.strictEqual(await refused(finish(wider, headers.get("location") ?? "")), "invalid_scope")
    })
  })
}
