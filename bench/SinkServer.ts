/**
 * An accounting system for benchmarks, in its own process: it accepts every entry, answers after some milliseconds, and
 * reports the wall-clock time at which each first arrived, by its event's id. Prints its port. Run: node
 * bench/SinkServer.ts ANSWER_AFTER_MS
 */
import { createServer } from "node:http"

const answerAfterMs = Number(process.argv[2] ?? 0)
const arrivedAt: Record<string, number> = {}

const server = createServer((request, response) => {
  if (request.method === "GET") return void response.end(JSON.stringify(arrivedAt))
  const pieces: Array<Buffer> = []
  request.on("data", (piece: Buffer) => void pieces.push(piece))
  request.on("end", () => {
    const { event_id: id } = JSON.parse(String(Buffer.concat(pieces))) as { event_id: string }
    arrivedAt[id] ??= Date.now()
    const answer = (): void => void response.writeHead(201, { "content-length": "0" }).end()
    if (answerAfterMs === 0) answer()
    else setTimeout(answer, answerAfterMs)
  })
}).listen(0, "127.0.0.1", () => {
  const address = server.address()
  process.stdout.write(`${typeof address === "object" && address !== null ? address.port : 0}\n`)
})
