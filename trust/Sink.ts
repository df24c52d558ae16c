/**
 * An accounting system: it accepts each entry once, by its idempotency key, and checks the signature.
 */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { sign } from "./Sender.ts"

export interface Posted {
  readonly entry_id: string
  readonly ipc_id: string
  readonly amount: string
  readonly lines: ReadonlyArray<Readonly<Record<string, unknown>>>
}

export class Sink {
  readonly secret: string
  readonly #server: Server
  readonly entries = new Map<string, Posted>()
  /** Violations that an accounting system must never see. */
  readonly complaints: Array<string> = []
  /** The status with which it refuses entries; undefined: it accepts them. */
  refusal: number | undefined
  readonly #bodies = new Map<string, string>()

  private constructor(secret: string) {
    this.secret = secret
    this.#server = createServer((request, response) => {
      const pieces: Array<Buffer> = []
      request.on("error", () => undefined)
      request.on("data", (piece: Buffer) => void pieces.push(piece))
      request.on("end", () => {
        const body = String(Buffer.concat(pieces))
        const { "idempotency-key": key = "", "x-siteledger-signature": signature } = request.headers
        if (signature !== sign(secret, body)) return void response.writeHead(401).end()
        if (this.refusal !== undefined) return void response.writeHead(this.refusal).end()
        this.#take(String(key), body)
        response.writeHead(201, { "content-length": "0" }).end()
      })
    })
  }

  static async open(secret: string): Promise<Sink> {
    const sink = new Sink(secret)
    await new Promise<void>((resolve) => sink.#server.listen(0, "127.0.0.1", resolve))
    return sink
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  #take(key: string, body: string): void {
    const before = this.#bodies.get(key)
    if (before !== undefined && before !== body) this.complaints.push(`the sink got two bodies under the key ${key}`)
    this.#bodies.set(key, body)
    this.entries.set(key, JSON.parse(body) as Posted)
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}
