/**
 * Pays IPCs at an even rate, in its own process. Each IPC was certified EARLIER_MS before, or by the preceding
 * delivery. Open loop: a slow answer delays nothing. The IPCs of a project are certified in their order, and the
 * certified amount grows, also beyond the FIRST of an earlier run. Several ports take turns, one IPC each. Prints one
 * JSON line: event id → wall-clock milliseconds at which its payment was due, and at which it was accepted.
 * Run: node bench/Payments.ts PORT[,PORT…] COUNT PER_SECOND [SERIES [EARLIER_MS [FIRST]]]
 */
import { createHmac } from "node:crypto"
import { Agent, request } from "node:http"
import { setTimeout as pause } from "node:timers/promises"
import { eventId, path, projects, secret } from "./Signed.ts"

export interface Paid {
  readonly dueAt: number
  /** When its 2xx arrived. */
  readonly acceptedAt: number
}

const [ports = "0", count = "1000", perSecond = "100", series = "PAID", ...others] = process.argv.slice(2)
const [earlierMs = "0", firstIpc = "0"] = others
const listening = ports.split(",")
const agent = new Agent({ keepAlive: true })
const paid: Record<string, Paid> = {}

const deliver = (n: number, type: string, body: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    const headers = {
      "content-type": "application/json",
      "x-service-signature": createHmac("sha256", secret).update(body).digest("hex"),
      "x-service-event-id": eventId(body),
      "x-service-event-type": type
    }
    const port = listening[n % listening.length]
    const sent = request({ agent, port, host: "127.0.0.1", path, method: "POST", headers })
    sent.once("error", reject)
    sent.once("response", (response) => {
      if (response.statusCode === 200) response.resume().once("end", resolve)
      else reject(new Error(`${type} was answered ${response.statusCode}`))
    })
    sent.end(body)
  })

const bodyOf = (n: number, second: number, contents: object): Buffer => {
  const event_timestamp = new Date(Date.UTC(2026, 10, 1) + (Number(firstIpc) + second) * 1000).toISOString()
  return Buffer.from(JSON.stringify({ event_timestamp, ipc_id: `${series}-${n}`, ...contents }))
}

const until = async (elapsed: number): Promise<void> => {
  const wait = elapsed - performance.now()
  if (wait > 0) await pause(wait)
}

const first = { elapsed: performance.now() + Number(earlierMs), wall: Date.now() + Number(earlierMs) }
const under: Array<Promise<void>> = []

/** `earlier`: how many milliseconds before the payment of the same IPC is due. */
const each = async (earlier: number, send: (n: number, dueMs: number) => Promise<void>): Promise<void> => {
  for (let n = 0; n < Number(count); n++) {
    const dueMs = (n * 1000) / Number(perSecond)
    await until(first.elapsed + dueMs - earlier)
    under.push(send(n, dueMs))
  }
}

const certify = (n: number): Promise<void> => {
  const certified = {
    certified_amount: `${Number(firstIpc) + n + 1}.75`,
    certificate_url: `https://example.com/c/${n}`
  }
  return deliver(n, "ipc.certified", bodyOf(n, n, { project_id: (n % projects) + 1, ...certified }))
}

const pay = async (n: number, dueMs: number): Promise<void> => {
  const payment = bodyOf(n, n + 1, { payment_reference: `PAY-${n}` })
  await deliver(n, "ipc.paid", payment)
  paid[eventId(payment)] = { dueAt: first.wall + dueMs, acceptedAt: Date.now() }
}

await Promise.all([each(Number(earlierMs), certify), each(0, pay)])
await Promise.all(under)
agent.destroy()
process.stdout.write(`${JSON.stringify(paid)}\n`)
