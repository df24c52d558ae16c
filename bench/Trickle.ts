/**
 * Sends signed deliveries at an even rate, in its own process. Open loop: a slow answer delays nothing, and each
 * delivery's time counts from when it was due. A delivery whose connection breaks is sent again, as the service would.
 * Prints one JSON line. Run: node bench/Trickle.ts PORT SERIES COUNT PER_SECOND [usual|long]
 */
import { createHmac } from "node:crypto"
import { Agent, request } from "node:http"
import { setTimeout as pause } from "node:timers/promises"
import { quantile, round } from "./Child.ts"
import { eventBody, eventId, path, secret } from "./Signed.ts"

const [port = "0", series = "a", count = "1000", perSecond = "100", kind = "usual"] = process.argv.slice(2)
const total = Number(count)
const agent = new Agent({ keepAlive: true })

export interface Trickled {
  /** Event id → wall-clock milliseconds of its 2xx. */
  readonly acknowledgedAt: Readonly<Record<string, number>>
  readonly p50Ms: number
  readonly p99Ms: number
  readonly refused: number
  readonly broken: number
}

const acknowledgedAt: Record<string, number> = {}
const latencies: Array<number> = []
const tally = { refused: 0, broken: 0 }

const attempt = (body: Buffer, headers: Readonly<Record<string, string>>): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = request({ agent, port: Number(port), host: "127.0.0.1", path, method: "POST", headers })
    sent.once("error", reject)
    sent.once("response", (response) => response.resume().once("end", () => resolve(response.statusCode ?? 0)))
    sent.end(body)
  })

const deliver = async (n: number, dueAt: number): Promise<void> => {
  const { body, type } = eventBody(series, n, Math.ceil(total / 4), kind === "long")
  const id = eventId(body)
  const headers = {
    "content-type": "application/json",
    "x-service-signature": createHmac("sha256", secret).update(body).digest("hex"),
    "x-service-event-id": id,
    "x-service-event-type": type
  }
  const status = await attempt(body, headers).catch(() => {
    tally.broken++
    return attempt(body, headers)
  })
  latencies.push(performance.now() - dueAt)
  if (status === 200) acknowledgedAt[id] = Date.now()
  else tally.refused++
}

const from = performance.now()
const under: Array<Promise<void>> = []
for (let n = 0; n < total; n++) {
  const dueAt = from + (n * 1000) / Number(perSecond)
  const wait = dueAt - performance.now()
  if (wait > 0) await pause(wait)
  under.push(deliver(n, dueAt))
}
await Promise.all(under)
agent.destroy()
const trickled: Trickled = {
  acknowledgedAt,
  p50Ms: round(quantile(latencies, 0.5), 1),
  p99Ms: round(quantile(latencies, 0.99), 1),
  ...tally
}
process.stdout.write(`${JSON.stringify(trickled)}\n`)
