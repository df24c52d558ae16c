/**
 * Requests that are unsigned, or not signed as the interface document says: 401 and no trace, with any contents. And
 * requests that are refused for their form: too large, encoded, at another address.
 */
import { createHmac } from "node:crypto"
import { request } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { sign } from "../../InterfaceServer.ts"
import { World } from "../World.ts"

const ipcPaid = JSON.stringify({ ipc_id: 1, payment_reference: "P", event_timestamp: "2026-11-19T10:00:00Z" })

/** The value of the signature's header, from the secret and the body; null leaves it out. */
type Forgery = (secret: string, body: string) => string | null

const hmac = (algorithm: string, secret: string, body: string, encoding: "hex" | "base64" = "hex"): string =>
  createHmac(algorithm, secret).update(body).digest(encoding)

const without =
  (from: number, to?: number): Forgery =>
  (secret, body) =>
    sign(secret, body).slice(from, to)

const forgeries: Readonly<Record<string, Forgery>> = {
  "no header": () => null,
  "an empty header": () => "",
  "a space": () => " ",
  "a word": () => "signature",
  zeros: () => "0".repeat(64),
  "the letter f": () => "f".repeat(64),
  "63 digits": without(0, 63),
  "the last 63 digits": without(1),
  "62 digits": without(0, 62),
  "one digit": without(0, 1),
  "65 digits": (secret, body) => `${sign(secret, body)}0`,
  "66 digits": (secret, body) => `00${sign(secret, body)}`,
  "twice the signature": (secret, body) => sign(secret, body).repeat(2),
  "two signatures in a list": (secret, body) => `${sign(secret, body)}, ${sign(secret, body)}`,
  "a prefix": (secret, body) => `sha256=${sign(secret, body)}`,
  "a hexadecimal prefix": (secret, body) => `0x${sign(secret, body)}`,
  quotes: (secret, body) => `"${sign(secret, body)}"`,
  "a space in the middle": (secret, body) => sign(secret, body).replace(/^.{32}/, "$& "),
  "one digit that is none": (secret, body) => `${sign(secret, body).slice(0, 63)}g`,
  "another last digit": (secret, body) =>
    sign(secret, body).replace(/.$/, (digit) => (Number.parseInt(digit, 16) ^ 1).toString(16)),
  "another first digit": (secret, body) =>
    sign(secret, body).replace(/^./, (digit) => (Number.parseInt(digit, 16) ^ 8).toString(16)),
  reversed: (secret, body) => [...sign(secret, body)].toReversed().join(""),
  base64: (secret, body) => hmac("sha256", secret, body, "base64"),
  "SHA-1": (secret, body) => hmac("sha1", secret, body),
  "SHA-512": (secret, body) => hmac("sha512", secret, body),
  "SHA-512 cut to 64 digits": (secret, body) => hmac("sha512", secret, body).slice(0, 64),
  "SHA-3": (secret, body) => hmac("sha3-256", secret, body),
  "no secret": (_secret, body) => sign("", body),
  "another secret": (_secret, body) => sign("whsec_another", body),
  "the secret with a newline": (secret, body) => sign(`${secret}\n`, body),
  "the secret without its prefix": (secret, body) => sign(secret.replace(/^whsec_/, ""), body),
  "the secret itself": (secret) => Buffer.from(secret).toString("hex").padEnd(64, "0").slice(0, 64),
  "the signature of nothing": (secret) => sign(secret, ""),
  "the body with a newline": (secret, body) => sign(secret, `${body}\n`),
  "the body without spaces": (secret, body) => sign(secret, JSON.stringify(JSON.parse(body), null, 1)),
  "the body behind a timestamp": (secret, body) => sign(secret, `1763546400.${body}`),
  "another event": (secret, body) => sign(secret, body.replace('"P"', '"Q"'))
}

/** A request with exactly these headers, even the same one twice. */
const post = (url: string, headers: Readonly<Record<string, string | Array<string>>>, body: string): Promise<number> =>
  new Promise((done, failed) => {
    const sent = request(url, { method: "POST", headers }, (answer) => {
      answer.resume()
      done(answer.statusCode ?? 0)
    })
    sent.on("error", failed)
    sent.end(body)
  })

const storedEvents = (world: World) =>
  world.query("select event_type, deliveries::int as deliveries from construction.events order by sequence")

const ping = { event_type: "webhook.ping", deliveries: 1 }

