/** A connection ends with an answer that announces it, never under a sender's next request. */
import { connect } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { defaultLimits } from "../../../src/Intake/Receiver/Limits.ts"
import { keeping, playedStore, send, signedRequest, startReceiver, until } from "./Running.ts"

/** Whether nothing listens there any more. */
const isRefused = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" })
    socket.once("error", () => resolve(true))
    socket.once("connect", () => resolve(!socket.destroy()))
  })

const announced = /connection: close/i

describe("a connection that was used", () => {
  it("stays open while it is idle, for longer than any sender keeps it", { timeout: 30_000 }, async () => {
    assert.isAbove(defaultLimits.idleMs, 4_000_000)
    await using receiver = await startReceiver(keeping([]), { limits: { announcedIdleMs: 1_000 } })
    const sent = send(receiver.port, signedRequest("1"))
    assert.strictEqual(await sent.status(), 200)
    assert.match(sent.answers.text, /keep-alive: timeout=1\r\n/i)
    // Longer than announced, and than Node's own limit of 5 s with its second of grace.
    await new Promise((done) => setTimeout(done, 7_500))
    sent.write(signedRequest("2"))
    assert.deepStrictEqual(await sent.answered(2), [200, 200])
    assert.notMatch(sent.answers.text, announced)
    sent.socket.destroy()
  })

  it("ends with an announcement when it is old", async () => {
    await using receiver = await startReceiver(keeping([]), { limits: { connectionMs: 0 } })
    const sent = send(receiver.port, signedRequest("1"))
    assert.strictEqual(await sent.status(), 200)
    assert.match(sent.answers.text, announced)
    await sent.closed
  })
})

describe("a receiver that stops", () => {
  it("announces the end on every connection, and answers what comes before", async () => {
    const commit = Promise.withResolvers<number>()
    const receiver = await startReceiver(playedStore(() => commit.promise))
    const idle = send(receiver.port, signedRequest("0").replace(/^POST/, "PUT"))
    const [waiting, next] = [send(receiver.port, signedRequest("1")), send(receiver.port, signedRequest("[]"))]
    await until(() => receiver.looked.count === 2)
    const stopped = receiver[Symbol.asyncDispose]()
    while (!(await isRefused(receiver.port)));
    commit.resolve(1)
    assert.deepStrictEqual(await Promise.all([waiting.status(), next.status()]), [200, 200])
    for (const { answers } of [waiting, next]) assert.match(answers.text, announced)
    await Promise.all([waiting.closed, next.closed, idle.closed, stopped])
  })

  it("answers the next request on a connection that was just used", async () => {
    const receiver = await startReceiver(keeping([]))
    const sent = send(receiver.port, signedRequest("1"))
    assert.strictEqual(await sent.status(), 200)
    const stopped = receiver[Symbol.asyncDispose]()
    await new Promise((done) => setTimeout(done, 50))
    sent.write(signedRequest("2"))
    assert.deepStrictEqual(await sent.answered(2), [200, 200])
    assert.match(sent.answers.text, announced)
    await Promise.all([sent.closed, stopped])
  })
})
