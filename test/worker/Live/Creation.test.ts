/** Subscriptions that can't be made as planned: lost answers, refused URLs, pings that never come. */
import { writeFileSync } from "node:fs"
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { json } from "node:stream/consumers"
import { assert, describe, it } from "@effect/vitest"
import type { StatusReport } from "../../../src/Operate/AdminApi/StatusReport.ts"
import { some } from "../../Long.ts"
import { freePort } from "../../RunningWorker.ts"
import { isVerified } from "../Past.ts"
import { World } from "../World.ts"

const lost = ({ subscription }: StatusReport): ReadonlyArray<boolean> =>
  subscription.toDelete.map(({ isSecretLost }) => isSecretLost)

/** What happens to the answer of a creation; `secret` is that of the answer. */
type Spoil = (response: ServerResponse, secret: string) => void

const lose: Spoil = (response) => void response.req.socket.destroy()

/** A proxy that spoils the first answers to POST /webhooks. */
const losingAnswers = async (target: string, answers: number, { at = 0, spoil = lose } = {}) => {
  let left = answers
  const { hostname, port } = new URL(target)
  const pass = (incoming: IncomingMessage, response: ServerResponse): void => {
    const { headers, method, url } = incoming
    const onward = request({ hostname, port, path: url, method, headers }, (answer) => {
      const isCreation = method === "POST" && url?.endsWith("/webhooks") === true
      if (isCreation && left-- > 0) {
        void json(answer).then((body) => spoil(response, (body as { secret: string }).secret))
        return
      }
      response.writeHead(answer.statusCode ?? 0, answer.headers)
      answer.pipe(response)
    })
    onward.on("error", () => incoming.socket.destroy())
    incoming.pipe(onward)
  }
  const server = createServer(pass)
  await new Promise<void>((done) => server.listen(at, "127.0.0.1", done))
  const url = new URL(target)
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    }
  }
}

