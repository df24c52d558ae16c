/**
 * Sends signed deliveries at an even rate, in its own process, and notes when each 2xx arrived. Prints one JSON line:
 * event id → wall-clock milliseconds. Run: node bench/Trickle.ts PORT SERIES COUNT PER_SECOND
 */
import { Agent, request } from "node:http"
import { setTimeout as pause } from "node:timers/promises"
import { createHmac } from "node:crypto"
import { eventBody, eventId, path, secret } from "./Signed.ts"

const [port = "0", series = "a", count = "1000", perSecond = "100"] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true })
const acknowledgedAt: Record<string, number> = {}

const deliver = (n: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const { type, body } = eventBody(series, n, Number(count))
    const id = eventId(body)
    const headers = {
      "content-type": "application/json",
      "x-service-signature": createHmac("sha256", secret).update(body).digest("hex"),
      "x-service-event-id": id,
      "x-service-event-type": type
    }
    const sent = request({ agent, port: Number(port), host: "127.0.0.1", path, method: "POST", headers })
    sent.once("error", reject)
    sent.once("response", (response) => {
      if (response.statusCode === 200) acknowledgedAt[id] = Date.now()
      response.resume().once("end", resolve)
    })
    sent.end(body)
  })

const from = performance.now()
const under: Array<Promise<void>> = []
for (let n = 0; n < Number(count); n++) {
  const wait = from + (n * 1000) / Number(perSecond) - performance.now()
  if (wait > 0) await pause(wait)
  under.push(deliver(n))
}
await Promise.all(under)
agent.destroy()
process.stdout.write(`${JSON.stringify(acknowledgedAt)}\n`)
