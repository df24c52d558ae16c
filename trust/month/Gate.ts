/**
 * A proxy before an accounting system: by chance, requests wait, are refused, or lose their answers. It also tells an
 * attack the moment at which a request is under way.
 */
import { once } from "node:events"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { Dice } from "../../sandbox/Seed.ts"
import { pause } from "../../bench/Waiting.ts"

export interface Request {
  readonly method: string
  readonly path: string
  readonly body: string
}

/** What can happen to an entry, and how often in a thousand. */
const troubles = {
  slow: 40,
  throttled: 30,
  failed: 10,
  unheard: 15,
  lost: 40,
  late: 10,
  silent: 2
} as const
export type Trouble = keyof typeof troubles

/** The most in a run: hundreds more would show nothing new, and each costs seconds. */
const mostOfEach = 50

/** States of a request in which an attack may want it. */
export const moments = ["arriving", "answered", "slow", "throttled", "lost"] as const
export type Moment = (typeof moments)[number]

interface Waiting {
  readonly moment: Moment
  /** Called at that moment; the request goes on once it resolves. */
  readonly reached: () => Promise<unknown>
}

export interface GateOptions {
  /** Where the system listens. */
  readonly target: URL
  readonly dice: Dice
  /** Whether the request carries an entry. */
  readonly isEntry: (request: Request) => boolean
  /** How many requests an entry takes, each of which can meet a trouble. */
  readonly requests: number
  /** The troubles that this request is spared. */
  readonly spared?: (request: Request) => ReadonlyArray<Trouble>
}

interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Longer than siteledger waits for an answer. */
const silenceMs = 11_000

export class Gate {
  readonly #server: Server
  readonly #options: GateOptions
  #waiting: Waiting | undefined
  #areTroublesOn = true
  /** How many requests met each trouble. */
  readonly met = new Map<Trouble, number>()
  /** How many requests carried an entry. */
  entries = 0

  private constructor(options: GateOptions) {
    this.#options = options
    this.#server = createServer((request, response) => {
      response.on("error", () => undefined)
      void this.#serve(request, response).catch(() => response.destroy())
    })
  }

  static async open(options: GateOptions): Promise<Gate> {
    const gate = new Gate(options)
    gate.#server.listen(0, "127.0.0.1")
    await once(gate.#server, "listening")
    return gate
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Resolves when an entry is in that state; its request waits until `until`. */
  reaches(moment: Moment, until: Promise<unknown>): Promise<void> {
    return new Promise((resolve) => {
      const reached = (): Promise<unknown> => {
        resolve()
        return until
      }
      this.#waiting = { moment, reached }
    })
  }

  forget(): void {
    this.#waiting = undefined
  }

  calm(): void {
    this.#areTroublesOn = false
  }

  async #at(moment: Moment, isEntry: boolean): Promise<void> {
    if (!isEntry || this.#waiting?.moment !== moment) return
    const { reached } = this.#waiting
    this.#waiting = undefined
    await reached()
  }

  #trouble(request: Request): Trouble | undefined {
    let roll = this.#options.dice.below(1000 * this.#options.requests)
    if (!this.#areTroublesOn) return undefined
    for (const [name, share] of Object.entries(troubles) as ReadonlyArray<[Trouble, number]>) {
      roll -= share
      if (roll >= 0) continue
      const times = this.met.get(name) ?? 0
      if (this.#options.spared?.(request).includes(name) === true || times >= mostOfEach) return undefined
      this.met.set(name, times + 1)
      return name
    }
    return undefined
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Array<Buffer> = []
    for await (const piece of incoming) pieces.push(piece as Buffer)
    const { headers, method = "", url = "" } = incoming
    const request: Request = { method, path: url, body: String(Buffer.concat(pieces)) }
    const isEntry = this.#options.isEntry(request)
    if (isEntry) this.entries++
    const pass = () => this.#pass(request, headers as Record<string, string>)
    const { dice } = this.#options
    await this.#at("arriving", isEntry)
    const trouble = this.#trouble(request)
    if (trouble === "unheard") return void response.destroy()
    if (trouble === "failed") return void response.writeHead(503).end()
    if (trouble === "throttled") {
      response.writeHead(429, { "retry-after": String(1 + dice.below(2)) }).end()
      return this.#at("throttled", isEntry)
    }
    if (trouble === "late") {
      response.destroy()
      await pause(dice.below(400))
      return void (await pass())
    }
    if (trouble === "slow") {
      await this.#at("slow", isEntry)
      await pause(200 + dice.below(1500))
    }
    const answer = await pass()
    await this.#at("answered", isEntry)
    if (trouble === "silent") await pause(silenceMs)
    if (trouble === "silent" || trouble === "lost") {
      response.destroy()
      return this.#at("lost", isEntry)
    }
    const kept = ["content-type", "date"].flatMap((name) => {
      const value = answer.headers.get(name)
      return value === null ? [] : [[name, value] as const]
    })
    response.writeHead(answer.status, Object.fromEntries(kept)).end(answer.text)
  }

  async #pass({ body, method, path }: Request, headers: Readonly<Record<string, string>>): Promise<Answered> {
    const { connection: _c, "content-length": _l, host: _h, "transfer-encoding": _t, ...sent } = headers
    const init = method === "GET" ? { method, headers: sent } : { method, headers: sent, body }
    const answer = await fetch(new URL(path, this.#options.target), init)
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}