describe("a creation whose answer is lost", () => {
  it("by kill -9 is repeated by the next start, and Status names the one to delete until a person has deleted it", async () => {
    await using world = await World.open({ projects: 3, ping: "before" })
    const { server } = world
    const first = world.start()
    // The answer waits for the ping, which can't be verified without the answer.
    await server.waitFor(() => server.subscriptions.length === 1)
    await first.stop("SIGKILL")
    server.settings.ping = "after"
    const second = world.start()
    const report = await second.status("verified", isVerified)
    assert.strictEqual(server.subscriptions.length, 2)
    assert.deepStrictEqual(lost(report), [true])
    assert.deepStrictEqual(report.subscription.obsolete, [world.environment["SITELEDGER_WEBHOOK_URL"] as string])
    const [forgotten, current] = server.subscriptions
    assert.strictEqual(await server.deliver({ type: "ipc.paid" }, { subscription: current as never }), 200)
    assert.strictEqual(await server.deliver({ type: "ipc.paid" }, { subscription: forgotten as never }), 401)
    const shown = await world.run("status")
    assert.match(shown.stdout, /delete the subscription whose secret we never learned.*siteledger secret retire lost-1/)
    assert.strictEqual((await world.run("secret", "retire", "lost-1")).code, 0)
    assert.deepStrictEqual(lost(await second.live()), [])
    await second.stop()
    const third = world.start()
    assert.deepStrictEqual(lost(await third.live()), [])
    assert.strictEqual(server.subscriptions.length, 2)
  })

  it("on the wire is repeated; a subscription without a known secret may remain", async () => {
    await using world = await World.open({ projects: 3 })
    await using proxy = await losingAnswers(world.server.baseUrl, 2)
    const worker = world.start({ SITELEDGER_BASE_URL: proxy.url })
    // Its ping may come before its secret and the lost creations are stored.
    const isKept = (report: StatusReport): boolean => isVerified(report) && lost(report).length > 1
    const report = await worker.status("verified and kept", isKept)
    assert.strictEqual(world.server.subscriptions.length, 3)
    assert.deepStrictEqual(lost(report), [true, true], "each that may exist")
  })

  it("is not one that the service refused; Status says which variables to check", async () => {
    await using world = await World.open({ projects: 3 })
    const url = new URL(world.environment["SITELEDGER_WEBHOOK_URL"] ?? "")
    // The stand-in takes plain http only.
    url.protocol = "https:"
    const refused = world.start({ SITELEDGER_WEBHOOK_URL: url.href })
    const report = await refused.status("refused", ({ phase }) => phase === "degraded")
    assert.match(report.reasons.join(), /There is no subscription.*422.*SITELEDGER_WEBHOOK_URL/)
    await refused.stop()
    const next = world.start()
    assert.deepStrictEqual(lost(await next.status("verified", isVerified)), [])
  })

  it("is not one that was never sent", async () => {
    await using world = await World.open({ projects: 3 })
    const port = await freePort()
    const base = new URL(world.server.baseUrl)
    base.port = String(port)
    const through = { SITELEDGER_BASE_URL: base.href }
    const stopped = world.start(through)
    await stopped.status("no connection", ({ reasons }) => /can't be read for now/.test(reasons.join()))
    await stopped.stop()
    const worker = world.start(through)
    await worker.status("no connection", ({ reasons }) => /can't be read for now/.test(reasons.join()))
    await using _proxy = await losingAnswers(world.server.baseUrl, 0, { at: port })
    assert.deepStrictEqual(lost(await worker.status("verified", isVerified)), [])
    assert.strictEqual(world.server.subscriptions.length, 1)
  })
})

describe("a creation whose answer can't be read", () => {
  const answer =
    (body: object): Spoil =>
    (response) => {
      response.writeHead(201, { "content-type": "application/json" }).end(JSON.stringify(body))
    }
  const isOrphaned = ({ reasons }: StatusReport): boolean => reasons.join().includes("we find no secret in its answer")

  it("is read under data and under payload", async () => {
    for (const place of some(["data", "payload"], 1)) {
      await using world = await World.open({ projects: 3 })
      const spoil: Spoil = (response, secret) => answer({ [place]: { secret } })(response, secret)
      await using proxy = await losingAnswers(world.server.baseUrl, 1, { spoil })
      const worker = world.start({ SITELEDGER_BASE_URL: proxy.url })
      await worker.status("verified", isVerified)
      assert.strictEqual(world.server.subscriptions.length, 1)
    }
  })

  it("is read where the configuration says, under the name that it says", async () => {
    await using world = await World.open({ projects: 3 })
    const spoil: Spoil = (response, secret) => answer({ result: { webhook: { key: secret } } })(response, secret)
    await using proxy = await losingAnswers(world.server.baseUrl, 1, { spoil })
    const [envelope, aliases] = [join(world.dataDir, "envelope.json"), join(world.dataDir, "aliases.json")]
    writeFileSync(envelope, '{ "creation": "result.webhook" }')
    writeFileSync(aliases, '{ "secret": "key" }')
    const files = { SITELEDGER_ENVELOPE: envelope, SITELEDGER_FIELD_ALIASES: aliases }
    const worker = world.start({ SITELEDGER_BASE_URL: proxy.url, ...files })
    await worker.status("verified", isVerified)
    assert.strictEqual(world.server.subscriptions.length, 1)
  })

  it("isn't repeated, even by a restart, until a person has deleted the subscription", async () => {
    await using world = await World.open({ projects: 3 })
    const { server } = world
    const spoil: Spoil = (response, secret) => answer({ webhook: { token: secret }, id: 7 })(response, secret)
    await using proxy = await losingAnswers(server.baseUrl, 1, { spoil })
    const through = { SITELEDGER_BASE_URL: proxy.url }
    for (const end of ["SIGKILL", "SIGTERM"] as const) {
      const worker = world.start(through)
      const report = await worker.status("orphaned, and walked", (status) => {
        return isOrphaned(status) && status.backfill["projects"]?.proof !== "running"
      })
      assert.strictEqual(report.phase, "degraded")
      assert.match(report.reasons.join(), /its fields: webhook, id\).*secret add.*secret retire lost-1/)
      assert.deepStrictEqual(lost(report), [true])
      assert.strictEqual(server.subscriptions.length, 1)
      await worker.stop(end)
    }
    const worker = world.start(through)
    await worker.status("orphaned", isOrphaned)
    assert.strictEqual((await world.runWith(through, "secret", "retire", "lost-1")).code, 0)
    const report = await worker.status("another one is verified", isVerified)
    assert.isFalse(isOrphaned(report))
    assert.deepStrictEqual(lost(report), [])
    assert.strictEqual(server.subscriptions.length, 2)
  })

  it("because it was cut off isn't repeated, and its secret can be added by hand", async () => {
    await using world = await World.open({ projects: 3, ping: "never" })
    const { server } = world
    const spoil: Spoil = (response) => {
      response.writeHead(201, { "content-type": "application/json", "content-length": 100 })
      response.write('{"url":', () => response.destroy())
    }
    await using proxy = await losingAnswers(server.baseUrl, 1, { spoil })
    const worker = world.start({ SITELEDGER_BASE_URL: proxy.url })
    await worker.status("orphaned", isOrphaned)
    const [{ secret } = assert.fail("no subscription")] = server.subscriptions
    await worker.verb("secret-add", { secret })
    const report = await worker.status("adopted", (status) => !isOrphaned(status) && lost(status).length === 0)
    assert.notStrictEqual(report.phase, "degraded")
    assert.strictEqual(await server.deliver({ type: "ipc.paid" }), 200)
    assert.strictEqual(server.subscriptions.length, 1)
  })
})

describe("a subscription that isn't reached", () => {
  /** As if it had been made that long ago. */
  const age = (world: World, minutes: number) => {
    const at = new Date(Date.now() - minutes * 60_000).toISOString().replace("Z", "000Z")
    return world.store(`update subscriptions set created_at = '${at}'`)
  }

  it("within a minute turns Status red with the likely cause, until a delivery arrives", async () => {
    await using world = await World.open({ projects: 3, ping: "never" })
    const first = world.start()
    await first.live()
    await first.stop()
    await age(world, 2)
    const second = world.start()
    const report = await second.status("not reached", ({ phase }) => phase === "degraded")
    assert.match(report.reasons.join(), /webhook\.ping.*can't reach that URL.*SITELEDGER_WEBHOOK_LISTEN/)
    assert.strictEqual(await world.server.deliver({ type: "ipc.paid" }), 200)
    const reached = await second.live()
    assert.isFalse(isVerified(reached), "only its ping verifies it")
    await second.stop()
    const third = world.start()
    await third.live()
    assert.strictEqual(await world.server.deliver({ type: "webhook.ping" }), 200)
    await third.status("verified", isVerified)
  })
})
