/**
 * Where the browser returns to (RFC 8252 §7.3): a listener on loopback for one login, on a free port or for the
 * redirect URI that the service knows. A URI on another host needs a proxy that forwards to the listener and keeps the
 * Host header.
 *
 * The first request to the URI that belongs to this login is the redirect. Any page can send a browser here, so a
 * request that doesn't belong ends nothing; later ones get 410. Another host (DNS rebinding) or path gets 404. No
 * framework sees these requests, because their contents must not reach a log or a span.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Deferred, Effect, Schema, type Scope } from "effect"
import { isLoopback, type Listen } from "../../../config/Address.ts"

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
  /** Shows the person a page; returns when it has been sent. */
  readonly answer: (page: Page) => Effect.Effect<void>
}

export interface Redirect {
  readonly uri: string
  readonly arrived: Effect.Effect<Arrived>
}

/** What a person has configured. */
export interface Fixed {
  /** The redirect URI, as the service knows it. */
  readonly uri: string | undefined
  /** The port of the listener. */
  readonly port: number | undefined
}

const loopback = "127.0.0.1"

export const uriAt = (port: number): string => `http://${loopback}:${port}/callback`

/** Runs until the scope closes. */
export const listen = Effect.fnUntraced(function* (
  belongs: (parameters: URLSearchParams) => boolean,
  fixed: Fixed
): Effect.fn.Return<Redirect, RedirectError, Scope.Scope> {
  const first = yield* Deferred.make<Arrived>()
  const server = yield* Effect.acquireRelease(Effect.flatMap(addressOf(fixed), open), close)
  const uri = fixed.uri ?? uriAt((server.address() as AddressInfo).port)
  const { host, pathname } = new URL(uri)
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const url = URL.parse(request.url ?? "", uri)
    const isOurs =
      request.headers.host?.toLowerCase() === host && request.method === "GET" && url?.pathname === pathname
    if (!isOurs) return send(response, notFound)
    if (!belongs(url.searchParams)) return send(response, ofAnother)
    const arrived: Arrived = { parameters: url.searchParams, answer: (page) => sent(response, page) }
    if (!Deferred.doneUnsafe(first, Effect.succeed(arrived))) send(response, tooLate)
  })
  return { uri, arrived: Deferred.await(first) }
})

/** Where to listen. Always on loopback: a proxy in front of it is on this machine too. */
const addressOf = ({ port, uri }: Fixed): Effect.Effect<Listen, RedirectError> => {
  if (uri === undefined) return Effect.succeed({ host: loopback, port: port ?? 0 })
  const url = new URL(uri)
  const host = url.hostname.replace(/^\[|\]$/g, "")
  if (isLoopback(host)) {
    return Effect.succeed({
      host: host === "localhost" ? loopback : host,
      port: port ?? Number(url.port || standardPorts[url.protocol])
    })
  }
  return port === undefined ? Effect.fail(noPort) : Effect.succeed({ host: loopback, port })
}

const standardPorts: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 }

const noPort = new RedirectError({
  message:
    "SITELEDGER_REDIRECT_URI is not on this machine: name the port that it is forwarded to with --port, or log in with --paste."
})

const open = ({ host, port }: Listen): Effect.Effect<Server, RedirectError> =>
  Effect.callback((resume) => {
    const server = createServer()
    server.once("error", ({ message }) =>
      resume(Effect.fail(new RedirectError({ message: `The browser can't come back to this machine: ${message}` })))
    )
    server.listen(port, host, () => resume(Effect.succeed(server)))
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

/**
 * The page loads nothing and is neither cached, framed nor sent as a referrer, because its address contains the code.
 */
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
