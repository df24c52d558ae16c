/** Strangers who occupy connections and memory for bodies don't keep deliveries out. */
import { once } from "node:events"
import { BlockList } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { deliver, head, keeping, send, sign, signedRequest, startReceiver, until } from "./Running.ts"

type Sent = ReturnType<typeof send>

const forged = { "X-Service-Signature": sign("", "whsec_unknown") }

/** Connections that stay open, each after it was accepted and has written this. */
const crowd = async (port: number, size: number, text: string, from?: string): Promise<ReadonlyArray<Sent>> => {
  const all: Array<Sent> = []
  for (let n = 0; n < size; n++) {
    const sent = send(port, text, from)
    await once(sent.socket, "connect")
    all.push(sent)
  }
  return all
}

const leave = (all: ReadonlyArray<Sent>): void => all.forEach(({ socket }) => socket.destroy())

/** How many of these deliveries are accepted, one after the other, each on a connection of its own. */
const accepted = async (port: number, count: number, body = "{}"): Promise<number> => {
  const statuses: Array<number | undefined> = []
  for (let n = 0; n < count; n++) statuses.push(await deliver(port, signedRequest(body)))
  return statuses.filter((status) => status === 200).length
}

describe("connections of strangers", () => {
  const limits = { connections: 20 }

  it.each([
    ["that send nothing", ""],
    ["that send half a head", `POST / HTTP/1.1\r\nHost: localhost\r\n`],
    ["that send half a body", `${head({ ...forged, "Content-Length": 10 })}12345`]
  ])("%s yield to deliveries", async (_what, text) => {
    await using receiver = await startReceiver(keeping([]), { limits })
    const strangers = await crowd(receiver.port, 60, text)
    assert.strictEqual(await accepted(receiver.port, 30), 30)
    leave(strangers)
  })

  it("yield before one that carried a delivery, and the silent ones first", async () => {
    await using receiver = await startReceiver(keeping([]), { limits })
    const genuine = send(receiver.port, signedRequest("1"))
    assert.strictEqual(await genuine.status(), 200)
    const answered = send(receiver.port, head({ ...forged, "Content-Length": 0 }))
    assert.strictEqual(await answered.status(), 401)
    const silent = await crowd(receiver.port, 40, "")
    assert.isFalse(answered.socket.closed)
    const busy: Array<Sent> = []
    for (let n = 0; n < 40; n++) {
      const sent = send(receiver.port, head({ ...forged, "Content-Length": 10, Expect: "100-continue" }))
      assert.strictEqual(await sent.status(), 100)
      busy.push(sent)
    }
    await answered.closed
    genuine.write(signedRequest("2"))
    assert.deepStrictEqual(await genuine.answered(2), [200, 200])
    leave([genuine, answered, ...silent, ...busy])
  })

  it("that hold most places yield to a quiet one from another address", async () => {
    await using receiver = await startReceiver(keeping([]), { limits })
    const unfinished = `${head({ ...forged, "Content-Length": 10 })}12345`
    const first = await crowd(receiver.port, 30, unfinished, "127.0.0.2")
    const quiet = await crowd(receiver.port, 1, "", "127.0.0.3")
    const second = await crowd(receiver.port, 30, unfinished, "127.0.0.2")
    quiet[0]?.write(signedRequest("{}"))
    assert.strictEqual(await quiet[0]?.status(), 200)
    leave([...first, ...quiet, ...second])
  })
})

describe("unfinished bodies of strangers", () => {
  const maximumBytes = 10_000
  // Nothing else ends them while a test runs.
  const patience = { requestMs: 60_000, bytesPerSecond: 0 }
  const limits = { inFlightBytes: 4 * maximumBytes, smallBytes: 1000, tickMs: 20, ...patience }
  const unfinished = (more = {}): string =>
    head({ ...forged, "Content-Length": maximumBytes, ...more }) + "x".repeat(maximumBytes - 1)

  it("leave room for small and large deliveries, also from the same address", async () => {
    await using receiver = await startReceiver(keeping([]), { limits, maximumBytes })
    const strangers = await crowd(receiver.port, 24, unfinished())
    assert.strictEqual(await accepted(receiver.port, 30), 30)
    assert.strictEqual(await accepted(receiver.port, 3, "x".repeat(maximumBytes)), 3)
    leave(strangers)
  })

  it("lose a place in which they hardly arrive when another needs it", async () => {
    await using receiver = await startReceiver(keeping([]), { limits, maximumBytes })
    const strangers = await crowd(receiver.port, 2, unfinished())
    await until(() => strangers.every(({ socket }) => socket.bytesWritten > maximumBytes))
    assert.strictEqual(await accepted(receiver.port, 1, "x".repeat(maximumBytes)), 1)
    leave(strangers)
  })

  it("are dropped for a large one of a sender whose deliveries verified, as a trusted proxy names it", async () => {
    const trustedProxies = new BlockList()
    trustedProxies.addAddress("127.0.0.1")
    // Without the wait for a slow one to show itself.
    const patient = { ...limits, tickMs: 60_000 }
    await using receiver = await startReceiver(keeping([]), { limits: patient, maximumBytes, trustedProxies })
    const by = (list: string) => ({ "X-Forwarded-For": list })
    assert.strictEqual(await deliver(receiver.port, signedRequest("{}", by("203.0.113.1, 192.0.2.1"))), 200)
    const strangers = await crowd(receiver.port, 2, unfinished(by("192.0.2.1, 203.0.113.1, 127.0.0.1")))
    await until(() => strangers.every(({ socket }) => socket.bytesWritten > maximumBytes))
    const large = deliver(receiver.port, signedRequest("x".repeat(maximumBytes), by("192.0.2.1")))
    assert.strictEqual(await large, 200)
    const [dropped] = await Promise.race(strangers.map((sent) => sent.answered()))
    assert.strictEqual(dropped, 503)
    leave(strangers)
  })

  it("are cut off when they fall behind the lowest rate, long before their time is up", async () => {
    const slow = { ...limits, bytesPerSecond: 1000, behindMs: 100 }
    await using receiver = await startReceiver(keeping([]), { limits: slow, maximumBytes })
    const sent = send(receiver.port, head({ ...forged, "Content-Length": 100 }))
    const trickle = setInterval(() => sent.write("x"), 20)
    const from = performance.now()
    assert.strictEqual(await sent.status(), 408)
    assert.isBelow(performance.now() - from, 5_000)
    clearInterval(trickle)
  })
})
