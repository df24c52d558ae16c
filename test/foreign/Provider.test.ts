/**
 * A third-party authorization server gives our client its tokens: to the worker and the library by client credentials, to
 * `siteledger login` by code and PKCE.
 */
import { afterAll, assert, beforeAll, it, vi } from "@effect/vitest"
import { connect, ServiceError } from "../../connectors/construction/Client.ts"
import { type Environment, run, until } from "../RunningWorker.ts"
import { logIn, upstreamOf } from "../worker/Login/LoggedIn.ts"
import { World } from "../worker/World.ts"
import { basicServer, browse, person, Provider, server } from "./Provider.ts"

// At each start it warns that its memory is not for production.
beforeAll(() => void vi.spyOn(console, "warn").mockImplementation(() => undefined))
afterAll(() => void vi.restoreAllMocks())

const started = async ({ clientId, clientSecret }: typeof server) => {
  const provider = await Provider.start()
  const world = await World.open({ projects: 117, maxPerPage: 20 }, {
    SITELEDGER_BASE_URL: provider.baseUrl,
    SITELEDGER_AUTH_URL: provider.authUrl,
    SITELEDGER_CLIENT_ID: clientId,
    SITELEDGER_CLIENT_SECRET: clientSecret,
    SITELEDGER_SCOPES: "projects.read webhooks.write",
    SITELEDGER_WALK_EVERY: "300 millis"
  } satisfies Environment)
  provider.upstream = upstreamOf(world.server)
  return {
    provider,
    world,
    [Symbol.asyncDispose]: async () => {
      await world[Symbol.asyncDispose]()
      await provider[Symbol.asyncDispose]()
    }
  }
}

const times = (provider: Provider, grantType: string, count: number) =>
  until(`${count} tokens by ${grantType}`, async () =>
    provider.grants.filter((each) => each === grantType).length >= count ? true : undefined
  )

it.each([
  ["in the body", server],
  ["by HTTP Basic", basicServer]
])("gives the worker, whose secret it wants %s, tokens, and again when they end", async (_, client) => {
  await using service = await started(client)
  const { provider, world } = service
  const worker = world.start()
  const { backfill } = await worker.live()
  assert.strictEqual(backfill["projects"]?.rows, 117)
  await times(provider, "client_credentials", 2)
  assert.strictEqual((await worker.live()).reasons.join(), "")
  assert.deepStrictEqual(new Set(provider.grants), new Set(["client_credentials"]))
})

it("gives the library a token, and refuses a wrong secret and a scope that the client may not have", async () => {
  await using service = await started(server)
  const { authUrl, baseUrl } = service.provider
  const options = { baseUrl, authUrl, ...server, pageSize: 20 }
  const names = new Set<string>()
  for await (const { name } of connect({ ...options, scopes: ["projects.read"] }).projects()) names.add(name)
  assert.strictEqual(names.size, 117)
  const refusal = async (more: Partial<typeof options> & { readonly scopes?: ReadonlyArray<string> }) => {
    const error = await connect({ ...options, ...more })
      .token()
      .catch((error: unknown) => error)
    assert.instanceOf(error, ServiceError)
    return `${error.reason} ${error.message}`
  }
  assert.match(await refusal({ clientSecret: "wrong" }), /^Refused .*invalid_client/)
  assert.match(await refusal({ scopes: ["ncrs.write"] }), /^Refused .*invalid_scope/)
})

it("logs a person in for a worker without a secret, which refreshes with rotation until the login is forgotten", async () => {
  await using service = await started(person)
  const { provider, world } = service
  const { code, stderr } = await logIn(world.environment, browse)
  assert.strictEqual(code, 0, stderr)
  assert.include(stderr, "Logged in, for projects.read webhooks.write.")
  const worker = world.start()
  assert.strictEqual((await worker.live()).backfill["projects"]?.rows, 117)
  await times(provider, "refresh_token", 2)
  assert.strictEqual((await worker.live()).reasons.join(), "")
  assert.deepStrictEqual(new Set(provider.grants), new Set(["authorization_code", "refresh_token"]))
  assert.match((await run(world.environment, "login", "--forget")).stdout, /revoked/)
  await worker.status("the reason is shown", ({ reasons }) =>
    /neither a login nor a client secret/.test(reasons.join())
  )
})
