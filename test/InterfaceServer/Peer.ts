/**
 * The other side of the stand-in service, for its own tests: a caller on plain `fetch` and a webhook receiver on plain
 * `node:http` that keeps what arrives and checks nothing. Shares nothing with the product, on purpose.
 */
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { apiDefaults, type ApiSettings } from "./Api.ts"

interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

interface Address {
  readonly baseUrl: string
  readonly authUrl: string
  readonly settings?: Pick<ApiSettings, "clientId" | "clientSecret">
}

/** Answers `statuses` in turn and then 204; 0 never answers. */
export const startReceiver = async (...statuses: Array<number>) => {
  const received: Array<Received> = []
  const server = createServer(async (request, response) => {
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    received.push({ headers: request.headers, body: Buffer.concat(chunks) })
    const status = statuses.shift() ?? 204
    if (status !== 0) response.writeHead(status).end()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url, received, [Symbol.dispose]: close }
}

export const askToken = (
  { authUrl, settings = apiDefaults }: Omit<Address, "baseUrl">,
  form: Record<string, string> = {},
  contentType = "application/x-www-form-urlencoded"
) =>
  fetch(`${authUrl}/oauth/token`, {
    method: "POST",
    headers: { "content-type": contentType },
    body: new URLSearchParams({
      grant_type: "client_credentials",
      client_id: settings.clientId,
      client_secret: settings.clientSecret,
      scope: "projects.read",
      ...form
    }).toString()
  })

/** Takes a token and makes the two API calls of the document with it. */
export const login = async (server: Address) => {
  const { access_token } = (await (await askToken(server)).json()) as { readonly access_token: string }
  const headers = { authorization: `Bearer ${access_token}`, accept: "application/json" }
  return {
    list: (query = "", signal?: AbortSignal) =>
      fetch(`${server.baseUrl}/projects${query}`, signal === undefined ? { headers } : { headers, signal }),
    subscribe: (body: unknown) =>
      fetch(`${server.baseUrl}/webhooks`, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify(body)
      })
  }
}
