/**
 * A third-party authorization server (`oidc-provider`) at the addresses of the interface document, in front of an API: it
 * issues the tokens, and a request with a valid one is passed on. The person consents to everything.
 */
import { generateKeyPairSync, randomBytes } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import Oidc, { type Configuration } from "oidc-provider"
import { passOn, type Upstream } from "../connectors/ConstructionAuth/AuthServer.ts"
import { bytesOf, json, send } from "../InterfaceServer/Wire.ts"
import { mark } from "../Marked.ts"

/** Shorter than a test, so that tokens are renewed in it. */
const tokenSeconds = 2

/** Uses client credentials. The secret has characters that form-encoding changes. */
export const server = { clientId: "worker 1", clientSecret: `${mark} a+b/c=d&e%f` }
/** The same, and accepts its secret by HTTP Basic only. */
export const basicServer = { ...server, clientId: "worker 2" }
/** Uses a person's login. */
export const person = { clientId: "desk-app", clientSecret: "" }

const configuration = (): Configuration => ({
  scopes: ["projects.read", "webhooks.write", "ncrs.write"],
  clients: [
    ...([server, basicServer] as const).map(({ clientId, clientSecret }) => ({
      client_id: clientId,
      client_secret: clientSecret,
      token_endpoint_auth_method:
        clientId === server.clientId ? ("client_secret_post" as const) : ("client_secret_basic" as const),
      grant_types: ["client_credentials"],
      response_types: [],
      redirect_uris: [],
      scope: "projects.read webhooks.write"
    })),
    {
      client_id: person.clientId,
      application_type: "native",
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      redirect_uris: ["http://127.0.0.1/callback"]
    }
  ],
  clientDefaults: { id_token_signed_response_alg: "ES256" },
  routes: { authorization: "/oauth/authorize", token: "/oauth/token", revocation: "/oauth/revoke" },
  features: {
    clientCredentials: { enabled: true },
    revocation: { enabled: true, allowedPolicy: () => true },
    devInteractions: { enabled: false }
  },
  interactions: { url: (_, { uid }) => `/consent/${uid}` },
  findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
  issueRefreshToken: () => Promise.resolve(true),
  ttl: {
    AccessToken: tokenSeconds,
    ClientCredentials: tokenSeconds,
    Grant: 600,
    Interaction: 600,
    RefreshToken: 600,
    Session: 600
  },
  jwks: { keys: [generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" })] },
  cookies: { keys: [randomBytes(16).toString("hex")] }
})

export class Provider {
  readonly authUrl: string
  readonly baseUrl: string
  /** The grant type of each token that was issued. */
  readonly grants: Array<string> = []
  upstream: Upstream | undefined
  readonly #server: Server
  readonly #oidc: Oidc

  private constructor(server: Server) {
    this.authUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    this.baseUrl = `${this.authUrl}/api/v1`
    this.#server = server
    this.#oidc = new Oidc(this.authUrl, configuration())
    this.#oidc.on("grant.success", ({ oidc }) => this.grants.push(String(oidc.params?.["grant_type"])))
    const authorize = this.#oidc.callback()
    server.on("request", (request, response) => {
      const { pathname } = new URL(request.url ?? "/", this.authUrl)
      if (pathname.startsWith("/consent/")) void this.#consent(request, response)
      else if (pathname.startsWith("/api/")) void this.#guard(request, response)
      else void authorize(request, response)
    })
  }

  static async start(): Promise<Provider> {
    const server = createServer()
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
    return new Provider(server)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((done) => this.#server.close(done))
    this.#server.closeAllConnections()
    await closed
  }

  async #consent(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { params, prompt, session } = await this.#oidc.interactionDetails(request, response)
    if (prompt.name === "login") {
      return this.#oidc.interactionFinished(request, response, { login: { accountId: "person" } })
    }
    const grant = new this.#oidc.Grant({
      clientId: String(params["client_id"]),
      ...(session === undefined ? {} : { accountId: session.accountId })
    })
    grant.addOIDCScope(String(params["scope"]))
    const consent = { grantId: await grant.save() }
    return this.#oidc.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true })
  }

  async #guard(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { AccessToken, ClientCredentials } = this.#oidc
    const bearer = /^Bearer (\S+)$/.exec(request.headers.authorization ?? "")?.[1] ?? ""
    const token = (await AccessToken.find(bearer)) ?? (await ClientCredentials.find(bearer))
    if (token === undefined || this.upstream === undefined) {
      return send(response, json(401, {}, { "www-authenticate": 'Bearer error="invalid_token"' }))
    }
    const url = new URL(request.url ?? "/", this.authUrl)
    send(response, await passOn(this.upstream, request, url, await bytesOf(request)))
  }
}

/** A browser: follows redirects with its cookies until one leaves the server, and returns where to. */
export const browse = async (start: string): Promise<string> => {
  const cookies = new Map<string, string>()
  const { origin } = new URL(start)
  let at = new URL(start)
  while (at.origin === origin) {
    const cookie = [...cookies].map((pair) => pair.join("=")).join("; ")
    const answer = await fetch(at, { redirect: "manual", headers: { cookie } })
    for (const set of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      cookies.set(name, value)
    }
    const location = answer.headers.get("location")
    if (location === null) throw new Error(`${answer.status} at ${at.href}: ${await answer.text()}`)
    at = new URL(location, at)
  }
  return at.href
}
