/**
 * Pays IPCs at an even rate, in its own process, each certified by the delivery just before it, or EARLIER_MS before. Open loop: a slow answer
 * delays nothing, and each payment counts from when it was due. Prints one JSON line: event id → wall-clock milliseconds
 * at which its payment was due. Run: node bench/Payments.ts PORT COUNT PER_SECOND [SERIES [EARLIER_MS]]
 */
import { createHmac } from "node:crypto"
import { Agent, request } from "node:http"
import { setTimeout as pause } from "node:timers/promises"
import { eventId, path, secret } from "./Signed.ts"

const [port = "0", count = "1000", perSecond = "100", series = "PAID", earlierMs = "0"] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true })
const dueAt: Record<string, number> = {}

const deliver = (type: string, body: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    const headers = {
      "content-type": "application/json",
      "x-service-signature": createHmac("sha256", secret).update(body).digest("hex"),
      "x-service-event-id": eventId(body),
      "x-service-event-type": type
    }
    const sent = request({ agent, port: Number(port), host: "127.0.0.1", path, method: "POST", headers })
    sent.once("error", reject)
    sent.once("response", (response) => {
      if (response.statusCode === 200) response.resume().once("end", resolve)
      else reject(new Error(`${type} was answered ${response.statusCode}`))
    })
    sent.end(body)
  })

const bodyOf = (n: number, second: number, contents: object): Buffer => {
  const event_timestamp = new Date(Date.UTC(2026, 10, 1) + second * 1000).toISOString()
  return Buffer.from(JSON.stringify({ event_timestamp, ipc_id: `${series}-${n}`, ...contents }))
}

const until = async (elapsed: number): Promise<void> => {
  const wait = elapsed - performance.now()
  if (wait > 0) await pause(wait)
}

const first = { elapsed: performance.now() + Number(earlierMs), wall: Date.now() + Number(earlierMs) }
const under: Array<Promise<void>> = []
for (let n = 0; n < Number(count); n++) {
  const dueMs = (n * 1000) / Number(perSecond)
  await until(first.elapsed + dueMs - Number(earlierMs))
  const certificate = bodyOf(n, n, { certified_amount: `${n + 1}.75`, certificate_url: `https://example.com/c/${n}` })
  const payment = bodyOf(n, n + 1, { payment_reference: `PAY-${n}` })
  dueAt[eventId(payment)] = first.wall + dueMs
  under.push(deliver("ipc.certified", certificate))
  await until(first.elapsed + dueMs)
  under.push(deliver("ipc.paid", payment))
}
await Promise.all(under)
agent.destroy()
process.stdout.write(`${JSON.stringify(dueAt)}\n`)
