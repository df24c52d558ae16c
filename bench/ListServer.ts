/**
 * A bare list server for benchmarks, in its own process: a token, and pages of made-up projects (pages of the largest
 * size are rendered in advance) after an optional latency. `GET /first` returns how many milliseconds ago a page was
 * first requested. Prints its port. Run: node bench/ListServer.ts TOTAL LATENCY_MS
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { recordText } from "./ProjectRecord.ts"

const total = Number(process.argv[2] ?? 1_000_000)
const latencyMs = Number(process.argv[3] ?? 0)
const largest = 1000

const render = (number: number, size: number): string => {
  const first = (number - 1) * size + 1
  const count = Math.max(0, Math.min(size, total - first + 1))
  const records = Array.from({ length: count }, (_, index) => recordText(first + index))
  return `{"data":[${records.join(",")}],"pagination":{"total":${total},"page":${number},"per_page":${size}}}`
}

const largestPages = Array.from({ length: Math.ceil(total / largest) }, (_, index) => render(index + 1, largest))

const page = (url: URL): string => {
  const number = Number(url.searchParams.get("page") ?? 1)
  const size = Math.min(largest, Number(url.searchParams.get("per_page") ?? 50))
  return (size === largest ? largestPages[number - 1] : undefined) ?? render(number, size)
}

let firstAt: number | undefined

const answer = (request: IncomingMessage, response: ServerResponse): void => {
  const url = new URL(request.url ?? "/", "http://localhost")
  if (url.pathname === "/first") return void response.end(String(performance.now() - (firstAt ?? performance.now())))
  const isToken = url.pathname.endsWith("/oauth/token")
  if (!isToken) firstAt ??= performance.now()
  const body = isToken ? `{"access_token":"t","expires_in":3600}` : page(url)
  setTimeout(() => response.writeHead(200, { "content-type": "application/json" }).end(body), latencyMs)
}

const server = createServer(answer).listen(0, "127.0.0.1", () => {
  const address = server.address()
  process.stdout.write(`${typeof address === "object" && address !== null ? address.port : 0}\n`)
})
