/**
 * A bare service with many lists for benchmarks, in its own process: a token, no projects, and lists of made-up records
 * at `/lists/0`, `/lists/1` and so on; the longest has a hundred times as many as the shortest. A single list is at
 * `/projects`. `GET /arrivals` returns when pages were requested, in ms, and the least possible number of requests.
 * Prints its port. With COLUMNS, records have this many fields, and there are no projects.
 * Run: node bench/ManyListsServer.ts LISTS ROWS PER_PAGE LATENCY_MS [COLUMNS]
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { recordText } from "./ProjectRecord.ts"
import { fieldsText } from "./WideList.ts"

const [lists = 120, rows = 100_000, largest = 500, latencyMs = 0, columns = 0] = process.argv.slice(2).map(Number)

const weights = Array.from({ length: lists }, (_, n) => (lists === 1 ? 1 : 1 + (99 * n) / (lists - 1)))
const sum = weights.reduce((all, weight) => all + weight, 0)
const totals = weights.map((weight) => Math.round((rows * weight) / sum))

const leastOf = (total: number): number => Math.max(1, Math.ceil(total / largest))
/** Includes the request for projects. */
const least = totals.reduce((all, total) => all + leastOf(total), lists === 1 ? 0 : 1)

const totalAt = (path: string): number => {
  if (path.endsWith("/projects")) return lists === 1 && columns === 0 ? (totals[0] ?? 0) : 0
  return totals[Number(/\/lists\/(\d+)$/.exec(path)?.[1])] ?? 0
}

const more = columns === 0 ? "" : fieldsText(columns)

const textOf = (id: number): string => (columns === 0 ? recordText(id) : `{"id":${id},"name":"Record ${id}",${more}}`)

const page = (total: number, number: number, size: number): string => {
  const first = (number - 1) * size + 1
  const count = Math.max(0, Math.min(size, total - first + 1))
  const records = Array.from({ length: count }, (_, index) => textOf(first + index))
  return `{"data":[${records.join(",")}],"pagination":{"total":${total},"page":${number},"per_page":${size}}}`
}

const arrivals: Array<number> = []

const bodyOf = ({ pathname, searchParams }: URL): string => {
  if (pathname === "/arrivals") return JSON.stringify({ arrivals, least })
  if (pathname.endsWith("/oauth/token")) return `{"access_token":"t","expires_in":3600}`
  arrivals.push(Date.now())
  const size = Math.min(largest, Number(searchParams.get("per_page") ?? largest))
  return page(totalAt(pathname), Number(searchParams.get("page") ?? 1), size)
}

const answer = (request: IncomingMessage, response: ServerResponse): void => {
  const body = bodyOf(new URL(request.url ?? "/", "http://localhost"))
  setTimeout(() => response.writeHead(200, { "content-type": "application/json" }).end(body), latencyMs)
}

const server = createServer(answer).listen(0, "127.0.0.1", () => {
  const address = server.address()
  process.stdout.write(`${typeof address === "object" && address !== null ? address.port : 0}\n`)
})
