/**
 * Deliveries signed by other programs and written to raw sockets, in the forms that HTTP allows: the worker stores
 * exactly the bytes that were sent. And the sandbox's deliveries, checked by the same programs.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { Sandbox } from "../../sandbox/Sandbox.ts"
import { head, path, send } from "../Intake/Receiver/Running.ts"
import * as CallbackReceiver from "../sandbox/CallbackReceiver.ts"
import { subscribeAt } from "../sandbox/Outliving.ts"
import { World } from "../worker/World.ts"
import { signers } from "./Signers.ts"

const byteOrderMark = Buffer.of(0xef, 0xbb, 0xbf)

/** Different each time; with characters of two, three and four bytes. */
const bodyOf = (n: number): Buffer =>
  Buffer.from(`{"ipc_id": ${n}, "payment_reference": "é€𝄞 ${n}", "event_timestamp": "2026-11-19T10:00:00Z"}`)

type Parts = ReadonlyArray<string | Uint8Array>

/** What is written to the socket, a part at a time. */
type Form = (signature: string, body: Buffer) => Parts

const whole = (signature: string, body: Buffer, line?: string): Parts => [
  head({ "X-Service-Signature": signature, "Content-Length": body.byteLength }, line),
  body
]

/** Chunks of 1, 2, 3 … bytes, which cut characters in two. */
const chunksOf = (body: Buffer): ReadonlyArray<Buffer> => {
  const chunks: Array<Buffer> = []
  for (let from = 0, size = 1; from < body.byteLength; from += size++) chunks.push(body.subarray(from, from + size))
  return chunks
}

const chunked =
  (size: (bytes: number) => string, end = "0\r\n\r\n"): Form =>
  (signature, body) => [
    head({ "X-Service-Signature": signature, "Transfer-Encoding": "chunked" }),
    ...chunksOf(body).map((chunk) =>
      Buffer.concat([Buffer.from(`${size(chunk.byteLength)}\r\n`), chunk, Buffer.from("\r\n")])
    ),
    end
  ]

const forms: Readonly<Record<string, Form>> = {
  "lower-case hex": whole,
  "upper-case hex": (signature, body) => whole(signature.toUpperCase(), body),
  "hex in both cases": (signature, body) =>
    whole(
      signature.replaceAll(/../g, ([first = "", second = ""]) => first.toUpperCase() + second),
      body
    ),
  "header names in lower case": (signature, body) => [
    head({ "x-service-signature": signature, "content-length": body.byteLength }),
    body
  ],
  "header names in upper case": (signature, body) => [
    head({ "X-SERVICE-SIGNATURE": signature, "CONTENT-LENGTH": body.byteLength }),
    body
  ],
  "white space around the header's value": (signature, body) => whole(`\t  ${signature} \t`, body),
  "a body that comes byte by byte": (signature, body) => [
    head({ "X-Service-Signature": signature, "Content-Length": body.byteLength }),
    ...Array.from(body, (byte) => Buffer.of(byte))
  ],
  "chunks of odd sizes": chunked((bytes) => bytes.toString(16)),
  "chunks with upper-case sizes, extensions and a trailer": chunked(
    (bytes) => `000${bytes.toString(16).toUpperCase()};name="a;b"`,
    "0;last\r\nX-Checksum: none\r\n\r\n"
  ),
  "HTTP/1.0 without a Host": (signature, body) => [
    `POST ${path} HTTP/1.0\r\nX-Service-Signature: ${signature}\r\nContent-Length: ${body.byteLength}\r\n\r\n`,
    body
  ],
  "an absolute address in the request line": (signature, body) =>
    whole(signature, body, `POST http://hooks.example.com:8080${path}?from=proxy HTTP/1.1`),
  "a query in the request line": (signature, body) => whole(signature, body, `POST ${path}?from=service HTTP/1.1`)
}

const post = async (port: number, [first = "", ...others]: Parts): Promise<number | undefined> => {
  const sent = send(port, first)
  sent.socket.setNoDelay()
  for (const part of others) sent.write(part)
  const status = await sent.status()
  sent.socket.destroy()
  return status
}

const flipped = (body: Buffer, at: number): Buffer => {
  const other = Buffer.from(body)
  other[at] = (other[at] ?? 0) ^ 1
  return other
}

