/**
 * Tryton's JSON-RPC over real HTTP: logins, sessions and calls of a few models. It fails as a test wants, and notes what
 * Tryton wouldn't understand.
 */
import { once } from "node:events"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Failure, StandInBooks } from "./StandInBooks.ts"

/** Part of everything secret, so that a test can look for it. */
export const mark = "hush"
export const user = "siteledger"
export const password = `${mark}-password`

export interface Call {
  /** Without "model." in front. */
  readonly method: string
  readonly params: ReadonlyArray<unknown>
  readonly context: Readonly<Record<string, unknown>>
}

/**
 * `lost`: carried out, and the connection ends without an answer. `unheard`: the same, not carried out. `silence`: neither.
 * `late`: the connection ends, and `carryOut` does it. An answer is given instead of carrying it out.
 */
export type Fault =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly text?: string }
  | { readonly error: unknown }
  | "lost"
  | "unheard"
  | "silence"
  | "late"
  | undefined

const read = async (request: IncomingMessage): Promise<string> => {
  const pieces: Array<Buffer> = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return String(Buffer.concat(pieces))
}

export class StandIn {
  readonly books = new StandInBooks()
  readonly calls: Array<Call> = []
  fault: (call: Call) => Fault | Promise<Fault> = () => undefined
  logins = 0
  readonly #sessions = new Set<string>()
  readonly #late: Array<() => unknown> = []
  readonly #server: Server

  private constructor() {
    this.#server = createServer((request, response) => {
      response.on("error", () => undefined)
      void this.#serve(request, response)
    })
  }

  static async start(): Promise<StandIn> {
    const standIn = new StandIn()
    standIn.#server.listen(0, "127.0.0.1")
    await once(standIn.#server, "listening")
    return standIn
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close")
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }

  get url(): URL {
    return new URL(`http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/books`)
  }

  count(method: string): number {
    return this.calls.filter((call) => call.method === method).length
  }

  /** As Tryton does after a while. */
  endSessions(): void {
    this.#sessions.clear()
  }

  /** What came late, as far as it can be. */
  carryOut(): ReadonlyArray<unknown> {
    return this.#late.splice(0).map((late) => late())
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse(await read(request)) as { readonly method: string; readonly params: ReadonlyArray<unknown> }
    if (request.method !== "POST" || request.url !== "/books/") return void response.writeHead(404).end("<html>")
    const isKnownForm =
      request.headers["content-type"] === "application/json" &&
      Object.keys(body).toSorted().join() === "id,method,params"
    if (!isKnownForm) this.books.complaints.push(`${request.headers["content-type"]}: ${Object.keys(body).join()}`)
    const isLogin = body.method === "common.db.login"
    const context = isLogin ? {} : (body.params.at(-1) as Call["context"])
    const call: Call = { method: body.method.replace(/^model\./, ""), params: body.params, context }
    this.calls.push(call)
    const fault = await this.fault(call)
    if (typeof fault === "object" && "status" in fault)
      return void response.writeHead(fault.status, fault.headers).end(fault.text)
    if (typeof fault === "object") return this.#answer(response, { error: fault.error })
    if (fault === "silence") return
    if (fault === "late") this.#late.push(() => this.#outcome(call))
    if (fault === "late" || fault === "unheard") return void response.destroy()
    if (!isLogin && !this.#sessions.has(request.headers.authorization ?? "")) return void response.writeHead(401).end()
    const outcome = isLogin ? this.#login(body.params) : this.#outcome(call)
    if (fault === "lost") return void response.destroy()
    if (outcome === undefined) return void response.writeHead(401).end()
    this.#answer(response, outcome)
  }

  #answer(response: ServerResponse, outcome: object): void {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ id: 1, ...outcome }))
  }

  #login([name, given]: ReadonlyArray<unknown>): object | undefined {
    this.logins += 1
    if (name !== user || (given as { readonly password?: unknown }).password !== password) return undefined
    const token = `${mark}-token-${this.logins}`
    this.#sessions.add(`Session ${Buffer.from(`${user}:7:${token}`).toString("base64")}`)
    return { result: [7, token] }
  }

  #outcome({ context, method, params }: Call): object {
    const [first, , , , fields] = params
    if (method === "res.user.get_preferences") return { result: this.books.preferences }
    const model = method.split(".").slice(0, -1).join(".")
    try {
      if (method.endsWith(".search_read"))
        return { result: this.books.searchRead(model, first as never, fields as ReadonlyArray<string>) }
      const ids = first as ReadonlyArray<number>
      if (context["company"] !== 1) this.books.complaints.push(`${method} for company ${String(context["company"])}`)
      if (method === "account.move.create")
        return { result: (first as ReadonlyArray<Record<string, unknown>>).map((values) => this.books.create(values)) }
      if (method === "account.move.write")
        this.books.write(ids, params[1] as never, (context["_timestamp"] ?? {}) as Record<string, unknown>)
      else if (method === "account.move.post") this.books.post(ids)
      else return { error: [`unknown method ${method}`, ""] }
      return { result: null }
    } catch (failure) {
      if (failure instanceof Failure) return { error: failure.error }
      throw failure
    }
  }
}
