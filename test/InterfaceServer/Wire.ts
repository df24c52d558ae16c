/**
 * Bytes in and out of the stand-in service of the tests: an answer as a value, and the ways a connection can misbehave
 * while it is sent. Shares nothing with the product, on purpose.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http"
import { gzipSync } from "node:zlib"

/** What the server sends back; `wire` says how the connection misbehaves, `sent` runs once the answer is sent. */
export interface Answer {
  readonly status: number
  readonly headers?: Record<string, string>
  readonly body: string
  readonly wire?: "hang" | "reset" | "cut"
  readonly sent?: () => void
  /** How the body is compressed. */
  readonly encoding?: "gzip" | null
}

export const json = (status: number, body: unknown, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body)
})

/** Not shown in §7: the shape of an API error is this fixture's own. */
export const refusal = (status: number, message: string, headers: Record<string, string> = {}): Answer =>
  json(status, { error: message }, headers)

export const mediaType = (headers: IncomingHttpHeaders): string =>
  (headers["content-type"] ?? "").split(";", 1)[0]!.trim().toLowerCase()

export const notAllowed = (allow: string): Answer => refusal(405, `only ${allow} is served here`, { allow })

export const bytesOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

export const parse = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString("utf8"))
  } catch {
    return undefined
  }
}

export const send = (
  response: ServerResponse,
  { body, encoding = null, headers = {}, sent, status, wire }: Answer
): void => {
  if (wire === "hang") return
  if (wire === "reset") return void response.socket?.resetAndDestroy()
  const bytes = encoding === "gzip" ? gzipSync(body) : Buffer.from(body)
  const compressed = encoding === null ? {} : { "content-encoding": encoding }
  response.writeHead(status, { ...headers, ...compressed, "content-length": bytes.length })
  if (wire === "cut") {
    response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy())
    return
  }
  if (sent !== undefined) response.on("finish", sent)
  response.end(bytes)
}