describe("the worker", () => {
  let world: World
  const service = { port: 0, secret: "" }

  beforeAll(async () => {
    world = await World.open({ projects: 3 })
    await world.start().live()
    service.port = Number(world.environment["SITELEDGER_WEBHOOK_LISTEN"]?.split(":")[1])
    service.secret = world.server.subscriptions[0]?.secret ?? ""
  })
  afterAll(() => world[Symbol.asyncDispose]())

  let count = 0
  const nextBody = (): Buffer => bodyOf(++count)

  const stored = async (body: Buffer): Promise<number> => {
    const rows = await world.inbox()
    return rows.filter((row) => body.equals(row["body"] as Uint8Array)).length
  }

  for (const { missing, name, sign } of signers) {
    it.skipIf(missing !== undefined)(
      `stores what ${name} has signed byte for byte, in ${Object.keys(forms).length} forms, and refuses it with a bit flipped`,
      async () => {
        const { port, secret } = service
        const all = Object.entries(forms).map(([what, form]) => ({ what, form, body: nextBody() }))
        all.push({ what: "a byte order mark", form: whole, body: Buffer.concat([byteOrderMark, nextBody()]) })
        const bodies = all.map(({ body }) => body)
        const signatures = sign(secret, bodies)
        for (const [index, { body, form, what }] of all.entries()) {
          const signature = signatures[index] ?? ""
          for (const at of [0, Math.floor(body.byteLength / 2), body.byteLength - 1]) {
            const other = flipped(body, at)
            assert.strictEqual(await post(port, form(signature, other)), 401, what)
            assert.strictEqual(await stored(other), 0, what)
          }
          assert.strictEqual(await post(port, whole(signature, body.subarray(0, -1))), 401)
          assert.strictEqual(await post(port, whole(signature, Buffer.concat([body, Buffer.from("\n")]))), 401)
          assert.strictEqual(await stored(body), 0, what)
          assert.strictEqual(await post(port, form(signature, body)), 200, what)
          assert.strictEqual(await stored(body), 1, what)
        }
      }
    )
  }

  const signer = signers.find(({ missing }) => missing === undefined)
  const signed = (body: Buffer): string => signer?.sign(service.secret, [body])[0] ?? ""

  it("answers several requests that are written at once in their order", async () => {
    const [first, forged, chunky, last] = [nextBody(), nextBody(), nextBody(), nextBody()] as const
    const all = [
      ...whole(signed(first), first),
      ...whole(signed(first), forged),
      ...chunked((bytes) => bytes.toString(16))(signed(chunky), chunky),
      ...whole(signed(last), last)
    ]
    const sent = send(service.port, Buffer.concat(all.map((part) => Buffer.from(part as Uint8Array))))
    assert.deepStrictEqual(await sent.answered(4), [200, 401, 200, 200])
    sent.socket.destroy()
    const counts = await Promise.all([first, forged, chunky, last].map(stored))
    assert.deepStrictEqual(counts, [1, 0, 1, 1])
  })

  it("answers a sender that waits for 100 before it sends the body", async () => {
    const body = nextBody()
    const headers = { "Content-Length": body.byteLength, Expect: "100-continue" }
    const sent = send(service.port, head({ ...headers, "X-Service-Signature": signed(body) }))
    assert.deepStrictEqual(await sent.answered(), [100])
    sent.write(body)
    assert.deepStrictEqual(await sent.answered(2), [100, 200])
    sent.socket.destroy()
    assert.strictEqual(await stored(body), 1)
  })
})

describe("the sandbox", () => {
  for (const { missing, name, sign } of signers) {
    it.live.skipIf(missing !== undefined)(`signs its deliveries as ${name} does`, () =>
      Effect.gen(function* () {
        const receiver = yield* CallbackReceiver.make()
        const sandbox = yield* Sandbox.start({ eventsPerSecond: 0 })
        const { secret } = yield* subscribeAt(sandbox.authUrl, receiver.url)
        yield* sandbox.emit(12)
        yield* sandbox.deliveries.until((counts) => counts.waiting === 0)
        const received = yield* Queue.takeAll(receiver.inbox)
        assert.isAtLeast(received.length, 13)
        const bodies = received.map(({ body }) => body)
        assert.deepStrictEqual<ReadonlyArray<string | undefined>>(
          received.map(({ headers }) => headers["x-service-signature"]),
          sign(secret, bodies)
        )
      }).pipe(Effect.provide(NodeHttpClient.layerUndici))
    )
  }
})
