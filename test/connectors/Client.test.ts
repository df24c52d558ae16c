/** The package's client against the tests' own reading of the interface document, over real HTTP. */
import { assert, describe, it } from "@effect/vitest"
import { Array as Arr, Effect, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import { type Client, connect, type Options, type ServiceError } from "../../connectors/construction/Client.ts"
import { ConstructionService } from "../../connectors/construction/ClientForEffect.ts"
import { type InterfaceServer, type InterfaceServerOptions, startInterfaceServer } from "../InterfaceServer.ts"

const plan = 60_000

const optionsFor = ({ authUrl, baseUrl, settings }: InterfaceServer): Options => ({
  baseUrl,
  authUrl,
  clientId: settings.clientId,
  clientSecret: settings.clientSecret,
  requestsPerMinute: plan
})

/** A service with a client, both closed with the test. */
const start = async (service: InterfaceServerOptions = {}, options: Partial<Options> = {}) => {
  const server = await startInterfaceServer({ requestsPerMinute: plan, ...service })
  const client = connect({ ...optionsFor(server), ...options })
  const close = () => client.close().then(() => server.close())
  return { server, client, [Symbol.asyncDispose]: close }
}

const lists = (server: InterfaceServer) => server.requests.filter(({ path }) => path.endsWith("/projects"))
const tokens = (server: InterfaceServer) => server.requests.filter(({ path }) => path.endsWith("/oauth/token"))

const ids = async (client: Client) => {
  const found: Array<number> = []
  for await (const { id } of client.projects()) found.push(id)
  return found
}
const expected = (count: number) => Arr.makeBy(count, (index) => 1001 + index)

const errorOf = (promise: Promise<unknown>): Promise<ServiceError> =>
  promise.then(
    () => assert.fail("It succeeds."),
    (error: ServiceError) => error
  )

describe("All projects", () => {
  it("come once each, in pages of the size that the service grants", async () => {
    await using world = await start({ projects: 1000, maxPerPage: 300 })
    assert.deepStrictEqual(await ids(world.client), expected(1000))
    const asked = lists(world.server).map(({ query }) => `${query["page"]} of ${query["per_page"]}`)
    assert.deepStrictEqual(asked, ["1 of 1000", "2 of 300", "3 of 300", "4 of 300"])
  })

  it("come in the service's own pages if it refuses the requested size", async () => {
    await using world = await start({ projects: 120, rejectLargePages: true })
    assert.deepStrictEqual(await ids(world.client), expected(120))
    assert.deepStrictEqual(
      lists(world.server).map(({ status }) => status),
      [422, 200, 200, 200]
    )
    assert.deepInclude((await world.client.projectPage(3)).pagination, { total: 120, page: 3, per_page: 50 })
  })

  it("are none if the service has none", async () => {
    await using world = await start({ projects: 0 })
    assert.deepStrictEqual(await ids(world.client), [])
    assert.strictEqual(lists(world.server).length, 1)
  })

  it("are requested page by page, as a loop gets there", async () => {
    await using world = await start({ projects: 1000 })
    let taken = 0
    for await (const { id } of world.client.projects()) {
      // A page requested ahead would have had its turn before this one.
      if (++taken === 1) await world.client.projectPage(10)
      assert.strictEqual(lists(world.server).length, 1 + Math.ceil((id - 1000) / 100))
      if (taken === 101) break
    }
    assert.strictEqual(taken, 101)
  })

  it.live("cost one page if a stream takes three", () =>
    Effect.gen(function* () {
      const server = yield* Effect.acquireRelease(
        Effect.promise(() => startInterfaceServer({ projects: 1000 })),
        (server) => Effect.promise(() => server.close())
      )
      const { projects } = yield* ConstructionService.make(optionsFor(server))
      const three = yield* Stream.runCollect(Stream.take(projects.all, 3))
      assert.deepStrictEqual(
        three.map(({ name }) => name),
        ["Project 1", "Project 2", "Project 3"]
      )
      assert.strictEqual(lists(server).length, 1)
    }).pipe(Effect.provide(FetchHttpClient.layer))
  )

  it("come whole even if the service fails, truncates an answer and revokes the token in between", async () => {
    await using world = await start({ projects: 500 })
    const seen: Array<number> = []
    for await (const { id } of world.client.projects()) {
      seen.push(id)
      if (seen.length === 100) world.server.revokeTokens()
      if (seen.length === 200) world.server.fail("503")
      if (seen.length === 300) world.server.fail("cut-json")
      if (seen.length === 400) world.server.fail("reset")
    }
    assert.deepStrictEqual(seen, expected(500))
    assert.strictEqual(tokens(world.server).length, 2)
    assert.strictEqual(lists(world.server).filter(({ status }) => status === 401).length, 1)
  })
})

describe("A project", () => {
  it("keeps fields that the document doesn't name, and every number as it was written", async () => {
    const text =
      '{"id":9007199254740991,"name":"Quay","status":"awarded","budget":1250000.50,"more":{"n":12345678901234567890}}'
    await using world = await start({ projects: [text] })
    const [project] = (await world.client.projectPage(1)).data
    assert.strictEqual(project?.id, Number.MAX_SAFE_INTEGER)
    assert.strictEqual(JSON.stringify(project), text)
  })

  it("whose id a double can't hold fails the call and is not rounded", async () => {
    await using world = await start({ projects: ['{"id":9007199254740993,"name":"Quay","status":"awarded"}'] })
    const error = await errorOf(world.client.projectPage(1))
    assert.strictEqual(error.reason, "NotAsPromised")
    assert.include(error.message, '{"id":9007199254740993,"name":"Quay","status":"awarded"}')
  })
})

describe("A client", () => {
  it("has its own settings beside another one in the same program", async () => {
    await using one = await start({ projects: 1 })
    await using other = await start({ projects: 2, clientId: "another-client" })
    const counts = Effect.forEach([one, other], ({ server }) =>
      Effect.flatMap(ConstructionService.make(optionsFor(server)), ({ projects }) => Stream.runCount(projects.all))
    )
    const scoped = Effect.scoped(Effect.provide(counts, FetchHttpClient.layer))
    assert.deepStrictEqual(await Effect.runPromise(scoped), [1, 2])
  })

  it("that is closed ends what is under way and sends nothing more", async () => {
    await using world = await start()
    world.server.fail("hang", 2)
    const page = errorOf(world.client.projectPage(1))
    const loop = errorOf(ids(world.client))
    await world.server.waitFor(() => lists(world.server).length === 2)
    await world.client.close()
    const after = [world.client.token(), ids(world.client), world.client.projectPage(1)].map(errorOf)
    const reasons = await Promise.all([page, loop, ...after])
    assert.deepStrictEqual(
      reasons.map(({ reason }) => reason),
      ["Closed", "Closed", "Closed", "Closed", "Closed"]
    )
    assert.strictEqual(lists(world.server).length, 2)
  })

  it("can't be made from bad options, which are all named and not repeated", () => {
    const make = () =>
      connect({
        baseUrl: "ftp://a-secret.test",
        authUrl: "https://auth.test",
        clientId: " ",
        clientSecret: "",
        requestsPerMinute: 0.5
      })
    assert.throws(
      make,
      "The client's options are not usable: baseUrl must be an absolute http or https URL without credentials, ?query " +
        "or #fragment. clientId is missing. OAuth client id. clientSecret is missing. requestsPerMinute must be a " +
        "positive whole number."
    )
  })
})

describe("A refusal says which option to check", () => {
  const refusals: ReadonlyArray<readonly [string, InterfaceServerOptions, Partial<Options>, RegExp]> = [
    [
      "a wrong secret",
      {},
      { clientSecret: "another secret" },
      /^The service .*\b401\b.*: check clientId and clientSecret\.$/
    ],
    ["a missing scope", { requiredScope: "projects.read" }, { scopes: ["ipcs.read"] }, /\b403\b.*\bscopes\b/],
    [
      "a service that ignores the page's number",
      { pageParam: "p" },
      {},
      /page 1 when page 2 .* pageParam and perPageParam/
    ]
  ]
  for (const [what, service, options, expectedText] of refusals) {
    it(what, async () => {
      await using world = await start({ projects: 200, ...service }, options)
      const { message } = await errorOf(ids(world.client))
      assert.match(message, expectedText)
      assert.notInclude(message, "SITELEDGER_")
    })
  }

  it("an address without the version", async () => {
    await using world = await start()
    const client = connect({ ...optionsFor(world.server), baseUrl: world.server.baseUrl.replace("/v1", "") })
    const { message, reason } = await errorOf(client.projectPage(1))
    assert.strictEqual(reason, "Refused")
    assert.match(message, /\b404\b.*\bcheck baseUrl\b/)
    await client.close()
  })
})

it("scopes and paging parameters of other names are used as configured", async () => {
  const options = { scopes: ["projects.read", "ipcs.read"], pageParam: "p", perPageParam: "n", pageSize: 80 }
  await using world = await start({ requiredScope: "ipcs.read", pageParam: "p", perPageParam: "n" }, options)
  assert.deepStrictEqual(await ids(world.client), expected(120))
  const asked = lists(world.server).map(({ query }) => `${query["p"]} of ${query["n"]}`)
  assert.deepStrictEqual(asked, ["1 of 80", "2 of 80"])
})
