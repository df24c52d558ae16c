/** A service over real HTTP that answers as a test wants, and a client of it. It gives a token to every request for one. */
import { once } from "node:events"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { assert } from "@effect/vitest"
import {
  type CallOptions,
  type Client,
  connect,
  type Options,
  type Project,
  type ServiceError
} from "../../../connectors/construction/Client.ts"

export interface Asked {
  /** Method and path below /v1 with its query, like `GET /projects?page=1`. */
  readonly what: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Without a status there is none: the connection is reset, or is left open. */
export interface Answer {
  readonly status: number | "reset" | "silence"
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export const accessToken = "at-7f3c9d2b51e8"
export const clientSecret = "cs-0123456789abcdef"

const token: Answer = { status: 200, body: { access_token: accessToken, expires_in: 3600 } }

/** `answer` gets the number of earlier requests with the same method and path. */
export const start = async (
  answer: (asked: Asked, before: number) => Answer,
  options: Partial<Options> = {},
  answerToken: () => Answer = () => token
) => {
  const asked: Array<Asked> = []
  const tokens: Array<Asked> = []
  const server = createServer(async (request, response) => {
    const isToken = request.url === "/oauth/token"
    const what = `${request.method} ${request.url?.replace(/^\/v1/, "")}`
    const one = { what, headers: request.headers, body: await text(request) }
    const before = asked.filter((each) => each.what === what).length
    ;(isToken ? tokens : asked).push(one)
    server.emit("asked")
    const { body = "", headers = {}, status } = isToken ? answerToken() : answer(one, before)
    if (status === "reset") return void request.socket.destroy()
    if (status === "silence") return
    const content = typeof body === "string" ? body : JSON.stringify(body)
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(content)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = connect({
    baseUrl: `${origin}/v1`,
    authUrl: origin,
    clientId: "client",
    clientSecret,
    requestsPerMinute: 60_000,
    giveUpAfter: "20 seconds",
    ...options
  })
  const close = async () => {
    await client.close()
    server.close()
    server.closeAllConnections()
  }
  /** Resolves when there have been that many requests. */
  const reached = async (count: number, of: ReadonlyArray<Asked> = asked) => {
    while (of.length < count) await once(server, "asked")
  }
  return { asked, client, origin, reached, tokens, [Symbol.asyncDispose]: close }
}

export const all = async (client: Client, options: CallOptions = {}) => {
  const projects: Array<Project> = []
  for await (const project of client.projects(options)) projects.push(project)
  return projects
}

export const rejectionOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => assert.fail("It succeeds."),
    (error: unknown) => error
  )

export const errorOf = (promise: Promise<unknown>) => rejectionOf(promise) as Promise<ServiceError>

export const page = (count: number, total = count): Answer => ({
  status: 200,
  body: {
    data: Array.from({ length: count }, (_, id) => ({ id, name: `Project ${id}`, status: "awarded" })),
    pagination: { total, page: 1, per_page: Math.max(1, count) }
  }
})
