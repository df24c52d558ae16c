/**
 * A tiny stand-in for the construction service over real HTTP: tokens, projects, webhooks and a request limit.
 *
 * It is a second, independent reading of the interface document: written from that text alone, on plain `node:http`,
 * and it shares no code with the product on purpose, so that one misreading can't hide in both. Nothing is kept on
 * disk; if the process dies, its tokens, subscriptions and pending retries are gone.
 *
 * As a program: `node test/InterfaceServer.ts --port 0 --projects 700` prints `{baseUrl, authUrl, pid}` on one line.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from "node:http"
import type { Server, ServerResponse } from "node:http"
import { createServer as createTlsServer, Server as TlsServer } from "node:https"
import type { AddressInfo } from "node:net"
import type { Certificate } from "./Certificates.ts"
import { apiDefaults, type ApiSettings, type Fault, Projects } from "./InterfaceServer/Api.ts"
import { type ProjectSource, RequestLimit, Tokens } from "./InterfaceServer/Api.ts"
import { eventBody, type EventInput } from "./InterfaceServer/Events.ts"
import { control, runProgram } from "./InterfaceServer/Program.ts"
import type { Delivery, Overrides, Subscription } from "./InterfaceServer/Webhooks.ts"
import { webhookDefaults, Webhooks, type WebhookSettings } from "./InterfaceServer/Webhooks.ts"
import { type Answer, bytesOf, mediaType, notAllowed, parse, refusal, send } from "./InterfaceServer/Wire.ts"

export type { Fault, ProjectSource } from "./InterfaceServer/Api.ts"
export { eventBody, type EventInput, eventTypes, exactNumber } from "./InterfaceServer/Events.ts"
export { retryScheduleSeconds, sign } from "./InterfaceServer/Webhooks.ts"
export type { Attempt, Delivery, Overrides, Subscription } from "./InterfaceServer/Webhooks.ts"

export interface Settings extends ApiSettings, WebhookSettings {
  /** 0 takes a free port. */
  port: number
  /** Serve `/control/*`, for tests that run this in another process. */
  control: boolean
  /** By how much the Date of each answer is ahead of this machine's clock. */
  clockAheadMs: number
  /** Serve https with it. */
  certificate: Certificate | null
}

export type InterfaceServerOptions = Partial<Settings>

/** One request as it arrived; `status` is 0 until it is answered, and stays 0 for hang and reset. */
export interface RequestRecord {
  readonly at: number
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: IncomingHttpHeaders
  status: number
}

const apiPath = "/api/v1"
const authPath = "/identity"

interface Waiter {
  readonly condition: () => boolean
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

export class InterfaceServer {
  readonly baseUrl: string
  readonly authUrl: string
  /** Mutable: a change holds from the next request, delivery or retry on. */
  readonly settings: Settings
  readonly requests: Array<RequestRecord> = []
  readonly projects: Array<ProjectSource>
  readonly subscriptions: Array<Subscription>
  readonly deliveries: Array<Delivery>
  readonly #server: Server
  readonly #tokens: Tokens
  readonly #limit: RequestLimit
  readonly #list: Projects
  readonly #webhooks: Webhooks
  #waiters: Array<Waiter> = []

  constructor(server: Server, settings: Settings) {
    const origin = `${settings.certificate === null ? "http" : "https"}://127.0.0.1:${(server.address() as AddressInfo).port}`
    this.baseUrl = origin + apiPath
    this.authUrl = origin + authPath
    this.settings = settings
    this.#server = server
    this.#tokens = new Tokens(settings)
    this.#limit = new RequestLimit(settings)
    this.#list = new Projects(settings)
    this.#webhooks = new Webhooks(settings, () => this.#changed())
    this.projects = this.#list.all
    this.subscriptions = this.#webhooks.subscriptions
    this.deliveries = this.#webhooks.deliveries
    server.on("request", (request, response) => void this.#serve(request, response))
  }

  /** With another certificate from the next connection on; those that are open end. */
  present(certificate: Certificate): void {
    if (this.#server instanceof TlsServer) this.#server.setSecureContext(certificate)
    this.closeConnections()
  }

  closeConnections(): void {
    this.#server.closeAllConnections()
  }

  /** Ends every access token. */
  revokeTokens(): void {
    this.#tokens.revoke()
  }

  /** Spoils the next `requests` answers of GET /projects, after those already asked for. */
  fail(fault: Fault, requests = 1): void {
    this.#list.fail(fault, requests)
  }

  /** A body as this server's settings shape it. */
  eventBody(type: string, fields: Record<string, unknown> = {}): string {
    return eventBody(type, fields, this.settings)
  }

  /** One signed POST without retries; resolves to the answer's status, or 0 without an answer in 10 seconds. */
  deliver(event: EventInput, overrides: Overrides = {}): Promise<number> {
    return this.#webhooks.deliver(event, overrides)
  }

  /** At-least-once delivery to each subscription that lists the type, retried by the schedule of §8. */
  publish(event: EventInput): Array<Delivery> {
    return this.#webhooks.publish(event)
  }

  /** Tries the permanently failed deliveries of one event again; throws when there is none. */
  replay(id: string): Array<Delivery> {
    return this.#webhooks.replay(id)
  }

  /** Most API requests, refused ones included, that arrived within any window of this length. */
  mostRequestsWithin(windowMs = 60_000): number {
    const times = this.requests.filter(({ path }) => path.startsWith(`${apiPath}/`)).map(({ at }) => at)
    let [first, most] = [0, 0]
    times.forEach((at, last) => {
      while (times[first]! <= at - windowMs) first += 1
      most = Math.max(most, last - first + 1)
    })
    return most
  }

  /** Resolves once the condition holds; it is looked at after each request, subscription and delivery attempt. */
  waitFor(condition: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiters.push({ condition, resolve, reject })
      this.#changed()
    })
  }

