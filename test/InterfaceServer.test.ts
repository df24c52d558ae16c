/**
 * Shows that the stand-in service keeps to the interface document, so that other tests may rely on it. Callers and
 * receivers here are plain `fetch` and `node:http`; signatures are computed a second time in this file. Shares nothing
 * with the product, on purpose.
 */
import { assert, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { createHmac } from "node:crypto"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import type { Delivery, InterfaceServer } from "./InterfaceServer.ts"
import { eventTypes, retryScheduleSeconds, startInterfaceServer } from "./InterfaceServer.ts"
import { askToken, login, startReceiver } from "./InterfaceServer/Peer.ts"

interface Page {
  readonly data: Array<{ readonly id: number }>
  readonly pagination: { readonly total: number; readonly page: number; readonly per_page: number }
}

const pageOf = async (response: Response) => (await response.json()) as Page

const idsOf = ({ data }: Page) => data.map(({ id }) => id)

const outcome = async (asked: Promise<unknown>) => (await Promise.allSettled([asked]))[0].status

const signature = (secret: string, body: Buffer) => createHmac("sha256", secret).update(body).digest("hex")

describe("InterfaceServer: tokens", () => {
  it("grants a token to form-encoded client credentials only", async () => {
    await using server = await startInterfaceServer()
    assert.match(server.baseUrl, /\/v1$/)
    assert.isFalse(server.authUrl.includes("/v1"))
    const granted = await askToken(server)
    const { access_token, ...rest } = (await granted.json()) as { readonly access_token: string }
    assert.isAbove(access_token.length, 20)
    assert.deepStrictEqual<unknown>(rest, { token_type: "Bearer", expires_in: 3600, scope: "projects.read" })
    const refused = async (form: Record<string, string>, contentType?: string) => {
      const response = await askToken(server, form, contentType)
      return [response.status, ((await response.json()) as { readonly error: string }).error]
    }
    assert.deepStrictEqual(await refused({ client_secret: "wrong" }), [401, "invalid_client"])
    assert.deepStrictEqual(await refused({ grant_type: "password" }), [400, "unsupported_grant_type"])
    assert.deepStrictEqual(await refused({}, "application/json"), [400, "invalid_request"])
    server.settings.refuseTokens = { status: 503, error: "temporarily_unavailable" }
    assert.deepStrictEqual(await refused({}), [503, "temporarily_unavailable"])
  })

  it("answers 401 without a token, after revocation and after the lifetime", async () => {
    await using server = await startInterfaceServer()
    assert.strictEqual((await fetch(`${server.baseUrl}/projects`)).status, 401)
    const client = await login(server)
    assert.strictEqual((await client.list()).status, 200)
    server.revokeTokens()
    assert.strictEqual((await client.list()).status, 401)
    Object.assign(server.settings, { tokenLifetimeSeconds: 0, expiresIn: false })
    assert.notProperty(await (await askToken(server)).json(), "expires_in")
    assert.strictEqual((await (await login(server)).list()).status, 401)
  })
})

describe("InterfaceServer: projects", () => {
  it("pages from 1, 50 at a time unless asked, and keeps to its largest page", async () => {
    await using server = await startInterfaceServer()
    const client = await login(server)
    const first = await pageOf(await client.list())
    assert.strictEqual(first.data.length, 50)
    assert.deepStrictEqual(first.pagination, { total: 120, page: 1, per_page: 50 })
    const last = await pageOf(await client.list("?page=3"))
    assert.deepStrictEqual(
      idsOf(last),
      Array.from({ length: 20 }, (_, index) => 1101 + index)
    )
    assert.deepStrictEqual((await pageOf(await client.list("?page=4"))).data, [])
    assert.strictEqual((await pageOf(await client.list("?per_page=101"))).pagination.per_page, 100)
    server.settings.rejectLargePages = true
    const refused = [await client.list("?per_page=101"), await client.list("?page=0")]
    assert.isTrue(refused.every(({ status }) => status === 422))
  })

  it("follows the array while a test changes it, and answers raw text as written", async () => {
    await using server = await startInterfaceServer({
      projects: [`{ "id": 1, "name": "A", "status": "awarded", "value": 12345678901234567890.10 }`],
      pageParam: "p"
    })
    const client = await login(server)
    assert.include(await (await client.list()).text(), `"value": 12345678901234567890.10 }`)
    server.projects.splice(0, 0, { id: 0, name: "Before", status: "in-progress" })
    assert.deepStrictEqual(idsOf(await pageOf(await client.list("?p=2&per_page=1&page=1"))), [1])
  })

  it("lets N requests a minute through and records each", async () => {
    await using server = await startInterfaceServer({ requestsPerMinute: 5 })
    const client = await login(server)
    const statuses = (await Promise.all(Array.from({ length: 7 }, () => client.list()))).map(({ status }) => status)
    assert.deepStrictEqual(statuses.toSorted(), [200, 200, 200, 200, 200, 429, 429])
    assert.strictEqual(server.mostRequestsWithin(60_000), 7)
    assert.match((await client.list()).headers.get("retry-after") ?? "", /^([1-9]|[1-5]\d|60)$/)
    server.settings.retryAfter = false
    assert.isNull((await client.list()).headers.get("retry-after"))
    server.settings.minuteMs = 0
    assert.strictEqual((await client.list()).status, 200)
  })

  it("misbehaves for the next n requests and then recovers", async () => {
    await using server = await startInterfaceServer()
    const client = await login(server)
    for (const fault of ["html", "cut-json", "502", "502", "wrong-shape", "ignore-page"] as const) server.fail(fault)
    assert.include(await (await client.list()).text(), "<h1>")
    assert.strictEqual(await outcome((await client.list()).json()), "rejected")
    assert.deepStrictEqual([(await client.list()).status, (await client.list()).status], [502, 502])
    assert.notProperty(await (await client.list()).json(), "data")
    assert.strictEqual((await pageOf(await client.list("?page=2"))).data[0]?.id, 1001)
    assert.strictEqual((await pageOf(await client.list("?page=2"))).data[0]?.id, 1051)
    server.fail("cut-body")
    assert.strictEqual(await outcome(client.list().then((response) => response.text())), "rejected")
    server.fail("reset")
    assert.strictEqual(await outcome(client.list()), "rejected")
    server.fail("hang")
    const abort = new AbortController()
    const hung = outcome(client.list("?page=9", abort.signal))
    await server.waitFor(() => server.requests.at(-1)?.query["page"] === "9")
    abort.abort()
    assert.strictEqual(await hung, "rejected")
    assert.strictEqual((await client.list()).status, 200)
  })
})

describe("InterfaceServer: webhooks", () => {
  it("creates a subscription and pings it, signed with its secret", async () => {
    await using server = await startInterfaceServer()
    using receiver = await startReceiver()
    const client = await login(server)
    assert.strictEqual((await client.subscribe({ url: "/relative", events: ["ipc.paid"] })).status, 422)
    assert.strictEqual((await client.subscribe({ url: receiver.url })).status, 422)
    const response = await client.subscribe({ url: receiver.url, events: ["ipc.paid"] })
    assert.strictEqual(response.status, 201)
    const { secret, ...rest } = (await response.json()) as { readonly secret: string }
    assert.deepStrictEqual<unknown>(rest, { url: receiver.url, events: ["ipc.paid"] })
    await server.waitFor(() => server.deliveries[0]?.state === "delivered")
    const { body, headers } = receiver.received[0]!
    assert.strictEqual(headers["x-service-signature"], signature(secret, body))
    assert.strictEqual(headers["x-service-event-type"], "webhook.ping")
    assert.match(String(headers["x-service-event-id"]), /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    assert.isBelow(Math.abs(Number(headers["x-service-timestamp"]) - Date.now() / 1000), 10)
  })

  it("pings before the answer when asked to", async () => {
    await using server = await startInterfaceServer({ ping: "before" })
    using receiver = await startReceiver(401)
    await (await login(server)).subscribe({ url: receiver.url, events: [] })
    const [ping] = server.deliveries
    assert.deepStrictEqual([ping?.attempts.length, ping?.state], [1, "waiting"])
  })

  it("retries the same bytes until 2xx, and only for those who listed the type", async () => {
    await using server = await startInterfaceServer({ ping: "never", timeScale: 60_000, answerTimeoutMs: 500 })
    using receiver = await startReceiver(500, 302, 0)
    const client = await login(server)
    await client.subscribe({ url: receiver.url, events: ["ipc.certified"] })
    assert.deepStrictEqual(server.publish({ type: "vo.agreed" }), [])
    const [delivery] = server.publish({ type: "ipc.certified", body: `{ "ipc_id":1,  "x": 1.10 }` })
    await server.waitFor(() => delivery?.state === "delivered")
    assert.strictEqual(delivery?.attempts.map(({ status }) => status).join(), "500,302,0,204")
    const body = Buffer.from(`{ "ipc_id":1,  "x": 1.10 }`)
    const hex = signature(server.subscriptions[0]!.secret, body)
    for (const { body: bytes, headers } of receiver.received) {
      const seen = [bytes, headers["x-service-event-id"], headers["x-service-signature"]]
      assert.deepStrictEqual(seen, [body, delivery?.id, hex])
    }
  })

  it("fails for good after the sixth retry, and can then be replayed", async () => {
    await using server = await startInterfaceServer({ ping: "never", timeScale: 40_000 })
    using receiver = await startReceiver(500, 500, 500, 500, 500, 500, 500)
    await (await login(server)).subscribe({ url: receiver.url, events: ["ipc.paid"] })
    const delivery = server.publish({ type: "ipc.paid" })[0]!
    assert.throws(() => server.replay(delivery.id))
    await server.waitFor(() => delivery.state === "failed")
    const sinceFirst = delivery.attempts.slice(1).map(({ at }) => at - delivery.attempts[0]!.at)
    assert.strictEqual(sinceFirst.length, 6)
    assert.deepStrictEqual<unknown>(retryScheduleSeconds, [60, 5 * 60, 30 * 60, 2 * 3600, 6 * 3600, 24 * 3600])
    // The time of an attempt is noted a little later than the one that its schedule counts from.
    assert.isTrue(
      sinceFirst.every((ms, retry) => ms >= retryScheduleSeconds[retry]! / 40 - 50),
      sinceFirst.join()
    )
    server.replay(delivery.id)
    await server.waitFor(() => delivery.state === "delivered")
    assert.strictEqual(delivery.attempts.length, 8)
  })

  it("delivers once with headers, signature or bytes spoiled", async () => {
    await using server = await startInterfaceServer({ ping: "never" })
    using receiver = await startReceiver(202)
    await (await login(server)).subscribe({ url: receiver.url, events: ["ipc.paid"] })
    const { secret } = server.subscriptions[0]!
    assert.strictEqual(await server.deliver({ type: "ipc.paid" }, { upperCaseHex: true }), 202)
    await server.deliver({ type: "ipc.paid" }, { tamperedBody: "{}", id: null, timestamp: "soon" })
    await server.deliver({ type: "ipc.paid" }, { signature: null, type: "ipc.lost" })
    const [upper, tampered, unsigned] = receiver.received
    assert.strictEqual(upper?.headers["x-service-signature"], signature(secret, upper!.body).toUpperCase())
    assert.notStrictEqual(tampered?.headers["x-service-signature"], signature(secret, tampered!.body))
    assert.isUndefined(tampered?.headers["x-service-event-id"])
    assert.strictEqual(tampered?.headers["x-service-timestamp"], "soon")
    assert.isUndefined(unsigned?.headers["x-service-signature"])
    assert.strictEqual(unsigned?.headers["x-service-event-type"], "ipc.lost")
  })

  it("makes a body for each of the 14 types, in any envelope", async () => {
    await using server = await startInterfaceServer()
    assert.strictEqual(eventTypes.length, 14)
    for (const type of eventTypes) assert.isAbove(Object.keys(JSON.parse(server.eventBody(type))).length, 2)
    const fields = { event_timestamp: "2026-01-02T03:04:05Z", ipc_id: 7, payment_reference: undefined }
    const flat = `{"event_timestamp":"2026-01-02T03:04:05Z","ipc_id":7}`
    assert.strictEqual(server.eventBody("ipc.paid", fields), flat)
    Object.assign(server.settings, { envelope: "data", typeInBody: true })
    assert.strictEqual(server.eventBody("ipc.paid", fields), `{"event_type":"ipc.paid","data":${flat}}`)
    assert.include(server.eventBody("ipc.certified"), `"certified_amount":118750.00`)
  })
})

describe("InterfaceServer: as a program", () => {
  it("prints its addresses, obeys /control and ends on SIGTERM", async () => {
    const program = fileURLToPath(new URL("InterfaceServer.ts", import.meta.url))
    const child = spawn(process.execPath, [program, "--projects", "7"], { stdio: ["ignore", "pipe", "inherit"] })
    const ended = new Promise((resolve) => child.once("exit", resolve))
    try {
      const line = await new Promise<string>((resolve) => createInterface(child.stdout).once("line", resolve))
      const { pid, ...address } = JSON.parse(line) as Pick<InterfaceServer, "authUrl" | "baseUrl"> & { pid: number }
      assert.strictEqual(pid, child.pid)
      using receiver = await startReceiver()
      const client = await login(address)
      assert.strictEqual((await pageOf(await client.list())).pagination.total, 7)
      await client.subscribe({ url: receiver.url, events: ["ipc.paid"] })
      const control = async (verb: string, init: RequestInit = {}) =>
        (await fetch(new URL(`/control/${verb}`, address.baseUrl), init)).json()
      assert.deepInclude(((await control("subscriptions")) as Array<unknown>)[0], { url: receiver.url })
      const [issued] = (await control("publish", { method: "POST", body: `{"type":"ipc.paid"}` })) as Array<Delivery>
      const delivered = async (): Promise<boolean> =>
        ((await control("deliveries")) as Array<Delivery>).some(
          ({ id, state }) => id === issued?.id && state === "delivered"
        ) || delivered()
      await delivered()
      assert.isTrue(receiver.received.some(({ headers }) => headers["x-service-event-id"] === issued?.id))
    } finally {
      child.kill("SIGTERM")
    }
    assert.strictEqual(await ended, 0)
  })
})
