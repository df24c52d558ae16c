/**
 * QuickBooks Online and Intuit's token endpoint over real HTTP, as far as posting needs them: rotating refresh tokens of
 * which an old one is refused, queries, journal entries with the checks of `Rules`, and remembered answers by `requestid`.
 * It answers wrongly, late or not at all as a test wants. Deliberately shares nothing with the product.
 *
 * Every secret that it makes contains `mark`, so tests can search for them where they must not be.
 */
import { randomBytes } from "node:crypto"
import { createServer, type IncomingMessage, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { type Answer, bytesOf, mediaType, send } from "../../InterfaceServer/Wire.ts"
import { rowsFor } from "./Queries.ts"
import {
  duplicateNumber,
  entryIn,
  type Fault,
  faultBody,
  faultOf,
  gatewayFault,
  type Lists,
  misshapen,
  notFound,
  type Stored
} from "./Rules.ts"

export const mark = "hush"
export const client = { id: "client-7", secret: `${mark}-client-secret` }
export const realmId = "4620816365"

/** A request as it came: `POST journalentry`, `GET query`, `POST tokens`. */
export interface Came {
  readonly what: string
  readonly url: URL
  readonly body: string
  /** What `Authorization` says. */
  readonly authorization: string
}

/** Before the request is handled, or instead. `lost`: it is handled and the connection is cut before the answer. */
export type Trouble = Answer | "lost" | "unheard" | undefined

/** The text with amounts as QuickBooks prints them: without needless zeros. */
const printed = (text: string): string => text.replace(/("Amount":\d+)\.(\d)0(?=\D)/g, "$1.$2")

export class StandIn {
  readonly came: Array<Came> = []
  /** What no client should send. */
  readonly complaints: Array<string> = []
  readonly entries: Array<Stored> = []
  lists: Lists = { Account: [], Customer: [], Vendor: [], Class: [], Department: [] }
  readonly currencies = { isMulti: false, home: "EUR" }
  trouble: (request: Came) => Trouble | Promise<Trouble> = () => undefined
  /** As "Warn about duplicate journal numbers" does. */
  refusesDuplicates = false
  /** Refusals, too. */
  remembersFaults = false
  /** Its queries show no journal entries for now. */
  isBehind = false
  refresh = `${mark}-refresh-0`
  /** How many were given. */
  grants = 0
  readonly #remembered = new Map<string, Answer>()
  readonly #access = new Set<string>()
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
    server.on("request", (request, response) => {
      response.on("error", () => undefined)
      void this.#serve(request).then((answer) => send(response, answer))
    })
  }

  static async start(): Promise<StandIn> {
    const server = createServer()
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
    return new StandIn(server)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((done) => this.#server.close(done))
    this.#server.closeAllConnections()
    await closed
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Ends the access tokens. */
  expire(): void {
    this.#access.clear()
  }

  forgetRequests(): void {
    this.#remembered.clear()
  }

  count(what: string): number {
    return this.came.filter((each) => each.what === what).length
  }

  /** As a person does. */
  delete(id: string): void {
    this.entries.splice(
      this.entries.findIndex(({ Id }) => Id === id),
      1
    )
  }

  async #serve(request: IncomingMessage): Promise<Answer> {
    const url = new URL(request.url ?? "", this.origin)
    const last = url.pathname.split("/").findLast((part) => !/^\d+$/.test(part))
    const body = String(await bytesOf(request))
    const what = `${request.method} ${last === "bearer" ? "tokens" : last}`
    const came = { what, url, body, authorization: request.headers.authorization ?? "" }
    this.came.push(came)
    const trouble = await this.trouble(came)
    if (typeof trouble === "object") return trouble
    if (trouble === "unheard") return { status: 0, body: "", wire: "reset" }
    const answer = what === "POST tokens" ? this.#token(request, body) : this.#company(request, came)
    return trouble === "lost" ? { ...answer, wire: "reset" } : answer
  }

  #token({ headers }: IncomingMessage, body: string): Answer {
    const form = new URLSearchParams(body)
    const expected = `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString("base64")}`
    if (headers.authorization !== expected) return answered(401, JSON.stringify({ error: "invalid_client" }))
    if (mediaType(headers) !== "application/x-www-form-urlencoded" || form.get("grant_type") !== "refresh_token")
      return answered(400, JSON.stringify({ error: "unsupported_grant_type" }))
    if (form.get("refresh_token") !== this.refresh) {
      const description = `Incorrect or invalid refresh token ${form.get("refresh_token")}`
      return answered(400, JSON.stringify({ error: "invalid_grant", error_description: description }))
    }
    this.grants += 1
    this.refresh = `${mark}-refresh-${this.grants}-${randomBytes(6).toString("hex")}`
    const access = `${mark}-access-${this.grants}-${randomBytes(12).toString("hex")}`
    this.#access.add(access)
    return answered(
      200,
      JSON.stringify({
        token_type: "bearer",
        access_token: access,
        refresh_token: this.refresh,
        expires_in: 3600,
        x_refresh_token_expires_in: 8_726_400
      })
    )
  }

  #company({ headers }: IncomingMessage, came: Came): Answer {
    const { body, url, what } = came
    const bearer = headers.authorization?.replace(/^Bearer /, "") ?? ""
    if (!this.#access.has(bearer)) {
      const message = "message=AuthenticationFailed; errorCode=003200; statusCode=401"
      return answered(401, gatewayFault("3200", message, `Token expired: ${bearer}`, "AUTHENTICATION"))
    }
    if (!url.pathname.startsWith(`/v3/company/${realmId}/`)) {
      const message = "message=ApplicationAuthorizationFailed; errorCode=003100; statusCode=403"
      return answered(403, gatewayFault("3100", message, bearer, "AUTHORIZATION"))
    }
    if (headers.accept !== "application/json") this.complaints.push(`${what} accepts ${headers.accept}`)
    if (url.searchParams.get("minorversion") !== "75") this.complaints.push(`${what} names no minor version`)
    if (what === "GET query") return this.#query(url.searchParams.get("query") ?? "")
    if (what === "GET journalentry") return this.#read(url.pathname.split("/").at(-1) ?? "")
    if (what !== "POST journalentry") return answered(404, "")
    if (mediaType(headers) !== "application/json") this.complaints.push("a journal entry isn't sent as JSON")
    return this.#create(url.searchParams.get("requestid") ?? "", body)
  }

  #query(statement: string): Answer {
    const journal = this.isBehind ? [] : this.entries
    const found = rowsFor(statement, this.lists, journal, this.currencies)
    if (found !== undefined) return answered(200, `{"QueryResponse":${found},"time":"2026-11-20T09:17:31.892-07:00"}`)
    this.complaints.push(`${statement} can't be read`)
    const detail = `QueryParserError: ${statement}`
    return answered(400, faultBody({ code: "4000", message: "Error parsing query", detail }))
  }

  #read(id: string): Answer {
    const found = this.entries.find(({ Id }) => Id === id)
    return found === undefined ? refusal(notFound) : answered(200, `{"JournalEntry":${found.text}}`)
  }

  #create(requestId: string, body: string): Answer {
    if (requestId === "" || requestId.length > 50) this.complaints.push(`the request id is "${requestId}"`)
    const remembered = this.#remembered.get(requestId)
    if (remembered !== undefined) return remembered
    const answer = this.#made(body)
    if (answer.status === 200 || this.remembersFaults) this.#remembered.set(requestId, answer)
    return answer
  }

  #made(body: string): Answer {
    const entry = entryIn(body)
    if (entry === undefined) return refusal(misshapen)
    if (this.refusesDuplicates && this.entries.some((each) => each.entry.DocNumber === entry.DocNumber))
      return refusal(duplicateNumber)
    const fault = faultOf(entry, this.lists, this.currencies)
    if (fault !== undefined) return refusal(fault)
    const Id = String(227 + this.entries.length)
    const text = `{"Id":"${Id}","SyncToken":"0","domain":"QBO",${printed(body).trim().slice(1)}`
    this.entries.push({ Id, entry, text })
    return answered(200, `{"JournalEntry":${text},"time":"2026-11-20T09:17:31.892-07:00"}`)
  }
}

const answered = (status: number, body: string): Answer => ({
  status,
  headers: { "content-type": "application/json;charset=UTF-8" },
  body
})

const refusal = (fault: Fault): Answer => answered(400, faultBody(fault))