describe("a request without a right signature", () => {
  it(`is answered 401 and leaves no trace, in ${Object.keys(forgeries).length} forms`, async () => {
    await using world = await World.open({ projects: 3 })
    const { server } = world
    const worker = world.start()
    await worker.live()
    const secret = server.subscriptions[0]?.secret ?? ""
    for (const [what, forgery] of Object.entries(forgeries)) {
      const signature = forgery(secret, ipcPaid)
      assert.strictEqual(await server.deliver({ type: "ipc.paid", body: ipcPaid }, { signature }), 401, what)
    }
    const right = sign(secret, ipcPaid)
    const event = { type: "ipc.paid", body: ipcPaid }
    assert.strictEqual(await server.deliver(event, { tamperedBody: ipcPaid.replace("1", "2") }), 401)
    assert.strictEqual(await server.deliver(event, { tamperedBody: "" }), 401)
    const url = world.environment["SITELEDGER_WEBHOOK_URL"] ?? ""
    const twice = { "X-Service-Signature": [right, "0".repeat(64)] }
    assert.strictEqual(await post(url, twice, ipcPaid), 401, "two headers")
    assert.strictEqual(await post(`${url}?x-service-signature=${right}`, {}, ""), 401)
    const report = await worker.status("wrong secrets are shown", ({ phase }) => phase === "degraded")
    assert.match(report.reasons.join(), /signed with an unknown secret/)

    assert.strictEqual(await server.deliver(event), 200)
    const after = await worker.status("it is applied", ({ inbox, phase }) => phase === "live" && inbox.pending === 0)
    assert.strictEqual(after.receiver.accepted, 2)
    await worker.stop()
    assert.deepStrictEqual(await storedEvents(world), [ping, { event_type: "ipc.paid", deliveries: 1 }])
  })
})

describe("a request of the wrong form", () => {
  it("is refused for its size with 413 and for its encoding with 415, and Status says so", async () => {
    await using world = await World.open({ projects: 3 }, { SITELEDGER_WEBHOOK_MAX_BYTES: "2000" })
    const { server } = world
    const worker = world.start()
    await worker.live()
    const body = (bytes: number): string => `{"ipc_id": 1, "payment_reference": "${"P".repeat(bytes - 38)}"}`
    const large = body(2001)
    assert.strictEqual(large.length, 2001)
    assert.strictEqual(await server.deliver({ type: "ipc.paid", body: large }), 413)
    const inChunks = await fetch(world.environment["SITELEDGER_WEBHOOK_URL"] ?? "", {
      method: "POST",
      headers: { "x-service-signature": sign(server.subscriptions[0]?.secret ?? "", large) },
      body: new Blob([large]).stream(),
      duplex: "half"
    } as RequestInit)
    assert.strictEqual(inChunks.status, 413)
    assert.strictEqual(await server.deliver({ type: "ipc.paid", body: body(2000) }), 200)
    const degraded = await worker.status("degraded", ({ phase }) => phase === "degraded")
    assert.match(degraded.reasons.join(), /SITELEDGER_WEBHOOK_MAX_BYTES/)
    const encoded = { headers: { "Content-Encoding": "zstd" }, tamperedBody: "signed before it was encoded" }
    assert.strictEqual(await server.deliver({ type: "ipc.paid", body: ipcPaid }, encoded), 415)
    await worker.status("Content-Encoding is named", ({ reasons }) => reasons.join().includes("Content-Encoding"))
    const identity = { headers: { "Content-Encoding": "identity" } }
    assert.strictEqual(await server.deliver({ type: "ipc.paid", body: ipcPaid }, identity), 200)
    await worker.status("it came through", ({ reasons }) => !reasons.join().includes("Content-Encoding"))
    const report = await worker.status("applied", ({ inbox }) => inbox.pending === 0)
    assert.deepInclude(report.receiver, { accepted: 3, tooLarge: 2, encoded: 1 })
  })

  it("gets 404 at another address, and 405 unless it is a POST", async () => {
    await using world = await World.open({ projects: 3 })
    const worker = world.start()
    await worker.live()
    const url = world.environment["SITELEDGER_WEBHOOK_URL"] ?? ""
    const signature = sign(world.server.subscriptions[0]?.secret ?? "", ipcPaid)
    const headers = { "x-service-signature": signature }
    for (const other of ["/", "/hooks", "/hooks/construction/", "/hooks/construction/x", "/HOOKS/construction"]) {
      const answer = await fetch(new URL(other, url), { method: "POST", headers, body: ipcPaid })
      assert.strictEqual(answer.status, 404, other)
    }
    for (const method of ["PUT", "DELETE", "PATCH"]) {
      assert.strictEqual((await fetch(url, { method, headers, body: ipcPaid })).status, 405, method)
    }
    assert.strictEqual((await fetch(url, { headers })).status, 405)
    assert.strictEqual((await fetch(`${url}?from=service`, { method: "POST", headers, body: ipcPaid })).status, 200)
    await worker.status("applied", ({ inbox, receiver }) => receiver.accepted === 2 && inbox.pending === 0)
    await worker.stop()
    assert.deepStrictEqual(await storedEvents(world), [ping, { event_type: "ipc.paid", deliveries: 1 }])
  })
})
