/** Which deliveries a client's own receiver may accept as the service's, including a real one. */
import { createHmac } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"
import { assert, describe, it } from "@effect/vitest"
import { connect, eventTypes, verifyDelivery } from "../../../connectors/construction/Client.ts"
import { startInterfaceServer } from "../../InterfaceServer.ts"

const secret = "whsec_one"
const body = Buffer.from('{"event_type":"ipc.paid","ipc_id":"IPC-1"}')
const sign = (key: string, bytes: Uint8Array = body) => createHmac("sha256", key).update(bytes).digest("hex")
const signed = (signature: string) => ({ "x-service-signature": signature })

describe("a delivery", () => {
  it("is the service's if its bytes were signed with a valid secret", () => {
    assert.isTrue(verifyDelivery(body, signed(sign(secret)), [secret]))
    assert.isFalse(verifyDelivery(body, signed(sign("whsec_two")), [secret]))
    assert.isFalse(verifyDelivery(Buffer.from(`${body.toString()} `), signed(sign(secret)), [secret]))
  })

  it("may be signed with any of several secrets, and is never accepted without any", () => {
    const both = [secret, "whsec_two"]
    assert.isTrue(verifyDelivery(body, signed(sign(secret)), both))
    assert.isTrue(verifyDelivery(body, signed(sign("whsec_two")), both))
    assert.isFalse(verifyDelivery(body, signed(sign("whsec_three")), both))
    assert.isFalse(verifyDelivery(body, signed(sign(secret)), []))
  })

  it("may be any form of bytes, or text, and a single secret needs no list", () => {
    const text = '{"name":"Quai d’Orsay"}'
    const bytes = Buffer.from(text)
    const headers = signed(sign(secret, bytes))
    // A Buffer is a view of a larger one.
    const forms = [text, bytes, new Uint8Array(bytes), new Uint8Array(bytes).buffer]
    for (const form of forms) {
      assert.isTrue(verifyDelivery(form, headers, secret))
      assert.isFalse(verifyDelivery(form, headers, "whsec_two"))
    }
    assert.isFalse(verifyDelivery("", signed(sign("", Buffer.from(""))), ""))
  })

  it("is not the service's if it was signed with an empty secret", () => {
    assert.isFalse(verifyDelivery(body, signed(sign("")), ["", secret]))
  })

  it("may carry hex of either case, and nothing else", () => {
    const good = sign(secret)
    assert.isTrue(verifyDelivery(body, signed(good.toUpperCase()), [secret]))
    for (const bad of [
      "",
      `sha256=${good}`,
      good.slice(2),
      `${good}00`,
      `${good.slice(0, 62)}zz`,
      `${good}, ${good}`
    ]) {
      assert.isFalse(verifyDelivery(body, signed(bad), [secret]), bad)
    }
    assert.isFalse(verifyDelivery(body, {}, [secret]))
  })

  it("may come with Node's headers, fetch's, or a gateway's spelling", () => {
    const good = sign(secret)
    assert.isTrue(verifyDelivery(body, new Headers({ "X-Service-Signature": good }), [secret]))
    assert.isFalse(verifyDelivery(body, new Headers(), [secret]))
    assert.isTrue(verifyDelivery(body, { "X-Service-Signature": good, Accept: "*/*" }, [secret]))
    assert.isTrue(verifyDelivery(body, { "X-SERVICE-SIGNATURE": [good] }, [secret]))
  })

  it("with two signatures proves nothing", () => {
    const good = sign(secret)
    assert.isFalse(verifyDelivery(body, { "x-service-signature": [good, good] }, [secret]))
    const twice = { "x-service-signature": sign("whsec_two"), "X-Service-Signature": good }
    assert.isFalse(verifyDelivery(body, twice, [secret]))
  })
})

it("a new webhook has the secret that its deliveries are signed with", async () => {
  await using server = await startInterfaceServer({ ping: "never" })
  const { clientId, clientSecret } = server.settings
  const client = connect({ baseUrl: server.baseUrl, authUrl: server.authUrl, clientId, clientSecret })
  const received: Array<boolean> = []
  let secrets: ReadonlyArray<string> = []
  const receiver = createServer(async (request, response) => {
    const isGood = verifyDelivery(await buffer(request), request.headers, secrets)
    received.push(isGood)
    response.writeHead(isGood ? 204 : 401).end()
  }).listen(0, "127.0.0.1")
  await once(receiver, "listening")
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/construction`
  const events = ["ipc.paid", "an.event.not.in.the.document"] as const

  const webhook = await client.createWebhook({ url, events })
  assert.deepStrictEqual(webhook, { url, events, secret: server.subscriptions[0]?.secret ?? "" })
  secrets = [webhook.secret]
  assert.strictEqual(await server.deliver({ type: "ipc.paid" }), 204)
  assert.strictEqual(await server.deliver({ type: "ipc.paid" }, { tamperedBody: "{}" }), 401)
  assert.deepStrictEqual(received, [true, false])
  await client.close()
  receiver.close()
})

it("the event types are those of the interface document", () => {
  assert.strictEqual(eventTypes.length, 14)
  assert.deepInclude(eventTypes, {
    type: "ipc.paid",
    entity: "ipcs",
    status: "paid",
    proof: [["payment_reference"]],
    fields: { paid_amount: [] }
  })
})
