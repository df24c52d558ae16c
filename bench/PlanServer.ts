/**
 * A service with a plan, in its own process: it answers after a latency, notes when each request arrived, and answers
 * 429 to requests beyond the plan in any 60 seconds. GET /arrivals returns the times. Prints its port. Run: node
 * bench/PlanServer.ts REQUESTS_PER_MINUTE LATENCY_MS
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"

const plan = Number(process.argv[2] ?? 600)
const latencyMs = Number(process.argv[3] ?? 300)
const windowMs = 60_000

const arrivals: Array<number> = []
const state = { refused: 0 }

const answer = (request: IncomingMessage, response: ServerResponse): void => {
  const json = (status: number, body: unknown): void => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
  }
  if (request.url === "/arrivals") return json(200, { arrivals, refused: state.refused })
  if (request.url?.endsWith("/oauth/token")) return json(200, { access_token: "t", expires_in: 3600 })
  const now = Date.now()
  arrivals.push(now)
  const isOver = (arrivals.at(-1 - plan) ?? Number.NEGATIVE_INFINITY) > now - windowMs
  if (isOver) state.refused++
  const page = { data: [], pagination: { total: 0, page: 1, per_page: 1000 } }
  setTimeout(() => (isOver ? json(429, {}) : json(200, page)), latencyMs)
}

const server = createServer(answer).listen(0, "127.0.0.1", () => {
  const address = server.address()
  process.stdout.write(`${typeof address === "object" && address !== null ? address.port : 0}\n`)
})