  /** Cancels retries, breaks every open connection in both directions, and frees the port. */
  async close(): Promise<void> {
    this.#webhooks.close()
    for (const { reject } of this.#waiters.splice(0)) reject(new Error("the server was closed while waiting"))
    const closed = new Promise((resolve) => this.#server.close(resolve))
    this.#server.closeAllConnections()
    await closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #changed(): void {
    this.#waiters = this.#waiters.filter(({ condition, reject, resolve }) => {
      try {
        if (!condition()) return true
        resolve()
      } catch (error) {
        reject(error)
      }
      return false
    })
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", this.baseUrl)
    const { headers, method = "GET" } = request
    const query = Object.fromEntries(url.searchParams)
    const record: RequestRecord = { at: Date.now(), method, path: url.pathname, query, headers, status: 0 }
    const fromTest = this.settings.control && url.pathname.startsWith("/control/")
    if (!fromTest) this.requests.push(record)
    this.#changed()
    response.on("error", () => undefined)
    response.setHeader("Date", new Date(Date.now() + this.settings.clockAheadMs).toUTCString())
    try {
      const limited = url.pathname.startsWith(`${apiPath}/`) ? this.#limit.refuse(record.at) : null
      const body = await bytesOf(request)
      const answer = fromTest
        ? control(this, method, url.pathname, body)
        : (limited ?? (await this.#route(url, record, body)))
      if (answer.wire === undefined) record.status = answer.status
      send(response, answer)
    } catch (error) {
      if (!response.headersSent) send(response, refusal(500, String(error)))
    }
    this.#changed()
  }

  async #route(url: URL, { headers, method }: RequestRecord, body: Buffer): Promise<Answer> {
    if (url.pathname === `${authPath}/oauth/token`) {
      return method === "POST" ? this.#tokens.grant(headers, body) : notAllowed("POST")
    }
    if (!url.pathname.startsWith(`${apiPath}/`)) return refusal(404, "no such path")
    const list = url.pathname === `${apiPath}/projects`
    const refused = this.#tokens.refuse(headers, list ? this.settings.requiredScope : null)
    if (refused !== null) return refused
    if (list) return method === "GET" ? this.#list.list(url.searchParams) : notAllowed("GET")
    if (url.pathname !== `${apiPath}/webhooks`) return refusal(404, "no such path")
    if (method !== "POST") return notAllowed("POST")
    if (mediaType(headers) !== "application/json") return refusal(415, "the body must be application/json")
    const parsed = parse(body)
    return parsed === undefined ? refusal(400, "the body is not JSON") : this.#webhooks.subscribe(parsed)
  }
}

/** Listens on 127.0.0.1. An array given as `projects` is used as it is, so the test may go on changing it. */
export const startInterfaceServer = async (options: InterfaceServerOptions = {}): Promise<InterfaceServer> => {
  const settings: Settings = {
    port: 0,
    control: false,
    clockAheadMs: 0,
    certificate: null,
    ...apiDefaults,
    ...webhookDefaults,
    ...options
  }
  const server = settings.certificate === null ? createServer() : createTlsServer(settings.certificate)
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(settings.port, "127.0.0.1", resolve)
  })
  return new InterfaceServer(server, settings)
}

if (import.meta.main) await runProgram(startInterfaceServer)
