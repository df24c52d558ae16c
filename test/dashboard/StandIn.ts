/** A worker of a test's own: it serves the built page under the strict policy, and answers what the test says. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { existsSync, readFileSync } from "node:fs"
import type { AddressInfo } from "node:net"
import { extname, join } from "node:path"
import { Effect } from "effect"
import { page } from "../../bin/page.ts"
import type { Event, Name, Session } from "../../dashboard/Api.ts"
import type { StatusReport } from "../../src/Operate/AdminApi/StatusReport.ts"
import { temporaryFolder } from "../Folders.ts"
import { root } from "../Tidy/Sources.ts"
import * as Shown from "./Shown.ts"
import * as ShownLake from "./ShownLake.ts"
import * as ShownReports from "./ShownReports.ts"
import * as ShownSetup from "./ShownSetup.ts"
import { status } from "./ShownStatus.ts"

/** As the admin listener sends it. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
  "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

const types: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".svg": "image/svg+xml"
}

/** Bytes that are no text. */
export const parquet = Buffer.from([0x50, 0x41, 0x52, 0x31, 0x00, 0xff, 0xfe])

export const code = "a-code-for-once"
export const token = "slp_a-token"

type Answers = Partial<Readonly<Record<Name, (payload: Readonly<Record<string, unknown>>) => unknown>>>

const json = (response: ServerResponse, status: number, value: unknown): void => {
  response.writeHead(status, { "content-type": "application/json" })
  response.end(JSON.stringify(value))
}

const bodyOf = async (request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> => {
  const parts: Array<Buffer> = []
  for await (const part of request) parts.push(part as Buffer)
  return JSON.parse(Buffer.concat(parts).toString()) as Readonly<Record<string, unknown>>
}

export class StandIn {
  /** Null: nobody is signed in. */
  session: Session | null = { principal: "Ada Lovelace", may: ["read", "decide", "operate"] }
  status: StatusReport = status
  /** That a stream begins with. */
  events: ReadonlyArray<Event> = Shown.events
  answers: Answers = { ...Shown.answers, ...ShownLake.answers, ...ShownReports.answers, ...ShownSetup.answers }
  /** Verbs in the order in which they came. */
  readonly asked: Array<{ readonly name: string; readonly payload: Readonly<Record<string, unknown>> }> = []
  readonly #folder = temporaryFolder()
  readonly #streams = new Set<ServerResponse>()
  readonly #server = createServer((request, response) => void this.#answer(request, response))

  static readonly started = Effect.acquireRelease(
    Effect.promise(async () => {
      const standIn = new StandIn()
      await page(root, standIn.#folder)
      await new Promise<void>((resolve) => standIn.#server.listen(0, "127.0.0.1", resolve))
      return standIn
    }),
    (standIn) => Effect.sync(() => standIn.#server.close().closeAllConnections())
  )

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get hasStream(): boolean {
    return this.#streams.size > 0
  }

  send(events: ReadonlyArray<Event>): void {
    for (const stream of this.#streams) this.#write(stream, "events", { through: events.at(-1)?.sequence ?? 0, events })
  }

  /** The worker can't tell its status; undefined: it can again. */
  tell(trouble: string | undefined): void {
    for (const stream of this.#streams) {
      if (trouble === undefined) this.#write(stream, "status", this.status)
      else this.#write(stream, "trouble", { error: trouble })
    }
  }

  /** Ends the streams, and begins no other. */
  #isAway = false
  set isAway(isAway: boolean) {
    this.#isAway = isAway
    if (isAway) for (const stream of this.#streams) stream.destroy()
  }

  #write(stream: ServerResponse, event: string, data: unknown): void {
    stream.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? "/", "http://page").pathname
    if (path === "/session") return this.#sign(request, response)
    const isOpen = path === "/stream" || path === "/query.parquet" || path.startsWith("/verbs/")
    if (isOpen && this.session === null) return json(response, 401, { error: "Sign in first." })
    if (path === "/stream") return this.#stream(response)
    if (path === "/query.parquet") return this.#parquet(await bodyOf(request), response)
    if (path.startsWith("/verbs/"))
      return this.#carryOut(path.slice("/verbs/".length) as Name, await bodyOf(request), response)
    const asked = join(this.#folder, path)
    const file = path.startsWith("/assets/") && existsSync(asked) ? asked : join(this.#folder, "index.html")
    response.writeHead(200, { "content-type": types[extname(file)] ?? "", "content-security-policy": policy })
    response.end(readFileSync(file))
  }

  async #sign(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === "DELETE") {
      this.session = null
      response.writeHead(204).end()
      return
    }
    if (request.method === "POST") {
      const proof = await bodyOf(request)
      const isRight = proof["code"] === code || proof["token"] === token
      this.session = isRight ? { principal: "Ada Lovelace", may: ["read"] } : null
    }
    if (this.session === null) json(response, 401, { error: "This token isn't valid." })
    else json(response, 200, this.session)
  }

  #stream(response: ServerResponse): void {
    if (this.#isAway) return void response.destroy()
    this.#streams.add(response)
    response.on("close", () => this.#streams.delete(response))
    response.writeHead(200, { "content-type": "text/event-stream" })
    this.#write(response, "status", this.status)
    this.#write(response, "events", { through: this.events.at(-1)?.sequence ?? 0, events: this.events })
  }

  /** Whatever the statement is, but one. */
  #parquet(payload: Readonly<Record<string, unknown>>, response: ServerResponse): void {
    this.asked.push({ name: "query.parquet", payload })
    if (payload["sql"] === "select 2") return json(response, 500, { error: "The file can't be made." })
    response.writeHead(200, { "content-type": "application/vnd.apache.parquet" })
    response.end(parquet)
  }

  #carryOut(name: Name, payload: Readonly<Record<string, unknown>>, response: ServerResponse): void {
    this.asked.push({ name, payload })
    const answer = this.answers[name]?.(payload)
    if (answer === undefined) json(response, 500, { error: "There is no such thing here." })
    else json(response, 200, answer)
  }
}
