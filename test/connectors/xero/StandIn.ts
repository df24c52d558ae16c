/**
 * Xero over real HTTP, as far as manual journals go: the token endpoint, GET and PUT /ManualJournals. It complains about every
 * request that the interface document doesn't allow (`Document.ts`), and fails as a test wants.
 */
import { createHash } from "node:crypto"
import { once } from "node:events"
import { createServer, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { type Answer, type Asked, parameters } from "./Document.ts"
import { Journals } from "./StandInJournals.ts"

/**
 * An answer in place of Xero's, or what happens to the request: its answer is lost, or never comes; or only the connection is
 * cut, and Xero acts on the request when the test says so.
 */
export type Fault = Answer | "lost" | "silence" | "late" | undefined

const forbidden = (status: number, title: string, detail: string): Answer => ({
  status,
  body: { Type: null, Title: title, Status: status, Detail: detail, Instance: "a233ca33-cdb9-48b0-81c2-b6217f1fcfdb" }
})

export class StandIn {
  readonly clientId = "0123456789ABCDEF0123456789ABCDEF"
  readonly clientSecret = "client+secret/ &%"
  readonly tenantId = "70784a63-d24b-46a9-a4db-0e70a274b056"
  readonly scope = "accounting.manualjournals"
  readonly journals = new Journals()
  readonly asked: Array<Asked> = []
  readonly tokenRequests: Array<string> = []
  readonly complaints: Array<string> = []
  remembersKeys = true
  lifeSeconds = 1800
  fault: (asked: Asked) => Fault | Promise<Fault> = () => undefined
  answerToken: () => Fault = () => undefined
  #late: Array<Asked> = []
  #keys = new Map<string, { readonly request: string; readonly answer: Answer }>()
  /** Until when they are good. */
  #tokens = new Map<string, number>()
  #server: Server | undefined
  #port = 0

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  get puts(): ReadonlyArray<Asked> {
    return this.asked.filter(({ method }) => method === "PUT")
  }

  get gets(): ReadonlyArray<Asked> {
    return this.asked.filter(({ method }) => method === "GET")
  }

  get tokens(): ReadonlyArray<string> {
    return [...this.#tokens.keys()]
  }

  /** Of all tokens so far. */
  expire(): void {
    for (const token of this.#tokens.keys()) this.#tokens.set(token, 0)
  }

  /** Acts on the requests whose connections were cut. */
  catchUp(): void {
    for (const asked of this.#late.splice(0)) this.#answer(asked)
  }

  async open(): Promise<void> {
    this.#server = createServer((request, response) => {
      const { headers, method = "", url = "" } = request
      void text(request).then((body) =>
        this.#serve({ method, url: new URL(url, "http://stand-in"), headers, body }, response)
      )
    })
    this.#server.listen(0, "127.0.0.1")
    await once(this.#server, "listening")
    this.#port = (this.#server.address() as AddressInfo).port
  }

  async close(): Promise<void> {
    this.#server?.closeAllConnections()
    this.#server?.close()
  }

  async #serve(asked: Asked, response: ServerResponse): Promise<void> {
    const isToken = asked.url.pathname === "/connect/token"
    if (!isToken) this.asked.push(asked)
    const fault = isToken ? this.answerToken() : await this.fault(asked)
    if (fault === "late") this.#late.push(asked)
    if (fault === "late") return void response.destroy()
    const answer = typeof fault === "object" ? fault : isToken ? this.#grant(asked) : this.#answer(asked)
    if (fault === "lost") return void response.destroy()
    if (fault === "silence") return
    const body = typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body ?? {})
    response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers }).end(body)
  }

  #grant({ body, headers, method }: Asked): Answer {
    this.tokenRequests.push(body)
    const form = new URLSearchParams(body)
    const basic = Buffer.from(`${this.clientId}:${this.clientSecret}`).toString("base64")
    if (method !== "POST" || form.get("grant_type") !== "client_credentials") this.complaints.push(`token: ${body}`)
    if (headers.authorization !== `Basic ${basic}`) return { status: 400, body: { error: "invalid_client" } }
    if (form.get("scope") !== this.scope) return { status: 400, body: { error: "invalid_scope" } }
    const token = `token-${this.#tokens.size + 1}-${createHash("sha256").update(String(this.#tokens.size)).digest("hex")}`
    this.#tokens.set(token, performance.now() + this.lifeSeconds * 1000)
    return {
      status: 200,
      body: { access_token: token, expires_in: this.lifeSeconds, token_type: "Bearer", scope: this.scope }
    }
  }

  #answer(asked: Asked): Answer {
    const { headers, url } = asked
    const token = /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1] ?? ""
    if ((this.#tokens.get(token) ?? 0) <= performance.now()) {
      return forbidden(401, "Unauthorized", "TokenExpired: token expired at 08/12/2022 07:00:40")
    }
    if (headers["xero-tenant-id"] !== this.tenantId) return forbidden(403, "Forbidden", "AuthenticationUnsuccessful")
    if (url.pathname !== "/api.xro/2.0/ManualJournals") return { status: 404, body: "The resource can't be found" }
    this.#check(asked)
    return asked.method === "GET" ? this.journals.list(asked) : this.#once(asked)
  }

  #check({ headers, method, url }: Asked): void {
    const allowed = parameters[method] ?? []
    const strange = [...url.searchParams.keys()].filter((name) => !allowed.includes(name))
    if (strange.length > 0 || allowed.length === 0) this.complaints.push(`${method} ${url.search}`)
    if (headers.accept !== "application/json") this.complaints.push(`Accept: ${headers.accept}`)
    if (method === "GET") return
    if (headers["content-type"] !== "application/json") this.complaints.push(`Content-Type: ${headers["content-type"]}`)
    if (String(headers["idempotency-key"] ?? "").length > 128)
      this.complaints.push("Idempotency-Key: 128 character max")
  }

  /** Errors are remembered too. */
  #once(asked: Asked): Answer {
    const key = String(asked.headers["idempotency-key"] ?? "")
    const request = `${asked.method} ${asked.url} ${asked.body}`
    const known = this.remembersKeys && key !== "" ? this.#keys.get(key) : undefined
    if (known !== undefined && known.request !== request) {
      return this.journals.invalid([`Idempotency Key: ${key} is used with a different request.`])
    }
    const answer = known?.answer ?? this.journals.create(asked, this.complaints)
    this.#keys.set(key, { request, answer })
    return answer
  }
}
