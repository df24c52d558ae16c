/**
 * The dashboard's side of the admin listener: who is let in, by which code, token or cookie, from which page; what they are told as
 * it happens; and what a dashboard that reads nothing costs.
 */
import { randomUUID } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { saw } from "../Logged.ts"
import { until } from "../RunningWorker.ts"
import { Browsing, messages } from "./Browsing.ts"
import { Sender } from "./Ledger/Sender.ts"
import { World } from "./World.ts"

const json = { LOG_FORMAT: "json" }

const nobody = '{"error":"No one is signed in here."}\n'
const needed = '{"error":"A valid token is needed."}\n'

const addressIn = (text: string) => /^(http:\/\/127\.0\.0\.1:\d+)\/#code=([\w-]{22})\n$/.exec(text)

/** One by one in stored order, because a certificate is of its own IPC. */
const event = (ipc_id: string) => ({
  type: "ipc.certified",
  id: randomUUID(),
  body: JSON.stringify({ ipc_id, certified_amount: "1.00", event_timestamp: "2026-11-19T10:00:00Z" })
})

describe("the dashboard", () => {
  it("is opened by a link that signs one browser in, once, and a restart signs nobody out", async () => {
    await using world = await World.open({ projects: 3 })
    const without = await world.run("dashboard")
    assert.strictEqual(without.code, 1)
    assert.include(without.stderr, "`siteledger start` starts one")
    const worker = world.start(json)
    await worker.live()
    const browser = new Browsing(worker)
    assert.deepInclude(await browser.ask("GET", "/session"), { status: 401, text: nobody })
    const { code, stderr, stdout } = await world.run("dashboard", "--no-open")
    assert.strictEqual(code, 0, stderr)
    const [, admin, secret = ""] = addressIn(stdout) ?? []
    assert.strictEqual(admin, browser.origin)
    const begun = await browser.signIn({ code: secret })
    assert.strictEqual(begun.status, 200, begun.text)
    const { may, principal } = JSON.parse(begun.text) as { readonly may: unknown; readonly principal: string }
    assert.deepStrictEqual([may, principal.slice(0, 3)], [["read", "decide", "operate"], "os:"])
    const port = new URL(browser.origin).port
    assert.match(
      begun.headers["set-cookie"]?.join() ?? "",
      new RegExp(`^siteledger-${port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`)
    )
    const again = await new Browsing(worker).signIn({ code: secret })
    assert.deepInclude(again, { status: 401 })
    assert.match(again.text, /^{"error":"This link was used before/)
    await until("it is in the log", async () => worker.stderr.includes('"session.begun"') || undefined)
    assert.deepInclude(saw(worker.stderr, "session.begun"), { level: "INFO", principal })
    const { cookie } = browser
    await worker.stop()
    const next = world.start(json)
    await next.live()
    const after = new Browsing(next)
    // Another port would be another worker's.
    after.cookie = cookie.replace(port, new URL(after.origin).port)
    assert.deepInclude(await after.ask("GET", "/session"), { status: 200, text: begun.text })
    assert.strictEqual((await after.ask("DELETE", "/session")).status, 204)
    after.cookie = cookie.replace(port, new URL(after.origin).port)
    assert.deepInclude(await after.ask("GET", "/session"), { status: 401, text: nobody })
  })

  it("does what the signed-in principal may do, asked from its own page, and nothing else", async () => {
    await using world = await World.open({ projects: 3 })
    const worker = world.start(json)
    await worker.live()
    const add = async (name: string, role: string) =>
      (await world.run("principal", "add", name, "--role", role)).stdout.trim()
    const reader = new Browsing(worker)
    for (const wrong of ["", "slp_", `slp_${"0".repeat(64)}`]) {
      const refused = await reader.signIn({ token: wrong })
      const text = '{"error":"This token isn\'t valid, or no longer valid."}\n'
      assert.deepInclude(refused, { status: 401, text })
    }
    const token = await add("rhea", "read")
    // What is longer than any token isn't read.
    const long = await reader.ask("POST", "/session", {}, `${JSON.stringify({ token })}${" ".repeat(5000)}`)
    assert.strictEqual(long.status, 401)
    const signedIn = await reader.signIn({ token })
    assert.deepInclude(signedIn, { status: 200, text: '{"principal":"rhea","may":["read"]}\n' })
    const statusOf = async (browser: Browsing, path: string, headers = {}, method = "POST") =>
      (await browser.ask(method, path, headers, method === "POST" ? "{}" : "")).status
    assert.strictEqual(await statusOf(reader, "/verbs/ledger-list"), 200)
    assert.deepInclude(await reader.ask("POST", "/verbs/publish", {}, "{}"), {
      status: 403,
      text: '{"error":"rhea may not do this: it needs the role operate."}\n'
    })

    const operator = new Browsing(worker)
    await operator.signIn({ token: await add("otto", "operate") })
    assert.strictEqual(await statusOf(operator, "/verbs/publish"), 200)
    // A page of another site, one that hides where it is from, and one that a name server sent here.
    for (const origin of ["http://evil.example", "null", "", operator.origin.replace("127.0.0.1", "localhost")]) {
      const refused = await operator.ask("POST", "/verbs/publish", { origin }, "{}")
      assert.deepInclude(refused, { status: 401, text: needed }, origin)
      assert.strictEqual((await operator.ask("DELETE", "/session", { origin })).status, 403)
      const body = JSON.stringify({ token })
      assert.strictEqual((await operator.ask("POST", "/session", { origin }, body)).status, 403)
    }
    for (const path of ["/", "/session", "/stream", "/deliveries/1"]) {
      const foreign = { host: "evil.example", origin: "http://evil.example" }
      assert.strictEqual(await statusOf(operator, path, foreign, "GET"), 403, path)
    }
    assert.deepStrictEqual(await world.store("select principal, verb from admin_log where verb = 'publish'"), [
      { principal: "otto", verb: "publish" }
    ])
    await world.run("principal", "rotate", "rhea")
    assert.strictEqual(await statusOf(reader, "/verbs/ledger-list"), 401)
    assert.strictEqual(await statusOf(operator, "/session", {}, "DELETE"), 204)
    assert.strictEqual(await statusOf(operator, "/verbs/publish"), 401)
  })

  it("needs the token for what is read, too, once one is configured; then any name may lead to it", async () => {
    const configured = "a-configured-admin-token-0123456789"
    await using world = await World.open({ projects: 3 }, { SITELEDGER_ADMIN_TOKEN: configured })
    const worker = world.start()
    await until("it listens", async () => worker.note()?.admin)
    const behind = {
      host: "siteledger.example.com",
      origin: "https://siteledger.example.com",
      "x-forwarded-proto": "https"
    }
    const browser = new Browsing(worker)
    assert.strictEqual((await browser.ask("GET", "/status", behind)).status, 401)
    assert.strictEqual((await browser.ask("GET", "/stream", behind)).status, 401)
    assert.strictEqual((await browser.ask("GET", "/", behind)).status, 200)
    const begun = await browser.ask("POST", "/session", behind, JSON.stringify({ token: configured }))
    assert.deepInclude(begun, { status: 200, text: '{"principal":"admin","may":["read","decide","operate"]}\n' })
    assert.match(begun.headers["set-cookie"]?.join() ?? "", /^siteledger-tls=[\w-]{43}; .*; Secure; SameSite=Strict$/)
    assert.strictEqual((await browser.ask("GET", "/status", behind)).status, 200)
  })

  it("tells as it happens what is applied, each event once, also to one that was away", async () => {
    await using world = await World.open({ projects: 3 })
    using sender = new Sender(world)
    const worker = world.start()
    await worker.live()
    const browser = new Browsing(worker)
    await browser.signIn({ token: worker.note()?.token ?? "" })
    const events = (from: number, count: number) => Array.from({ length: count }, (_, at) => event(String(from + at)))
    await sender.deliver(events(0, 3))
    const seen: Array<string> = []
    const watch = async (headers: Record<string, string>, until: number): Promise<string> => {
      const stream = await browser.open("GET", "/stream", headers)
      assert.strictEqual(stream.headers["content-type"], "text/event-stream")
      let through = 0
      for await (const { data, event: name } of messages(stream)) {
        if (name === "status") assert.hasAnyKeys(data, ["phase"])
        if (name !== "events") continue
        const told = data as { readonly through: number; readonly events: ReadonlyArray<{ entity_id: string | null }> }
        // All but the ping with which a subscription begins.
        seen.push(...told.events.flatMap(({ entity_id }) => entity_id ?? []))
        through = told.through
        if (seen.length >= until) break
      }
      return String(through)
    }
    const first = watch({}, 5)
    await until("the first are told", async () => seen.length >= 3 || undefined)
    await sender.deliver(events(3, 2))
    const through = await first
    await sender.deliver(events(5, 4))
    await worker.status("applied", ({ inbox }) => inbox.pending === 0)
    await watch({ "last-event-id": through }, 9)
    assert.deepStrictEqual(
      seen,
      Array.from({ length: 9 }, (_, at) => String(at))
    )
  })

  it("tells a hundred at the most, forgets those that are gone, and goes on beside one that never reads", async () => {
    await using world = await World.open({ projects: 3 })
    const worker = world.start()
    await worker.live()
    const browser = new Browsing(worker)
    await browser.signIn({ token: worker.note()?.token ?? "" })
    const deaf = await Promise.all(Array.from({ length: 100 }, () => browser.open("GET", "/stream")))
    assert.deepStrictEqual([...new Set(deaf.map(({ statusCode }) => statusCode))], [200])
    const more = await browser.ask("GET", "/stream")
    assert.deepInclude(more, { status: 503, text: '{"error":"100 dashboards are open already."}\n' })
    assert.strictEqual((await worker.live()).phase, "live")
    for (const stream of deaf) stream.destroy()
    const next = await until("one has a place again", async () => {
      const stream = await browser.open("GET", "/stream")
      return stream.statusCode === 200 ? stream : void stream.destroy()
    })
    const told = messages(next)
    assert.strictEqual((await told.next()).value?.event, "status")
    await browser.ask("DELETE", "/session")
    while ((await told.next()).done !== true);
  })
})
