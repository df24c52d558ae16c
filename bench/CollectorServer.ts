/**
 * An OpenTelemetry collector that accepts everything and keeps nothing. Prints its port.
 */
import { createServer } from "node:http"

const server = createServer((request, response) => {
  request.resume()
  request.on("end", () => response.writeHead(200, { "content-type": "application/json" }).end("{}"))
}).listen(0, "127.0.0.1", () => {
  const address = server.address()
  process.stdout.write(`${typeof address === "object" && address !== null ? address.port : 0}\n`)
})
