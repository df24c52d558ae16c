/**
 * Where the browser comes back to (RFC 8252 §7.3): a listener on 127.0.0.1, on a free port, for one login.
 *
 * The first request to `/callback` that belongs to this login is the redirect. Any page can send a browser here, so one
 * that doesn't belong ends nothing; later ones get 410. Another host (DNS rebinding) or path gets 404. No framework sees
 * these requests, because their contents must not reach a log or a span.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Deferred, Effect, Schema, type Scope } from "effect"

export class RedirectError extends Schema.TaggedError<RedirectError>()("RedirectError", {
  message: Schema.String
}) {}

export interface Page {
  readonly status: number
  readonly title: string
  readonly text: string
}

export interface Arrived {
  readonly parameters: URLSearchParams
  /** What the person sees; returns when it has been sent. */
  readonly answer: (page: Page) => Effect.Effect<void>
}

export interface Redirect {
  readonly uri: string
  readonly arrived: Effect.Effect<Arrived>
}

const host = "127.0.0.1"
const path = "/callback"

/** Until the scope closes. */
export const listen = Effect.fnUntraced(function* (
  belongs: (parameters: URLSearchParams) => boolean
): Effect.fn.Return<Redirect, RedirectError, Scope.Scope> {
  const first = yield* Deferred.make<Arrived>()
  const server = yield* Effect.acquireRelease(open, close)
  const { port } = server.address() as AddressInfo
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const url = URL.parse(request.url ?? "", `http://${host}:${port}`)
    const isOurs = request.headers.host === `${host}:${port}` && request.method === "GET" && url?.pathname === path
    if (!isOurs) return send(response, notFound)
    if (!belongs(url.searchParams)) return send(response, ofAnother)
    const arrived: Arrived = { parameters: url.searchParams, answer: (page) => sent(response, page) }
    if (!Deferred.doneUnsafe(first, Effect.succeed(arrived))) send(response, tooLate)
  })
  return { uri: `http://${host}:${port}${path}`, arrived: Deferred.await(first) }
})

const open: Effect.Effect<Server, RedirectError> = Effect.callback((resume) => {
  const server = createServer()
  server.once("error", ({ message }) =>
    resume(Effect.fail(new RedirectError({ message: `The browser can't come back to this machine: ${message}` })))
  )
  server.listen(0, host, () => resume(Effect.succeed(server)))
})

const close = (server: Server): Effect.Effect<void> =>
  Effect.callback((resume) => {
    server.close(() => resume(Effect.void))
    server.closeAllConnections()
  })

const notFound: Page = { status: 404, title: "Not found", text: "There is nothing here." }
const ofAnother: Page = {
  status: 400,
  title: "Not this login",
  text: "This belongs to another login than the one that is waiting (its state is different). Continue in the newest window."
}
const tooLate: Page = {
  status: 410,
  title: "Too late",
  text: "This login has already ended. If it wasn't you, start a new one in the terminal."
}

const html = ({ text, title }: Page): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${title} · siteledger</title>
<style>body { font: 1.1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 20vh auto; padding: 0 1rem }</style>
</head>
<body><main><h1>${title}</h1><p>${text}</p></main></body>
</html>
`

/** The page loads nothing and is neither cached, framed nor sent as a referrer: its address holds the code. */
const headers = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  connection: "close"
}

const send = (response: ServerResponse, page: Page): void => {
  response.writeHead(page.status, headers).end(html(page))
}

const sent = (response: ServerResponse, page: Page): Effect.Effect<void> =>
  Effect.callback((resume) => {
    // The browser may be gone already.
    if (response.destroyed || response.writableEnded) return resume(Effect.void)
    response.once("close", () => resume(Effect.void))
    send(response, page)
  })
