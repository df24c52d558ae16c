/**
 * Sends signed deliveries over raw sockets, in its own process; each connection sends the next one as soon as it has an
 * answer. With a store's path, it looks for the body of every 2xx in the inbox's files before it continues. Prints one
 * JSON line. Run: node bench/Sender.ts PORT SERIES COUNT CONNECTIONS [STORE]
 */
import { connect } from "node:net"
import { quantile, round } from "./Child.ts"
import { mixed, type Signed } from "./Signed.ts"
import { Stored } from "./Stored.ts"

const [port = "0", series = "a", count = "1000", connections = "64", storePath] = process.argv.slice(2)

export interface Sent {
  readonly perSecond: number
  readonly acknowledged: number
  readonly refused: number
  /** Connections that ended without an answer. */
  readonly broken: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** How many 2xx had no body in the inbox, among those that were checked. */
  readonly notThere: number
}

const deliveries = Array.from({ length: Number(count) }, (_, n) => mixed(series, n, false))
const latencies: Array<number> = []
const tally = { next: 0, acknowledged: 0, refused: 0, broken: 0, notThere: 0 }

const inbox = storePath === undefined ? undefined : new Stored(storePath)

/** One connection; when it breaks, its delivery is sent again over a new one, as the service would. */
const send = (again?: Signed): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(port), "127.0.0.1").setNoDelay(true)
    let current: Signed | undefined
    let sentAt = 0
    let answer = ""
    const next = (delivery: Signed | undefined): void => {
      current = delivery
      if (current === undefined) return void socket.end()
      sentAt = performance.now()
      socket.write(current.request)
    }
    let isConnected = false
    socket.once("connect", () => {
      isConnected = true
      next(again ?? deliveries[tally.next++])
    })
    socket.on("error", (cause) => isConnected || reject(cause))
    socket.once("close", () => {
      if (current === undefined) return resolve()
      tally.broken++
      send(current).then(resolve, reject)
    })
    socket.on("data", (chunk: Buffer) => {
      answer += chunk.toString("latin1")
      const isTaken = answer.startsWith("HTTP/1.1 200")
      // As soon as the status arrives, the body must be there.
      if (isTaken && inbox !== undefined && current !== undefined && !inbox.has(current.body)) tally.notThere++
      // Both servers answer with an empty body of a declared length.
      if (!answer.endsWith("\r\n\r\n")) return
      latencies.push(performance.now() - sentAt)
      if (isTaken) tally.acknowledged++
      else tally.refused++
      answer = ""
      next(deliveries[tally.next++])
    })
  })

const from = performance.now()
await Promise.all(Array.from({ length: Number(connections) }, () => send()))
const sent: Sent = {
  perSecond: Math.round((deliveries.length / (performance.now() - from)) * 1000),
  acknowledged: tally.acknowledged,
  refused: tally.refused,
  broken: tally.broken,
  p50Ms: round(quantile(latencies, 0.5), 2),
  p99Ms: round(quantile(latencies, 0.99), 2),
  notThere: tally.notThere
}
process.stdout.write(`${JSON.stringify(sent)}\n`)
