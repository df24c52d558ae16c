/**
 * A test's own server, alone or in front of the stand-in service. It notes each request, and passes it on unless the
 * test answers it. The answers that it passes back can be given more headers, and more fields in a JSON object.
 */
import { createServer, type IncomingMessage, request as send, type Server, type ServerResponse } from "node:http"
import { createServer as createTlsServer } from "node:https"
import type { AddressInfo } from "node:net"
import type { Certificate } from "./Certificates.ts"
import { bytesOf, parse } from "./InterfaceServer/Wire.ts"

export interface Came {
  /** Method and path, like `GET /api/v1/projects`. */
  readonly what: string
  /** All headers, and the body. */
  readonly text: string
}

/** Answers a request, or leaves it to the service behind by returning `"pass"`. */
export type Take = (response: ServerResponse, what: string) => unknown

export interface Dress {
  readonly headers: Readonly<Record<string, string>>
  readonly fields: object
}

export class Front {
  readonly came: Array<Came> = []
  readonly origin: string
  /** How many connections there have been, including those without a request. */
  connections = 0
  take: Take = () => "pass"
  dress: Dress = { headers: {}, fields: {} }
  readonly #server: Server
  readonly #behind: string

  private constructor(server: Server, scheme: string, behind: string) {
    this.#server = server
    this.#behind = behind
    this.origin = `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`
    server.on("connection", () => (this.connections += 1))
    server.on("request", (request, response) => void this.#serve(request, response))
  }

  /** `behind`: the origin of the service. */
  static async start(behind = "", certificate?: Certificate): Promise<Front> {
    const server = certificate === undefined ? createServer() : createTlsServer(certificate)
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
    return new Front(server, certificate === undefined ? "http" : "https", behind)
  }

  /** The same address here. */
  at(url: string): string {
    return this.origin + new URL(url).pathname
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((done) => this.#server.close(done))
    this.#server.closeAllConnections()
    await closed
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on("error", () => undefined)
    const body = await bytesOf(request)
    const { headers, method, url = "/" } = request
    const what = `${method} ${new URL(url, this.origin).pathname}`
    this.came.push({ what, text: `${JSON.stringify(headers)}\n${String(body)}` })
    if (this.take(response, what) !== "pass") return
    const { hostname, port } = new URL(this.#behind)
    const onward = send({ hostname, port, path: url, method, headers }, (answer) => void this.#pass(answer, response))
    onward.on("error", () => response.destroy())
    onward.end(body)
  }

  async #pass(answer: IncomingMessage, response: ServerResponse): Promise<void> {
    const bytes = await bytesOf(answer)
    const parsed = parse(bytes)
    // An unchanged answer keeps every digit.
    const isBare = Object.keys(this.dress.fields).length === 0
    const isObject = !isBare && typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)
    const body = isObject ? Buffer.from(JSON.stringify({ ...this.dress.fields, ...parsed })) : bytes
    const length = { "content-length": String(body.length) }
    response.writeHead(answer.statusCode ?? 0, { ...answer.headers, ...this.dress.headers, ...length }).end(body)
  }
}
