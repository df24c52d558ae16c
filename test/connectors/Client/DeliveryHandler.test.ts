/** The web handler for deliveries: which requests it accepts, when it answers, and with what. */
import { createHmac } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { type DeliveredEvent, deliveryHandler } from "../../../connectors/construction/Client.ts"

const secret = "whsec_one"
const text = '{"event_type":"ipc.paid","ipc_id":"IPC-1","amount":1250000.50}'

const request = (body: string | ReadableStream, signed: string | null = secret, headers: Record<string, string> = {}) =>
  new Request("http://receiver.test/construction", {
    method: "POST",
    body,
    duplex: "half",
    headers: {
      "x-service-event-id": "0e3b2b6a-4f5d-4a7c-9a65-0b6c1e6f2d11",
      "x-service-event-type": "ipc.paid",
      "x-service-timestamp": "1763596800",
      ...(signed === null ? {} : { "x-service-signature": createHmac("sha256", signed).update(text).digest("hex") }),
      ...headers
    }
  } as RequestInit)

const make = (onEvent: (event: DeliveredEvent) => unknown = () => undefined, maximumBytes = 1000) => {
  const events: Array<DeliveredEvent> = []
  const handle = deliveryHandler({
    secrets: [secret],
    maximumBytes,
    onEvent: (event) => {
      events.push(event)
      return onEvent(event)
    }
  })
  return { events, statusOf: async (asked: Request) => (await handle(asked)).status }
}

const streamed = (chunks: ReadonlyArray<string>, cancelled: { reason?: string }) =>
  new ReadableStream({
    pull: (controller) => {
      const [next, ...rest] = chunks
      chunks = rest
      if (next === undefined) controller.close()
      else controller.enqueue(Buffer.from(next))
    },
    cancel: () => {
      cancelled.reason = "left"
    }
  })

describe("a delivery", () => {
  it("reaches onEvent with its bytes, its data as written, and what the headers say", async () => {
    const { events, statusOf } = make()
    assert.strictEqual(await statusOf(request(text)), 204)
    const [event] = events
    assert.strictEqual(Buffer.from(event?.body ?? []).toString(), text)
    assert.strictEqual(JSON.stringify(event?.data), text)
    assert.deepInclude(event, {
      id: "0e3b2b6a-4f5d-4a7c-9a65-0b6c1e6f2d11",
      type: "ipc.paid",
      timestamp: "1763596800"
    })
  })

  it("is answered after onEvent is done, not before", async () => {
    const stored = Promise.withResolvers<void>()
    const { events, statusOf } = make(() => stored.promise)
    let status = 0
    const answer = async () => {
      status = await statusOf(request(text))
    }
    const answered = answer()
    while (events.length === 0) await new Promise((resolve) => setImmediate(resolve))
    assert.strictEqual(status, 0)
    stored.resolve()
    await answered
    assert.strictEqual(status, 204)
  })

  it("isn't answered 2xx if onEvent fails", async () => {
    for (const fail of [() => Promise.reject(new Error("full")), () => assert.fail("full")]) {
      const { statusOf } = make(fail)
      const error = await statusOf(request(text)).catch(({ message }: Error) => message)
      assert.strictEqual(error, "full")
    }
  })

  it("without a valid signature is 401, and of another method 405", async () => {
    const { events, statusOf } = make()
    assert.strictEqual(await statusOf(request(text, null)), 401)
    assert.strictEqual(await statusOf(request(text, "whsec_two")), 401)
    assert.strictEqual(await statusOf(request(`${text} `)), 401)
    assert.strictEqual(await statusOf(new Request("http://receiver.test/construction")), 405)
    assert.deepStrictEqual(events, [])
  })

  it("over the limit is 413, by its length or as soon as it is longer", async () => {
    const { events, statusOf } = make(undefined, text.length)
    assert.strictEqual(await statusOf(request(text)), 204)
    assert.strictEqual(await statusOf(request("", secret, { "content-length": String(text.length + 1) })), 413)
    const cancelled: { reason?: string } = {}
    assert.strictEqual(await statusOf(request(streamed([text, "!", "never read"], cancelled))), 413)
    assert.strictEqual(cancelled.reason, "left")
    assert.strictEqual(events.length, 1)
  })

  it("may be signed with a secret that came later", async () => {
    const secrets: Array<string> = []
    const handle = deliveryHandler({ secrets, onEvent: () => undefined })
    assert.strictEqual((await handle(request(text))).status, 401)
    secrets.push("whsec_other", secret)
    assert.strictEqual((await handle(request(text))).status, 204)
  })
})
