/**
 * A small authorization server over real HTTP, written only from RFC 6749, 7009, 7636 and 9207; it deliberately shares
 * nothing with the product. Refresh tokens are valid for one use: a second use ends the whole login. In front of an API it
 * checks the bearer tokens and passes requests on with its own token.
 *
 * Every secret that it makes contains `mark`, so tests can search for them where they must not be.
 */
import { createHash, randomBytes } from "node:crypto"
import { createServer, type IncomingMessage, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { type Answer, bytesOf, json, send } from "../../InterfaceServer/Wire.ts"
import { type AuthSettings, defaults } from "./AuthSettings.ts"
import { mark, refused, strangerTo } from "./Refused.ts"

export { mark } from "./Refused.ts"

/** All tokens that come from one consent: they end together. */
interface Login {
  readonly scope: string
  access: string
  refresh: string
}

interface Code {
  readonly challenge: string
  readonly redirectUri: string
  readonly scope: string
}

/** The API behind, and how to get its token. */
export interface Upstream {
  readonly origin: string
  readonly token: () => Promise<string>
}

/** A request whose token was good, with a token of the API behind. */
export const passOn = async (
  { origin, token }: Upstream,
  { method = "GET" }: IncomingMessage,
  { pathname, search }: URL,
  body: Buffer
): Promise<Answer> => {
  const response = await fetch(new URL(pathname + search, origin), {
    method,
    headers: { authorization: `Bearer ${await token()}`, "content-type": "application/json" },
    ...(body.length === 0 ? {} : { body: new Uint8Array(body) })
  })
  return { status: response.status, headers: { "content-type": "application/json" }, body: await response.text() }
}

export class AuthServer {
  readonly settings: AuthSettings
  readonly authUrl: string
  readonly baseUrl: string
  /** The forms that came to the token endpoint. */
  readonly grants: Array<URLSearchParams> = []
  readonly revoked: Array<string> = []
  /** Bearer tokens as they came to the API, with the answer's status. */
  readonly calls: Array<{ readonly bearer: string; readonly path: string; status: number }> = []
  /** Called for each bearer token that comes to the API, before it is looked at. */
  onCall: (bearer: string) => void = () => undefined
  upstream: Upstream | undefined
  readonly #server: Server
  readonly #codes = new Map<string, Code>()
  readonly #logins = new Set<Login>()
  readonly #spent = new Map<string, Login>()
  readonly #access = new Map<string, { readonly scope: string; readonly endsAt: number; left: number }>()

  private constructor(server: Server, settings: AuthSettings) {
    this.settings = settings
    this.#server = server
    this.authUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/identity`
    this.baseUrl = new URL("/api/v1", this.authUrl).href
    server.on("request", (request, response) => {
      response.on("error", () => undefined)
      void this.#route(request).then((answer) => send(response, answer))
    })
  }

  static async start(settings: Partial<AuthSettings> = {}): Promise<AuthServer> {
    const server = createServer()
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
    return new AuthServer(server, { ...defaults, ...settings })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((done) => this.#server.close(done))
    this.#server.closeAllConnections()
    await closed
  }

  get refreshes(): number {
    return this.grants.filter((form) => form.get("grant_type") === "refresh_token").length
  }

  /** The first tokens of a new consent. */
  login(scope = "projects.read"): Record<string, unknown> {
    const login: Login = { scope, access: "", refresh: "" }
    this.#logins.add(login)
    return this.#tokens(login)
  }

  /** Ends the access tokens; the logins stay. */
  expire(): void {
    this.#access.clear()
  }

  /** Ends everything. */
  revokeAll(): void {
    this.#access.clear()
    this.#logins.clear()
  }

  isGood(bearer: string): boolean {
    const token = this.#access.get(bearer)
    return token !== undefined && token.endsAt > Date.now() && token.left > 0
  }

  #secret(what: string): string {
    return `${mark}-${what}-${randomBytes(16).toString("base64url")}`
  }

  #tokens(login: Login): Record<string, unknown> {
    const { lifeSeconds, refreshes, rotates, uses } = this.settings
    this.#access.delete(login.access)
    login.access = this.#secret("access")
    this.#access.set(login.access, { scope: login.scope, endsAt: Date.now() + lifeSeconds * 1000, left: uses })
    const isNew = refreshes && (rotates || login.refresh === "")
    if (isNew && login.refresh !== "") this.#spent.set(login.refresh, login)
    if (isNew) login.refresh = this.#secret("refresh")
    return {
      access_token: login.access,
      token_type: "bearer",
      expires_in: lifeSeconds,
      scope: login.scope,
      ...(isNew ? { refresh_token: login.refresh } : {})
    }
  }

  async #route(request: IncomingMessage): Promise<Answer> {
    const url = new URL(request.url ?? "/", this.authUrl)
    const body = await bytesOf(request)
    const at = `${request.method} ${url.pathname}`
    if (at === "GET /identity/oauth/authorize") return this.#authorize(url.searchParams)
    const { authorization } = request.headers
    if (at === "POST /identity/oauth/token") return this.#grant(new URLSearchParams(String(body)), authorization)
    if (at === "POST /identity/oauth/revoke") return this.#revoke(new URLSearchParams(String(body)), authorization)
    return this.#guard(request, url, body)
  }

  /** RFC 6749 §4.1.1: a person who consents to everything at once. */
  #authorize(query: URLSearchParams): Answer {
    const isWhole = query.get("response_type") === "code" && query.get("code_challenge_method") === "S256"
    if (!isWhole || query.get("client_id") !== this.settings.clientId) return refused(400, "invalid_request")
    const redirectUri = query.get("redirect_uri") ?? ""
    const code = this.#secret("code")
    const scope = this.settings.grants ?? query.get("scope") ?? ""
    this.#codes.set(code, { challenge: query.get("code_challenge") ?? "", redirectUri, scope })
    const back = new URL(redirectUri)
    back.search = new URLSearchParams({ code, state: query.get("state") ?? "", iss: this.authUrl }).toString()
    return { status: 302, headers: { location: back.href }, body: "" }
  }

  async #grant(form: URLSearchParams, authorization: string | undefined): Promise<Answer> {
    this.grants.push(form)
    const type = form.get("grant_type")
    await this.settings.hold(form)
    const { refusal } = this.settings
    if (refusal !== null) return refused(refusal.status, refusal.error, refusal.headers)
    const stranger = strangerTo(this.settings, form, authorization)
    if (stranger !== undefined) return stranger
    const answer = type === "refresh_token" ? this.#refresh(form) : this.#first(type, form)
    if (this.settings.losesAnswers > 0) {
      this.settings.losesAnswers -= 1
      return { ...answer, wire: "reset" }
    }
    return answer
  }

  #first(type: string | null, form: URLSearchParams): Answer {
    if (type === "client_credentials" && this.settings.clientSecret !== null) {
      const { refresh_token: _, ...tokens } = this.login(this.settings.grants ?? form.get("scope") ?? "")
      return json(200, tokens)
    }
    const known = this.#codes.get(form.get("code") ?? "")
    if (type !== "authorization_code") return refused(400, "unauthorized_client")
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url")
    if (known?.challenge !== challenge || known.redirectUri !== form.get("redirect_uri")) {
      return refused(400, "invalid_grant")
    }
    this.#codes.delete(form.get("code") ?? "")
    return json(200, this.login(known.scope))
  }

  #refresh(form: URLSearchParams): Answer {
    const token = form.get("refresh_token") ?? ""
    const reused = this.#spent.get(token)
    if (reused !== undefined) this.#end(reused)
    const login = [...this.#logins].find(({ refresh }) => refresh === token)
    return login === undefined ? refused(400, "invalid_grant") : json(200, this.#tokens(login))
  }

  #end(login: Login): void {
    this.#logins.delete(login)
    this.#access.delete(login.access)
  }

  #revoke(form: URLSearchParams, authorization: string | undefined): Answer {
    const token = form.get("token") ?? ""
    if (this.settings.refusesRevocation) return refused(404)
    const stranger = strangerTo(this.settings, form, authorization)
    if (stranger !== undefined) return stranger
    this.revoked.push(token)
    for (const login of this.#logins) if (login.refresh === token) this.#end(login)
    return json(200, {})
  }

  async #guard(request: IncomingMessage, url: URL, body: Buffer): Promise<Answer> {
    const bearer = /^Bearer (\S+)$/.exec(request.headers.authorization ?? "")?.[1] ?? ""
    const call = { bearer, path: url.pathname, status: 0 }
    this.calls.push(call)
    this.onCall(bearer)
    const answer = this.#refuse(bearer) ?? (await this.#pass(request, url, body))
    call.status = answer.status
    return answer
  }

  /** RFC 6750 §3. */
  #refuse(bearer: string): Answer | undefined {
    if (!this.isGood(bearer)) {
      return json(401, {}, { "www-authenticate": `Bearer error="invalid_token", error_description="${mark}"` })
    }
    const token = this.#access.get(bearer)
    if (token !== undefined) token.left -= 1
    const { challenge, requiredScope: scope } = this.settings
    if (challenge !== null) return json(403, {}, challenge === undefined ? {} : { "www-authenticate": challenge })
    if (scope === null || token?.scope.split(" ").includes(scope) === true) return undefined
    return json(403, {}, { "www-authenticate": `Bearer error="insufficient_scope", scope="${scope}"` })
  }

  #pass(request: IncomingMessage, url: URL, body: Buffer): Promise<Answer> {
    return this.upstream === undefined ? Promise.resolve(json(200, {})) : passOn(this.upstream, request, url, body)
  }
}
