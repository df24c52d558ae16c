/**
 * An object store for benchmarks that accepts uploads and keeps none, in its own process: multipart, as fast as Node
 * reads a request, without checking signatures. Prints its port. Run: node bench/UploadServer.ts
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"

/** Bytes by upload, and by key once the upload is complete. */
const received = new Map<string, number>()
let uploads = 0

const xml = (response: ServerResponse, root: string, content: string): void =>
  void response
    .writeHead(200, { "content-type": "application/xml" })
    .end(`<?xml version="1.0" encoding="UTF-8"?><${root}>${content}</${root}>`)

const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { pathname: key, searchParams } = new URL(request.url ?? "/", "http://localhost")
  let bytes = 0
  for await (const piece of request) bytes += (piece as Buffer).length
  const id = searchParams.get("uploadId")
  const so = received.get(id ?? "") ?? 0
  if (request.method === "PUT") {
    if (id === null) received.set(key, bytes)
    else received.set(id, so + bytes)
    return void response.writeHead(200, { etag: '"0123456789abcdef0123456789abcdef"' }).end()
  }
  if (request.method === "HEAD") return void response.writeHead(200, { "content-length": received.get(key) ?? 0 }).end()
  if (id === null) {
    uploads += 1
    return xml(response, "InitiateMultipartUploadResult", `<UploadId>upload-${uploads}</UploadId>`)
  }
  received.set(key, so)
  xml(response, "CompleteMultipartUploadResult", "<ETag>&quot;0123456789abcdef0123456789abcdef-2&quot;</ETag>")
}

const server = createServer((request, response) => void answer(request, response)).listen(0, "127.0.0.1", () => {
  const address = server.address()
  process.stdout.write(`${typeof address === "object" && address !== null ? address.port : 0}\n`)
})
