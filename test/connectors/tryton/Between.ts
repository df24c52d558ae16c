/**
 * A proxy between siteledger and a Tryton that breaks connections: the answer to a call is lost, or the call itself
 * arrives only when the test lets it through.
 */
import { once } from "node:events"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"

export class Between {
  /** How the next call of a method ends: carried out without an answer, or not until `letThrough`. */
  fault: { readonly method: string; readonly how: "lost" | "late" } | undefined
  readonly #late: Array<() => Promise<string>> = []
  readonly #server: Server
  readonly #to: URL

  private constructor(to: URL) {
    this.#to = to
    this.#server = createServer((request, response) => {
      const pieces: Array<Buffer> = []
      request.on("data", (piece: Buffer) => pieces.push(piece))
      request.on("end", () => {
        const body = String(Buffer.concat(pieces))
        const pass = () =>
          fetch(new URL(request.url ?? "", this.#to), {
            method: "POST",
            headers: { "content-type": "application/json", authorization: request.headers.authorization ?? "" },
            body
          })
        const { method } = JSON.parse(body) as { readonly method: string }
        const how = method === `model.${this.fault?.method}` ? this.fault?.how : undefined
        if (how !== undefined) this.fault = undefined
        if (how === "late") this.#late.push(async () => (await pass()).text())
        if (how === "late") return void response.destroy()
        void pass().then(async (answer) => {
          const text = await answer.text()
          return how === "lost" ? response.destroy() : response.writeHead(answer.status).end(text)
        })
      })
    })
  }

  static async open(to: URL): Promise<Between> {
    const between = new Between(to)
    between.#server.listen(0, "127.0.0.1")
    await once(between.#server, "listening")
    return between
  }

  get url(): URL {
    const { port } = this.#server.address() as AddressInfo
    return Object.assign(new URL(this.#to), { port: String(port) })
  }

  /** What was late, and Tryton's answers to it. */
  async letThrough(): Promise<ReadonlyArray<string>> {
    return Promise.all(this.#late.splice(0).map((late) => late()))
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close")
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }
}
