/**
 * A TCP proxy between the worker and its peers, which treats connections as a bad network does. The fault applies from
 * the next connection on; `reset` and `blackHole` also hit open ones.
 */
import { connect, createServer, type Server, type Socket } from "node:net"
import type { AddressInfo } from "node:net"

export const faults = [
  "none",
  "latency",
  "slicing",
  "reset",
  "half-open",
  "black-hole",
  "garbage",
  "cut",
  "endless",
  "duplicate"
] as const
export type Fault = (typeof faults)[number]

const latencyMs = 300
const cutAfter = 60

type Pass = (chunk: Buffer, to: Socket, from: Socket) => void

const plain: Pass = (chunk, to) => void to.write(chunk)

/** What happens to an answer on its way to the worker. */
const answers: Readonly<Record<Fault, Pass>> = {
  none: plain,
  latency: (chunk, to) => void setTimeout(() => to.write(chunk), latencyMs),
  slicing: (chunk, to) => {
    for (let at = 0; at < chunk.length; at += 7) to.write(chunk.subarray(at, at + 7))
  },
  reset: (_, to, from) => {
    from.resetAndDestroy()
    to.resetAndDestroy()
  },
  // The answer is swallowed, and both ends believe that the connection lives.
  "half-open": () => undefined,
  "black-hole": () => undefined,
  garbage: (chunk, to) => void to.write(Buffer.from(chunk.map((byte, at) => (at % 3 === 0 ? byte ^ 0x55 : byte)))),
  cut: (chunk, to) => void to.end(chunk.subarray(0, cutAfter)),
  endless: (chunk, to) => {
    to.write(chunk)
    const more = setInterval(() => void (to.writableNeedDrain || to.write("x".repeat(1024))), 5)
    to.on("close", () => clearInterval(more))
  },
  // In one write; otherwise a sender could take the second for the answer to its next request.
  duplicate: (chunk, to) => void to.write(Buffer.concat([chunk, chunk]))
}

export class Proxy {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #listeners: Array<() => void> = []
  fault: Fault = "none"
  target: number
  connections = 0
  /** The bytes sent towards the worker, if they are to be kept. */
  kept: Array<Buffer> | undefined

  private constructor(target: number) {
    this.target = target
    this.#server = createServer((client) => this.#serve(client))
  }

  static async open(target: number): Promise<Proxy> {
    const proxy = new Proxy(target)
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve))
    return proxy
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** Resolves with the next bytes from the worker's side. */
  heard(): Promise<void> {
    return new Promise((resolve) => this.#listeners.push(resolve))
  }

  #serve(client: Socket): void {
    this.connections++
    const { fault } = this
    const target = connect(this.target, "127.0.0.1")
    const ends = [client, target]
    for (const end of ends) {
      this.#sockets.add(end)
      end.on("error", () => undefined)
      end.on("close", () => {
        this.#sockets.delete(end)
        // Nothing tells a half-open or swallowed connection that the other end is gone.
        if (fault !== "half-open" && fault !== "black-hole" && fault !== "latency")
          for (const each of ends) each.destroySoon()
      })
    }
    client.on("data", (chunk: Buffer) => {
      for (const listener of this.#listeners.splice(0)) listener()
      if (this.fault !== "black-hole") target.write(chunk)
    })
    target.on("data", (chunk: Buffer) => {
      this.kept?.push(chunk)
      const isOpen = this.fault === "reset" || this.fault === "black-hole"
      answers[isOpen ? this.fault : fault](chunk, client, target)
    })
  }

  /** Ends all connections at once. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy()
  }

  close(): void {
    this.cut()
    this.#server.close()
  }
}
