/** A worker that knows its subscription accepts deliveries from its start on, whatever the token endpoint answers. */
import type { ServerResponse } from "node:http"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Front } from "../../Front.ts"
import { rounds } from "../../Long.ts"
import { freePort } from "../../RunningWorker.ts"
import { applied, isVerified } from "../Past.ts"
import { World } from "../World.ts"

const json = { "content-type": "application/json" }

/** What each answers to a request for a token, and what Status says about it. */
const sicknesses: Readonly<Record<string, readonly [answer: (response: ServerResponse) => unknown, sentence: RegExp]>> =
  {
    "401": [(response) => response.writeHead(401, json).end('{"error":"invalid_client"}'), /SITELEDGER_CLIENT_SECRET/],
    "403": [
      (response) => response.writeHead(403, json).end('{"error":"access_denied"}'),
      /refused to give a token \(403/
    ],
    "404": [(response) => response.writeHead(404).end("no such page"), /no token endpoint.*SITELEDGER_AUTH_URL/],
    "302": [(response) => response.writeHead(302, { location: "/login" }).end(), /redirects.*SITELEDGER_AUTH_URL/],
    HTML: [(response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>"), /no access_token/],
    "an empty body": [(response) => response.writeHead(200, json).end(), /no access_token/],
    "truncated JSON": [(response) => response.writeHead(200, json).end('{"access_token":"at'), /no access_token/],
    "JSON of another shape": [(response) => response.writeHead(200, json).end('{"token":{}}'), /no access_token/],
    "503": [(response) => response.writeHead(503).end(), /it answered 503/],
    "a closed connection": [
      (response) => response.destroy(),
      /SITELEDGER_AUTH_URL\) can't be reached: it closed the connection/
    ]
  }

const subscribed = async (): Promise<World> => {
  const world = await World.open({ projects: 3 })
  const worker = world.start()
  await worker.status("verified", isVerified)
  await applied(worker)
  assert.strictEqual((await worker.stop()).code, 0)
  return world
}

describe("a worker that knows its subscription", () => {
  // Each test starts its own worker there, the next one after the one before has ended.
  let world: World
  beforeAll(async () => {
    world = await subscribed()
  })
  afterAll(() => world[Symbol.asyncDispose]())

  for (const [name, [answer, sentence]] of Object.entries(sicknesses)) {
    it(`starts, accepts and applies while the token endpoint answers ${name}`, async () => {
      await using endpoint = await Front.start()
      endpoint.take = answer
      const worker = world.start({ SITELEDGER_AUTH_URL: endpoint.origin })
      const report = await worker.status("it says so", ({ reasons }) => sentence.test(reasons.join()))
      assert.strictEqual(report.phase, "degraded")
      const before = report.events["applied"] ?? 0
      assert.strictEqual(await world.server.deliver({ type: "ipc.paid" }), 200)
      await worker.status("applied", ({ events, inbox }) => inbox.pending === 0 && (events["applied"] ?? 0) > before)
      assert.strictEqual((await worker.stop()).code, 0)
    })
  }

  it("starts while nothing listens at the token endpoint", async () => {
    const worker = world.start({ SITELEDGER_AUTH_URL: `http://127.0.0.1:${await freePort()}` })
    await worker.status("it says so", ({ reasons }) => /SITELEDGER_AUTH_URL/.test(reasons.join()))
    assert.strictEqual(await world.server.deliver({ type: "ipc.paid" }), 200)
    assert.strictEqual((await worker.stop()).code, 0)
  })

  it("loses no delivery over many restarts, each under a sick token endpoint", { timeout: 120_000 }, async () => {
    const restarts = rounds(5, 20)
    await using own = await subscribed()
    await using endpoint = await Front.start()
    const answers = Object.values(sicknesses).map(([answer]) => answer)
    for (let restart = 0; restart < restarts; restart++) {
      endpoint.take = answers[restart % answers.length]!
      const worker = own.start({ SITELEDGER_AUTH_URL: endpoint.origin })
      await worker.status("it is up")
      assert.strictEqual(await own.server.deliver({ type: "ipc.paid", fields: { ipc_id: `IPC-${restart}` } }), 200)
      await worker.stop(restart % 2 === 0 ? "SIGKILL" : "SIGTERM")
    }
    const last = own.start()
    await applied(last)
    await last.stop()
    const [counted] = await own.query("select count(*)::int as paid from construction.ipcs where status = 'paid'")
    assert.deepStrictEqual(counted, { paid: restarts })
  })
})
